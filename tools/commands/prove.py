"""The command `tinyml prove`, which proves that the arithmetic of a format or a program is the documented arithmetic.

For a program, it also proves that sums of products never overflow.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from tinyml.dialects.options import Seconds, option, options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.common_options import PrintOptions


@dataclass(frozen=True, kw_only=True)
class ProveRequest(PrintOptions):
    """A proof request; the fields are the options of `tinyml prove`."""

    subject: str = option(
        "a number format and its bits, such as NAME:8, a type of numbers, or a folder written by tinyml compile",
        flags=(),
        metavar="FORMAT|OUT",
    )
    seconds: Seconds = option("limit on the solver's time for each statement", default=60.0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(ProveRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.prove import prove

    request = parsed(arguments, ProveRequest)
    return prove(request.subject, request.seconds, as_json=request.json)
