"""The command `tinyml doctor`, which says what can be compiled, run and measured on this computer."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.distribution import DISTRIBUTION
from tinyml.dialects.options import options_of
from tinyml.tools.cli.arguments import PrintOptions, add_options, parsed

if TYPE_CHECKING:
    from tinyml.tools.environment.installed import Environment


@dataclass(frozen=True, kw_only=True)
class DoctorRequest(PrintOptions):
    """The options of `tinyml doctor`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(DoctorRequest))


def run(arguments: argparse.Namespace) -> int:
    """Print what is there and, for what is missing, the command that installs it; nothing is installed or changed."""
    from tinyml.tools.environment.installed import examine

    found = examine()
    if parsed(arguments, DoctorRequest).json:
        print(json.dumps(asdict(found), indent=2))
    else:
        _print(found)
    return 0


def _print(found: Environment) -> None:
    from rich.table import Table

    from tinyml.tools.environment.board_table import SPELLED_SOURCES
    from tinyml.tools.reports.tables import wide_console

    console = wide_console()
    console.print(f"{DISTRIBUTION} {found.tinyml} on Python {found.python}", highlight=False)
    boards, extras = Table(), Table()
    for heading in ("board", "part", "compile to C", "build and run", "measures", "milliseconds"):
        boards.add_column(heading, no_wrap=True)
    for board in found.boards:
        runs = "yes" if board.runs else "NO"
        times = "-" if board.time_source is None or not board.runs else SPELLED_SOURCES[board.time_source]
        boards.add_row(", ".join((board.board, *board.aliases)), board.part, "yes", runs, board.measures or "-", times)
    for heading in ("extra", "installed"):
        extras.add_column(heading, no_wrap=True)
    for extra in found.extras:
        extras.add_row(extra.extra, f"without {', '.join(extra.missing)}" if extra.missing else "yes")
    console.print(boards)
    console.print(extras)
    if found.commands:
        print("What is missing is installed by:")
    for command in found.commands:
        print(f"  {command}")
