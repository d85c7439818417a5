"""Compilation of a program with the requested formats, or with the formats that `auto` chooses.

A program that does not fit raises an error with the required size and with remedies: other options, a smaller model, a
larger board.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import inf, prod
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IndexType

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.lowering import pipelines
from tinyml.lowering.options import AUTO_FORMAT, DEFAULT_LOSS
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.program_data import load_program_data
from tinyml.tools.driver.least_flash import LEAST_WIDTH, weights_of
from tinyml.tools.driver.limits import Needs, compile_wider, compile_within_flash, compile_within_ram, ram_of, static_of
from tinyml.tools.driver.request import DECIDED_OPTIONS, USUAL_GROWTH, Request, default_of
from tinyml.tools.driver.stages import (
    Compiled,
    VerifiedPrograms,
    compile_again,
    compile_formats,
    compile_kept,
    compile_stages,
    passes_to_formats,
)
from tinyml.transforms.ir.outputs import CLASS

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.runtime.model.data import Data
    from tinyml.targets.board import Board
    from tinyml.tools.driver.choice.choose import AutoChoice, Bounds, Candidate
    from tinyml.tools.driver.choice.trials import EstimatedCost, Trials


def compile_choice(
    program: ModuleOp, ctx: Context, request: Request, board: Board
) -> tuple[Compiled, Request, AutoChoice]:
    """Compile the program that `auto` chooses. Return it, the request that reproduces it, and the choice."""
    from tinyml.tools.driver.choice.choose import NothingFitsError, choose
    from tinyml.tools.driver.choice.replay import chosen_request
    from tinyml.tools.driver.smaller_model import smaller_models
    from tinyml.transforms.formats.evaluation.metrics import SCORES, metric_named

    data = load_program_data(program, str(request.val))
    scored = request.metric is not None and metric_named(request.metric).of == SCORES
    if request.outputs == AUTO_FORMAT and not scored and _classifies(program, data):
        request = replace(request, outputs=CLASS)
    try:
        options, bounds = request.pipeline_options(board), bounds_of(request, board)
        choice = choose(program, ctx, options, data, bounds, metric=request.metric)
    except NothingFitsError as error:
        least = error.least.cost
        needed = board.misfit(shortage(request, board, least.flash, least.ram))
        needs = Needs(least.flash, least.ram, least.constants, error.least.trial.buffers(error.least.schedule))
        helps = [*smaller_models(program, request, board, needs), board_that_fits(board, least.flash, least.ram)]
        raise InputError("; ".join(filter(None, [needed, *helps])), file=str(request.model)) from error
    trial, options = choice.taken.trial, choice.options
    module = trial.program(choice.taken.schedule)
    compiled = compile_formats(trial.prepared.reals, module, ctx, options, row_scales=options.row_scales)
    return compiled, chosen_request(request, options), choice


def require_room(program: ModuleOp, ctx: Context, request: Request, board: Board) -> None:
    """Raise `InputError` for a program whose weights exceed the flash in any format, before any compilation.

    The bound excludes weights that passes may drop, merge or clip, for example with a search or with 2 bits.
    """
    from tinyml.transforms.reals.profile import ProfilePass

    flash = min(request.flash or math.inf, board.flash or math.inf)
    narrow = request.weights is not None or (request.width or LEAST_WIDTH) < LEAST_WIDTH
    if flash == math.inf or narrow or request.search is not None or request.load_weights:
        return
    if weights_of(program)[1] <= flash:
        return
    # Constants that are computed from others, or used only in part, are folded first.
    folded = program.clone()
    if not tdsl.has_formats(program):
        passes = passes_to_formats(request.pipeline_options(board), None)
        first = next(i for i, step in enumerate(passes) if isinstance(step, ProfilePass))
        pipelines.run(folded, ctx, passes[:first])
    number, least = weights_of(folded)
    if least <= flash:
        return
    there = "the board has" if request.flash is None else "--flash allows"
    needed = f"its {number:,} weights need {number:,} bytes of flash with 8 bits, and at least {least:,} in any format"
    fitting = f"{there} {flash:,}: about {flash:,} weights of 8 bits fit, or {2 * flash:,} of 4"
    larger = "" if request.flash is not None else board_that_fits(board, number, 0)
    message = "; ".join(filter(None, [f"{board.misfit(needed)}, {fitting}", larger]))
    raise InputError(message, file=str(request.model))


def _classifies(program: ModuleOp, data: Data) -> bool:
    """Whether a program returns a class, or one score per class label of the data."""
    end = predict_function(program).get_return_op()
    assert end is not None
    if any(isinstance(value.type, IndexType) for value in end.operands):
        return True
    return data.y is not None and len(end.operands) == 1 and prod(tdsl.shape_of(end.operands[0])) > 1


def compile_asked(
    program: ModuleOp, ctx: Context, request: Request, board: Board, *, must_fit: bool
) -> tuple[Compiled, Request]:
    """Compile the requested program within the limits of the request and the board. Return it and the request that
    reproduces it.

    must_fit: true to reduce memory if a program exceeds the RAM; the program of a search is already within the limit.
    Raises `InputError` for a program that exceeds the limits of the request.
    """
    options = request.pipeline_options(board)
    kept = tdsl.has_formats(program)
    search = None if request.search is None else request.search.search_pass(options)

    programs = VerifiedPrograms(ctx)

    def again(options: PipelineOptions) -> Compiled:
        if kept:
            return compile_kept(program, ctx, options, programs)
        return compile_stages(program, ctx, options, search, programs)

    def taken(compiled: Compiled) -> int:
        return static_of(compiled, board.name) if request.ram is None else ram_of(compiled, board.name)

    try:
        compiled, limit = again(options), request.ram or board.ram
    except TooLargeError as error:
        needed = _needed_by(program, ctx, request, board)
        if needed is None or needed.within(request.flash or board.flash or inf, request.ram or board.ram or inf):
            raise InputError(board.misfit(error.message), file=str(request.model)) from error
        needs = Needs(needed.flash, needed.ram, needed.constants, None)
        raise does_not_fit(program, ctx, request, board, needs) from error
    if must_fit and search is None and limit is not None:
        compiled, options = compile_within_ram(limit, compiled, options, taken, again)
        if request.ram is not None:
            compiled, options = compile_wider(request.ram, compiled, options, taken, again)
        request = replace(request, reuse_input=options.reuse_input)
    if request.flash is not None:

        def compiled_within(flash: int, usual: Compiled = compiled) -> Compiled:
            return compile_again(usual, replace(options, flash=flash))

        optimize = f"-{request.optimize}"
        compiled, within = compile_within_flash(request.flash, compiled, compiled_within, board.name, optimize)
        request = replace(request, flash=within)
    if request.ram is not None and taken(compiled) > request.ram:
        needed = f"arena, input and stack take {taken(compiled):,} bytes, --ram allows {request.ram:,}"
        help = remedies(program, ctx, request, board, Needs(0, taken(compiled), 0, compiled.buffers))
        raise InputError("; ".join([needed, *help]))
    return compiled, request


SPARE_FLASH = 0.95
"""The share of a board's flash that an estimate may fill; passes that spend flash have their own limit."""


