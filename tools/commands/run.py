"""The command `tinyml run`, which runs generated code on a device and compares it with the evaluator."""

from __future__ import annotations

import argparse

from tinyml.dialects.options import options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.common_options import PrintOptions
from tinyml.tools.driver.run_request import RunRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, [*options_of(RunRequest), *options_of(PrintOptions)])


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.run import run_and_print

    return run_and_print(parsed(arguments, RunRequest), as_json=parsed(arguments, PrintOptions).json)
