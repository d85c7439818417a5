"""The command `tinyml compare`, which shows two compiled models side by side."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed

if TYPE_CHECKING:
    from tinyml.tools.reports.facts.compared_programs import ComparedPrograms


@dataclass(frozen=True, kw_only=True)
class CompareRequest:
    """A request to compare two programs; the fields are the options of `tinyml compare`."""

    first: Path = option("folder written by tinyml compile", flags=())
    second: Path = option("folder of the program to compare it with", flags=())
    page: Path | None = option(
        "write a page with pictures of both, too", default=None, metavar="FILE.html", writes=(".html",)
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(CompareRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.driver.output.open_pages import compared_folders

    request = parsed(arguments, CompareRequest)
    compared = compared_folders(request.first, request.second)
    _print(compared)
    if request.page is not None:
        from tinyml.tools.cli.atomic_file import write_file
        from tinyml.tools.reports.pages.browser import show
        from tinyml.tools.reports.pages.compare_page import compare_page

        write_file(request.page, compare_page(compared))
        show(request.page)
    return 0


def _print(compared: ComparedPrograms) -> None:
    """Print the reasons, the figures and the operations."""
    from rich.table import Table

    from tinyml.tools.reports.tables import wide_console

    def cell(value: object) -> str:
        if value is None:
            return "-"
        return f"{value:,.2f}".removesuffix(".00") if isinstance(value, int | float) else str(value)

    figures = Table()
    figures.add_column("figure", no_wrap=True)
    for heading in (*compared.names, "second / first"):
        figures.add_column(heading, justify="right", no_wrap=True)
    for name, first, second, ratio in compared.figures():
        figures.add_row(name, cell(first), cell(second), "" if ratio is None else f"{ratio:.2f}")
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
        wide_console().print(shown)
    for reason in compared.reasons():
        print(reason)
