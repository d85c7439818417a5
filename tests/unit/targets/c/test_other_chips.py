"""The C of a program does not depend on which other chips are installed."""

from __future__ import annotations

import pytest
from programs.paths import ROOT

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.targets import registry
from tinyml.targets.c.print_c import print_c
from tinyml.tools.driver.stages import load_program

TOUR = ROOT / "docs" / "tour"


def c_for(target: str) -> str:
    ctx = context()
    module = load_program(TOUR / "tour.sd", ctx)
    options = {"target": target, "data": str(TOUR / "val.npz")}
    pipelines.run(module, ctx, pipelines.flatten("reals-to-c", options))
    return print_c(module, ctx, target)


@pytest.mark.long
@pytest.mark.parametrize("target", ["uno", "cortex-m4", "riscv", "esp8266", "host"])
def test_rows_of_other_chips_leave_the_c_as_it_is(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, chip = c_for(target), registry.chip_of(target)
    kept = {name: row for name, row in registry.CHIPS.built_in.items() if name in (chip.name, registry.HOST)}
    monkeypatch.setattr(registry.CHIPS, "built_in", kept)
    assert {row.name for row in registry.chips()} == {*kept}
    assert c_for(target) == before
