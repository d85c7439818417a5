"""The command `tinyml compare`, which shows two compiled models side by side."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed


@dataclass(frozen=True, kw_only=True)
class CompareRequest:
    """A request to compare two programs; the fields are the options of `tinyml compare`."""

    first: Path = option("folder written by tinyml compile", flags=())
    second: Path = option("folder of the program to compare it with", flags=())
    page: Path | None = option(
        "also write a page with pictures of both", default=None, metavar="FILE.html", writes=(".html",)
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(CompareRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.compare import compare

    request = parsed(arguments, CompareRequest)
    compare(request.first, request.second, request.page)
    return 0
