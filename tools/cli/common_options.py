"""The options that every tool and command has."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import Parser, add_options, given


@dataclass(frozen=True, kw_only=True)
class CommonOptions:
    """The declarations of the options."""

    max_elements: int = option(
        f"refuse arrays and tensors with more elements (default: {ELEMENT_LIMIT.get()})",
        default=ELEMENT_LIMIT.get(),
        metavar="N",
    )
    debug: bool = option("show the traceback of an error", default=False)


def add_common_options(parser: Parser) -> None:
    add_options(parser, options_of(CommonOptions))


def apply_common_options(arguments: argparse.Namespace) -> None:
    """Set the limit on elements that is in effect from now on."""
    ELEMENT_LIMIT.set(CommonOptions(**given(arguments, options_of(CommonOptions))).max_elements)
