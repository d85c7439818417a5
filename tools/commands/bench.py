"""`tinyml bench`: compile and run many models, one table."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.tools.cli.atomic_file import json_results
from tinyml.tools.commands.compile import Request, build_folder
from tinyml.tools.reports.table import print_reports

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.tools.driver.measure import Measured


def find_model(folder: Path) -> tuple[Path, Path, Path | None]:
    """Program, validation data and test data of a model's folder (program.sd, or seedot/input.sd)."""
    programs = [*sorted(folder.glob("*.sd")), folder / "seedot" / "input.sd"]
    program = next((path for path in programs if path.is_file()), None)
    if program is None:
        raise InputError("holds no SeeDot program (*.sd or seedot/input.sd)", file=str(folder))
    test = folder / "test.npz"
    return program, folder / "val.npz", test if test.is_file() else None


def bench(
    folders: list[Path],
    *,
    target: str,
    format: str,
    width: int | None,
    functions: str | None,
    optimize: str,
    row_scales: bool,
    weights: str | None,
    json_file: Path | None,
) -> list[dict[str, Any]]:
    """Measure every model on a target and print the table; one too large for it is measured on a larger sister."""
    from tinyml.targets.registry import board

    chosen = board(target)
    asked = functions, row_scales
    requests = [
        Request(program, val, test, target, format, width, optimize, Path(), *asked, weights=weights)
        for program, val, test in map(find_model, folders)
    ]
    with json_results(json_file) as reports:
        reports += [measure(request, chosen) for request in requests]
        print_reports(reports)
    return reports


def measure(request: Request, chosen: Board) -> dict[str, Any]:
    """The report of a model on a board, or, where it is too large for that, on a sister with more memory."""
    from tinyml.targets.registry import board

    try:
        report, measured = _build(request, chosen)
    except InputError:
        # A program that does not even link for a board, or runs out of its memory, may be measured on its sister.
        if chosen.larger is None:
            raise
        report, measured = {"fits": False}, None
    if chosen.larger is not None and not report["fits"]:
        larger = board(chosen.larger)
        report, measured = _build(request, larger)
        report |= {"target": chosen.name, "fits": False, "flash_limit": chosen.flash, "ram_limit": chosen.ram}
    if measured is None:
        raise InputError(f"the tools of the target '{chosen.name}' are not installed")
    return report


def _build(request: Request, board: Board) -> tuple[dict[str, Any], Measured | None]:
    with tempfile.TemporaryDirectory(prefix="tinyml-") as out:
        return build_folder(request, board, Path(out), must_fit=False)
