"""Rectangles of live range times size, where they lie, and how low they can lie at best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple


@dataclass(frozen=True)
class Rectangle:
    """A buffer over time: `size` bytes at an offset that is a multiple of `alignment`, alive at first..last."""

    name: str
    size: int
    alignment: int
    first: int
    last: int


@dataclass(frozen=True)
class Move:
    """Before program point `point`, the rectangle of this index moves to byte `offset`, its content with it."""

    point: int
    index: int
    offset: int


@dataclass(frozen=True)
class Placement:
    """Where rectangles lie.

    offsets: bytes, in the order of the rectangles; of a rectangle that moves, where it lies first.
    height: the highest end of all, in bytes.
    lower_bound: bytes that no placement undercuts; the need at the peak, or more if a search has exhausted what is
    lower.
    moves: in the order in which they happen, one after the other, those of one point too. The bytes that a rectangle
    moves to are free when its turn comes, except that they may overlap those that it leaves.
    """

    offsets: tuple[int, ...]
    height: int
    lower_bound: int
    moves: tuple[Move, ...] = ()

    @property
    def optimal(self) -> bool:
        """True if no placement is lower: proven, not hoped."""
        return self.height == self.lower_bound

    @property
    def gap(self) -> int:
        """Bytes between the height and what is proven to be necessary."""
        return self.height - self.lower_bound


class Stay(NamedTuple):
    """Rectangle `number` lies at byte `offset` from point `first` to `last`, both inclusive."""

    number: int
    offset: int
    first: int
    last: int


def stays(rectangles: Sequence[Rectangle], placement: Placement) -> Iterator[Stay]:
    """Where each rectangle lies and when: one stay for each, and one more for each of its moves."""
    for i, one in enumerate(rectangles):
        places = {one.first: placement.offsets[i]}
        places.update((move.point, move.offset) for move in placement.moves if move.index == i)
        ends = [*list(places)[1:], one.last + 1]
        for (first, offset), end in zip(places.items(), ends, strict=True):
            yield Stay(i, offset, first, end - 1)


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

    Where all alignments have a common divisor g, every buffer but the topmost occupies a multiple of g bytes. So the
    need grows where a rectangle starts, and where one ends and leaves others that have a greater divisor.
    """
    best = Peak(0, 0, ())
    aligned = any(one.alignment > 1 for one in rectangles)
    ends = {one.last + 1 for one in rectangles} if aligned else set[int]()
    for point in sorted({one.first for one in rectangles} | ends):
        alive = tuple(i for i, one in enumerate(rectangles) if one.first <= point <= one.last)
        if not alive:
            continue
        grain = gcd(*(rectangles[i].alignment for i in alive))
        padding = [-rectangles[i].size % grain for i in alive]
        need = sum(rectangles[i].size for i in alive) + sum(padding) - max(padding)
        if need > best.bytes or not best.alive:
            best = Peak(point, need, alive)
    return best


def lower_bound(rectangles: Sequence[Rectangle]) -> int:
    """Bytes that no placement can undercut: the need at the peak."""
    return find_peak(rectangles).bytes


def placement_at(rectangles: Sequence[Rectangle], offsets: Sequence[int], bound: int) -> Placement:
    """Rectangles at these offsets, where `bound` bytes are known to be necessary."""
    height = max((offset + one.size for offset, one in zip(offsets, rectangles, strict=True)), default=0)
    return Placement(tuple(offsets), height, bound)
