"""Tell how many inferences a battery lasts for. The time of an inference is that of the report."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.extend.tools import InputError, add_options, option, options_of, parsed


@dataclass(frozen=True, kw_only=True)
class EnergyRequest:
    """The options of `tinyml energy`."""

    folder: Path = option("folder that tinyml compile wrote", flags=())
    milliamperes: float = option("current of the board while it computes", default=10.0, metavar="MA")
    battery: float = option("charge of the battery in mAh", default=225.0, metavar="MAH")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(EnergyRequest))


def run(arguments: argparse.Namespace) -> int:
    """Print the number of inferences; raise `InputError` if the time of an inference is unknown."""
    from tinyml.extend.programs import read_report

    request = parsed(arguments, EnergyRequest)
    milliseconds = read_report(request.folder)["milliseconds_per_inference"]
    if milliseconds is None:
        raise InputError("the report has no time: compile for a board that is simulated", file=str(request.folder))
    hours = request.battery / request.milliamperes
    print(f"{hours * 3_600_000 / milliseconds:,.0f} inferences")
    return 0
