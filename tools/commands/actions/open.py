"""The report and the levels of a compiled model in the browser, or tables of its cycles, flash and RAM."""

from __future__ import annotations

import json
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.explain_model import explain_model, print_explanation
from tinyml.tools.driver.output_folder import REPORT_PAGE, add_to_folder, is_as_written, listed_files, read_report
from tinyml.tools.driver.output_pages import facts_of_folder, pages_of, profile
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.program_levels import levels_of
from tinyml.tools.reports.pages.html import show
from tinyml.tools.reports.pages.levels_page import LEVELS_PAGE, levels_page
from tinyml.tools.reports.pages.report_page import MEASURED


def open_folder(folder: Path, *, text: bool, levels: bool, as_json: bool) -> None:
    """Show a page in the browser or print tables.

    Raises `InputError` for a folder that `tinyml compile` did not write, for files that differ from the files that the
    folder's IR generates, for a modified page, and for tables of a board without a profiler.
    """
    if levels and as_json:
        raise InputError("--json prints the figures of --text: omit --levels")
    if as_json:
        print(json.dumps(explain_model(folder), indent=2))
    elif text:
        print_explanation(explain_model(folder))
    else:
        show((_levels if levels else _report)(folder))


def _report(folder: Path) -> Path:
    """The path of the report, with times per line of C if they can be measured.

    An earlier measured page is reused if no file of the folder has changed since.
    """
    report, file = read_report(folder), folder / REPORT_PAGE
    names = {*listed_files(report), REPORT_PAGE}
    if all(is_as_written(folder, report, name) for name in names) and _is_measured(file):
        return file
    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        program = program_in(folder)
        progress.step(f"measuring on {program.board.name}")
        measured = profile(program)
        texts = pages_of(facts_of_folder(program, measured))
    add_to_folder(folder, texts)
    return file


def _is_measured(file: Path) -> bool:
    return file.is_file() and MEASURED.encode() in read_bytes(file, "page")


def _levels(folder: Path) -> Path:
    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        program = program_in(folder)
        progress.step(f"measuring on {program.board.name}")
        levels = levels_of(program, profile(program, listing=True))
    add_to_folder(folder, {LEVELS_PAGE: levels_page(program.report["name"], program.board.unit, levels)})
    return folder / LEVELS_PAGE
