"""A program may use nine tenths of the flash for forests as code. On a board whose costs are unknown, the rest of the
program counts as empty. A kernel whose steps are not all in the cost table is unchanged.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from tinyml.targets.registry import HOST, board
from tinyml.transforms.ir.pipeline_names import LoweringPasses
from tinyml.transforms.loops.flash import forest_coding

FORESTS: Any = forest_coding


def test_a_board_without_costs_has_an_empty_program_beside_forests():
    assert FORESTS._rest(ModuleOp([]), HOST, LoweringPasses(())) == (0.0, 0.0)


@pytest.mark.parametrize("target", ["uno", "cortex-m4", HOST])
def test_nine_tenths_of_the_flash_are_for_the_program(target: str):
    flash = board(target).flash
    assert FORESTS._usual_limit(target) == (None if flash is None else 0.9 * flash)


@pytest.mark.parametrize("steps", [None, {}, {"compare": SimpleNamespace(time=2.0)}])
def test_a_kernel_with_a_step_that_the_cost_table_lacks_is_unchanged(steps: Any, monkeypatch: pytest.MonkeyPatch):
    table = None if steps is None else SimpleNamespace(steps=steps)
    monkeypatch.setattr("tinyml.transforms.loops.flash.forest_coding.cost_table", lambda _: table)  # pyright: ignore
    kernel = SimpleNamespace(composed=SimpleNamespace(counts={"compare": 3, "vote": 1}))
    assert FORESTS._timed(kernel, "uno") is kernel
