"""Advice on models that do not fit: the size that they need, and what training makes smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects import tdsl
from tinyml.dialects.errors import TooLargeError
from tinyml.runtime.model.program_data import load_program_data
from tinyml.tools.driver.choice.alternatives import ORDINARY_EXECUTION, Alternative
from tinyml.tools.driver.choice.trials import Trials

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.targets.board import Board
    from tinyml.tools.driver.choice.trials import EstimatedCost
    from tinyml.tools.driver.requests.request import Request

SPARE = 0.9
"""The share of the flash that the parts of a model fill which are said to fit."""


def smaller_model(program: ModuleOp, flash: float, limit: float | None) -> str:
    """The parts that make a model large, how many of them would fit, and what leaves fewer; empty where none is known.

    flash: bytes that the program needs. limit: those that there are; None if that is not known.
    """
    if (stored := tdsl.stored_of(program)) is None:
        return ""
    has = f"the model has {stored.count:,} {stored.what}"
    if limit is not None and flash > limit:
        has += f", about {int(SPARE * stored.count * limit / flash):,} would fit"
    return f"{has}: {stored.smaller}"


def needed_by(program: ModuleOp, ctx: Context, request: Request, board: Board) -> EstimatedCost | None:
    """The resources of the program that a request asks for, estimated; None where that takes a search, or has no data.

    program: on reals.
    """
    if request.val is None or request.search is not None or tdsl.has_formats(program):
        return None
    data = load_program_data(program, str(request.val))
    try:
        trial = Trials(program, ctx, request.pipeline_options(board), data).of(Alternative("as asked", {}))
        return trial.cost(ORDINARY_EXECUTION)
    except TooLargeError:
        return None
