"""A packing problem in the fewest and smallest numbers that say the same."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from tinyml.transforms.buffers.packing.rectangles import Rectangle


@dataclass(frozen=True)
class Grid:
    """Rectangles with time cut into sections and addresses into units.

    Sections are the moments when buffers have started since the last one ended: what overlaps in time has a section in
    common, and in a section all buffers overlap. A buffer that ends before another starts has no section with it.
    Sizes and alignments are in units, their greatest common divisor: whatever is stacked up lies at multiples of it.
    """

    unit: int
    sections: int
    sizes: tuple[int, ...]
    alignments: tuple[int, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]

    def in_order(self, order: Sequence[int]) -> Grid:
        """The same buffers, first the one of number order[0]."""

        def pick(values: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(values[b] for b in order)

        lives = pick(self.first), pick(self.last)
        return Grid(self.unit, self.sections, pick(self.sizes), pick(self.alignments), *lives)

    @property
    def steps(self) -> int:
        """To look at each buffer and at each of its sections."""
        return 2 * len(self.sizes) + sum(self.last) - sum(self.first)


def to_grid(rectangles: Sequence[Rectangle]) -> Grid:
    """`rectangles`: none of them empty."""
    starts = sorted({one.first for one in rectangles})
    ends = sorted({one.last for one in rectangles})
    sections: list[int] = []
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        end = ends[bisect_left(ends, start)]
        if following is None or end < following:
            sections.append(start)
    unit = gcd(*(one.size for one in rectangles))
    while rest := [one.alignment for one in rectangles if unit % one.alignment and one.alignment % unit]:
        unit = gcd(unit, *rest)
    return Grid(
        unit,
        len(sections),
        tuple(one.size // unit for one in rectangles),
        tuple(max(one.alignment // unit, 1) for one in rectangles),
        tuple(bisect_left(sections, one.first) for one in rectangles),
        tuple(bisect_right(sections, one.last) - 1 for one in rectangles),
    )
