"""Requests for weights in a blob: their checks, and the weights of a model that was trained again (`--weights-for`)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import format_named
from tinyml.dialects.options import options_of
from tinyml.lowering.options import CompileOptions
from tinyml.targets.board import Board
from tinyml.tools.driver.output_folder import read_report
from tinyml.tools.driver.program_in_folder import stated_memory
from tinyml.tools.driver.request import Request


def as_in_folder(request: Request) -> Request:
    """The request with the board, the name and the options of the program in the folder `weights_for`.

    Raises `InputError` for a folder whose program contains its weights in its code, and for an option of the
    request that contradicts the program.
    """
    folder = str(request.weights_for)
    report = read_report(Path(folder))
    if report.get("weights_at") is None:
        raise InputError("--weights-for: compile this program with --weights-at first", file=folder)
    names = {option.name for option in options_of(CompileOptions)} - {"weights_for", "functions", "memory"}
    options: dict[str, Any] = {name: report[name] for name in names & report.keys()}
    options["memory"] = stated_memory(report)
    if options.get("classes") is not None:
        options["classes"] = tuple(options["classes"])
    options |= {"target": report["target"], "optimize": report["optimize"].removeprefix("-"), "name": report["name"]}
    for declared in options_of(Request):
        given = getattr(request, declared.name)
        if declared.name in options and given not in (declared.default, options[declared.name]):
            raise InputError(
                f"{declared.flags[-1]}: the program of --weights-for has other options: leave out this one",
                file=folder,
            )
    return replace(request, **options, flash_size=None, ram_size=None)


def check_place(request: Request, board: Board) -> None:
    """Raise `InputError` for options and boards that contradict weights in a blob."""
    if not request.weights_at:
        raise InputError("--weights-at: expected an address or the name of a section, got ''")
    if board.fabric is not None:
        raise InputError(f"--weights-at: the weights of {board.name} are in its own memories")
    if request.flash is not None:
        raise InputError("--weights-at: --flash spends flash on weights as code: leave out one of them")
    if request.load_weights:
        raise InputError("--weights-at: --load-weights keeps the weights in RAM: leave out one of them")


def check_margin(request: Request, board: Board) -> None:
    """Raise `InputError` for options with which `--weights-margin` has no effect: without a blob of weights, or with a
    format whose scales are those of its paper.
    """
    if request.weights_at is None:
        raise InputError("--weights-margin is room in a blob: it needs --weights-at")
    options = request.pipeline_options(board)
    if request.search is None and format_named(context(), options.format, options.width).AS_PUBLISHED:
        raise InputError(f"--weights-margin: the scales of {options.format} are those of its paper, without room")
