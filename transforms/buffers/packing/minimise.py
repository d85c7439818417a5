"""The lowest height, found by branch and bound searches with decreasing capacities.

A trial is a search in one order of the buffers. With a good order the search ends at once. Some trials pack merged
buffers instead. Merging makes the problem smaller, and each packing of the merged buffers is a packing of the original
problem. Two buffers that are live in the same sections can be stacked. Two buffers of the same size can be joined in
time if one ends where the other starts.

Packings without a spare byte often contain pairs that can be merged, as if a rectangle had been divided into two. A
pair may also be a coincidence, especially if many buffers are live together, and among small or short-lived buffers.
The smaller problem may then have no packing. Each seed therefore leaves different pairs unmerged. Buffers that may
overlap each other, or have gaps or pinned offsets, are never merged.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, count, cycle, islice, pairwise
from math import lcm, prod
from random import Random
from typing import NamedTuple

from tinyml.transforms.buffers.packing import branch_and_bound, native
from tinyml.transforms.buffers.packing.branch_and_bound import Outcome, SearchOutcome
from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.grid import Grid, to_grid
from tinyml.transforms.buffers.packing.rectangles import Overlap, Placement, Proof, Rectangle

TRIAL_NODES = 4_000
"""The nodes of a trial in the first round, doubled in each further round."""

RANDOM_ORDERS = 150
"""The number of random orders tried in a round; a few of them succeed quickly."""

MERGED = 10
"""The trials with merged buffers per random order; each has a quarter of the nodes, since these problems are
smaller.
"""

MAX_BUFFERS = 3_000
"""Limit on the buffers of a search, which keeps lists of them for each buffer placed."""

GAP_SHARE = 0.2
"""The share of the gap to the lower bound that a trial tries to close; low packings are often found just as fast."""


class PackingProblem:
    """Rectangles to pack, with their grid. Heights are in units of the grid."""

    def __init__(self, rectangles: Sequence[Rectangle]) -> None:
        self.rectangles = rectangles
        self.grid = to_grid(rectangles)
        self.features = _features(rectangles, self.grid)

    def search(self, order: Sequence[int], height: int, nodes: int, effort: Effort) -> SearchOutcome:
        """Search for a packing of at most `height` units in a tree of at most `nodes` nodes. The resulting
        offsets are in the order of the rectangles.

        order: the order in which buffers are tried.
        """
        order = self.grid.results_first(order)
        grid = self.grid.in_order(order)
        core = native.library() if effort.core and grid.fits_the_core else None
        if core is not None:
            result = native.search(core, grid, height, nodes, effort.seconds_left())
        else:
            result = branch_and_bound.search(grid, height, nodes, effort.is_late)
        offsets = dict(zip(order, result.offsets, strict=False))
        return replace(result, offsets=tuple(offsets[b] for b in sorted(offsets)))


class Trial(NamedTuple):
    """A search for a packing of a given height, in a tree of at most `nodes` nodes.

    base: the name and the function of the sort order, before any random changes.
    order: the indices of the buffers.
    share: the fraction of the gap to the lower bound that the trial tries to close.
    merged: the blocks that replace the buffers, and the problem of packing them; None if no buffers are merged.
    """

    name: str
    base: tuple[str, _Order]
    order: Sequence[int]
    nodes: int
    share: float = GAP_SHARE
    merged: tuple[list[_MergedBlock], PackingProblem] | None = None


class Minimiser:
    """The search for placements of decreasing height within the effort. Heights are in units of the grid."""

    def __init__(self, rectangles: Sequence[Rectangle], start: Placement, effort: Effort) -> None:
        self.problem = PackingProblem(rectangles)
        self.unit = self.problem.grid.unit
        self.effort = effort
        self.best = start
        self.least = -(-start.lower_bound // self.unit)
        """A lower bound on the height of all packings."""
        self.lucky = next(self._named(TRIAL_NODES))
        """The trial that found the best placement; at first, any trial."""
        self.mergeable = len(merge_buffers(self.problem.grid, 0)) < len(rectangles)

    def minimise(self) -> Placement:
        """The lowest placement found. If there is a capacity, the search ends at the first placement that is no higher
        than the capacity.
        """
        self._bisect()
        if self.effort.capacity is None:
            self._lower()
        else:
            self._fit(self.effort.capacity)
        return self.best

    def _bisect(self) -> None:
        """Lower the placement by short trials in the named orders, which suffice for most small problems.

        The lower bound is tried first. Then the gap to the bound is halved for as long as an order leads to a
        packing, or to a proof that there is none. If there is a capacity, this phase is skipped.
        """
        for share in (1.0, 0.5) if self.effort.capacity is None else ():
            in_vain = 0
            for trial in cycle(self._named(TRIAL_NODES)):
                if self.effort.is_enough(self.best) or self.effort.is_over():
                    return
                if in_vain == len(_ORDERS):
                    break
                outcome = self._try(self._within_gap(share), trial)
                in_vain = in_vain + 1 if outcome is Outcome.OUT_OF_NODES else 0
                if not in_vain and share == 1:
                    break

    def _lower(self) -> None:
        """Close the gap between height and lower bound step by step. Packings lower the height, and proofs
        raise the bound.
        """
        for trial in self._trials():
            if self.best.optimal or self.effort.is_over():
                return
            self._try(self._within_gap(trial.share), trial)

    def _within_gap(self, share: float) -> int:
        """The best height minus a fraction `share` of its distance to the lower bound. The result is lower than
        the best height by at least one unit.
        """
        height = -(-self.best.height // self.unit)
        return height - max(int((height - self.least) * share), 1)

    def _fit(self, capacity: int) -> None:
        """Search for a packing of at most `capacity` bytes until one is found or proven impossible, or the effort is
        spent.

        The lower bound is tried as well, because a search with less space has fewer dead ends.
        """
        enough = capacity // self.unit
        for trial in self._trials():
            for height in dict.fromkeys((enough, self.least)):
                if self.effort.is_enough(self.best) or self.effort.is_over() or enough < self.least:
                    return
                self._try(height, trial)

    def _named(self, nodes: int) -> Iterator[Trial]:
        for base in _ORDERS.items():
            yield Trial(base[0], base, _arranged(base[1], self.problem.features), nodes)

    def _trials(self) -> Iterator[Trial]:
        seeds, merge_seeds = count(), count()
        for round in count():
            nodes = TRIAL_NODES << round
            yield from self._named(nodes)
            yield self.lucky._replace(nodes=10 * nodes, share=0)
            for seed in islice(seeds, RANDOM_ORDERS):
                if self.mergeable:
                    yield from (self._merged(merge_seed, nodes // 4) for merge_seed in islice(merge_seeds, MERGED))
                bases = [*_ORDERS.items(), (f"drawn {seed}", _drawn(seed)), self.lucky.base]
                base = bases[seed % len(bases)]
                order = _arranged(_shaken(base[1], seed), self.problem.features)
                yield Trial(f"{base[0]}, shaken {seed}", base, order, nodes)

    def _merged(self, seed: int, nodes: int) -> Trial:
        """A trial of at most `nodes` nodes that packs the buffers merged by `merge_buffers` with the given seed, in a
        named order.

        The height of the trial is the lower bound for four of five seeds. For the fifth seed it is
        `_within_gap(GAP_SHARE)`.
        """
        rectangles = self.problem.rectangles
        blocks = merge_buffers(self.problem.grid, seed)
        parts = [[rectangles[b] for b, _ in block.parts] for block in blocks]
        block_of = {b: i for i, block in enumerate(blocks) for b, _ in block.parts}
        smaller = PackingProblem(
            [
                Rectangle(
                    shapes[0].name,
                    block.size * self.unit,
                    block.alignment * self.unit if block.alignment > 1 else 1,
                    min(shape.first for shape in shapes),
                    max(shape.last for shape in shapes),
                    tuple(
                        Overlap(block_of[operand], distance) for shape in shapes for operand, distance in shape.overlaps
                    ),
                    shapes[0].gaps,
                    shapes[0].pinned,
                )
                for block, shapes in zip(blocks, parts, strict=True)
            ]
        )
        base = list(_ORDERS.items())[seed // len(_DOUBTS) % len(_ORDERS)]
        order = _arranged(base[1], smaller.features)
        return Trial(
            f"{base[0]}, merged {seed}", base, order, nodes, GAP_SHARE if seed % 5 == 4 else 1, (blocks, smaller)
        )

    def _try(self, height: int, trial: Trial) -> Outcome:
        """Search for a packing of the given height. Record the placement or the proof, if one results, and
        return the outcome.
        """
        before = time.monotonic()
        problem = self.problem if trial.merged is None else trial.merged[1]
        bytes_ = height * self.unit
        result = problem.search(trial.order, bytes_ // problem.grid.unit, self.effort.ration(trial.nodes), self.effort)
        self.effort.note(
            f"{bytes_} bytes, {trial.name}", result.nodes, before, result.outcome.name.lower().replace("_", " ")
        )
        if result.outcome is Outcome.FOUND:
            in_bytes = [offset * problem.grid.unit for offset in result.offsets]
            if trial.merged is None:
                self.lucky = trial
            else:
                in_bytes = self._taken_apart(trial.merged[0], in_bytes)
            self._keep(self.best.moved_to(self.problem.rectangles, in_bytes, Proof.BRANCH_AND_BOUND.value))
        elif result.outcome is Outcome.FAILED and trial.merged is None:
            self.least = max(self.least, height + 1)
            bound = min(self.least * self.unit, self.best.height)
            if bound > self.best.lower_bound:
                self._keep(replace(self.best, lower_bound=bound, proof=Proof.BRANCH_AND_BOUND))
        return result.outcome

    def _taken_apart(self, blocks: Sequence[_MergedBlock], offsets: Sequence[int]) -> list[int]:
        """The offsets of the original buffers in bytes.

        blocks: the blocks into which the buffers were merged.
        offsets: the offsets of the blocks in bytes.
        """
        apart = [0] * len(self.problem.rectangles)
        for block, start in zip(blocks, offsets, strict=True):
            for b, offset in block.parts:
                apart[b] = start + offset * self.unit
        return apart

    def _keep(self, placement: Placement) -> None:
        self.best = self.effort.best = placement


class _Features(NamedTuple):
    """The features of a buffer that determine sort keys: its size, its live range in points and in sections, and
    the maximum and mean of the units live during it.
    """

    size: int
    points: int
    sections: int
    fullest: int
    mean: int


_Order = Callable[[_Features], tuple[int, ...]]
"""The sort key of a buffer; larger ones come first."""


def _powers(*exponents: int) -> _Order:
    def key(buffer: _Features) -> tuple[int, ...]:
        return (prod(value**exponent for value, exponent in zip(buffer, exponents, strict=True)),)

    return key


_ORDERS: dict[str, _Order] = {
    "fullest, longest": lambda buffer: (buffer.fullest, buffer.points, buffer.size),
    "area in sections, where it is full": _powers(1, 0, 1, 8, 2),
    "area, the longer the better": _powers(1, 2, 1, 0, 0),
    "size, where it is full": _powers(2, 1, 1, 8, 0),
    "size, where it is full all the time": _powers(2, 1, 2, 8, 2),
    "longest, fullest": lambda buffer: (buffer.points, buffer.fullest, buffer.size),
}
"""Orders by features like MiniMalloc's. Each of them is the fastest for one of its benchmarks."""


