"""Buffers glued together: a smaller problem, each of whose packings is one of the original problem.

Two buffers that are alive in the same sections can lie on each other, and two of the same size can lie beside each
other if one ends where the other starts. Where no byte is to spare packings often have such pairs: of a cut into two,
glueing is the inverse. A pair may also be a coincidence, above all one of small or short-lived buffers, and the smaller
problem then has no packing: with each seed other pairs are left alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import lcm
from random import Random
from typing import NamedTuple

from tinyml.transforms.buffers.packing.grid import Grid

DOUBTS = (0.0, 0.05, 0.1, 0.2)
"""Shares of the pairs that are left alone, by turns."""


class Block(NamedTuple):
    """Buffers glued together, alive in sections first..last of a grid, and where each lies in the block, in units."""

    size: int
    alignment: int
    first: int
    last: int
    parts: tuple[tuple[int, int], ...]


def glue(grid: Grid, seed: int) -> list[Block]:
    """Glues until no pairs are left but those left alone; which ones is drawn with the seed."""
    draw = Random(seed)
    doubt = DOUBTS[seed % len(DOUBTS)]
    sizes = sorted(grid.sizes)
    lengths = sorted(last - first for first, last in zip(grid.first, grid.last, strict=True))
    shapes = zip(grid.sizes, grid.alignments, grid.first, grid.last, strict=True)
    blocks = dict(enumerate(Block(*shape, ((b, 0),)) for b, shape in enumerate(shapes)))
    refused = set[tuple[int, int]]()
    count = len(blocks)
    while True:
        # The rarer its size or its length, the less a pair is a coincidence.
        weighed = [
            (draw.uniform(0.5, 1) * trust, trust, a, b)
            for trust, a, b in _pairs(blocks, sizes, lengths, draw)
            if (min(a, b), max(a, b)) not in refused
        ]
        if not weighed:
            return [*blocks.values()]
        for _, trust, a, b in sorted(weighed, reverse=True):
            if a not in blocks or b not in blocks:
                continue
            if draw.random() < 2 * doubt * (1 - trust):
                refused.add((min(a, b), max(a, b)))
                continue
            blocks[count] = _joined(blocks.pop(a), blocks.pop(b))
            count += 1


def _pairs(
    blocks: dict[int, Block], sizes: Sequence[int], lengths: Sequence[int], draw: Random
) -> Iterator[tuple[float, int, int]]:
    """Pairs that can be glued, each with the share of buffers that are no larger, or no longer alive, than these.

    Among many blocks that could be glued to each other a linear number of pairs is drawn.
    """
    numbers = [*blocks]
    draw.shuffle(numbers)
    alike, ending = dict[tuple[int, int], list[int]](), dict[tuple[int, int], list[int]]()
    for number in numbers:
        block = blocks[number]
        alike.setdefault((block.first, block.last), []).append(number)
        ending.setdefault((block.last + 1, block.size), []).append(number)
    for (first, last), group in alike.items():
        trust = bisect_right(lengths, last - first) / len(lengths)
        for a, b in pairwise(group):
            if blocks[a].size % blocks[b].alignment == 0:
                yield trust, a, b
    starting = dict[tuple[int, int], list[int]]()
    for number in numbers:
        starting.setdefault((blocks[number].first, blocks[number].size), []).append(number)
    for key, group in starting.items():
        trust = bisect_right(sizes, blocks[group[0]].size) / len(sizes)
        for a, b in zip(ending.get(key, ()), group, strict=False):
            yield trust, a, b


def _joined(a: Block, b: Block) -> Block:
    """Block b on block a if they are alive in the same sections, else beside it."""
    above = a.size if a.first == b.first else 0
    parts = (*a.parts, *((part, offset + above) for part, offset in b.parts))
    return Block(a.size + b.size if above else a.size, lcm(a.alignment, b.alignment), a.first, b.last, parts)
