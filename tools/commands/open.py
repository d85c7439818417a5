"""The command `tinyml open`, which shows a compiled model: its report or its levels in the browser, or tables of its
cycles, flash and RAM.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.common_options import PrintOptions


@dataclass(frozen=True, kw_only=True)
class OpenRequest(PrintOptions):
    """A request to show a compiled model; the fields are the options of `tinyml open`."""

    folder: Path = option("folder written by tinyml compile", flags=())
    text: bool = option(
        "print where cycles, flash and RAM go, by operation, instead of the report", default=False, exclusive="view"
    )
    levels: bool = option(
        "show the levels of the IR side by side, down to C and assembly with cycles, instead of the report",
        default=False,
        exclusive="view",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(OpenRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.open import open_folder

    request = parsed(arguments, OpenRequest)
    open_folder(request.folder, text=request.text, levels=request.levels, as_json=request.json)
    return 0
