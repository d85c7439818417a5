"""The compilation and measurement of a model without an output folder, for comparisons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.registry import board as board_named
from tinyml.targets.registry import chip_of
from tinyml.tools.driver.compile_model import build_folder
from tinyml.tools.driver.measure import MismatchError

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.tools.driver.compilation import Compilation
    from tinyml.tools.driver.request import Request
    from tinyml.tools.reports.report_views import Report


def measure_model(request: Request, chosen: Board) -> Report:
    """Compile a model for a board and return the report. If the model does not fit, it is measured on a board with more
    memory.

    Raises `InputError` if programs of the target cannot run on this computer, for example without the target's tools,
    and `MismatchError` if the outputs of board and evaluator differ.
    """
    compilation: Compilation | None = None
    try:
        compilation = _build(request, chosen)
    except MismatchError:
        raise
    except InputError:
        # A program that fails to link for a board, or exceeds its memory, may still run on a larger one.
        if chosen.larger is None:
            raise
    if chosen.larger is not None and (compilation is None or not compilation.report.fits):
        compilation = _build(request, board_named(chosen.larger))
        compilation.report = replace(
            compilation.report, target=chosen.name, fits=False, flash_limit=chosen.flash, ram_limit=chosen.ram
        )
    assert compilation is not None
    if compilation.measured is None:
        why = chip_of(chosen.name).not_run
        raise InputError(
            f"{chosen.name} cannot run here: {why}"
            if why
            else f"the tools of the target '{chosen.name}' are not installed"
        )
    return compilation.report


def _build(request: Request, board: Board) -> Compilation:
    with temporary_folder() as out:
        return build_folder(request, board, out, must_fit=False)
