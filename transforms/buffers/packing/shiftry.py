"""Shiftry's allocator (section 7, algorithms 15 to 17): blocks in order of start, and defragmentation.

As in the paper but for three things. Where only some variables are in the way of a new one and moving them costs fewer
bytes than the compaction of algorithm 17, only they move. Compacted variables lie side by side, without the rest of
their blocks. A program that does not fit makes the arena higher: to complain is the business of the pass's `limit`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from tinyml.transforms.buffers.packing.rectangles import Move, Placement, Rectangle, lower_bound, placement_at

Plan = tuple[int, dict[int, int]]
"""Where a new variable goes, and where others move before, in this order."""


def shiftry(rectangles: Sequence[Rectangle], barred: Container[int] = ()) -> Placement:
    """Blocks for variables as they come alive, in the bytes needed at the peak if defragmentation can make it so.

    Nothing moves before a program point that is `barred`: those inside loops and branches, where a variable would have
    to be in two places at once.
    """
    bound = lower_bound(rectangles)
    memory = _Memory(rectangles, bound)
    for i in sorted(range(len(rectangles)), key=lambda i: (rectangles[i].first, rectangles[i].last)):
        memory.allocate(i, may_move=rectangles[i].first not in barred)
    placement = placement_at(rectangles, [memory.entered_at[i] for i in range(len(rectangles))], bound)
    return replace(placement, height=memory.usage, moves=tuple(memory.moves))


class _Memory:
    """Algorithm 15: where live variables lie; and the body of algorithm 16's loop."""

    def __init__(self, rectangles: Sequence[Rectangle], limit: int) -> None:
        self.rectangles = rectangles
        self.limit = limit
        self.usage = 0
        self.live: dict[int, int] = {}
        self.entered_at: dict[int, int] = {}
        self.moves: list[Move] = []
        common = Counter(one.size for one in rectangles)
        self.unit = min((size for size, count in common.items() if count == max(common.values())), default=1)
        """The most frequent size, the smallest of them if there are several."""

    def allocate(self, i: int, may_move: bool) -> None:
        one = self.rectangles[i]
        self.live = {j: start for j, start in self.live.items() if self.rectangles[j].last >= one.first}
        plan: Plan = (self._free_block(one), {})
        if plan[0] + one.size > self.limit and may_move:
            plans = [self._compact(one), *self._evictions(one)]
            fitting = [made for made in plans if made[0] + one.size <= self.limit]
            plan = min(fitting, key=lambda made: self._bytes_moved(made, one.first), default=plan)
        start, moved = plan
        for j, offset in moved.items():
            self._move(j, offset, one.first)
        self.live[i] = self.entered_at[i] = start
        self.usage = max(self.usage, start + one.size)
        self.limit = max(self.limit, self.usage)

    def _free_block(self, one: Rectangle) -> int:
        """Algorithm 16, lines 11 to 15: the first free block at a multiple of its own size."""
        size = self._block(one)
        start = 0
        while any(
            start < begin + self._block(self.rectangles[j]) and begin < start + size for j, begin in self.live.items()
        ):
            start += size
        return start

    def _block(self, one: Rectangle) -> int:
        """The size up to a multiple of the unit, and of the alignment, because blocks lie at multiples of it."""
        size = one.size + -one.size % self.unit
        return size + -size % one.alignment

    def _compact(self, one: Rectangle) -> Plan:
        """Algorithm 17: all live variables pushed to the lowest addresses, in the order in which they lie."""
        filled, moved = 0, dict[int, int]()
        for j, start in sorted(self.live.items(), key=lambda item: item[1]):
            other = self.rectangles[j]
            filled += -filled % other.alignment
            if start != filled:
                moved[j] = filled
            filled += other.size
        return filled + -filled % one.alignment, moved

    def _evictions(self, one: Rectangle) -> Iterator[Plan]:
        """Ways to clear one place: what lies there moves to where it is free, the largest variable first."""
        ends = [begin + self.rectangles[j].size for j, begin in self.live.items()]
        for start in sorted({0, *(end + -end % one.alignment for end in ends)}):
            live = dict(self.live)
            moved = dict[int, int]()
            for j in sorted(self._in(start, one.size, live), key=lambda j: -self.rectangles[j].size):
                del live[j]
                offset = self._free_place(self.rectangles[j], live, start, one.size)
                if offset is None:
                    break
                live[j] = moved[j] = offset
            else:
                yield start, moved

    def _in(self, start: int, size: int, live: dict[int, int]) -> list[int]:
        """The variables with bytes among these."""
        return [j for j, begin in live.items() if begin < start + size and start < begin + self.rectangles[j].size]

    def _free_place(self, one: Rectangle, live: dict[int, int], start: int, size: int) -> int | None:
        """The lowest free place below the limit and outside of the bytes that are being cleared."""
        taken = [(start, start + size), *((begin, begin + self.rectangles[j].size) for j, begin in live.items())]
        lowest = 0
        for begin, end in sorted(taken):
            if lowest + one.size <= begin:
                break
            lowest = max(lowest, end + -end % one.alignment)
        return lowest if lowest + one.size <= self.limit else None

    def _bytes_moved(self, plan: Plan, point: int) -> int:
        return sum(self.rectangles[j].size for j in plan[1] if self.rectangles[j].first < point)

    def _move(self, j: int, offset: int, point: int) -> None:
        self.live[j] = offset
        if self.rectangles[j].first == point:
            self.entered_at[j] = offset
        else:
            self.moves.append(Move(point, j, offset))
        self.usage = max(self.usage, offset + self.rectangles[j].size)
