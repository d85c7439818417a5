"""The algorithm that decides a packing problem: first fit and best fit, exact cover, or branch and bound.

Generated problems are packed by exact cover and by branch and bound alone, each with a limit of its own; the problems
of compiled programs are those that mode `auto` packs.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from hashes.corpus import CLASSIFIERS, LENET, NUMBERS, Program, programs

from measured.measures import judged_packings
from tinyml.transforms.buffers.packing import Effort, Placement, Rectangle, lower_bound, modes, pack
from tinyml.transforms.buffers.packing.validator import complaints

Values = dict[str, Any]

PROBLEMS = 20
"""Problems of each class."""

WORK = 6_000_000
"""Limit on the steps of exact cover, about two seconds; branch and bound has its default limit."""

GREEDY = "first-fit", "best-fit"

MEMORIES = 256, 512, 1024, 2048, 4096
"""Sizes in bytes of the first memory of a board with two."""


def is_hard(rectangles: Sequence[Rectangle]) -> bool:
    """Whether first fit and best fit both need more bytes than are live at the peak."""
    return min(pack(rectangles, mode).height for mode in GREEDY) > lower_bound(rectangles)


def buffers(random: Random, count: int, points: int, largest: int) -> list[Rectangle]:
    """Buffers of random sizes up to `largest` bytes, each live for at most half of the `points` program points."""
    made: list[Rectangle] = []
    for i in range(count):
        first = random.randrange(points)
        last = min(points - 1, first + random.randrange(points // 2 + 1))
        made.append(Rectangle(f"b{i}", random.randint(1, largest), 1, first, last))
    return made


def aligned(random: Random, count: int, alignments: Sequence[int]) -> list[Rectangle]:
    """Buffers whose offsets are multiples of one of the alignments, and which occupy at most half of this alignment."""
    made: list[Rectangle] = []
    for shape in buffers(random, count, 8, 1):
        alignment = random.choice(alignments)
        made.append(replace(shape, size=random.randint(1, max(alignment // 2, 1)), alignment=alignment))
    return made


def with_gaps(random: Random, count: int) -> list[Rectangle]:
    """Buffers that occupy no bytes at some points between their first and their last one."""
    made: list[Rectangle] = []
    for shape in buffers(random, count, 20, 4):
        inner = [point for point in range(shape.first + 1, shape.last) if random.random() < 0.3]
        alone = [point for point in inner if point - 1 not in inner]
        made.append(replace(shape, gaps=tuple((point, point) for point in alone)))
    return made


def pinned(random: Random, count: int) -> list[Rectangle]:
    """Buffers of which a fifth are fixed at the offsets that best fit gives them."""
    made = buffers(random, count, 10, 24)
    offsets = pack(made, "best-fit").offsets
    fixed = {*random.sample(range(count), count // 5)}
    return [replace(shape, pinned=offsets[i]) if i in fixed else shape for i, shape in enumerate(made)]


def judged(random: Random, overlapping: bool) -> list[Rectangle]:
    return judged_packings.problem(random.randrange(1 << 30), overlapping)


CLASSES: Mapping[str, Callable[[Random], list[Rectangle]]] = {
    "dense": partial(judged, overlapping=False),
    "overlaps": partial(judged, overlapping=True),
    "gaps": partial(with_gaps, count=15),
    "pinned": partial(pinned, count=18),
    **{f"aligned-{count}": partial(aligned, count=count, alignments=(4, 16, 64)) for count in (12, 18, 24)},
}


def problem(name: str, seed: int) -> list[Rectangle]:
    """A problem of a class, drawn again until first fit and best fit leave it open."""
    random = Random(f"{name} {seed}")
    while not is_hard(made := CLASSES[name](random)):
        pass
    return made


def decided(name: str, _options: list[str]) -> Values:
    """For a class of generated problems, the number that each search proves alone, and that `auto` proves by exact
    cover; the nodes of both searches, and the time of exact cover divided by that of branch and bound. `first-fit`,
    `best-fit` and `shiftry`: the percent by which the heights of these packers exceed the least heights found.

    For `programs` and `memories`: see `of_programs`.
    """
    if name in ("programs", "memories"):
        return of_programs(programs() if name == "programs" else [*in_two_memories()])
    given = [problem(name, seed) for seed in range(PROBLEMS)]
    cover, cover_nodes, cover_seconds = _packed(given, "exact-cover")
    search, search_nodes, search_seconds = _packed(given, "branch-and-bound")
    auto, _, _ = _packed(given, "auto")
    least = [min(one.height, other.height) for one, other in zip(cover, search, strict=True)]
    by_each = [(one.optimal, other.optimal) for one, other in zip(cover, search, strict=True)]
    return {
        "problems": len(given),
        "exact-cover": sum(one for one, _ in by_each),
        "branch-and-bound": sum(other for _, other in by_each),
        "only-exact-cover": by_each.count((True, False)),
        "only-branch-and-bound": by_each.count((False, True)),
        "auto": sum(_is_by_cover(placement) for placement in auto),
        "cover-nodes": cover_nodes,
        "search-nodes": search_nodes,
        "times": float(f"{cover_seconds / search_seconds:.1g}"),
        **{
            mode: 100 * (sum(pack(each, mode).height for each in given) / sum(least) - 1)
            for mode in (*GREEDY, "shiftry")
        },
    }


def _packed(given: Sequence[Sequence[Rectangle]], mode: str) -> tuple[list[Placement], int, float]:
    """Return the placements of problems by a mode, the nodes of its searches, and its seconds of processor time."""
    found: list[Placement] = []
    nodes, begun = 0, time.process_time()
    for each in given:
        effort = Effort(work=WORK)
        found.append(pack(each, mode, effort))
        nodes += sum(phase.nodes for phase in effort.phases)
    seconds = time.process_time() - begun
    for each, placement in zip(given, found, strict=True):
        assert not list(complaints(each, placement, patience=0))
    return found, nodes, seconds


def _is_by_cover(placement: Placement) -> bool:
    """Whether exact cover found the placement at the lower bound, or proved this bound."""
    return placement.optimal and "exact-cover" in (placement.packer, placement.proof.value)


def in_two_memories() -> Iterator[Program]:
    """Yield small networks on a board with a first memory of several sizes, and a slower second one."""
    for name, model in {**CLASSIFIERS, "lenet": LENET}.items():
        for size in MEMORIES:
            options = {**NUMBERS["fixed 8"], "memory": f"dtcm={size}:0/0,sram=256K:2/2,flash=4M:5/0"}
            yield Program(f"{name}; {size}", model, "cortex-m55", options)


def of_programs(given: Sequence[Program]) -> Values:
    """The distinct packing problems of all compilations, and how many of them first fit and best fit (`greedy`), exact
    cover and branch and bound decide; `open` counts those without a proof of the optimum.
    """
    found: dict[tuple[Rectangle, ...], str] = {}
    with recorded(found):
        for program in given:
            with tempfile.TemporaryDirectory() as folder:
                program.texts(Path(folder))
    by = Counter(found.values())
    overlapping = sum(any(shape.overlaps for shape in shapes) for shapes in found)
    names = ("greedy", "exact-cover", "branch-and-bound", "open")
    return {
        "programs": len(given),
        "problems": len(found),
        "overlapping": overlapping,
        **{name: by[name] for name in names},
    }


@contextmanager
def recorded(found: dict[tuple[Rectangle, ...], str]) -> Generator[None]:
    """A context that adds each problem that mode `auto` packs to `found`, with the algorithm that decides it."""

    def recording(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
        placement = modes.by_both_searches(rectangles, effort)
        shapes = tuple(replace(shape, name="") for shape in rectangles)
        found[shapes] = decided_by(placement, effort)
        return placement

    packers = modes.PACKERS

    def get(mode: str) -> modes.Mode:
        return recording if mode == "auto" else packers.get(mode)

    with patch.object(modes, "PACKERS", SimpleNamespace(get=get)):
        yield


def decided_by(placement: Placement, effort: Effort) -> str:
    """The algorithm with which mode `auto` ended: `greedy`, a search, or `open` if the placement is above the bound and
    above the effort's capacity.
    """
    if not effort.is_enough(placement):
        return "open"
    phases = [phase.name for phase in effort.phases]
    if all(name in GREEDY for name in phases):
        return "greedy"
    return "exact-cover" if "exact cover" in phases[-1] else "branch-and-bound"
