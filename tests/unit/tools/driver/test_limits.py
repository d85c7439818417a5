"""The attempts to compile a program within a limit on RAM, in their order."""

from __future__ import annotations

from typing import Any, cast

import pytest
from programs.paths import ROOT

from tinyml.dialects.context import context
from tinyml.lowering.options import PipelineOptions
from tinyml.tools.driver.limits import compile_within_ram, static_of
from tinyml.tools.driver.stages import compile_stages, load_program
from tinyml.transforms.ir.cost.demand import demand_of
from tinyml.transforms.schedules.table import AUTO

STACK = 30


def limits_of_plans(monkeypatch: pytest.MonkeyPatch, limit: int, *programs: int) -> list[int | None]:
    """The limit in bytes with which each attempt computes its plan; None for an attempt without a limit. The list is
    empty if the first program fits.

    programs: for the first program and each attempt, the bytes that are live at once.
    """
    monkeypatch.setattr("tinyml.tools.driver.limits._alive", int)
    later, asked = iter(programs), list[int | None]()

    def again(options: PipelineOptions) -> Any:
        asked.append(options.ram)
        return next(later)

    first = cast("Any", next(later))
    options = PipelineOptions(data="", plan=AUTO)
    _, chosen = compile_within_ram(limit, first, options, lambda made: cast("int", made) + STACK, again)
    assert chosen.reuse_input == bool(asked)
    return asked


def test_a_plan_gets_what_the_stack_leaves(monkeypatch: pytest.MonkeyPatch):
    assert limits_of_plans(monkeypatch, 100, 200, 150, 70) == [None, 100 - STACK]


def test_a_plan_that_takes_more_than_it_was_given_gets_less_by_as_much(monkeypatch: pytest.MonkeyPatch):
    assert limits_of_plans(monkeypatch, 100, 200, 150, 85, 72, 60) == [None, 70, 70 - 15, 70 - 15 - 2]
    assert limits_of_plans(monkeypatch, 100, *[95] * 9) == [None, 70, 45, 20]


def test_the_input_moves_before_a_plan_is_asked(monkeypatch: pytest.MonkeyPatch):
    assert limits_of_plans(monkeypatch, 100, 71, 70) == [None]


def test_a_program_within_the_limit_is_taken(monkeypatch: pytest.MonkeyPatch):
    assert limits_of_plans(monkeypatch, 100, 70) == []


def test_constants_take_ram_where_a_chip_cannot_read_them_elsewhere():
    ctx, tour = context(), ROOT / "docs/tour"
    options = PipelineOptions(data=str(tour / "val.npz"), width=8)
    compiled = compile_stages(load_program(tour / "tour.sd", ctx), ctx, options)
    constants = demand_of(compiled.loops).constants
    assert constants > 0
    assert static_of(compiled, "esp8266") == static_of(compiled, "esp32") + constants
