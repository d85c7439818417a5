"""Remedies for a model that does not fit: options with which it would fit, and boards with room for it."""

from __future__ import annotations

import math
from collections.abc import Iterator
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
    from tinyml.tools.driver.request import Request

SPARE_FLASH = 0.95
"""The share of a board's flash that an estimate may fill; passes that spend flash keep to a limit by themselves."""


def bounds_of(request: Request, board: Board, loss: float = 0.0) -> Bounds:
    """The limits of a request and of a board; infinite where there are none."""
    flash = None if board.flash is None else int(SPARE_FLASH * board.flash)
    return Bounds(_least(request.flash, flash), _least(request.ram, board.ram), loss)


def _least(*limits: int | None) -> float:
    return min((limit for limit in limits if limit is not None), default=math.inf)


def shortage(request: Request, board: Board, flash: float, ram: float) -> str:
    """The resources that a program lacks, in words. flash, ram: bytes that it needs."""
    short: list[str] = []
    for resource, needed, asked, there in (
        ("RAM", ram, request.ram, board.ram),
        ("flash", flash, request.flash, board.flash),
    ):
        if asked is not None and needed > asked:
            short.append(f"needs {needed:,.0f} bytes of {resource}, --{resource.lower()} allows {asked:,}")
        elif there is not None and needed > there:
            short.append(f"needs {needed:,.0f} bytes of {resource}, the board has {there:,}")
    return " and ".join(short) or f"needs {ram:,.0f} bytes of RAM and {flash:,.0f} of flash, nearly all that there is"


def options_that_fit(program: ModuleOp, ctx: Context, options: PipelineOptions, data: Data, bounds: Bounds) -> str:
    """The options of the fastest alternative that fits, with what it needs; empty where none does.

    program: on reals.
    """
    best = min(
        _placed(Trials(program, ctx, options, data), bounds), key=lambda tried: tried.cost.time or 0, default=None
    )
    if best is None:
        return ""
    needs = f"{best.cost.ram:,.0f} bytes of RAM and {best.cost.flash:,.0f} of flash"
    return f"{spelled_options({**best.alternative.options, **best.schedule})} needs about {needs}"


def _placed(trials: Trials, bounds: Bounds) -> Iterator[Tried]:
    """The alternatives that fit."""
    for alternative in ALTERNATIVES:
        with suppress(InputError):
            trial = trials.of(alternative)
            tried = Tried(trial, trial.cost(ORDINARY_EXECUTION), ORDINARY_EXECUTION)
            if place(tried, bounds):
                yield tried


def board_that_fits(board: Board, flash: float, ram: float) -> str:
    """The smallest board with more room, one of the same chip and features if there is any.

    Empty if no board has room for the program, or if `board` itself has, which a user's limits keep it from. Targets
    without a clock are no boards, but bare cores. All bytes count as constants, of which programs for some chips read
    fewer than there is flash.
    """
    from tinyml.targets.registry import boards, chip_of

    own_ram, own_flash = board.ram or 0, board.flash or 0
    if ram <= own_ram and flash <= own_flash:
        return ""
    constants, ram, flash = flash, max(ram, own_ram), max(flash, own_flash)
    roomy = [
        (chip_of(other.name) is not chip_of(board.name), other.ram, other)
        for other in boards()
        if other.clock is not None and other.ram is not None and other.flash is not None
        if other.ram >= ram and other.flash >= flash and (chip_of(other.name).flash_bytes or math.inf) >= constants
        if chip_of(other.name) is not chip_of(board.name) or {*board.features} <= {*other.features}
    ]
    if not roomy:
        return ""
    *_, found = min(roomy, key=lambda row: row[:2])
    return f"{found.name} has {found.ram:,} bytes of RAM and {found.flash:,} of flash"
