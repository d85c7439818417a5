"""The program point at which the live buffers need the most bytes. This number of bytes is a lower bound on the height
of every placement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import accumulate, groupby
from math import gcd

from tinyml.transforms.buffers.packing.rectangles import Rectangle, saving

MAX_PADDED = 20_000
"""Limit on rectangles, above which padding is not counted."""

MAX_ALIGNMENTS = 64
"""Limit on different alignments alive at the same time, above which padding is not counted."""

REBUILDS = 40
"""Limit on the visits to each rectangle when common divisors change, above which padding is not counted."""


@dataclass(frozen=True)
class Peak:
    """The program point at which the live buffers need the most bytes.

    alive: the indices of the rectangles that are live at this point.
    bytes: a lower bound on the bytes that these rectangles need.
    """

    point: int
    bytes: int
    alive: tuple[int, ...]


def find_peak(rectangles: Sequence[Rectangle]) -> Peak:
    """Find the first point at which the live buffers need the most bytes. The result is point 0 if there are no
    rectangles.

    If all alignments have a common divisor g, every buffer except the topmost occupies a multiple of g bytes. The need
    therefore grows where a rectangle starts. It may also grow where a rectangle ends and the remaining alignments have
    a greater common divisor. Padding is not counted if there are more than `MAX_PADDED` rectangles. If rectangles have
    overlaps, padding is not counted either, and the greatest possible savings are subtracted. If a buffer with a pinned
    offset ends above the greatest need, the first point of this buffer is returned.
    """
    apart = not any(shape.overlaps for shape in rectangles)
    padded = apart and len(rectangles) <= MAX_PADDED and any(shape.alignment > 1 for shape in rectangles)
    best = _padded_peak(rectangles) if padded else _plain_peak(rectangles)
    if best is None:
        return Peak(0, 0, ())
    pinned = [(shape.pinned, shape) for shape in rectangles if shape.pinned is not None and shape.size]
    ends = [(offset + shape.size, -shape.first) for offset, shape in pinned]
    end, minus_point = max(ends, default=(0, 0))
    point, need = best if end <= best[1] else (-minus_point, end)
    return Peak(point, need, tuple(i for i, shape in enumerate(rectangles) if _is_alive(shape, point)))


def _is_alive(shape: Rectangle, point: int) -> bool:
    return shape.first <= point <= shape.last and not any(first <= point <= last for first, last in shape.gaps)


def _plain_peak(rectangles: Sequence[Rectangle]) -> tuple[int, int] | None:
    """Return the first point with the most live bytes, and the number of these bytes. None if there are no
    rectangles.
    """
    changes: dict[int, int] = {}
    for shape in rectangles:
        changes[shape.first] = changes.get(shape.first, 0) + shape.size
        changes[shape.last + 1] = changes.get(shape.last + 1, 0) - shape.size
        for first, last in shape.gaps:
            changes[first] = changes.get(first, 0) - shape.size
            changes[last + 1] = changes.get(last + 1, 0) + shape.size
        if shape.overlaps:
            saved, until = saving(rectangles, shape)
            changes[shape.first] -= saved
            changes[until + 1] = changes.get(until + 1, 0) + saved
    points = sorted(changes)
    needs = [*accumulate(changes[point] for point in points)]
    most = max(needs, default=0)
    return next(((point, need) for point, need in zip(points, needs, strict=True) if need == most), None)


def _padded_peak(rectangles: Sequence[Rectangle]) -> tuple[int, int] | None:
    """Return the first point with the greatest need, and this need in bytes. It includes the padding that follows
    from the alignments. None if there are no rectangles.
    """
    changes = [(first, 1, i) for i, shape in enumerate(rectangles) for first, _ in shape.lives]
    changes += [(last + 1, 0, i) for i, shape in enumerate(rectangles) for _, last in shape.lives]
    changes.sort()
    alive = _Alive(rectangles)
    best: tuple[int, int] | None = None
    for point, group in groupby(changes, key=lambda change: change[0]):
        for _, starts, i in group:
            if starts:
                alive.add(i)
            else:
                alive.remove(i)
        if alive.buffers and (best is None or alive.need() > best[1]):
            best = point, alive.need()
    return best


def lower_bound(rectangles: Sequence[Rectangle]) -> int:
    """A lower bound, in bytes, on the height of every placement: the bytes that live buffers need at the peak."""
    return find_peak(rectangles).bytes


class _Alive:
    """The buffers that are live at a point, and the bytes that they need."""

    def __init__(self, rectangles: Sequence[Rectangle]) -> None:
        self.rectangles = rectangles
        self.buffers = set[int]()
        self.bytes = 0
        self.alignments = Counter[int]()
        self.patience = REBUILDS * len(rectangles)
        self.grain = 1
        """The common divisor for which `padding` and `paddings` are valid."""
        self.padding = 0
        self.paddings: list[tuple[int, int]] = []
        """A heap of negative paddings and buffers, some of which are no longer alive."""

    def add(self, i: int) -> None:
        shape = self.rectangles[i]
        self.buffers.add(i)
        self.bytes += shape.size
        self.alignments[shape.alignment] += 1
        if self.grain > 1:
            self._pad([i])

    def remove(self, i: int) -> None:
        shape = self.rectangles[i]
        self.buffers.remove(i)
        self.bytes -= shape.size
        self.padding -= -shape.size % self.grain
        self.alignments[shape.alignment] -= 1
        if not self.alignments[shape.alignment]:
            del self.alignments[shape.alignment]

    def need(self) -> int:
        grain = gcd(*self.alignments) if len(self.alignments) <= MAX_ALIGNMENTS and self.patience > 0 else 1
        if grain != self.grain:
            self.grain, self.padding, self.paddings = grain, 0, []
            if grain > 1:
                self.patience -= len(self.buffers)
                self._pad(self.buffers)
        if grain == 1:
            return self.bytes
        while self.paddings[0][1] not in self.buffers:
            heappop(self.paddings)
        return self.bytes + self.padding + self.paddings[0][0]

    def _pad(self, buffers: Iterable[int]) -> None:
        added = [(-(-self.rectangles[i].size % self.grain), i) for i in buffers]
        self.padding -= sum(padding for padding, _ in added)
        if self.paddings:
            for entry in added:
                heappush(self.paddings, entry)
        else:
            self.paddings = added
            heapify(self.paddings)
