"""Counts the packing problems that `auto` solves in some seconds (`make packing`), an hour or so for all.

    python -m tinyml.tools.calibration.packing [--seconds S] [--seeds FIRST:LAST] [--only CLASS] [PROBLEM.csv ...]

Problems without slack are generated; of the given ones, which fit into 1 MiB, variants are packed.
"""

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tinyml.tools.calibration.packing_problems import (
    guillotine,
    reversed_in_time,
    shuffled,
    split_in_size,
    split_in_time,
)
from tinyml.tools.driver.packing_problem import read_problem
from tinyml.transforms.buffers.packing import Effort, Rectangle, lower_bound, pack
from tinyml.transforms.buffers.packing.validator import complaints

CAPACITY = 1 << 20

BUFFERS = (100, 200, 300, 450)

COARSE = 100
"""Program points of the harder problems without slack, where many buffers start together; else four per buffer."""


def problems(paths: Sequence[Path], seeds: Sequence[int]) -> Iterator[tuple[str, list[list[Rectangle]]]]:
    """Classes of problems."""
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
    """Seconds of CPU until a packing in 1 MiB is found; None if it is not."""
    before = time.process_time()
    placement = pack(rectangles, "auto", Effort(steps=None, seconds=limit, capacity=CAPACITY))
    spent = time.process_time() - before
    assert not list(complaints(rectangles, placement))
    return spent if placement.height <= CAPACITY else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PROBLEM.csv")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seeds", default="0:30", metavar="FIRST:LAST")
    parser.add_argument("--only", metavar="CLASS")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    print(f"{'class':<18}{'solved':>10}{'median s':>10}{'longest s':>10}")
    for name, given in problems(arguments.paths, range(first, last)):
        if arguments.only in (None, name):
            assert all(lower_bound(problem) <= CAPACITY for problem in given)
            found = [seconds_to_solve(problem, arguments.seconds) for problem in given]
            solved = [spent for spent in found if spent is not None]
            middle = f"{statistics.median(solved):>10.2f}{max(solved):>10.2f}" if solved else ""
            print(f"{name:<18}{f'{len(solved)}/{len(found)}':>10}{middle}", flush=True)


if __name__ == "__main__":
    main()
