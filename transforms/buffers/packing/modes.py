"""The packing algorithms by the names that `pack-scratch{mode=...}` knows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from tinyml.transforms.buffers.packing.cover import MOST_ONES, improve_by_exact_cover
from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.greedy import best_fit, first_fit
from tinyml.transforms.buffers.packing.grid import to_grid
from tinyml.transforms.buffers.packing.minimise import Minimiser
from tinyml.transforms.buffers.packing.rectangles import Placement, Rectangle, lower_bound, placement_at
from tinyml.transforms.buffers.packing.shiftry import shiftry

FEW_ONES, FEW_CELLS = 50_000, 100_000_000
"""Of a matrix that `auto` tries (milliseconds), and addresses times sections of all buffers of which it is made."""
FEW_NODES = 2_000
"""Of its search tree: where that is not enough, branch and bound is the better search."""

Mode = Callable[[Sequence[Rectangle], Effort], Placement]


def greedy(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """The lower one of first fit and best fit."""
    found = _noted("first-fit", first_fit, rectangles, effort)
    if not effort.is_enough(found):
        found = min(found, _noted("best-fit", best_fit, rectangles, effort), key=lambda one: one.height)
    return found


def auto(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """Greedy, then exact cover if the matrix is small, then branch and bound: until a placement is proven optimal."""
    found = greedy(rectangles, effort)
    grid = to_grid(rectangles)
    if not effort.is_enough(found) and grid.steps * found.lower_bound // grid.unit <= FEW_CELLS:
        found = improve_by_exact_cover(rectangles, found, effort, FEW_ONES, FEW_NODES)
    return found if effort.is_enough(found) else Minimiser(rectangles, found, effort).minimise()


def by_branch_and_bound(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """Starts from the better greedy placement."""
    return Minimiser(rectangles, greedy(rectangles, effort), effort).minimise()


def _noted(
    name: str, algorithm: Callable[[Sequence[Rectangle]], Placement], rectangles: Sequence[Rectangle], effort: Effort
) -> Placement:
    before = time.monotonic()
    found = algorithm(rectangles)
    if effort.best is None or found.height < effort.best.height:
        effort.best = found
    effort.note(name, 0, before, f"{found.height} bytes")
    return found


MODES: dict[str, Mode] = {
    "auto": auto,
    "first-fit": lambda rectangles, effort: _noted("first-fit", first_fit, rectangles, effort),
    "best-fit": lambda rectangles, effort: _noted("best-fit", best_fit, rectangles, effort),
    "shiftry": lambda rectangles, effort: _noted(
        "shiftry", lambda given: shiftry(given, effort.barred), rectangles, effort
    ),
    "exact-cover": lambda rectangles, effort: improve_by_exact_cover(
        rectangles, greedy(rectangles, effort), effort, MOST_ONES
    ),
    "branch-and-bound": by_branch_and_bound,
}
"""Each takes rectangles that are not empty, and places them validly."""


def pack(
    rectangles: Sequence[Rectangle], mode: str = "auto", effort: Effort | None = None, coarsen: int = 1
) -> Placement:
    """A valid placement by the algorithm of this name.

    coarsen: sizes are rounded up to multiples of so many bytes while the algorithm works (MinUn 5.3), which makes its
    problem smaller and its answer worse; the proofs of such a search are none, only the need at the peak is.
    Buffers of no bytes are nowhere in the way: they lie at 0 and no algorithm sees them.
    """
    effort = effort or Effort()
    kept = [i for i, one in enumerate(rectangles) if one.size]
    if not kept:
        return Placement((0,) * len(rectangles), 0, 0)
    given = [_coarsened(rectangles[i], coarsen) for i in kept]
    effort.start(to_grid(given).steps)
    try:
        found = MODES[mode](given, effort)
    except KeyboardInterrupt:
        if effort.best is not None:
            effort.best = _spread(rectangles, kept, effort.best, coarsen)
        raise
    return _spread(rectangles, kept, found, coarsen)


def _spread(rectangles: Sequence[Rectangle], kept: Sequence[int], found: Placement, coarsen: int) -> Placement:
    """A placement of some rectangles, coarsened, as one of all of them."""
    offsets = [0] * len(rectangles)
    for i, offset in zip(kept, found.offsets, strict=True):
        offsets[i] = offset
    moves = tuple(replace(move, index=kept[move.index]) for move in found.moves)
    if coarsen == 1:
        return replace(found, offsets=tuple(offsets), moves=moves)
    ends = [move.offset + rectangles[move.index].size for move in moves]
    flat = placement_at(rectangles, offsets, lower_bound(rectangles))
    return replace(flat, height=max([flat.height, *ends]), moves=moves)


def _coarsened(one: Rectangle, coarsen: int) -> Rectangle:
    return replace(one, size=one.size + -one.size % coarsen)
