"""Packing of buffers with a prescribed offset or with gaps, the columns `offset` and `gaps` of a packing problem."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import lcm
from typing import TYPE_CHECKING

from tinyml.transforms.buffers.packing.rectangles import Placement, Rectangle, keep_numbers

if TYPE_CHECKING:
    from tinyml.transforms.buffers.packing.effort import Effort


def above_pinned(
    algorithm: Callable[[Sequence[Rectangle], Effort], Placement], rectangles: Sequence[Rectangle], effort: Effort
) -> Placement:
    """Place the pinned rectangles at their offsets, and all other rectangles above them by an algorithm that does not
    support pinned offsets. Return the placement.

    The algorithm leaves the bytes of rectangles unused in their gaps.
    """
    free = [i for i, shape in enumerate(rectangles) if shape.pinned is None]
    ends = [shape.pinned + shape.size for shape in rectangles if shape.pinned is not None]
    step = lcm(*(rectangles[i].alignment for i in free))
    floor = -(-max(ends) // step) * step
    placed = algorithm(keep_numbers(rectangles, free), effort)
    offsets = [shape.pinned or 0 for shape in rectangles]
    for i, offset in zip(free, placed.offsets, strict=True):
        offsets[i] = floor + offset
    moves = tuple(replace(move, index=free[move.index], offset=floor + move.offset) for move in placed.moves)
    height = floor + placed.height if free else max(ends)
    return replace(placed, offsets=tuple(offsets), height=height, lower_bound=effort.need, moves=moves)


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
