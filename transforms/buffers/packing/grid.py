"""A packing problem with the fewest possible sections of time and the smallest possible integers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import gcd

from tinyml.transforms.buffers.packing.rectangles import Rectangle, saving

MAX_UNITS = 1 << 62
"""The limit of the C core's integers."""


@dataclass(frozen=True)
class Grid:
    """A packing problem in which time is divided into sections and addresses into units.

    A section is a point in time between the start of some buffer and the next end of any buffer. Two buffers overlap in
    time if and only if they have a common section. Sizes, alignments and distances are in units of their greatest
    common divisor. Every address that results from stacking buffers is a multiple of this divisor.

    unit: the bytes of a unit.
    sizes, alignments: for each buffer, in units.
    first, last: for each buffer, the first and the last section in which it is live.
    """

    unit: int
    sections: int
    sizes: tuple[int, ...]
    alignments: tuple[int, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]
    overlaps: Mapping[int, Mapping[int, int]]
    """For each result that may overlap operands, the least distance at which each operand starts above it."""
    savings: Mapping[int, tuple[int, int]]
    """For each such result, an upper bound on the units that overlaps save, and the last section in which they do."""
    idle: Mapping[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    """For each buffer with gaps, the sections between its first and its last one in which it occupies nothing."""
    pinned: Mapping[int, int] = field(default_factory=dict[int, int])
    """For each buffer with a pinned offset, this offset."""

    def above(self, below: int, buffer: int) -> int:
        """The least number of units from the start of buffer `below` to the start of `buffer`, if both are live
        together and `buffer` lies above.
        """
        if below in self.overlaps:
            return self.overlaps[below].get(buffer, self.sizes[below])
        return self.sizes[below]

    def span(self, buffer: int) -> Sequence[int]:
        """The sections of time in which a buffer occupies units of memory, in ascending order."""
        whole = range(self.first[buffer], self.last[buffer] + 1)
        idle = self.idle.get(buffer)
        return whole if idle is None else [x for x in whole if x not in idle]

    def meet(self, a: int, b: int) -> bool:
        """Whether there is a section of time in which both buffers occupy units of memory."""
        low, high = max(self.first[a], self.first[b]), min(self.last[a], self.last[b])
        if low > high or not (a in self.idle or b in self.idle):
            return low <= high
        idle = self.idle.get(a, frozenset()) | self.idle.get(b, frozenset())
        return any(x not in idle for x in range(low, high + 1))

    def in_order(self, order: Sequence[int]) -> Grid:
        """The same buffers in a different order: buffer order[0] becomes the first."""

        def pick(values: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(values[b] for b in order)

        renumbered = self.overlaps or self.idle or self.pinned
        number = {buffer: place for place, buffer in enumerate(order)} if renumbered else {}
        overlaps = {
            number[result]: {number[operand]: distance for operand, distance in operands.items()}
            for result, operands in self.overlaps.items()
        }
        savings = {number[result]: saved for result, saved in self.savings.items()}
        idle = {number[buffer]: sections for buffer, sections in self.idle.items()}
        pinned = {number[buffer]: offset for buffer, offset in self.pinned.items()}
        lives = pick(self.first), pick(self.last)
        sizes = pick(self.sizes), pick(self.alignments)
        return Grid(self.unit, self.sections, *sizes, *lives, overlaps, savings, idle, pinned)

    def results_first(self, order: Sequence[int]) -> list[int]:
        """The given order of buffers, changed only where necessary: each result precedes those operands that may start
        at its offset.
        """
        results: dict[int, list[int]] = {}
        for result, operands in self.overlaps.items():
            for operand, distance in operands.items():
                if distance == 0:
                    results.setdefault(operand, []).append(result)
        if not results:
            return list(order)
        done: dict[int, None] = {}
        for buffer in order:
            chain = [buffer]
            while chain:
                before = [result for result in results.get(chain[-1], ()) if result not in done]
                if before:
                    chain.append(before[0])
                else:
                    done[chain.pop()] = None
        return list(done)

    @property
    def steps(self) -> int:
        return 2 * len(self.sizes) + sum(self.last) - sum(self.first)

    @property
    def fits_the_core(self) -> bool:
        return sum(self.sizes) + sum(self.alignments) + max(self.pinned.values(), default=0) < MAX_UNITS

    def alive(self) -> list[int]:
        """For each section of time, the total size in units of the live buffers."""
        changes = [0] * (self.sections + 1)
        for size, first, last in zip(self.sizes, self.first, self.last, strict=True):
            changes[first] += size
            changes[last + 1] -= size
        alive = list(accumulate(changes))[:-1]
        for buffer, sections in self.idle.items():
            for x in sections:
                alive[x] -= self.sizes[buffer]
        return alive

    def fullest(self) -> list[int]:
        """For each buffer, the greatest number of live units in any section of time in which it is live. For n buffers,
        this takes O(n log n) steps.
        """
        ending: list[list[int]] = [[] for _ in range(self.sections)]
        for buffer, last in enumerate(self.last):
            ending[last].append(buffer)
        fullest = [0] * len(self.sizes)
        # The sections so far that are fuller than all later ones: the first of them in a range is its maximum.
        peaks: list[int] = []
        heights: list[int] = []
        for section, height in enumerate(self.alive()):
            while heights and heights[-1] <= height:
                peaks.pop()
                heights.pop()
            peaks.append(section)
            heights.append(height)
            for buffer in ending[section]:
                fullest[buffer] = heights[bisect_left(peaks, self.first[buffer])]
        return fullest


def to_grid(rectangles: Sequence[Rectangle]) -> Grid:
    """Convert rectangles, none of which may be empty, to a grid with the same order of buffers."""
    lives = [shape.lives for shape in rectangles]
    starts = sorted({first for intervals in lives for first, _ in intervals})
    ends = sorted({last for intervals in lives for _, last in intervals})
    sections: list[int] = []
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        end = ends[bisect_left(ends, start)]
        if following is None or end < following:
            sections.append(start)
    distances = [distance for shape in rectangles for _, distance in shape.overlaps]
    pinned = {i: shape.pinned for i, shape in enumerate(rectangles) if shape.pinned is not None}
    unit = gcd(*(shape.size for shape in rectangles), *distances, *pinned.values())
    while rest := [shape.alignment for shape in rectangles if unit % shape.alignment and shape.alignment % unit]:
        unit = gcd(unit, *rest)
    overlaps = {
        i: {operand: distance // unit for operand, distance in shape.overlaps}
        for i, shape in enumerate(rectangles)
        if shape.overlaps
    }
    savings = {i: saving(rectangles, rectangles[i]) for i in overlaps}
    idle = dict[int, frozenset[int]]()
    if any(shape.gaps for shape in rectangles):
        idle = idle_sections(rectangles, sections)
    return Grid(
        unit,
        len(sections),
        tuple(shape.size // unit for shape in rectangles),
        tuple(max(shape.alignment // unit, 1) for shape in rectangles),
        tuple(bisect_left(sections, shape.first) for shape in rectangles),
        tuple(bisect_right(sections, shape.last) - 1 for shape in rectangles),
        overlaps,
        {i: (saved // unit, bisect_right(sections, until) - 1) for i, (saved, until) in savings.items()},
        idle,
        {i: offset // unit for i, offset in pinned.items()},
    )


def idle_sections(rectangles: Sequence[Rectangle], sections: Sequence[int]) -> dict[int, frozenset[int]]:
    """For each rectangle with gaps, the indices of the sections that lie in its gaps.

    sections: a program point in each section.
    """
    return {
        i: frozenset(
            x for first, last in shape.gaps for x in range(bisect_left(sections, first), bisect_right(sections, last))
        )
        for i, shape in enumerate(rectangles)
        if shape.gaps
    }
