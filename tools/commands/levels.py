"""The command `tinyml levels`, which shows the levels of a compiled model's IR side by side."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed


@dataclass(frozen=True, kw_only=True)
class LevelsRequest:
    """A request to show levels; the fields are the options of `tinyml levels`."""

    folder: Path = option("folder written by tinyml compile", flags=())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(LevelsRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.driver.output.open_pages import levels_of_folder
    from tinyml.tools.reports.pages.browser import show

    show(levels_of_folder(parsed(arguments, LevelsRequest).folder))
    return 0
