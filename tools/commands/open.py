"""The command `tinyml open`, which shows the report of a compiled model in the browser."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option, options_of
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.output_folder import REPORT_PAGE, add_to_folder, is_as_written, listed_files, read_report
from tinyml.tools.driver.output_pages import facts_of_folder, pages_of, profile
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.reports.pages.html import show
from tinyml.tools.reports.pages.report_page import MEASURED


@dataclass(frozen=True, kw_only=True)
class OpenRequest:
    """A request to show a report; the fields are the options of `tinyml open`."""

    folder: Path = option("folder written by tinyml compile", flags=())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(OpenRequest))


def run(arguments: argparse.Namespace) -> int:
    show(_report(parsed(arguments, OpenRequest).folder))
    return 0


def _report(folder: Path) -> Path:
    """The path of the page with the report of a folder written by `tinyml compile`, with times per line of C if they
    can be measured.

    An earlier measured page is reused if no file of the folder has changed since. Raises `InputError` for any other
    folder, for files that differ from the files that the folder's IR generates, and for a modified page.
    """
    report, file = read_report(folder), folder / REPORT_PAGE
    names = {*listed_files(report), REPORT_PAGE}
    if all(is_as_written(folder, report, name) for name in names) and _is_measured(file):
        return file
    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        found = program_in(folder)
        progress.step(f"measuring on {found.board.name}")
        measured = profile(found)
        texts = pages_of(facts_of_folder(found, measured))
    add_to_folder(folder, texts)
    return file


def _is_measured(file: Path) -> bool:
    return file.is_file() and MEASURED.encode() in read_bytes(file, "page")
