"""The command `tinyml doctor`, which reports which targets this computer can compile for, run and measure."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from tinyml.dialects.options import options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.common_options import PrintOptions


@dataclass(frozen=True, kw_only=True)
class DoctorRequest(PrintOptions):
    """The options of `tinyml doctor`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(DoctorRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.doctor import report_computer

    report_computer(as_json=parsed(arguments, DoctorRequest).json)
    return 0
