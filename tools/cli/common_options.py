"""The options that every tool and command has."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.options import option, options_of
from tinyml.runtime.readers.protected_files import protect_inputs
from tinyml.tools.cli.arguments import Parser, add_options, parsed
from tinyml.tools.cli.outputs import check_paths


@dataclass(frozen=True, kw_only=True)
class CommonOptions:
    """The declarations of the options."""

    max_elements: int = option(
        f"refuse arrays and tensors with more elements (default: {ELEMENT_LIMIT.get()})",
        default=ELEMENT_LIMIT.get(),
        metavar="N",
    )
    force: bool = option(
        "write files even where they replace an input, a file of another kind, or one that a link leads to elsewhere",
        default=False,
    )
    debug: bool = option("show the traceback of an error", default=False)


def add_common_options(parser: Parser) -> None:
    add_options(parser, options_of(CommonOptions))


def apply_common_options(arguments: argparse.Namespace) -> None:
    """Set the limit on elements that is in effect from now on, and protect the files that are read.

    Raises `InputError` for a file that must not be written (`check_paths`).
    """
    common = parsed(arguments, CommonOptions)
    ELEMENT_LIMIT.set(common.max_elements)
    protect_inputs(common.force)
    check_paths(arguments)
