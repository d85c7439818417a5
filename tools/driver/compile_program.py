"""Compilation of a program with the requested formats, or with the formats that `auto` chooses.

A program that does not fit raises an error with the required size and with remedies: other options, a smaller model, a
larger board.
"""

from __future__ import annotations

import math
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.dialects.extensions import imported
from tinyml.dialects.modules import is_installed
from tinyml.lowering import pipelines
from tinyml.targets.registry import boards, chip_of
from tinyml.tools.driver.compiled_program import Compiled
from tinyml.tools.driver.least_flash import LEAST_WIDTH, weights_of
from tinyml.tools.driver.limits import Needs, compile_wider, compile_within_flash, compile_within_ram, ram_of, static_of
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import VerifiedPrograms, compile_again, compile_kept, compile_stages, passes_to_formats
from tinyml.transforms.reals.profile import ProfilePass
from tinyml.transforms.schedules.table import missing_schedules

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.targets.board import Board


CHOICE = "tinyml.tools.driver.choice.choose_program"
"""The module of the extension that chooses formats and schedules by `auto`."""

SMALLER = "tinyml.tools.driver.smaller_model"
"""The module of the same extension that says how much smaller a model has to be."""


def require_room(program: ModuleOp, ctx: Context, request: Request, board: Board) -> None:
    """Raise `InputError` for a program whose weights exceed the flash in any format, before any compilation.

    No error is raised with a search, with a format for weights or with fewer than `LEAST_WIDTH` bits, because passes
    may then drop, merge or clip weights. No error is raised for weights in RAM.
    """
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


def compile_asked(
    program: ModuleOp, ctx: Context, request: Request, board: Board, *, must_fit: bool
) -> tuple[Compiled, Request]:
    """Compile the requested program within the limits of the request and the board. Return it and the request that
    reproduces it.

    must_fit: true to reduce memory if a program exceeds the RAM; the program of a search is already within the limit.

    Raises `InputError` for a program that exceeds the limits of the request, and for a program that is too large to be
    compiled for the board.
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
        needed = imported(f"{CHOICE}:needed_by")(program, ctx, request, board) if is_installed(CHOICE) else None
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


def board_that_fits(board: Board, flash: float, ram: float) -> str:
    """The smallest board with more memory, if possible with the same chip and features.

    Empty if no board has enough memory for the program, or if `board` itself has enough and a user's limit is exceeded.
    Targets without a clock are bare cores, not boards. All bytes count as constants, since some chips can read
    constants from only a part of their flash.

    flash, ram: the bytes that the program needs.
    """
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
    needed = board.shortage(needs.flash, needs.ram, flash_limit=request.flash, ram_limit=request.ram)
    helps = remedies(program, ctx, request, board, needs)
    return InputError("; ".join([board.misfit(needed), *helps]), file=str(request.model))


def remedies(program: ModuleOp, ctx: Context, request: Request, board: Board, needs: Needs) -> list[str]:
    """Remedies for a program that does not fit, in words: other options, a smaller model, or another board."""
    helps = [missing_schedules() or ""]
    if is_installed(SMALLER):
        helps += imported(f"{SMALLER}:smaller_models")(program, request, board, needs)
    helps += [board_that_fits(board, needs.flash, needs.ram)] if request.ram is None else []
    if request.val is not None and not tdsl.has_formats(program) and is_installed(CHOICE):
        helps.insert(0, imported(f"{CHOICE}:options_that_fit")(program, ctx, request, board))
    return [help for help in helps if help]
