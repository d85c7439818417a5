"""Rectangles, which have a live range and a size in bytes, and placements of rectangles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple


class Overlap(NamedTuple):
    """The permission for a result to overlap the rectangle `operand`, which is live at the same time.

    distance: the least number of bytes by which the operand must start above the result, between 0 and the size of
    the result.
    """

    operand: int
    distance: int


@dataclass(frozen=True)
class Rectangle:
    """A buffer over time: `size` bytes at an offset that is a multiple of `alignment`, live from point `first` to
    `last`, both inclusive.

    name: the name of the buffer, for messages.
    overlaps: operands whose bytes the buffer may occupy during their last read, each at most once. Chains of overlaps
        are acyclic.
    gaps: the first and last points of intervals in which the buffer occupies no bytes. Gaps are sorted, disjoint, and
        strictly between `first` and `last`; the offset is the same before and after a gap.
    pinned: the offset that the buffer must have, a multiple of its alignment; None if the offset is free.

    A buffer with gaps or a pinned offset has no overlaps.
    """

    name: str
    size: int
    alignment: int
    first: int
    last: int
    overlaps: tuple[Overlap, ...] = ()
    gaps: tuple[tuple[int, int], ...] = ()
    pinned: int | None = None

    @property
    def lives(self) -> list[tuple[int, int]]:
        """The intervals, by their first and last points, in which the buffer occupies bytes."""
        starts = [self.first, *(last + 1 for _, last in self.gaps)]
        ends = [*(first - 1 for first, _ in self.gaps), self.last]
        return [*zip(starts, ends, strict=True)]


@dataclass(frozen=True)
class BufferMove:
    """The move of rectangle `index`, together with its content, to byte `offset` before program point `point`."""

    point: int
    index: int
    offset: int


FIRST_FIT = "first-fit"
"""The default packer, whose name is omitted."""


class Proof(Enum):
    """The method that proved the lower bound on the height: the peak of live bytes, or one of two searches."""

    PEAK = "peak"
    """The proof by the peak of live bytes."""
    BRANCH_AND_BOUND = "branch-and-bound"
    EXACT_COVER = "exact-cover"


JUDGES: tuple[str, ...] = (Proof.EXACT_COVER.value, Proof.BRANCH_AND_BOUND.value)
"""The algorithms that prove a bound again (`bound_checks.py`), by their names in options and proofs."""

OTHER_JUDGE = "other"
"""The value of an option `judge` that selects an algorithm other than the one that proved the bound."""

NO_JUDGE = "none"
"""The value of an option `judge` with which no bound is proved again."""


@dataclass(frozen=True)
class Placement:
    """The offsets of rectangles.

    offsets: in bytes, in the order of the rectangles; for a rectangle that moves, its first offset.
    height: the greatest end of any rectangle, in bytes.
    lower_bound: a bound on the height of every placement, in bytes: the need at the peak, or more if a search has
        excluded lower placements.
    proof: the method that proved the bound: the peak, or a search.
    moves: in the order of their execution, including moves at the same point. When a rectangle moves, the bytes of
        its new location are free, except for bytes of its old location.
    packer: the algorithm that found the offsets.
    """

    offsets: tuple[int, ...]
    height: int
    lower_bound: int
    moves: tuple[BufferMove, ...] = ()
    proof: Proof = Proof.PEAK
    packer: str = field(default="", compare=False)

    def moved_to(self, rectangles: Sequence[Rectangle], offsets: Sequence[int], packer: str) -> Placement:
        """A placement of the same problem at other offsets, without moves and with the same lower bound.

        packer: the name of the algorithm that found the offsets.
        """
        return replace(placement_at(rectangles, offsets, self.lower_bound), proof=self.proof, packer=packer)

    @property
    def optimal(self) -> bool:
        """Whether the lower bound proves that no placement is lower."""
        return self.height == self.lower_bound

    @property
    def gap(self) -> int:
        """The difference between the height and the lower bound, in bytes."""
        return self.height - self.lower_bound


class Stay(NamedTuple):
    """The interval from point `first` to `last`, both inclusive, in which rectangle `number` is at byte `offset`."""

    number: int
    offset: int
    first: int
    last: int


def stays(rectangles: Sequence[Rectangle], placement: Placement) -> Iterator[Stay]:
    """Yield the intervals in which each rectangle stays at one offset. A rectangle with n moves has n + 1 such
    intervals.
    """
    moves: dict[int, list[BufferMove]] = {}
    for move in placement.moves:
        moves.setdefault(move.index, []).append(move)
    for i, shape in enumerate(rectangles):
        offsets = {shape.first: placement.offsets[i]}
        offsets.update((move.point, move.offset) for move in moves.get(i, ()))
        ends = [*list(offsets)[1:], shape.last + 1]
        for (first, offset), end in zip(offsets.items(), ends, strict=True):
            yield Stay(i, offset, first, end - 1)


def keep_numbers(rectangles: Sequence[Rectangle], kept: Sequence[int]) -> list[Rectangle]:
    """The rectangles with the indices `kept`, in this order. Their overlaps are renumbered; overlaps with rectangles
    that are not in `kept` are dropped.
    """
    number = {old: new for new, old in enumerate(kept)}

    def renumbered(shape: Rectangle) -> Rectangle:
        left = [(number[i], distance) for i, distance in shape.overlaps if i in number]
        return replace(shape, overlaps=tuple(Overlap(*overlap) for overlap in left)) if shape.overlaps else shape

    return [renumbered(rectangles[i]) for i in kept]


class Saving(NamedTuple):
    """An upper bound on the bytes that the overlaps of a result save, and the last program point at which they save
    bytes.
    """

    bytes: int
    until: int


def saving(rectangles: Sequence[Rectangle], shape: Rectangle) -> Saving:
    """An upper bound on the bytes that the overlaps of a result save.

    Bytes are saved at points where the result and its operands are live. Sort the buffers live at such a point by
    offset. Each buffer starts above the previous one by the size of the previous one, or by the distance of their
    overlap. Only one operand can follow the result directly, and the saving is at most the size of the operands.

    shape: the result.
    """
    if not shape.overlaps:
        return Saving(0, shape.first - 1)
    operands = [rectangles[operand] for operand, _ in shape.overlaps]
    nearest = min(distance for _, distance in shape.overlaps)
    bytes_ = min(shape.size - nearest, sum(operand.size for operand in operands))
    last = min(shape.last, max(operand.last for operand in operands))
    return Saving(bytes_, max(last, shape.first - 1))


def overlap_in_time(a: Rectangle, b: Rectangle) -> bool:
    if not (a.gaps or b.gaps):
        return a.first <= b.last and b.first <= a.last
    return any(since <= last and first <= until for since, until in a.lives for first, last in b.lives)


def placement_at(rectangles: Sequence[Rectangle], offsets: Sequence[int], bound: int) -> Placement:
    """A placement without moves at the given offsets.

    bound: a lower bound on the height of every placement, in bytes.
    """
    height = max((offset + shape.size for offset, shape in zip(offsets, rectangles, strict=True)), default=0)
    return Placement(tuple(offsets), height, bound)
