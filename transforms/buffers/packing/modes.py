"""The packing algorithms, by the names of `pack-scratch{packer=...}`.

A package adds a packing algorithm by an entry point of the group `tinyml.packers`. The entry point is a `Mode`. This
module validates the placements of such algorithms.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import lcm

from tinyml.dialects.plugins import PACKERS as GROUP
from tinyml.dialects.plugins import PluginError, Row
from tinyml.dialects.tables import Table
from tinyml.transforms.buffers.packing.cover import improve_by_exact_cover
from tinyml.transforms.buffers.packing.effort import Effort, OutOfTime
from tinyml.transforms.buffers.packing.greedy import best_fit, first_fit
from tinyml.transforms.buffers.packing.minimise import MAX_BUFFERS, Minimiser
from tinyml.transforms.buffers.packing.peak import lower_bound
from tinyml.transforms.buffers.packing.rectangles import (
    FIRST_FIT,
    Overlap,
    Placement,
    Rectangle,
    keep_numbers,
    placement_at,
)
from tinyml.transforms.buffers.packing.sweep import sweep
from tinyml.transforms.buffers.packing.validator import complaints

Mode = Callable[[Sequence[Rectangle], Effort], Placement]


def greedy(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """The placement by first fit or, if that is neither optimal nor within the effort's capacity, the lower of the
    placements by first fit and best fit.
    """
    best = noted(FIRST_FIT, first_fit, rectangles, effort)
    if not effort.is_enough(best):
        best = min(best, noted("best-fit", best_fit, rectangles, effort), key=lambda placement: placement.height)
    return best


def apart(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """A placement in which no byte is used twice. The rectangles follow one another in memory, like static
    variables.
    """
    offsets, end = list[int](), 0
    for shape in rectangles:
        effort.check()
        end += -end % shape.alignment
        offsets.append(end)
        end += shape.size
    return placement_at(rectangles, offsets, effort.need)


def by_both_searches(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """Run first fit, best fit, some steps of exact cover, and then branch and bound. Return the lowest placement found.

    Each algorithm starts from the lowest placement so far. The function returns once a placement is proven optimal or
    is no higher than the effort's capacity.
    """
    best = greedy(rectangles, effort)
    if effort.is_enough(best):
        return best
    if effort.cover > 0:
        part = effort.for_cover(best)
        try:
            best = improve_by_exact_cover(rectangles, best, part)
        except OutOfTime:
            # Time may remain; the work is exhausted.
            best = part.best or best
        effort.best = best
    return _searched(rectangles, best, effort)


def by_branch_and_bound(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """Run branch and bound, and return the lowest placement found. The search starts from the lower of the placements
    by first fit and best fit.

    It ends when a placement is proven optimal or is no higher than the effort's capacity, or when the effort is spent.
    """
    return _searched(rectangles, greedy(rectangles, effort), effort)


def _searched(rectangles: Sequence[Rectangle], best: Placement, effort: Effort) -> Placement:
    if effort.is_enough(best):
        return best
    if len(rectangles) > MAX_BUFFERS:
        effort.note("branch and bound", 0, time.monotonic(), f"more than {MAX_BUFFERS} buffers")
        return best
    return Minimiser(rectangles, best, effort).minimise()


def noted(
    name: str,
    algorithm: Callable[[Sequence[Rectangle], Effort], Placement],
    rectangles: Sequence[Rectangle],
    effort: Effort,
) -> Placement:
    """The placement by an algorithm. `effort` stores the placement if none so far is lower, and logs the run as a
    phase.

    name: the name of the algorithm in reports.
    """
    before = time.monotonic()
    try:
        placement = replace(algorithm(rectangles, effort), packer=name)
    except OutOfTime:
        effort.note(name, 0, before, "out of time")
        raise
    if effort.best is None or placement.height <= effort.best.height:
        effort.best = placement
    effort.note(name, 0, before, f"{placement.height} bytes")
    return placement


def above_pinned(algorithm: Mode, rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """Place the pinned rectangles at their offsets, and all other rectangles above them by an algorithm that does not
    support pinned offsets. The algorithm leaves the bytes of rectangles unused in their gaps.
    """
    if all(shape.pinned is None for shape in rectangles):
        return algorithm(rectangles, effort)
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


by_first_fit: Mode = partial(noted, FIRST_FIT, first_fit)
by_best_fit: Mode = partial(noted, "best-fit", best_fit)
one_by_one: Mode = partial(noted, "none", partial(above_pinned, apart))


def by_exact_cover(rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    return improve_by_exact_cover(rectangles, greedy(rectangles, effort), effort)


def _loaded(row: Row) -> Mode:
    packer = row.load_function("places rectangles")
    return packer if row.is_built_in else partial(_by_plugin, row, packer)


def _by_plugin(row: Row, packer: Mode, rectangles: Sequence[Rectangle], effort: Effort) -> Placement:
    """The placement by a packing algorithm of another package. Raises `PluginError` if the placement is invalid."""
    placement = row.expect(packer(rectangles, effort), Placement)
    row.expect_fields(placement)
    placement = replace(placement, packer=row.name)
    for move in placement.moves:
        row.expect_fields(move)
    if (fault := next(complaints(rectangles, placement), None)) is not None:
        raise PluginError(f"{row}: {fault}")
    effort.keep(placement)
    return placement


PACKERS = Table(
    GROUP,
    "packer",
    _loaded,
    home="tinyml.transforms.buffers.packing",
    built_in=(
        Row("auto", "modes:by_both_searches"),
        Row(FIRST_FIT, "modes:by_first_fit"),
        Row("best-fit", "modes:by_best_fit"),
        Row("shiftry", "shiftry:by_shiftry"),
        Row("exact-cover", "modes:by_exact_cover"),
        Row("branch-and-bound", "modes:by_branch_and_bound"),
        Row("none", "modes:one_by_one"),
    ),
)
"""The packers by name: functions that place non-empty rectangles so that the placement is valid."""

MODES = tuple(name for name, row in PACKERS.built_in.items() if row.is_installed)
"""The names of tinyml's installed packers, without those of other packages."""


