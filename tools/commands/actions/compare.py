"""Tables and a page that show two compiled models side by side."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from tinyml.tools.cli.atomic_output import write_file
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.output_pages import facts_of_folder, profile
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.reports.pages.compare_page import ComparedPrograms, compare_page
from tinyml.tools.reports.pages.html import show
from tinyml.tools.reports.tables import print_table


def compare(first: Path, second: Path, page: Path | None) -> None:
    """Print tables of two output folders, and write a page with pictures of both."""
    compared = _compared(first, second)
    _print(compared)
    if page is not None:
        write_file(page, compare_page(compared))
        show(page)


def _compared(first: Path, second: Path) -> ComparedPrograms:
    with Progress(f"{first} and {second}", 2) as progress:
        progress.step("reading")
        programs = program_in(first), program_in(second)
        progress.step("measuring")
        profiles = [profile(each) for each in programs]
    if None in profiles:
        # An estimate next to a measurement would itself be a difference.
        profiles = [None, None]
    facts = [facts_of_folder(each, measured) for each, measured in zip(programs, profiles, strict=True)]
    names = (first.name, second.name) if first.name != second.name else (str(first), str(second))
    return ComparedPrograms(names, (facts[0], facts[1]))


def _print(compared: ComparedPrograms) -> None:
    figures = Table()
    figures.add_column("figure", no_wrap=True)
    for heading in (*compared.names, "second / first"):
        figures.add_column(heading, justify="right", no_wrap=True)
    for row in compared.figures():
        figures.add_row(*row)
    operations = Table()
    operations.add_column("operation", no_wrap=True)
    for heading in (compared.units[0], compared.units[1], "more", "code B", "code B"):
        operations.add_column(heading, justify="right", no_wrap=True)
    operations.add_column("kernels")
    for one in compared.operations():
        kernels = " -> ".join(dict.fromkeys(kernel or "-" for kernel in one.kernels))
        numbers = ("" if value is None else f"{value:,.0f}" for value in (*one.time, one.more, *one.code))
        operations.add_row(one.name, *numbers, "" if kernels == "-" else kernels)
    for shown in (figures, operations):
        print_table(shown)
    for reason in compared.reasons():
        print(reason)
