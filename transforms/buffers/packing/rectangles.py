"""Rectangles of live range times size, their placements, and a lower bound on the height."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple


@dataclass(frozen=True)
class Rectangle:
    """A buffer over time: `size` bytes at an offset that is a multiple of `alignment`, alive from `first` to `last`."""

    name: str
    size: int
    alignment: int
    first: int
    last: int


@dataclass(frozen=True)
class Move:
    """A move of rectangle `index`, with its content, to byte `offset` before program point `point`."""

    point: int
    index: int
    offset: int


@dataclass(frozen=True)
class Placement:
    """The offsets of rectangles.

    offsets: in bytes, in the order of the rectangles; for a rectangle that moves, its first offset.
    height: the highest end of all, in bytes.
    lower_bound: a bound in bytes on every placement: the need at the peak, or more if a search has excluded lower ones.
    moves: in the order in which they happen, one after the other, even at the same point. The bytes that a rectangle
    moves to are free when its turn comes, except that they may overlap those that it leaves.
    """

    offsets: tuple[int, ...]
    height: int
    lower_bound: int
    moves: tuple[Move, ...] = ()

    @property
    def optimal(self) -> bool:
        """True if it is proven that no placement is lower."""
        return self.height == self.lower_bound

    @property
    def gap(self) -> int:
        """Bytes between the height and the lower bound."""
        return self.height - self.lower_bound


class Stay(NamedTuple):
    """The stay of rectangle `number` at byte `offset` from point `first` to `last`, both inclusive."""

    number: int
    offset: int
    first: int
    last: int


def stays(rectangles: Sequence[Rectangle], placement: Placement) -> Iterator[Stay]:
    """The stays of each rectangle: one, and one more for each of its moves."""
    for i, shape in enumerate(rectangles):
        offsets = {shape.first: placement.offsets[i]}
        offsets.update((move.point, move.offset) for move in placement.moves if move.index == i)
        ends = [*list(offsets)[1:], shape.last + 1]
        for (first, offset), end in zip(offsets.items(), ends, strict=True):
            yield Stay(i, offset, first, end - 1)


@dataclass(frozen=True)
class Peak:
    """The program point whose live buffers need most: at least `bytes` bytes, for the rectangles `alive`."""

    point: int
    bytes: int
    alive: tuple[int, ...]


def overlap_in_time(a: Rectangle, b: Rectangle) -> bool:
    return a.first <= b.last and b.first <= a.last


def find_peak(rectangles: Sequence[Rectangle]) -> Peak:
    """The first point at which the live buffers need most bytes; point 0 if there are no rectangles.

    If all alignments have a common divisor g, every buffer but the topmost occupies a multiple of g bytes. The need
    therefore grows where a rectangle starts, or where one ends and leaves others with a greater divisor.
    """
    best = Peak(0, 0, ())
    aligned = any(shape.alignment > 1 for shape in rectangles)
    ends = {shape.last + 1 for shape in rectangles} if aligned else set[int]()
    for point in sorted({shape.first for shape in rectangles} | ends):
        alive = tuple(i for i, shape in enumerate(rectangles) if shape.first <= point <= shape.last)
        if not alive:
            continue
        grain = gcd(*(rectangles[i].alignment for i in alive))
        padding = [-rectangles[i].size % grain for i in alive]
        need = sum(rectangles[i].size for i in alive) + sum(padding) - max(padding)
        if need > best.bytes or not best.alive:
            best = Peak(point, need, alive)
    return best


def lower_bound(rectangles: Sequence[Rectangle]) -> int:
    """A bound in bytes on the height of every placement: the need at the peak."""
    return find_peak(rectangles).bytes


def placement_at(rectangles: Sequence[Rectangle], offsets: Sequence[int], bound: int) -> Placement:
    """The placement at these offsets, of which `bound` bytes are known to be necessary."""
    height = max((offset + shape.size for offset, shape in zip(offsets, rectangles, strict=True)), default=0)
    return Placement(tuple(offsets), height, bound)
