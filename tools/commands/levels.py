"""The command `tinyml levels`, which shows the IR of a compiled model at all levels side by side."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.output_folder import add_to_folder
from tinyml.tools.driver.output_pages import profile
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.program_levels import levels_of
from tinyml.tools.reports.pages.html import show
from tinyml.tools.reports.pages.levels_page import LEVELS_PAGE, levels_page


@dataclass(frozen=True, kw_only=True)
class LevelsRequest:
    """A request to show levels; the fields are the options of `tinyml levels`."""

    folder: Path = option("folder written by tinyml compile", flags=())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(LevelsRequest))


def run(arguments: argparse.Namespace) -> int:
    show(_levels(parsed(arguments, LevelsRequest).folder))
    return 0


def _levels(folder: Path) -> Path:
    """Write the page that shows the levels of the program in a folder, with cycles if they can be measured, and return
    its path.

    Raises `InputError` for a folder that `tinyml compile` did not write, and for files that differ from the files that
    the folder's IR generates.
    """
    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        found = program_in(folder)
        progress.step(f"measuring on {found.board.name}")
        levels = levels_of(found, profile(found, listing=True))
    add_to_folder(folder, {LEVELS_PAGE: levels_page(found.report["name"], found.board.unit, levels)})
    return folder / LEVELS_PAGE
