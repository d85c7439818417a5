"""The plan `auto` without the extensions that contain schedules: programs that need it are refused, as the plan must
not depend on what is installed.
"""

from __future__ import annotations

from typing import Any, cast

import pytest

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import Row
from tinyml.lowering.options import PipelineOptions
from tinyml.tools.cli.parse_mlir import parse_mlir
from tinyml.tools.driver.limits import compile_within_ram
from tinyml.transforms.formats.plan_execution import PlanExecutionPass
from tinyml.transforms.schedules.table import SCHEDULES, missing_schedules

PART = "the plan 'auto' needs the part 'schedules' of tinyml, which is not installed"

PROGRAM = b"""
func.func @f(%x: tensor<2x!fixed.q<8, 7>>) -> tensor<2x!fixed.q<8, 7>> {
  %y = tdsl.relu %x : tensor<2x!fixed.q<8, 7>> -> tensor<2x!fixed.q<8, 7>>
  func.return %y : tensor<2x!fixed.q<8, 7>>
}
"""


@pytest.fixture
def without_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = Row("rows", "tinyml.transforms.schedules.streams.none:ROWS")
    monkeypatch.setattr(SCHEDULES, "built_in", {**SCHEDULES.built_in, "rows": absent})


@pytest.mark.usefixtures("without_rows")
def test_a_plan_within_a_limit_is_refused():
    assert missing_schedules() == PART
    module = parse_mlir(context(), PROGRAM, "f.mlir")
    PlanExecutionPass().apply(context(), module)
    with pytest.raises(InputError, match=PART):
        PlanExecutionPass(ram=100).apply(context(), module)


@pytest.mark.usefixtures("without_rows")
def test_a_program_that_does_not_fit_stays_so():
    tried: list[PipelineOptions] = []

    def again(options: PipelineOptions) -> Any:
        tried.append(options)
        return len(tried)

    _, options = compile_within_ram(10, cast(Any, 0), PipelineOptions(data="val.npz"), lambda _: 20, again)
    assert [(each.reuse_input, each.ram) for each in tried] == [(True, None)]
    assert options.reuse_input
