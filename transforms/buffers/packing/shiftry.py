"""Shiftry's allocator (section 7, algorithms 15 to 17): blocks in order of start, and defragmentation.

This allocator differs from the paper in three respects. First, if only some variables block a new variable, only these
variables may move; they do so if this copies fewer bytes than the compaction of algorithm 17. Second, compacted
variables are contiguous; the unused rest of each block is dropped. Third, the arena grows for a program that does not
fit. The `limit` of the pass then reports that the program does not fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.modes import above_pinned, noted
from tinyml.transforms.buffers.packing.rectangles import BufferMove, Placement, Rectangle, placement_at

Plan = tuple[int, dict[int, int]]
"""The offset of a new variable, and the moves of other variables that precede it, in order."""


def by_shiftry(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    return noted("shiftry", partial(above_pinned, shiftry), rectangles, effort)


def shiftry(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """A placement by Shiftry's allocator. Blocks are allocated as variables become live. Raises `OutOfTime` if the
    effort is spent.

    The placement stays within the peak of live bytes if defragmentation achieves this. No variable moves before a
    program point that the effort bars, because a variable in a loop or branch would then need two addresses at once.
    """
    memory = _Memory(rectangles, effort)
    for i in sorted(range(len(rectangles)), key=lambda i: (rectangles[i].first, rectangles[i].last)):
        memory.allocate(i, may_move=rectangles[i].first not in effort.barred)
    placement = placement_at(rectangles, [memory.entered_at[i] for i in range(len(rectangles))], effort.need)
    ends = [move.offset + rectangles[move.index].size for move in memory.moves]
    return replace(placement, height=max([placement.height, *ends]), moves=tuple(memory.moves))


class _Memory:
    """The offsets of live variables (algorithm 15), and the steps of algorithm 16 for one variable."""

    def __init__(self, rectangles: Sequence[Rectangle], effort: Effort) -> None:
        self.rectangles = rectangles
        self.limit = effort.need
        self.effort = effort
        self.usage = 0
        self.live: dict[int, int] = {}
        self.entered_at: dict[int, int] = {}
        self.moves: list[BufferMove] = []
        common = Counter(shape.size for shape in rectangles)
        most = max(common.values(), default=0)
        self.unit = min((size for size, count in common.items() if count == most), default=1)
        """The most frequent size of a variable; of equally frequent ones, the least."""

    def allocate(self, i: int, may_move: bool) -> None:
        self.effort.check()
        shape = self.rectangles[i]
        self.live = {j: start for j, start in self.live.items() if self.rectangles[j].last >= shape.first}
        plan: Plan = (self._free_block(shape), {})
        if plan[0] + shape.size > self.limit and may_move:
            plans = [self._compact(shape), *self._evictions(shape)]
            fitting = [candidate for candidate in plans if candidate[0] + shape.size <= self.limit]
            plan = min(fitting, key=lambda candidate: self._bytes_moved(candidate, shape.first), default=plan)
        start, moved = plan
        for j, offset in moved.items():
            self._move(j, offset, shape.first)
        self.live[i] = self.entered_at[i] = start
        self.usage = max(self.usage, start + shape.size)
        self.limit = max(self.limit, self.usage)

    def _free_block(self, shape: Rectangle) -> int:
        """The offset of the first free block that starts at a multiple of its own size (algorithm 16, lines 11
        to 15).
        """
        size = self._block(shape)
        start = 0
        for begin, j in sorted((begin, j) for j, begin in self.live.items()):
            if start + size <= begin:
                break
            end = begin + self._block(self.rectangles[j])
            if start < end:
                start = end + -end % size
        return start

    def _block(self, shape: Rectangle) -> int:
        size = shape.size + -shape.size % self.unit
        return size + -size % shape.alignment

    def _compact(self, shape: Rectangle) -> Plan:
        """A plan to move all live variables to the lowest addresses, in the order of their offsets (algorithm 17). It
        consists of the offset of the free space above all variables, and the new offset of each variable that moves.

        shape: the rectangle for which space is needed.
        """
        filled, moved = 0, dict[int, int]()
        for j, start in sorted(self.live.items(), key=lambda item: item[1]):
            variable = self.rectangles[j]
            filled += -filled % variable.alignment
            if start != filled:
                moved[j] = filled
            filled += variable.size
        return filled + -filled % shape.alignment, moved

    def _evictions(self, shape: Rectangle) -> Iterator[Plan]:
        """Yield plans that clear space for `shape`: the variables in a range of bytes move to free bytes, the
        largest variable first.

        A plan consists of the start of the range and the new offset of each variable that moves.
        """
        ends = [begin + self.rectangles[j].size for j, begin in self.live.items()]
        for start in sorted({0, *(end + -end % shape.alignment for end in ends)}):
            self.effort.check()
            live = dict(self.live)
            moved = dict[int, int]()
            for j in sorted(self._in(start, shape.size, live), key=lambda j: -self.rectangles[j].size):
                self.effort.check()
                del live[j]
                offset = self._free_offset(self.rectangles[j], live, start, shape.size)
                if offset is None:
                    break
                live[j] = moved[j] = offset
            else:
                yield start, moved

    def _in(self, start: int, size: int, live: dict[int, int]) -> list[int]:
        return [j for j, begin in live.items() if begin < start + size and start < begin + self.rectangles[j].size]

    def _free_offset(self, shape: Rectangle, live: dict[int, int], start: int, size: int) -> int | None:
        """The lowest free offset for `shape` below the limit and outside the range to be cleared. None if there
        is none.

        live: the offsets of the variables.
        start, size: the range to be cleared, in bytes.
        """
        taken = [(start, start + size), *((begin, begin + self.rectangles[j].size) for j, begin in live.items())]
        lowest = 0
        for begin, end in sorted(taken):
            if lowest + shape.size <= begin:
                break
            lowest = max(lowest, end + -end % shape.alignment)
        return lowest if lowest + shape.size <= self.limit else None

    def _bytes_moved(self, plan: Plan, point: int) -> int:
        return sum(self.rectangles[j].size for j in plan[1] if self.rectangles[j].first < point)

    def _move(self, j: int, offset: int, point: int) -> None:
        self.live[j] = offset
        if self.rectangles[j].first == point:
            self.entered_at[j] = offset
        else:
            self.moves.append(BufferMove(point, j, offset))
        self.usage = max(self.usage, offset + self.rectangles[j].size)
