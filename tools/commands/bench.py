"""The command `tinyml bench`, which compiles and runs many models and prints a table."""

from __future__ import annotations

import argparse

from tinyml.dialects.options import options_of
from tinyml.targets.registry import DEFAULT_TARGET
from tinyml.tools.cli.arguments import add_options, formats_epilogue, parsed, show_examples
from tinyml.tools.driver.bench_request import BenchRequest

EXAMPLES = {
    "examples/*": f"size and speed of each model on the {DEFAULT_TARGET}",
    "examples/* --width 8 --json report.json": "the same with 8 bits, the reports as JSON too",
    "examples/* --formats --picture formats.svg": "number formats compared",
}


epilogue = formats_epilogue


def add_arguments(parser: argparse.ArgumentParser) -> None:
    show_examples(parser, "folders", EXAMPLES)
    add_options(parser, options_of(BenchRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.bench import compare_models

    compare_models(parsed(arguments, BenchRequest))
    return 0
