"""If a buffer shrinks while it is live, a packing that moves it needs less memory than the packing without moves."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.modes import pack
from tinyml.transforms.buffers.packing.moving import pack_with_moves
from tinyml.transforms.buffers.packing.rectangles import Overlap, Placement, Rectangle

SMALLER = 168
"""Bytes of the buffer that takes the place of a larger one of 256 before it moves."""


def packed(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    return pack(rectangles, "auto", effort)


def test_what_moves_is_the_buffer_that_is_alive():
    rectangles = [
        Rectangle("x", 256, 4, -1, 0),
        Rectangle("large/small", 256, 4, 0, 9, (Overlap(0, 124),)),
        Rectangle("t", 240, 4, 4, 13, (Overlap(1, 112),)),
        Rectangle("y", 32, 1, 13, 14, (Overlap(2, 21),)),
        Rectangle("window", 24, 4, 6, 7),
    ]

    def size_from(number: int, point: int) -> int:
        return SMALLER if number == 1 and point > 3 else rectangles[number].size

    placed = packed(rectangles, Effort())
    placement = pack_with_moves(rectangles, placed, frozenset(), packed, size_from)
    [move] = placement.moves
    ends = [offset + shape.size for offset, shape in zip(placement.offsets, rectangles, strict=True)]
    assert placement.height == max(*ends, move.offset + size_from(move.index, move.point)) < placed.height
    assert placement.lower_bound <= placement.height