def pack(
    rectangles: Sequence[Rectangle], packer: str = "auto", effort: Effort | None = None, coarsen: int = 1
) -> Placement:
    """Place the rectangles by the named algorithm. If the effort's seconds run out, return the best valid placement
    found so far.

    Empty rectangles are placed at offset 0 or at their pinned offset, and are not passed to the algorithm.

    packer: the name of the algorithm.
    coarsen: sizes are rounded up to multiples of this number of bytes before the algorithm runs (MinUn 5.3). The
        problem becomes smaller and the result worse. The lower bound of the result is then the peak of live bytes,
        because a bound proved for rounded sizes is invalid.
    """
    effort = effort or Effort()
    kept = [i for i, shape in enumerate(rectangles) if shape.size]
    if not kept:
        return Placement(tuple(shape.pinned or 0 for shape in rectangles), 0, 0)
    given = [_coarsened(shape, coarsen) for shape in keep_numbers(rectangles, kept)]
    effort.start(given)
    if effort.seconds < math.inf:
        noted("sweep", partial(above_pinned, sweep), given, effort)
    try:
        placement = PACKERS.get(packer)(given, effort)
    except OutOfTime:
        assert effort.best is not None
        placement = effort.best
    except KeyboardInterrupt:
        if effort.best is not None:
            effort.best = _spread(rectangles, kept, effort.best, coarsen)
        raise
    return _spread(rectangles, kept, placement, coarsen)


def _spread(rectangles: Sequence[Rectangle], kept: Sequence[int], placement: Placement, coarsen: int) -> Placement:
    offsets = [shape.pinned or 0 for shape in rectangles]
    for i, offset in zip(kept, placement.offsets, strict=True):
        offsets[i] = offset
    moves = tuple(replace(move, index=kept[move.index]) for move in placement.moves)
    if coarsen == 1:
        return replace(placement, offsets=tuple(offsets), moves=moves)
    ends = [move.offset + rectangles[move.index].size for move in moves]
    flat = placement_at([rectangles[i] for i in kept], placement.offsets, lower_bound(rectangles))
    height = max([flat.height, *ends])
    return replace(flat, offsets=tuple(offsets), height=height, moves=moves, packer=placement.packer)


def _coarsened(shape: Rectangle, coarsen: int) -> Rectangle:
    if shape.pinned is not None:
        # Fixed neighbours may be closer to each other than rounded sizes permit.
        return shape
    overlaps = tuple(Overlap(operand, distance + -distance % coarsen) for operand, distance in shape.overlaps)
    return replace(shape, size=shape.size + -shape.size % coarsen, overlaps=overlaps)
