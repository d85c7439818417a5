"""The packing algorithms by the names that `pack-scratch{mode=...}` knows."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace

from tinyml.transforms.packing.greedy import best_fit, first_fit
from tinyml.transforms.packing.rectangles import Placement, Rectangle
from tinyml.transforms.packing.shiftry import shiftry

Mode = Callable[[Sequence[Rectangle], Container[int]], Placement]

MODES: dict[str, Mode] = {
    "first-fit": lambda rectangles, barred: first_fit(rectangles),
    "best-fit": lambda rectangles, barred: best_fit(rectangles),
    "shiftry": shiftry,
}
"""Each takes rectangles that are not empty and the points before which nothing may move; it places them validly."""


def pack(rectangles: Sequence[Rectangle], mode: str, *, barred: Container[int] = ()) -> Placement:
    """A valid placement by the algorithm of this name; nothing moves before the `barred` program points.

    Buffers of no bytes are nowhere in the way: they lie at 0 and no algorithm sees them.
    """
    kept = [i for i, one in enumerate(rectangles) if one.size]
    found = MODES[mode]([rectangles[i] for i in kept], barred)
    offsets = [0] * len(rectangles)
    for i, offset in zip(kept, found.offsets, strict=True):
        offsets[i] = offset
    return replace(
        found, offsets=tuple(offsets), moves=tuple(replace(move, index=kept[move.index]) for move in found.moves)
    )
