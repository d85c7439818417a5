"""What helps where a model does not fit: options with which it would, and boards on which it would."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.tools.driver.choice.alternatives import ALTERNATIVES, ORDINARY_EXECUTION
from tinyml.tools.driver.choice.choose import Bounds, Tried, place
from tinyml.tools.driver.choice.replay import spelled_options
from tinyml.tools.driver.choice.trials import Trials

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.runtime.model.data import Data
    from tinyml.targets.board import Board


def options_that_fit(
    program: ModuleOp, ctx: Context, options: PipelineOptions, data: Data, flash: float, ram: float
) -> str:
    """The options of the fastest alternative that fits, with what it needs; empty where none does.

    program: on reals. flash, ram: bytes that there are.
    """
    bounds = Bounds(flash, ram, 0)
    trials = Trials(program, ctx, options, data)
    found: list[Tried] = []
    for alternative in ALTERNATIVES:
        with suppress(InputError):
            trial = trials.of(alternative)
            tried = Tried(trial, trial.cost(ORDINARY_EXECUTION), ORDINARY_EXECUTION)
            if place(tried, bounds):
                found.append(tried)
    if not found:
        return ""
    best = min(found, key=lambda tried: tried.cost.time or 0)
    needs = f"{best.cost.ram:,.0f} bytes of RAM and {best.cost.flash:,.0f} of flash"
    return f"{spelled_options({**best.alternative.options, **best.schedule})} needs about {needs}"


def boards_that_fit(board: Board, flash: float, ram: float) -> str:
    """The smallest board with room for a program, one with the same core if there is any; empty where none has room."""
    from tinyml.targets.registry import boards, chip_of

    def room(other: Board) -> Sequence[float]:
        return float("inf") if other.ram is None else other.ram, float("inf") if other.flash is None else other.flash

    roomy = [other for other in boards() if other.ram is not None and room(other)[0] >= ram and room(other)[1] >= flash]
    roomy.sort(key=lambda other: (chip_of(other.name) is not chip_of(board.name), other.ram))
    if not roomy:
        return ""
    return f"{roomy[0].name} has {roomy[0].ram:,} bytes of RAM and {roomy[0].flash:,} of flash"
