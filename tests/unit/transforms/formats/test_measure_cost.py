"""The measured costs of a program, with a runner that builds and runs nothing."""

# Stubs have few types.
# pyright: basic

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.runtime.devices.device import Build
from tinyml.targets.costs import cost_table
from tinyml.transforms.formats import measure_cost
from tinyml.transforms.formats.measure_cost import MeasureCostPass
from tinyml.transforms.ir.cost.estimate import reading_time
from tinyml.transforms.ir.pipeline_names import TO_C, TO_LOOPS, ProgramCost, cost_of

PROGRAM = """
func.func @f(%X: tensor<4x1x!fixed.q<8, 7>>) -> tensor<4x1x!fixed.q<8, 7>> {
  %t = tdsl.tanh %X : tensor<4x1x!fixed.q<8, 7>> -> tensor<4x1x!fixed.q<8, 7>>
  func.return %t : tensor<4x1x!fixed.q<8, 7>>
}
"""


class Runner:
    """A runner that builds nothing. It reports 1000 bytes of flash, three bytes of RAM and five bytes of stack for each
    program.

    lowered: the passes that ran, with their options.
    """

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, flashes: list[int], cycles: Any = (7.0, 8.0), there: bool = True
    ):
        self.flashes, self.cycles = flashes, cycles
        self.lowered: list[Any] = []
        self.inputs: Any = None
        monkeypatch.setattr(measure_cost, "is_available", lambda _: there)
        monkeypatch.setattr(measure_cost, "runner_for", lambda _: self)
        monkeypatch.setattr(measure_cost, "write_c", lambda *_: None)
        monkeypatch.setattr(measure_cost, "LoweringPasses", self.passes)

    def passes(self, names: Any, **options: Any) -> Any:
        self.lowered.append((tuple(names), options.get("flash")))
        return SimpleNamespace(apply=lambda _: None)

    def build(self, *_: Any) -> Any:
        return Build(flash_bytes=self.flashes.pop(0), static_bytes=3, elf=Path("program.elf"))

    def run(self, build: Any, interface: Any, inputs: Any) -> Any:
        self.inputs = inputs
        cycles = None if self.cycles is None else np.array(self.cycles)
        return SimpleNamespace(cycles=cycles, stack_bytes=5)


def module() -> Any:
    return Parser(context(), PROGRAM).parse_module()


def test_the_cost_of_a_program(monkeypatch: pytest.MonkeyPatch):
    runner, program = Runner(monkeypatch, [1000]), module()
    MeasureCostPass("uno").apply(context(), program)
    table = cost_table("uno")
    assert table is not None
    reading = reading_time(program, table)
    # The program has four inputs in 8-bit fixed point.
    assert reading is not None
    assert reading == round(4 * table.floats["tm_f32_to_s8"])
    assert cost_of(program) == ProgramCost(7.5 + reading, 1000, 8)
    # One inference of zeros, of the program as it is compiled.
    assert runner.inputs.shape == (1, 4)
    assert not runner.inputs.any()
    assert runner.lowered == [(TO_C[:1], None), (TO_C[1:], None)]


def test_without_a_counter_of_cycles_there_are_none(monkeypatch: pytest.MonkeyPatch):
    Runner(monkeypatch, [1000], cycles=None)
    assert MeasureCostPass("uno").cost(module()) == ProgramCost(0.0, 1000, 8)


def test_without_tools_there_is_no_cost(monkeypatch: pytest.MonkeyPatch):
    Runner(monkeypatch, [1000], there=False)
    program = module()
    MeasureCostPass("uno").apply(context(), program)
    assert cost_of(program) is None


@pytest.mark.parametrize(
    ("flash", "built", "attempts", "spent", "taken"),
    [
        # As much as the limit is within it.
        (1000, [1000], [], [1000], 1000),
        (999, [1000, 990], [600], [999, 600], 990),
        (999, [1000, 1000, 990], [600, 500], [999, 600, 500], 990),
        # There is no further attempt.
        (999, [1000], [None], [999], 1000),
        # Without flash to spend the program is what it is.
        (999, [1000, 1000], [600, None], [999, 600], 1000),
    ],
)
def test_what_exceeds_the_flash_spends_less(
    monkeypatch: pytest.MonkeyPatch, flash: int, built: list[int], attempts: list[Any], spent: list[int], taken: int
):
    runner, asked = Runner(monkeypatch, built), list[Any]()

    def next_attempt(_: Any, within: int, bytes: int, limit: int) -> Any:
        asked.append((within, bytes, limit))
        return attempts.pop(0)

    monkeypatch.setattr(measure_cost, "next_attempt", next_attempt)
    cost = MeasureCostPass("uno", flash=flash).cost(module())
    assert cost is not None
    assert cost.flash == taken
    assert [within for _, within in runner.lowered] == spent
    assert all(limit == flash for _, _, limit in asked)


def test_a_program_that_is_lowered_goes_on_from_there(monkeypatch: pytest.MonkeyPatch):
    """The first measurement continues from a program that is already lowered to loops. If it exceeds the limit, the
    next measurement lowers the program from formats again.
    """
    runner = Runner(monkeypatch, [1000, 900])
    monkeypatch.setattr(measure_cost, "next_attempt", lambda *_: 500)
    MeasureCostPass("uno", flash=950).cost(module(), module())
    assert runner.lowered == [(TO_C[len(TO_LOOPS) :], 950), (TO_C[1:], 500)]
