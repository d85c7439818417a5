"""Branch and bound for a given capacity: finds a packing that is no higher, or proves that there is none.

The ideas are from MiniMalloc (Moffitt, "MiniMalloc: a lightweight memory allocator for hardware-accelerated machine
learning", ASPLOS 2023). The code is independent of MiniMalloc's code.

* Canonical solutions. In any packing buffers can be pushed down until each rests on another buffer or on the bottom, at
  the lowest address that its alignment allows. Only such packings are searched. They are built from below: buffers are
  placed by ascending offset, in the grid's order for equal offsets. Each buffer has the lowest address above all
  buffers that were placed before it.
* Dominance. If some buffer fits below the offset of a candidate, pushing down would move it there. No buffer is
  therefore placed at or above the `ceiling`, the lowest end that an unplaced buffer could have.
* Section bounds. A buffer is blocked if its lowest address is below the address of the buffer placed last: another
  buffer must first be placed below it. The buffers of each section are stacked in the order of their earliest
  addresses. If this stack exceeds the capacity, there is no packing.
* Decomposition. If no unplaced buffer crosses from one section to the next, the problem splits into two parts.
* Overlaps. An operand rests on a result that it may overlap at the safe distance of the pair instead of at the result's
  end. In bounds, the size of a result is reduced by the possible saving while both buffers are live.
* Gaps. A buffer with gaps occupies no bytes in the sections of its gaps, and does not conflict with the buffers that
  are live only there. Decomposition still counts it as crossing its gaps, since its offset is the same on both sides.
* Fixed offsets. The lowest address of such a buffer is its offset from the start. If another buffer pushes it up, or if
  it is blocked, there is no packing.
* Memoisation. A state that failed once fails again. A state consists of the unplaced buffers of a part, their lowest
  addresses, and the last buffer and its offset.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain

from tinyml.transforms.buffers.packing.grid import Grid

MAX_NUMBERS = 1 << 22
"""Limit on the numbers that make up all failed states."""

MAX_STATES = 1 << 17
"""Limit on the failed states."""


class Outcome(IntEnum):
    """The way in which a search ended.

    FAILED: the search proved that there is no packing.
    FOUND: the search found a packing.
    OUT_OF_NODES, STOPPED: the limit on nodes or the time ended the search, which proves nothing.
    """

    FAILED = 0
    FOUND = 1
    OUT_OF_NODES = 2
    STOPPED = 3


@dataclass(frozen=True)
class SearchOutcome:
    """The result of a search.

    offsets: in units of the grid; empty unless the outcome is FOUND.
    nodes: the number of nodes visited.
    """

    outcome: Outcome
    offsets: tuple[int, ...]
    nodes: int


def search(grid: Grid, capacity: int, nodes: int, late: Callable[[], bool]) -> SearchOutcome:
    """Search for a packing of at most `capacity` units in a tree of at most `nodes` nodes, and return the outcome.

    Among candidates at the same offset, the first in the grid is tried first.

    late: called at every node; the search stops when it returns true.
    """
    searching = _Search(grid, capacity, nodes, late)
    with _deep_recursion(4 * len(grid.sizes)):
        try:
            solved = searching.solve_parts(list(range(len(grid.sizes))), -1, -1)
        except _End as end:
            return SearchOutcome(end.outcome, (), searching.nodes)
    if not solved:
        return SearchOutcome(Outcome.FAILED, (), searching.nodes)
    return SearchOutcome(Outcome.FOUND, tuple(searching.offset), searching.nodes)


@contextmanager
def _deep_recursion(depth: int) -> Generator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, before + depth))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class _End(Exception):
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


class _Search:
    """The state of a search. The same search in C, branch_and_bound.c, has the same names and steps."""

    def __init__(self, grid: Grid, capacity: int, node_limit: int, late: Callable[[], bool]) -> None:
        self.first, self.last = grid.first, grid.last
        self.size, self.alignment = grid.sizes, grid.alignments
        self.overlaps = grid.overlaps
        savings = [grid.savings.get(b, (0, first - 1)) for b, first in enumerate(self.first)]
        self.least = [size - saved for size, (saved, _) in zip(self.size, savings, strict=True)]
        """The least units that a buffer adds to sections up to `shared`; in later sections it adds its size."""
        self.shared = [until for _, until in savings]
        self.push = [min([size, *self.overlaps.get(b, {}).values()]) for b, size in enumerate(self.size)]
        """The minimum number of units by which a buffer pushes others up."""
        self.capacity, self.node_limit, self.nodes = capacity, node_limit, 0
        self.late = late
        self.spans = [grid.span(b) for b in range(len(grid.sizes))]
        self.pinned = grid.pinned
        self.meet: Callable[[int, int], bool] = grid.meet if grid.idle else self.overlap
        self.waiting = [0] * grid.sections
        """Bytes of the unplaced buffers of each section."""
        self.crossing = [0] * grid.sections
        """Number of unplaced buffers of each section that are also in the next one."""
        for b, span in enumerate(self.spans):
            for x in span:
                self.waiting[x] += self.least[b] if x <= self.shared[b] else self.size[b]
            for x in range(self.first[b], self.last[b]):
                self.crossing[x] += 1
        self.lowest = [grid.pinned.get(b, 0) for b in range(len(grid.sizes))]
        """The lowest address of each unplaced buffer above everything that is placed."""
        self.offset = [0] * len(grid.sizes)
        self.failed = set[tuple[int, ...]]()
        self.room = MAX_NUMBERS

    def overlap(self, a: int, b: int) -> bool:
        return self.first[a] <= self.last[b] and self.first[b] <= self.last[a]

    def solve_parts(self, unplaced: list[int], last: int, last_buffer: int) -> bool:
        if not unplaced:
            return True
        first, crossing = self.first, self.crossing
        low, high = min(map(first.__getitem__, unplaced)), max(map(self.last.__getitem__, unplaced))
        if 0 not in crossing[low:high]:
            return self.solve(unplaced, last, last_buffer)
        part, part_of = 0, list[int]()
        for x in range(low, high + 1):
            part_of.append(part)
            part += not crossing[x]
        parts: list[list[int]] = [[] for _ in range(part + 1)]
        for b in unplaced:
            parts[part_of[first[b] - low]].append(b)
        return all(self.solve(buffers, last, last_buffer) for buffers in sorted(filter(None, parts), key=len))

    def solve(self, unplaced: list[int], last: int, last_buffer: int) -> bool:
        """Place the unplaced buffers. Return whether this is possible. Raises `_End` at the limit on nodes or time.

        last_buffer: the buffer that was placed last, at offset `last`.
        """
        if self.nodes == self.node_limit:
            raise _End(Outcome.OUT_OF_NODES)
        self.nodes += 1
        if self.late():
            raise _End(Outcome.STOPPED)
        lowest, size = self.lowest, self.size
        ceiling = min([lowest[b] + size[b] for b in unplaced])
        if ceiling <= last or self.is_hopeless(unplaced, last, last_buffer):
            return False
        saved = [lowest[b] for b in unplaced]
        state = (last, last_buffer, *chain(unplaced, saved))
        if state in self.failed:
            return False
        candidates = [(o, b) for o, b in zip(saved, unplaced, strict=True) if o < ceiling]
        for offset, b in sorted(candidate for candidate in candidates if candidate > (last, last_buffer)):
            if self.place(unplaced, b, offset):
                self.offset[b] = offset
                return True
            for k, o in zip(unplaced, saved, strict=True):
                lowest[k] = o
        if len(state) < self.room and len(self.failed) < MAX_STATES:
            self.failed.add(state)
            self.room -= len(state) + 1
        return False

    def place(self, unplaced: list[int], b: int, offset: int) -> bool:
        """Place buffer `b` and then the remaining buffers. Return whether all of them fit.

        Afterwards the sections have their previous state again, but the lowest addresses do not.
        """
        lowest, alignment = self.lowest, self.alignment
        first, last, end = self.first[b], self.last[b], offset + self.size[b]
        shared, nearer = self.shared[b], self.overlaps.get(b, {})
        rest = [k for k in unplaced if k != b]
        waiting, crossing, least, size = self.waiting, self.crossing, self.least[b], self.size[b]
        fits = end <= self.capacity
        for k in rest:
            if lowest[k] < end and self.meet(b, k):
                start = offset + nearer[k] if k in nearer else end
                start += -start % alignment[k]
                if start > lowest[k]:
                    lowest[k] = start
                    fits = fits and k not in self.pinned
        for x in self.spans[b]:
            weight = least if x <= shared else size
            waiting[x] -= weight
            fits = fits and offset + weight + waiting[x] <= self.capacity
        for x in range(first, last):
            crossing[x] -= 1
        solved = fits and self.solve_parts(rest, offset, b)
        for x in self.spans[b]:
            waiting[x] += least if x <= shared else size
        for x in range(first, last):
            crossing[x] += 1
        return solved

    def is_hopeless(self, unplaced: list[int], last: int, last_buffer: int) -> bool:
        """Whether the bounds of the sections of time prove that some buffer must end above the capacity.

        last, last_buffer: as for `solve`.
        """
        size, push, capacity = self.size, self.push, self.capacity
        starts: list[tuple[int, int]] = []
        blocked: list[int] = []
        for b in unplaced:
            start = self.lowest[b], b
            if start < (last, last_buffer):
                blocked.append(b)
            else:
                starts.append(start)
        if not self.pinned.keys().isdisjoint(blocked):
            return True
        if blocked:
            ends = [(o + push[b], b) for o, b in starts]
            ends += [(last + push[b], b) for b in blocked]
            ends.sort()
            for b in blocked:
                for end, k in ends:
                    if k != b and self.meet(b, k):
                        starts.append((end, b))
                        break
                else:
                    return True
        starts.sort()
        top = [0] * len(self.waiting)
        for start, b in starts:
            bytes_, least, shared = size[b], self.least[b], self.shared[b]
            if start + bytes_ > capacity:
                return True
            for x in self.spans[b]:
                end = top[x]
                end = (end if end > start else start) + (least if x <= shared else bytes_)
                if end > capacity:
                    return True
                top[x] = end
        return False
