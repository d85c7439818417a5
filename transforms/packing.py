"""Placing buffers in one arena: rectangles of live range times size, each given an offset. No IR here.

A rectangle occupies `size` bytes at every program point from `first` to `last`, both inclusive. Two rectangles may
share bytes if and only if no point belongs to both: a buffer that ends at point k and one that starts at k + 1 may.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd


@dataclass(frozen=True)
class Rectangle:
    """A buffer over time: `size` bytes at an offset that is a multiple of `alignment`, alive at first..last."""

    name: str
    size: int
    alignment: int
    first: int
    last: int


@dataclass(frozen=True)
class Placement:
    """Byte offsets in the order of the rectangles they belong to, and the highest end."""

    offsets: tuple[int, ...]
    height: int


@dataclass(frozen=True)
class Peak:
    """The program point whose live buffers need most: that many bytes at least, for the rectangles of these indices."""

    point: int
    bytes: int
    alive: tuple[int, ...]


def overlap_in_time(a: Rectangle, b: Rectangle) -> bool:
    return a.first <= b.last and b.first <= a.last


def find_peak(rectangles: Sequence[Rectangle]) -> Peak:
    """The earliest of the points where the live buffers need most bytes; point 0 if there are no rectangles.

    The need grows only where a rectangle starts, so that only these points are looked at. Where all alignments have
    a common divisor g, every buffer but the topmost occupies a multiple of g bytes.
    """
    best = Peak(0, 0, ())
    for point in sorted({one.first for one in rectangles}):
        alive = tuple(i for i, one in enumerate(rectangles) if one.first <= point <= one.last)
        grain = gcd(*(rectangles[i].alignment for i in alive))
        padding = [-rectangles[i].size % grain for i in alive]
        need = sum(rectangles[i].size for i in alive) + sum(padding) - max(padding)
        if need > best.bytes or not best.alive:
            best = Peak(point, need, alive)
    return best


def lower_bound(rectangles: Sequence[Rectangle]) -> int:
    """Bytes that no placement can undercut: the need at the peak."""
    return find_peak(rectangles).bytes


def first_fit(rectangles: Sequence[Rectangle]) -> Placement:
    """Each rectangle at the lowest free offset, in order of start and in order of size; the lower result.

    The order of start takes larger rectangles first among those that start together, the order of size earlier ones
    among those equally large. The order of start wins where both are equally high.
    """
    indices = range(len(rectangles))
    by_start = sorted(indices, key=lambda i: (rectangles[i].first, -rectangles[i].size))
    by_size = sorted(indices, key=lambda i: (-rectangles[i].size, rectangles[i].first))
    return min((_place(rectangles, order) for order in (by_start, by_size)), key=lambda found: found.height)


def _place(rectangles: Sequence[Rectangle], order: Sequence[int]) -> Placement:
    offsets: dict[int, int] = {}
    for i in order:
        one = rectangles[i]
        taken = sorted(
            (offset, offset + rectangles[j].size)
            for j, offset in offsets.items()
            if overlap_in_time(one, rectangles[j])
        )
        lowest = 0
        for start, end in taken:
            if lowest + one.size <= start:
                break
            lowest = max(lowest, end + -end % one.alignment)
        offsets[i] = lowest
    return Placement(
        tuple(offsets[i] for i in range(len(rectangles))),
        max((offset + rectangles[i].size for i, offset in offsets.items()), default=0),
    )


MODES: dict[str, Callable[[Sequence[Rectangle]], Placement]] = {"first-fit": first_fit}
"""Packing algorithms by the name that `pack-scratch{mode=...}` knows. Each gives a valid placement."""
