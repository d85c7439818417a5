"""The command `tinyml new KIND`, which writes a working package as a starting point.

The files of a kind are the templates in `templates/KIND/`, whose paths and texts contain placeholders for the name.
`tinyml new format` has separate folders for `--sums` and `--grouped`. A new kind requires such a folder, its name
in `KINDS`, and a row of `PACKAGE_KINDS` in `actions/new.py`.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import FOLDER, option, options_of
from tinyml.tools.cli.arguments import add_options, parsed

KINDS = ("format", "target", "frontend", "op", "pass", "search", "schedule", "packer", "command")
"""The kinds of packages: the names of the folders of their templates."""


@dataclass(frozen=True, kw_only=True)
class NewRequest:
    """The options of `tinyml new`."""

    kind: str = option("what the package adds", flags=(), choices=KINDS)
    name: str = option("name of the package and its module: a Python identifier in lower case", flags=())
    folder: Path = option("folder to write", flags=(), writes=FOLDER)
    sums: bool = option(
        "write a format with its own accumulator, which rounds, instead of a table of numbers", default=False
    )
    grouped: bool = option("write a format whose weights share scales in groups", default=False)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(NewRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.new import write_package

    request = parsed(arguments, NewRequest)
    write_package(request.kind, request.name, request.folder, sums=request.sums, grouped=request.grouped)
    return 0
