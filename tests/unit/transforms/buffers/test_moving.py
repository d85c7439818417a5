"""If a buffer shrinks while it is live, a packing that moves it needs less memory than the packing without moves."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.modes import pack
from tinyml.transforms.buffers.packing.moving import pack_with_moves
from tinyml.transforms.buffers.packing.rectangles import BufferMove, Overlap, Placement, Rectangle

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


PAIR = [Rectangle("x", 40, 1, 0, 4), Rectangle("y", 40, 1, 4, 9, (Overlap(0, 40),))]
"""The second buffer may lie where the first one lies, which can move before it begins."""


def moved(height: int, *offsets: int) -> Placement:
    """The result for `PAIR` at a height of 200 if a packer places its three parts at a height and the given offsets."""

    def part(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
        assert [(each.first, each.last) for each in rectangles] == [(0, 3), (4, 9), (4, 4)]
        return Placement(offsets, height, 40)

    return pack_with_moves(PAIR, Placement((0, 160), 200, 40), frozenset(), part, lambda number, _: PAIR[number].size)


@pytest.mark.parametrize(("height", "taken"), [(198, True), (199, False)])
def test_a_move_saves_a_hundredth(height: int, taken: bool):
    placement = moved(height, 0, 0, 40)
    assert placement.height == (height if taken else 200)
    assert placement.moves == ((BufferMove(4, 0, 40),) if taken else ())


def test_what_stays_in_its_place_does_not_move():
    placement = moved(100, 0, 40, 0)
    assert (placement.offsets, placement.moves) == ((0, 40), ())
