"""The command `tinyml plan`, which reports the memory of a network in each execution schedule."""

from __future__ import annotations

import argparse

from tinyml.dialects.options import options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.driver.plan_request import PlanRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(PlanRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.plan import show_plans

    return show_plans(parsed(arguments, PlanRequest))
