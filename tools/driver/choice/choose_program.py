"""Compilation of the program that `auto` chooses, and the options by which a program would fit a board."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IndexType, ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.lowering.options import AUTO_FORMAT, DEFAULT_LOSS
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.program_data import load_program_data
from tinyml.tools.driver.choice.alternatives import NARROW_WIDTH, ORDINARY_EXECUTION, Alternative, considered
from tinyml.tools.driver.choice.candidates import Candidate
from tinyml.tools.driver.choice.choose import AutoChoice, Bounds, NothingFitsError, choose, place
from tinyml.tools.driver.choice.replay import chosen_request, spelled_options
from tinyml.tools.driver.choice.stopwatch import Stopwatch
from tinyml.tools.driver.choice.trials import EstimatedCost, Trials
from tinyml.tools.driver.compile_program import board_that_fits
from tinyml.tools.driver.compiled_program import Compiled
from tinyml.tools.driver.limits import Needs
from tinyml.tools.driver.request import DECIDED_OPTIONS, USUAL_GROWTH, Request, default_of
from tinyml.tools.driver.smaller_model import smaller_models
from tinyml.transforms.formats.evaluation.metrics import SCORES, metric_named
from tinyml.transforms.ir.outputs import CLASS

if TYPE_CHECKING:
    from xdsl.context import Context

    from tinyml.runtime.model.data import Data
    from tinyml.targets.board import Board


def compile_choice(
    program: ModuleOp, ctx: Context, request: Request, board: Board
) -> tuple[Compiled, Request, AutoChoice]:
    """Compile the program that `auto` chooses. Return it, the request that reproduces it, and the choice.

    Raises `InputError`, with remedies, if no alternative fits the board, the first error if no alternative compiles,
    and the errors of `Stopwatch`.
    """

    data = load_program_data(program, str(request.val))
    scored = request.metric is not None and metric_named(request.metric).of == SCORES
    if request.outputs == AUTO_FORMAT and not scored and _classifies(program, data):
        request = replace(request, outputs=CLASS)
    try:
        options, bounds = request.pipeline_options(board), bounds_of(request, board)
        stopwatch = Stopwatch.of(request, board, data)
        choice = choose(program, ctx, options, data, bounds, metric=request.metric, stopwatch=stopwatch)
    except NothingFitsError as error:
        least = error.least.cost
        needed = board.shortage(least.flash, least.ram, flash_limit=request.flash, ram_limit=request.ram)
        needs = Needs(least.flash, least.ram, least.constants, error.least.trial.buffers(error.least.schedule))
        helps = [*smaller_models(program, request, board, needs), board_that_fits(board, least.flash, least.ram)]
        raise InputError("; ".join(filter(None, [board.misfit(needed), *helps])), file=str(request.model)) from error
    trial, options = choice.taken.trial, choice.options
    compiled = trial.compiled(choice.taken.schedule)
    if board.fabric is None:
        # Constants were rounded to nearest for the estimate; refined constants may change the code a little.
        choice.taken.cost = trial.cost_of(compiled.loops, options)
    return compiled, chosen_request(request, options), choice


def _classifies(program: ModuleOp, data: Data) -> bool:
    end = predict_function(program).get_return_op()
    assert end is not None
    if any(isinstance(value.type, IndexType) for value in end.operands):
        return True
    return data.y is not None and len(end.operands) == 1 and prod(tdsl.shape_of(end.operands[0])) > 1


SPARE_FLASH = 0.95
"""The share of a board's flash that an estimate may fill; passes that spend flash have their own limit."""


def bounds_of(request: Request, board: Board) -> Bounds:
    """The limits of a request and of a board; infinite where neither sets a limit. Without a permitted loss in the
    request, the defaults apply.

    The limit of a board on flash is the share `SPARE_FLASH` of its flash.
    """
    flash = None if board.flash is None else int(SPARE_FLASH * board.flash)
    loss, growth = (DEFAULT_LOSS, USUAL_GROWTH) if request.loss is None else (request.loss, request.loss)
    return Bounds(_least(request.flash, flash), _least(request.ram, board.ram), loss, growth)


def _least(*limits: int | None) -> float:
    return min((limit for limit in limits if limit is not None), default=math.inf)


MAX_OPS = 1 << 13
"""The greatest number of ops, in all programs together, that are lowered to find options that fit: some half a minute.
"""

ROUGH = 1.1
"""The ratio by which a program may exceed the flash before other schedules, which save RAM, are tried."""


def options_that_fit(program: ModuleOp, ctx: Context, request: Request, board: Board) -> str:
    """The options of the fastest alternative that fits, and the memory that it needs; empty if none fits.

    Compact alternatives are considered last. For large programs, only the smallest alternatives are lowered; above
    `MAX_OPS` ops, none are.

    program: the program on reals.
    """

    decided = replace(request, format=AUTO_FORMAT, **{name: default_of(name) for name in DECIDED_OPTIONS[1:]})
    data, options = load_program_data(program, str(request.val)), decided.pipeline_options(board)
    fitting = _placed(Trials(program, ctx, options, data), bounds_of(request, board))
    best = min(fitting, key=lambda tried: (tried.alternative.compact, tried.cost.time or 0), default=None)
    if best is None:
        return ""
    needs = f"{best.cost.ram:,.0f} bytes of RAM and {best.cost.flash:,.0f} of flash"
    return f"{spelled_options({**best.alternative.options, **best.schedule})} needs about {needs}"


def _placed(trials: Trials, bounds: Bounds) -> Iterator[Candidate]:
    smallest = sorted(considered(), key=lambda row: (row.name != NARROW_WIDTH, not row.compact))
    tried = {row.name for row in smallest[: MAX_OPS // sum(1 for _ in trials.program.walk())]}
    for alternative in considered():
        if alternative.name not in tried:
            continue
        with suppress(InputError):
            trial = trials.of(alternative)
            candidate = Candidate(trial, trial.cost(ORDINARY_EXECUTION), ORDINARY_EXECUTION)
            if candidate.cost.flash <= ROUGH * bounds.flash and place(candidate, bounds):
                yield candidate


def needed_by(program: ModuleOp, ctx: Context, request: Request, board: Board) -> EstimatedCost | None:
    """The estimated resources of the requested program. None for a search, without data, for a program that already has
    number formats, and for a program whose constants exceed the memory that the board can address.

    program: the program on reals.
    """

    if request.val is None or request.search is not None or tdsl.has_formats(program):
        return None
    data = load_program_data(program, str(request.val))
    try:
        trial = Trials(program, ctx, request.pipeline_options(board), data).of(Alternative("as asked", {}))
        return trial.cost(ORDINARY_EXECUTION)
    except TooLargeError:
        return None
