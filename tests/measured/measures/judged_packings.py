"""Packings of generated problems by branch and bound, and its lower bounds, checked by exact cover."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from measured.solved_packings import guillotine
from measured.store import MEASURED, read
from tinyml.transforms.buffers.packing import Effort, Overlap, Rectangle, lower_bound, pack
from tinyml.transforms.buffers.packing.bound_checks import WORK_LIMIT, Verdict, check_bound, check_height
from tinyml.transforms.buffers.packing.validator import complaints

Values = dict[str, Any]

PROBLEMS = 1000
"""Generated problems without overlaps, and as many with overlaps and alignments."""

CUTS = 20
"""Problems without a spare byte of each size."""

NODES = 20_000
"""Limit on the nodes of a search for the packing of `cuts-N`."""

STEPS = 10 * WORK_LIMIT
"""Limit on the steps of a judgement."""

MOST, MOST_OVERLAPPING = 15, 12
"""Limits on the buffers of a problem."""


def problem(seed: int, overlapping: bool) -> list[Rectangle]:
    """A random packing problem of buffers of at most 24 bytes.

    overlapping: True if results may overlap an operand that dies, and some buffers are aligned. Otherwise few bytes are
        free at any point, and greedy packings need more than the bytes at the peak.
    """
    random = Random(seed)
    return _overlapping(random) if overlapping else _dense(random)


def _dense(random: Random) -> list[Rectangle]:
    """Random buffers that leave almost no space below a height, redrawn until first fit and best fit exceed this
    height.
    """
    while True:
        free, made = [random.randrange(8, 25)] * random.randrange(5, 10), list[Rectangle]()
        while any(free) and len(made) < MOST:
            first = last = random.choice([point for point, left in enumerate(free) if left])
            while last + 1 < len(free) and free[last + 1] and random.random() < 0.75:
                last += 1
            while first and free[first - 1] and random.random() < 0.75:
                first -= 1
            size = random.randint(1, min(free[first : last + 1]))
            made.append(Rectangle(f"b{len(made)}", size, 1, first, last))
            for point in range(first, last + 1):
                free[point] -= size
        if min(pack(made, mode).height for mode in ("first-fit", "best-fit")) > lower_bound(made):
            return made


def _overlapping(random: Random) -> list[Rectangle]:
    made: list[Rectangle] = []
    count = random.randrange(2, MOST_OVERLAPPING + 1)
    for i in range(count):
        first, size = random.randrange(count), random.randrange(1, 9)
        dying = [k for k, shape in enumerate(made) if shape.last == first]
        overlaps = [Overlap(k, random.randrange(size + 1)) for k in dying[:1] if random.random() < 0.5]
        last = min(first + random.randrange(4), count)
        made.append(Rectangle(f"b{i}", size, random.choice((1, 1, 1, 2)), first, last, tuple(overlaps)))
    return made


@dataclass(frozen=True)
class Trial:
    """A packing and a lower bound computed by branch and bound, and the check of both by exact cover.

    verdict: the result of the check.
    above: whether the bound exceeds the bytes at the peak.
    packed: whether exact cover has also found a packing of the bound's height.
    seconds: the time of branch and bound.
    judged_seconds: the time of exact cover.
    """

    verdict: Verdict
    above: bool
    packed: bool
    seconds: float
    judged_seconds: float


def trials(seeds: Iterable[int], overlapping: bool) -> Iterator[Trial]:
    """Yield, for the problem of each seed, the check of the height and the bound of its packing. The packing must be
    valid and proven optimal.
    """
    for seed in seeds:
        given = problem(seed, overlapping)
        begun = time.process_time()
        placement = pack(given, "branch-and-bound")
        packed = time.process_time()
        height, bound = check_height(given, placement.height, STEPS), check_bound(given, placement.lower_bound, STEPS)
        judged = time.process_time()
        assert placement.optimal
        assert not list(complaints(given, placement, patience=0))
        refuted = Verdict.REFUTED in (height.verdict, bound.verdict)
        yield Trial(
            Verdict.REFUTED if refuted else bound.verdict,
            placement.lower_bound > lower_bound(given),
            height.verdict is Verdict.AGREED,
            packed - begun,
            judged - packed,
        )


def judged(name: str, _options: list[str]) -> Values:
    """For problems without overlaps (`apart`) or with overlaps (`overlapping`), the number of each verdict, and the
    time of exact cover divided by that of branch and bound (`times`).

    `above`, `packed`: the number of problems for which the fields of `Trial` with these names are true.

    For `cuts-N`: the number of problems of N buffers without a free byte that exact cover proves without branch and
    bound, and that branch and bound proves without exact cover.
    """
    if name.startswith("cuts-"):
        return _proved(int(name.removeprefix("cuts-")))
    found = list(trials(range(PROBLEMS), name == "overlapping"))
    verdicts = Counter(trial.verdict for trial in found)
    values = {verdict.value: verdicts[verdict] for verdict in Verdict}
    values |= {each: sum(getattr(trial, each) for trial in found) for each in ("above", "packed")}
    times = sum(trial.judged_seconds for trial in found) / sum(trial.seconds for trial in found)
    return {"problems": PROBLEMS, **values, "times": float(f"{times:.1g}")}


def _proved(buffers: int) -> Values:
    values: Values = {"problems": CUTS}
    for mode in ("exact-cover", "branch-and-bound"):
        begun = time.process_time()
        placements = [pack(guillotine(buffers, seed, 4 * buffers), mode, Effort(nodes=NODES)) for seed in range(CUTS)]
        values |= {
            mode: sum(placement.optimal for placement in placements),
            f"{mode}-seconds": time.process_time() - begun,
        }
    times = values.pop("exact-cover-seconds") / values.pop("branch-and-bound-seconds")
    return {**values, "times": float(f"{times:.1g}")}


def summary() -> Values:
    """The figures of both classes of problems, added up. For each class, also the time of exact cover divided by that
    of branch and bound.
    """
    measured = read(MEASURED)
    found = {name: measured[f"judge {name}"] for name in ("apart", "overlapping")}
    names = ("problems", "agreed", "refuted", "undecided", "above", "packed")
    times = {name: values["times"] for name, values in found.items()}
    return {name: sum(values[name] for values in found.values()) for name in names} | times
