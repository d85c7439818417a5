"""The command `tinyml open`, which shows the report of a compiled model in the browser."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.reports.pages.browser import show


@dataclass(frozen=True, kw_only=True)
class OpenRequest:
    """A request to show a report; the fields are the options of `tinyml open`."""

    folder: Path = option("folder written by tinyml compile", flags=())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(OpenRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.driver.output.open_pages import report_of_folder

    show(report_of_folder(parsed(arguments, OpenRequest).folder))
    return 0
