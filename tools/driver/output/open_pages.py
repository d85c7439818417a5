"""Pages of compiled programs: a report with measured times, two programs side by side, and the levels of the IR."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.output.output_contents import add_to_folder, is_as_written, listed_files, read_report
from tinyml.tools.driver.output.output_pages import facts_of_folder, pages_of
from tinyml.tools.reports.pages.report_page import MEASURED, REPORT_PAGE

if TYPE_CHECKING:
    from tinyml.runtime.devices.attribution import Attribution
    from tinyml.tools.driver.output.program_in_folder import ProgramInFolder
    from tinyml.tools.reports.facts.compared_programs import ComparedPrograms


def report_of_folder(folder: Path) -> Path:
    """The report of a folder written by `tinyml compile`, whose times are measured down to lines of C if they can be.

    A page that was measured before is shown as it is if no file of the folder has changed since. Raises `InputError`
    for any other folder, for files that its IR does not give, and for a page that is not as it was written.
    """
    report, file = read_report(folder), folder / REPORT_PAGE
    names = {*listed_files(report), REPORT_PAGE}
    if all(is_as_written(folder, report, name) for name in names) and _is_measured(file):
        return file
    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        from tinyml.tools.driver.output.program_in_folder import program_in

        found = program_in(folder)
        progress.step(f"measuring on {found.board.name}")
        measured = profile(found)
        texts = pages_of(facts_of_folder(found, measured))
    add_to_folder(folder, texts)
    return file


def _is_measured(file: Path) -> bool:
    return file.is_file() and MEASURED.encode() in read_bytes(file, "page")


def compared_folders(first: Path, second: Path) -> ComparedPrograms:
    """The programs of two folders, with measured times where both can be measured.

    Raises `InputError` for other folders, and for files that its IR does not give.
    """
    from tinyml.tools.driver.output.program_in_folder import program_in
    from tinyml.tools.reports.facts.compared_programs import ComparedPrograms

    with Progress(f"{first} and {second}", 2) as progress:
        progress.step("reading")
        found = program_in(first), program_in(second)
        progress.step("measuring")
        profiles = [profile(each) for each in found]
    if None in profiles:
        # An estimate beside a measurement would be a difference of its own.
        profiles = [None, None]
    facts = [facts_of_folder(each, measured) for each, measured in zip(found, profiles, strict=True)]
    names = (first.name, second.name) if first.name != second.name else (str(first), str(second))
    return ComparedPrograms(names, (facts[0], facts[1]))


def levels_of_folder(folder: Path) -> Path:
    """The page with the levels of the program in a folder, with cycles if they can be measured.

    Raises `InputError` for any other folder, and for files that its IR does not give.
    """
    from tinyml.tools.driver.output.program_in_folder import program_in
    from tinyml.tools.driver.output.read_levels import levels_of
    from tinyml.tools.reports.pages.levels_page import LEVELS_PAGE, levels_page

    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        found = program_in(folder)
        progress.step(f"measuring on {found.board.name}")
        levels = levels_of(found, profile(found, listing=True))
    add_to_folder(folder, {LEVELS_PAGE: levels_page(found.report["name"], found.board.unit, levels)})
    return folder / LEVELS_PAGE


def profile(found: ProgramInFolder, *, listing: bool = False) -> Attribution | None:
    """The profile of a program, with its instructions for a `listing`.

    None where the tools of its board are missing, or have no profiler.
    """
    from tinyml.runtime.devices.registry import is_available
    from tinyml.runtime.devices.runner import NoProfilerError
    from tinyml.tools.driver.explain_model import measured_program

    if not is_available(found.board.name):
        return None
    try:
        return measured_program(found, listing=listing)
    except NoProfilerError:
        return None