def _features(rectangles: Sequence[Rectangle], grid: Grid) -> list[_Features]:
    sums = list(accumulate(grid.alive(), initial=0))
    return [
        _Features(
            size,
            shape.last - shape.first + 1,
            last - first + 1,
            fullest,
            (sums[last + 1] - sums[first]) // (last - first + 1),
        )
        for shape, size, first, last, fullest in zip(
            rectangles, grid.sizes, grid.first, grid.last, grid.fullest(), strict=True
        )
    ]


def _drawn(seed: int) -> _Order:
    draw = Random(seed)
    return _powers(
        *(draw.choice(exponents) for exponents in ((1, 2, 2), (0, 1, 2), (0, 1, 2), (0, 0, 2, 8), (0, 0, 2, 8)))
    )


def _shaken(order: _Order, seed: int) -> _Order:
    draw = Random(seed)
    return lambda buffer: tuple(value * draw.randint(90, 110) for value in order(buffer))


def _arranged(order: _Order, buffers: Sequence[_Features]) -> list[int]:
    keys = [order(buffer) for buffer in buffers]
    return sorted(range(len(buffers)), key=keys.__getitem__, reverse=True)


_DOUBTS = (0.0, 0.3, 0.6, 1.0)
"""The probabilities, used in turn, of leaving a pair unmerged whose match is certainly a coincidence."""

