"""The command `tinyml demo`, which runs the whole compiler on the example models, on any computer."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed

EXAMPLES = Path(__file__).parents[2] / "examples"
"""The folder of examples, in a copy of the repository and in an installed package."""


@dataclass(frozen=True, kw_only=True)
class DemoRequest:
    """The options of `tinyml demo`."""

    examples: Path = option("folder with the examples (default: those of tinyml)", default=EXAMPLES, metavar="FOLDER")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(DemoRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.demo import run_examples

    run_examples(parsed(arguments, DemoRequest).examples)
    return 0
