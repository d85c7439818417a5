"""Counts the packing problems that `auto` solves within a time limit (`make packing`); takes about ten minutes.

Problems without slack are generated; variants of the given problems, which fit 1 MiB, are packed as well. `--help`
lists the options.
"""

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import Seconds, option, options_of
from tinyml.tools.calibration.packing_problems import (
    guillotine,
    reversed_in_time,
    shuffled,
    split_in_size,
    split_in_time,
)
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.driver.packing_problem import read_problem
from tinyml.transforms.buffers.packing import Effort, Rectangle, lower_bound, pack
from tinyml.transforms.buffers.packing.validator import complaints

CAPACITY = 1 << 20

BUFFERS = (100, 200, 300, 450)

COARSE = 100
"""Program points of the harder problems without slack; the others have four points per buffer."""


@dataclass(frozen=True, kw_only=True)
class PackingSurvey:
    """The options of a survey."""

    seconds: Seconds = option("the greatest duration of a search", default=Seconds(10), metavar="S")
    first_seed: int = option("the first seed of generated problems and variants", default=0, metavar="N")
    seeds: int = option("the number of seeds", default=30, metavar="N")
    only: str | None = option("one class of problems", default=None, metavar="CLASS")
    given: Path | None = option("folder of CSV files whose variants are packed", default=None, metavar="FOLDER")


def problems(paths: Sequence[Path], seeds: Sequence[int]) -> Iterator[tuple[str, list[list[Rectangle]]]]:
    """Named classes of packing problems, generated or derived from the given files."""
    for buffers in BUFFERS:
        yield f"cuts-{buffers}", [guillotine(buffers, seed, 4 * buffers) for seed in seeds]
        yield f"coarse-cuts-{buffers}", [guillotine(buffers, seed, COARSE) for seed in seeds]
    given = [read_problem(path) for path in paths]
    if given:
        yield "given", given
        yield "reversed", [reversed_in_time(problem) for problem in given]
        yield "shuffled", [shuffled(problem, seed) for problem in given for seed in seeds]
        yield "split-in-time", [split_in_time(problem, seed) for problem in given for seed in seeds]
        yield "split-in-size", [split_in_size(problem, seed) for problem in given for seed in seeds]


def seconds_to_solve(rectangles: Sequence[Rectangle], limit: float) -> float | None:
    """Seconds of CPU time to find a packing within 1 MiB; None if none is found."""
    before = time.process_time()
    placement = pack(rectangles, "auto", Effort(steps=None, seconds=limit, capacity=CAPACITY))
    spent = time.process_time() - before
    assert not list(complaints(rectangles, placement))
    return spent if placement.height <= CAPACITY else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, options_of(PackingSurvey))
    survey = parsed(parser.parse_args(), PackingSurvey)
    paths = sorted(survey.given.glob("*.csv")) if survey.given else []
    print(f"{'class':<18}{'solved':>10}{'median s':>10}{'longest s':>10}")
    for name, given in problems(paths, range(survey.first_seed, survey.first_seed + survey.seeds)):
        if survey.only in (None, name):
            assert all(lower_bound(problem) <= CAPACITY for problem in given)
            found = [seconds_to_solve(problem, survey.seconds) for problem in given]
            solved = [spent for spent in found if spent is not None]
            middle = f"{statistics.median(solved):>10.2f}{max(solved):>10.2f}" if solved else ""
            print(f"{name:<18}{f'{len(solved)}/{len(found)}':>10}{middle}", flush=True)


if __name__ == "__main__":
    main()