_SAFE_SHARE = 0.3
"""The share of the pairs, the safest ones, that are merged before the rest is evaluated again."""


class _MergedBlock(NamedTuple):
    """Buffers that were merged into one block.

    size, alignment: of the block, in units.
    first, last: the first and the last section of time in which the block is live.
    parts: the buffers and their offsets in the block, in units.
    """

    size: int
    alignment: int
    first: int
    last: int
    parts: tuple[tuple[int, int], ...]


def merge_buffers(grid: Grid, seed: int) -> list[_MergedBlock]:
    """Merge pairs of buffers until no remaining pair is accepted, and return the blocks.

    seed: determines which of the possible pairs are refused at random.
    """
    draw = Random(seed)
    doubt = _DOUBTS[seed % len(_DOUBTS)]
    common = _Common(grid)
    shapes = zip(grid.sizes, grid.alignments, grid.first, grid.last, strict=True)
    blocks = dict(enumerate(_MergedBlock(*shape, ((b, 0),)) for b, shape in enumerate(shapes)))
    refused = set[tuple[int, int]]()
    apart = {b for result, operands in grid.overlaps.items() for b in (result, *operands)}
    apart |= grid.idle.keys() | grid.pinned.keys()
    count = len(blocks)
    while True:
        weighed = [
            (draw.uniform(0.5, 1) * trust, trust, a, b)
            for trust, a, b in _pairs(blocks, common, draw)
            if (min(a, b), max(a, b)) not in refused and a not in apart and b not in apart
        ]
        if not weighed:
            return [*blocks.values()]
        weighed.sort(reverse=True)
        for _, trust, a, b in weighed[: max(int(_SAFE_SHARE * len(weighed)), 1)]:
            if a not in blocks or b not in blocks:
                continue
            if draw.random() < doubt * (1 - trust):
                refused.add((min(a, b), max(a, b)))
                continue
            blocks[count] = _joined(blocks.pop(a), blocks.pop(b))
            count += 1


