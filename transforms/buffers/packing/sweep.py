"""A packing algorithm with a running time of O(n log n), which is short enough for any time limit."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.rectangles import Placement, Rectangle, placement_at


def sweep(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """Place rectangles in the order in which they become live. Each is placed in the smallest hole that is large enough
    even if the address of the hole must be rounded up for alignment.

    This corresponds to an allocator at run time: a buffer that starts occupies a part of a hole, and a buffer that
    ends merges with the neighbouring holes. A result overlaps an operand if the bytes around the operand are free.
    """
    holes = _Holes()
    offsets = [0] * len(rectangles)
    beneath: dict[int, int] = {}
    """For each result that overlaps an operand, the operand."""
    over: dict[int, int] = {}
    """For each operand that a result overlaps, the result, which has the lower address."""
    ending = sorted(range(len(rectangles)), key=lambda i: rectangles[i].last, reverse=True)
    for i in sorted(range(len(rectangles)), key=lambda i: (rectangles[i].first, bool(rectangles[i].overlaps))):
        shape = rectangles[i]
        while rectangles[ending[-1]].last < shape.first:
            ended = ending.pop()
            start, end = offsets[ended], offsets[ended] + rectangles[ended].size
            if ended in over:
                result = over[ended]
                holes.give(start, min(end, offsets[result]))
                holes.give(max(start, offsets[result] + rectangles[result].size), end)
            else:
                holes.give(start, end)
        for operand, distance in shape.overlaps:
            last, deeper = rectangles[operand].last, beneath.get(operand)
            if not shape.first <= last <= shape.last or rectangles[operand].first > shape.first or operand in over:
                continue
            if deeper is not None and rectangles[deeper].last >= shape.first:
                continue
            start = offsets[operand] - distance
            start -= start % shape.alignment
            if holes.surround(offsets[operand], offsets[operand] + rectangles[operand].size, start, shape.size):
                offsets[i], over[operand], beneath[i] = start, i, operand
                break
        else:
            offsets[i] = holes.take(shape.size, shape.alignment)
    return placement_at(rectangles, offsets, effort.need)


class _Holes:
    """The free ranges of bytes below the top of the arena."""

    def __init__(self) -> None:
        self.top = 0
        self.by_size: list[tuple[int, int]] = []
        """Size and start, sorted."""
        self.end_of: dict[int, int] = {}
        self.start_of: dict[int, int] = {}

    def take(self, size: int, alignment: int) -> int:
        at = bisect_left(self.by_size, (size + alignment - 1, 0))
        if at < len(self.by_size):
            start = self.by_size[at][1]
            end = self._remove(start)
        else:
            start = end = self.top
        offset = start + -start % alignment
        self.top = max(self.top, offset + size)
        if start < offset:
            self._insert(start, offset)
        if offset + size < end:
            self._insert(offset + size, end)
        return offset

    def surround(self, start: int, end: int, offset: int, size: int) -> bool:
        """Allocate `size` bytes from `offset` on. The bytes in [start, end), which are already allocated, stay as they
        are. Return whether all other bytes were free; if not, nothing is allocated.
        """
        below, room = self.start_of.get(start, start), self.end_of.get(end, end)
        highest = offset + size
        if offset < below or (highest > max(end, room) and room != self.top):
            return False
        if offset < start:
            self._remove(below)
            if below < offset:
                self._insert(below, offset)
        if highest > end:
            if end < room:
                self._remove(end)
            if highest < room:
                self._insert(highest, room)
            self.top = max(self.top, highest)
        return True

    def give(self, start: int, end: int) -> None:
        if start >= end:
            return
        if start in self.start_of:
            start = self.start_of[start]
            self._remove(start)
        if end in self.end_of:
            end = self._remove(end)
        self._insert(start, end)

    def _insert(self, start: int, end: int) -> None:
        insort(self.by_size, (end - start, start))
        self.end_of[start], self.start_of[end] = end, start

    def _remove(self, start: int) -> int:
        end = self.end_of.pop(start)
        del self.start_of[end]
        del self.by_size[bisect_left(self.by_size, (end - start, start))]
        return end