def bounds_of(request: Request, board: Board) -> Bounds:
    """The limits of a request and of a board; infinite where there are none."""
    from tinyml.tools.driver.choice.choose import Bounds

    flash = None if board.flash is None else int(SPARE_FLASH * board.flash)
    loss, growth = (DEFAULT_LOSS, USUAL_GROWTH) if request.loss is None else (request.loss, request.loss)
    return Bounds(_least(request.flash, flash), _least(request.ram, board.ram), loss, growth)


def _least(*limits: int | None) -> float:
    return min((limit for limit in limits if limit is not None), default=math.inf)


def shortage(request: Request, board: Board, flash: float, ram: float) -> str:
    """A text that names the resources that a program exceeds. flash, ram: the bytes that it needs."""
    short: list[str] = []
    for resource, needed, asked, there in (
        ("RAM", ram, request.ram, board.ram),
        ("flash", flash, request.flash, board.flash),
    ):
        if asked is not None and needed > asked:
            short.append(f"needs {needed:,.0f} bytes of {resource}, --{resource.lower()} allows {asked:,}")
        elif there is not None and needed > there:
            short.append(f"needs {needed:,.0f} bytes of {resource}, the board has {there:,}")
    return " and ".join(short) or f"needs {ram:,.0f} bytes of RAM and {flash:,.0f} of flash, almost all of the board's"


MOST_OPS = 1 << 13
"""The greatest number of ops, in all programs together, that are lowered to find options that fit: some half a minute.
"""