class _Common:
    """The relative frequencies of sizes and of live ranges' lengths among the buffers of a grid."""

    def __init__(self, grid: Grid) -> None:
        self.count = len(grid.sizes)
        self.sizes = sorted(grid.sizes)
        self.lengths = Counter(last - first for first, last in zip(grid.first, grid.last, strict=True))

    def length(self, length: int) -> float:
        return self.lengths[length] / self.count

    def size(self, size: int) -> float:
        """The fraction of buffers of a given size, averaged over all sizes that differ from `size` by at most a
        tenth.
        """
        near = max(1, size // 10)
        buffers = bisect_right(self.sizes, size + near) - bisect_left(self.sizes, size - near)
        return buffers / ((2 * near + 1) * self.count)


def _pairs(blocks: dict[int, _MergedBlock], common: _Common, draw: Random) -> Iterator[tuple[float, int, int]]:
    """Yield pairs of blocks that can be merged: the probability that their match is no coincidence, and both blocks'
    keys.

    The probability is computed from the expected number of coincidences. If many blocks could be merged with each
    other, the number of yielded pairs is linear in the number of blocks.

    draw: the source of random numbers.
    """
    numbers = [*blocks]
    draw.shuffle(numbers)
    alike, starting, ending = (dict[tuple[int, int], list[int]]() for _ in range(3))
    starts, ends = Counter[int](), Counter[int]()
    for number in numbers:
        block = blocks[number]
        alike.setdefault((block.first, block.last), []).append(number)
        starting.setdefault((block.first, block.size), []).append(number)
        ending.setdefault((block.last + 1, block.size), []).append(number)
        starts[block.first] += 1
        ends[block.last + 1] += 1
    for (first, last), group in alike.items():
        coincidences = starts[first] * (starts[first] - 1) / 2 * common.length(last - first)
        for a, b in pairwise(group):
            if blocks[a].size % blocks[b].alignment == 0:
                yield 1 / (1 + coincidences), a, b
    for (first, size), group in starting.items():
        coincidences = ends[first] * starts[first] * common.size(size)
        for a, b in zip(ending.get((first, size), ()), group, strict=False):
            yield 1 / (1 + coincidences), a, b


def _joined(a: _MergedBlock, b: _MergedBlock) -> _MergedBlock:
    above = a.size if a.first == b.first else 0
    parts = (*a.parts, *((part, offset + above) for part, offset in b.parts))
    return _MergedBlock(a.size + b.size if above else a.size, lcm(a.alignment, b.alignment), a.first, b.last, parts)
