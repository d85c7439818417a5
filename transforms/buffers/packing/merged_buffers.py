"""Buffers merged into blocks: a smaller problem, each packing of which is one of the original problem.

Two buffers that are alive in the same sections can be stacked, and two of the same size can be joined in time if one
ends where the other starts. Packings without a spare byte often contain such pairs: merging inverts the division of a
rectangle into two. A pair may also be a coincidence, above all where many buffers meet and among small or short-lived
ones, and the smaller problem may then have no packing; each seed therefore leaves different pairs unmerged. Buffers
that may overlap each other are never merged.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import lcm
from random import Random
from typing import NamedTuple

from tinyml.transforms.buffers.packing.grid import Grid

DOUBTS = (0.0, 0.3, 0.6, 1.0)
"""The probabilities, used in turn, of leaving a pair unmerged whose match is certainly a coincidence."""

SHARE = 0.3
"""The share of the pairs, the safest ones, that are merged before the rest is evaluated again."""


class MergedBlock(NamedTuple):
    """Buffers merged into one, alive in sections first..last of a grid, with their offsets in the block, in units."""

    size: int
    alignment: int
    first: int
    last: int
    parts: tuple[tuple[int, int], ...]


def merge_buffers(grid: Grid, seed: int) -> list[MergedBlock]:
    """Merge buffers until only refused pairs are left; the seed determines which pairs are refused."""
    draw = Random(seed)
    doubt = DOUBTS[seed % len(DOUBTS)]
    common = _Common(grid)
    shapes = zip(grid.sizes, grid.alignments, grid.first, grid.last, strict=True)
    blocks = dict(enumerate(MergedBlock(*shape, ((b, 0),)) for b, shape in enumerate(shapes)))
    refused = set[tuple[int, int]]()
    apart = {b for result, operands in grid.overlaps.items() for b in (result, *operands)}
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
        for _, trust, a, b in weighed[: max(int(SHARE * len(weighed)), 1)]:
            if a not in blocks or b not in blocks:
                continue
            if draw.random() < doubt * (1 - trust):
                refused.add((min(a, b), max(a, b)))
                continue
            blocks[count] = _joined(blocks.pop(a), blocks.pop(b))
            count += 1


class _Common:
    """The frequencies of sizes and lengths among the buffers of a grid."""

    def __init__(self, grid: Grid) -> None:
        self.count = len(grid.sizes)
        self.sizes = sorted(grid.sizes)
        self.lengths = Counter(last - first for first, last in zip(grid.first, grid.last, strict=True))

    def length(self, length: int) -> float:
        """The share of buffers with the given length."""
        return self.lengths[length] / self.count

    def size(self, size: int) -> float:
        """The share of buffers with the given size, averaged over sizes within a tenth of it."""
        near = max(1, size // 10)
        buffers = bisect_right(self.sizes, size + near) - bisect_left(self.sizes, size - near)
        return buffers / ((2 * near + 1) * self.count)


def _pairs(blocks: dict[int, MergedBlock], common: _Common, draw: Random) -> Iterator[tuple[float, int, int]]:
    """Yield pairs that can be merged, each with the probability that it is no coincidence.

    The probability is based on the expected number of coincidences. Among many blocks that could be merged with each
    other, a linear number of pairs is drawn.
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


def _joined(a: MergedBlock, b: MergedBlock) -> MergedBlock:
    """Block b stacked on block a if they are alive in the same sections, else joined to it in time."""
    above = a.size if a.first == b.first else 0
    parts = (*a.parts, *((part, offset + above) for part, offset in b.parts))
    return MergedBlock(a.size + b.size if above else a.size, lcm(a.alignment, b.alignment), a.first, b.last, parts)