ROUGH = 1.1
"""The ratio by which a program may exceed the flash before other schedules, which save RAM, are tried."""


def options_that_fit(program: ModuleOp, ctx: Context, options: PipelineOptions, data: Data, bounds: Bounds) -> str:
    """The options of the fastest alternative that fits, and the memory that it needs; empty if none fits.

    Compact alternatives are considered last. program: the program on reals. For large programs, only the smallest
    alternatives are lowered; above `MOST_OPS`, none.
    """
    from tinyml.tools.driver.choice.replay import spelled_options
    from tinyml.tools.driver.choice.trials import Trials

    fitting = _placed(Trials(program, ctx, options, data), bounds)
    best = min(fitting, key=lambda tried: (tried.alternative.compact, tried.cost.time or 0), default=None)
    if best is None:
        return ""
    needs = f"{best.cost.ram:,.0f} bytes of RAM and {best.cost.flash:,.0f} of flash"
    return f"{spelled_options({**best.alternative.options, **best.schedule})} needs about {needs}"


def _placed(trials: Trials, bounds: Bounds) -> Iterator[Candidate]:
    """Yield the alternatives that fit, each with its schedule. `MOST_OPS` limits the number of alternatives that are
    estimated.
    """
    from tinyml.tools.driver.choice.alternatives import NARROW_WIDTH, ORDINARY_EXECUTION, considered
    from tinyml.tools.driver.choice.choose import Candidate, place

    smallest = sorted(considered(), key=lambda row: (row.name != NARROW_WIDTH, not row.compact))
    tried = {row.name for row in smallest[: MOST_OPS // sum(1 for _ in trials.program.walk())]}
    for alternative in considered():
        if alternative.name not in tried:
            continue
        with suppress(InputError):
            trial = trials.of(alternative)
            candidate = Candidate(trial, trial.cost(ORDINARY_EXECUTION), ORDINARY_EXECUTION)
            if candidate.cost.flash <= ROUGH * bounds.flash and place(candidate, bounds):
                yield candidate


def board_that_fits(board: Board, flash: float, ram: float) -> str:
    """The smallest board with more memory, if possible with the same chip and features.

    Empty if no board has enough memory for the program, or if `board` itself has enough and a user's limit is exceeded.
    Targets without a clock are bare cores, not boards. All bytes count as constants, since some chips can read
    constants from only a part of their flash.
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


def does_not_fit(program: ModuleOp, ctx: Context, request: Request, board: Board, needs: Needs) -> InputError:
    """The error for a program that does not fit; its message contains remedies."""
    needed = board.misfit(shortage(request, board, needs.flash, needs.ram))
    helps = remedies(program, ctx, request, board, needs)
    return InputError("; ".join([needed, *helps]), file=str(request.model))


def remedies(program: ModuleOp, ctx: Context, request: Request, board: Board, needs: Needs) -> list[str]:
    """Remedies for a program that does not fit: other options, a smaller model, or another board."""
    from tinyml.tools.driver.smaller_model import smaller_models

    helps = [*smaller_models(program, request, board, needs)]
    helps += [board_that_fits(board, needs.flash, needs.ram)] if request.ram is None else []
    if request.val is not None and not tdsl.has_formats(program):
        options = replace(request, format=AUTO_FORMAT, **{name: default_of(name) for name in DECIDED_OPTIONS[1:]})
        data = load_program_data(program, str(request.val))
        bounds = bounds_of(request, board)
        helps.insert(0, options_that_fit(program, ctx, options.pipeline_options(board), data, bounds))
    return [help for help in helps if help]


def _needed_by(program: ModuleOp, ctx: Context, request: Request, board: Board) -> EstimatedCost | None:
    """The estimated resources of the requested program; None for a search, and without data.

    program: the program on reals.
    """
    from tinyml.tools.driver.choice.alternatives import ORDINARY_EXECUTION, Alternative
    from tinyml.tools.driver.choice.trials import Trials

    if request.val is None or request.search is not None or tdsl.has_formats(program):
        return None
    data = load_program_data(program, str(request.val))
    try:
        trial = Trials(program, ctx, request.pipeline_options(board), data).of(Alternative("as asked", {}))
        return trial.cost(ORDINARY_EXECUTION)
    except TooLargeError:
        return None
