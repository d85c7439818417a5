"""The packing algorithms, by the names of `pack-scratch{mode=...}`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from tinyml.transforms.buffers.packing.cover import MOST_ONES, improve_by_exact_cover
from tinyml.transforms.buffers.packing.effort import Effort, OutOfTime
from tinyml.transforms.buffers.packing.greedy import best_fit, first_fit
from tinyml.transforms.buffers.packing.grid import to_grid
from tinyml.transforms.buffers.packing.minimise import MOST_BUFFERS, Minimiser
from tinyml.transforms.buffers.packing.peak import lower_bound
from tinyml.transforms.buffers.packing.rectangles import Overlap, Placement, Rectangle, keep_numbers, placement_at
from tinyml.transforms.buffers.packing.shiftry import shiftry
from tinyml.transforms.buffers.packing.sweep import sweep

FEW_ONES, FEW_CELLS = 50_000, 100_000_000
"""Limits of `auto` on the ones of a matrix (milliseconds), and on the addresses times sections of all its buffers."""

FEW_VISITS = 20_000_000
"""Limit of `auto` on visits to the sections of each buffer for every other buffer, which precede exact cover."""

FEW_NODES = 2_000
"""Limit of `auto` on the nodes of exact cover, beyond which branch and bound is the better search."""

Mode = Callable[[Sequence[Rectangle], Effort], Placement]


def greedy(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """The lower of the placements by first fit and best fit."""
    best = _noted("first-fit", first_fit, rectangles, effort)
    if not effort.is_enough(best):
        best = min(best, _noted("best-fit", best_fit, rectangles, effort), key=lambda placement: placement.height)
    return best


def auto(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """Greedy, then short searches by branch and bound, exact cover if the matrix is small, and long searches.

    The search ends as soon as a placement is proven optimal.
    """
    best = greedy(rectangles, effort)
    minimiser = _minimiser(rectangles, best, effort)
    if minimiser is not None:
        best = minimiser.bisect()
    grid = to_grid(rectangles)
    few = grid.steps * best.height // grid.unit <= FEW_CELLS and grid.steps * len(grid.sizes) <= FEW_VISITS
    if few and not effort.is_enough(best):
        best = improve_by_exact_cover(rectangles, best, effort, FEW_ONES, FEW_NODES)
    return best if minimiser is None else minimiser.minimise(best)


def apart(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """One rectangle after the other, like static variables: no byte is used twice."""
    offsets, end = list[int](), 0
    for shape in rectangles:
        effort.check()
        end += -end % shape.alignment
        offsets.append(end)
        end += shape.size
    return placement_at(rectangles, offsets, effort.need)


def by_branch_and_bound(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """Branch and bound from the better greedy placement."""
    best = greedy(rectangles, effort)
    minimiser = _minimiser(rectangles, best, effort)
    return best if minimiser is None else minimiser.minimise(minimiser.bisect())


def _minimiser(rectangles: Sequence[Rectangle], best: Placement, effort: Effort) -> Minimiser | None:
    """Branch and bound from a given placement; None if that is sufficient or there are too many buffers."""
    if effort.is_enough(best):
        return None
    if len(rectangles) > MOST_BUFFERS:
        effort.note("branch and bound", 0, time.monotonic(), f"more than {MOST_BUFFERS} buffers")
        return None
    return Minimiser(rectangles, best, effort)


def _noted(
    name: str,
    algorithm: Callable[[Sequence[Rectangle], Effort], Placement],
    rectangles: Sequence[Rectangle],
    effort: Effort,
) -> Placement:
    before = time.monotonic()
    try:
        placement = algorithm(rectangles, effort)
    except OutOfTime:
        effort.note(name, 0, before, "out of time")
        raise
    effort.keep(placement)
    effort.note(name, 0, before, f"{placement.height} bytes")
    return placement


MODES: dict[str, Mode] = {
    "auto": auto,
    "first-fit": lambda rectangles, effort: _noted("first-fit", first_fit, rectangles, effort),
    "best-fit": lambda rectangles, effort: _noted("best-fit", best_fit, rectangles, effort),
    "shiftry": lambda rectangles, effort: _noted("shiftry", shiftry, rectangles, effort),
    "exact-cover": lambda rectangles, effort: improve_by_exact_cover(
        rectangles, greedy(rectangles, effort), effort, MOST_ONES
    ),
    "branch-and-bound": by_branch_and_bound,
    "none": lambda rectangles, effort: _noted("none", apart, rectangles, effort),
}
"""Each mode places non-empty rectangles validly."""


def pack(
    rectangles: Sequence[Rectangle], mode: str = "auto", effort: Effort | None = None, coarsen: int = 1
) -> Placement:
    """A valid placement by the named algorithm, or the best so far when the effort's seconds run out.

    coarsen: sizes are rounded up to multiples of this many bytes while the algorithm works (MinUn 5.3), which makes its
    problem smaller and its result worse; lower bounds of such a search prove nothing, except the need at the peak.
    Empty buffers are placed at 0 without the algorithm.
    """
    effort = effort or Effort()
    kept = [i for i, shape in enumerate(rectangles) if shape.size]
    if not kept:
        return Placement((0,) * len(rectangles), 0, 0)
    given = [_coarsened(shape, coarsen) for shape in keep_numbers(rectangles, kept)]
    effort.start(given)
    if effort.seconds < math.inf:
        _noted("sweep", sweep, given, effort)
    try:
        placement = MODES[mode](given, effort)
    except OutOfTime:
        assert effort.best is not None
        placement = effort.best
    except KeyboardInterrupt:
        if effort.best is not None:
            effort.best = _spread(rectangles, kept, effort.best, coarsen)
        raise
    return _spread(rectangles, kept, placement, coarsen)


def _spread(rectangles: Sequence[Rectangle], kept: Sequence[int], placement: Placement, coarsen: int) -> Placement:
    """The placement of all rectangles, given the placement of the coarsened, non-empty ones."""
    offsets = [0] * len(rectangles)
    for i, offset in zip(kept, placement.offsets, strict=True):
        offsets[i] = offset
    moves = tuple(replace(move, index=kept[move.index]) for move in placement.moves)
    if coarsen == 1:
        return replace(placement, offsets=tuple(offsets), moves=moves)
    ends = [move.offset + rectangles[move.index].size for move in moves]
    flat = placement_at(rectangles, offsets, lower_bound(rectangles))
    return replace(flat, height=max([flat.height, *ends]), moves=moves)


def _coarsened(shape: Rectangle, coarsen: int) -> Rectangle:
    overlaps = tuple(Overlap(operand, distance + -distance % coarsen) for operand, distance in shape.overlaps)
    return replace(shape, size=shape.size + -shape.size % coarsen, overlaps=overlaps)
