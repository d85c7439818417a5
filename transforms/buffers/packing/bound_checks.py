"""Independent checks of a lower bound, by a second search for a packing below the bound.

If branch and bound proved the bound, Algorithm X checks it and shares no code with branch and bound. Algorithm X uses
addresses in bytes and the program points at which buffers start, instead of the units and sections of a grid. Every
offset of a packing that has been pushed down is an option. If exact cover proved the bound, branch and bound checks it.
This module does not check whether a placement is valid; the validator and, in a program, `check-packing` do.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from tinyml.transforms.buffers.packing.cover import cover, normal_patterns
from tinyml.transforms.buffers.packing.effort import Effort, OutOfTime
from tinyml.transforms.buffers.packing.grid import Grid, idle_sections
from tinyml.transforms.buffers.packing.modes import pack
from tinyml.transforms.buffers.packing.rectangles import JUDGES, OTHER_JUDGE, Rectangle

MATRIX_LIMIT = 100_000
"""Limit on the ones of a matrix: some tenths of a second to write."""

BYTES = 1 << 20
"""Limit on the height of a problem, whose sets of offsets have a bit for each byte."""

WORK_LIMIT = 3_000_000
"""Default limit on the work of a check, in the unit of `Effort`: about a second."""


class Verdict(Enum):
    """The result of the check of a lower bound. AGREED: no packing needs fewer bytes. REFUTED: some packing needs
    fewer bytes. UNDECIDED: the problem is too large for the algorithm.
    """

    AGREED = "agreed"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class BoundCheck:
    """A verdict on a lower bound.

    offsets: the offsets of the packing found, in bytes; empty if none was found.
    work: the work spent.
    """

    verdict: Verdict
    offsets: tuple[int, ...] = ()
    work: int = 0


def check_bound(rectangles: Sequence[Rectangle], bound: int, work: int = WORK_LIMIT) -> BoundCheck:
    """Check by exact cover whether every packing of rectangles needs at least `bound` bytes.

    work: a limit, in the unit of `Effort.work`; the verdict for a problem that exceeds it is UNDECIDED.
    """
    offsets, ended, spent = _packed(rectangles, bound - 1, work)
    if offsets is not None:
        return BoundCheck(Verdict.REFUTED, offsets, spent)
    return BoundCheck(Verdict.AGREED if ended else Verdict.UNDECIDED, work=spent)


def check_height(rectangles: Sequence[Rectangle], height: int, work: int = WORK_LIMIT) -> BoundCheck:
    """Check by exact cover whether some packing needs at most `height` bytes, independently of any known placement.
    AGREED if there is such a packing, REFUTED if there is none.

    work: as in `check_bound`.
    """
    offsets, ended, spent = _packed(rectangles, height, work)
    if offsets is not None:
        return BoundCheck(Verdict.AGREED, offsets, spent)
    return BoundCheck(Verdict.REFUTED if ended else Verdict.UNDECIDED, work=spent)


def check_bound_by_search(rectangles: Sequence[Rectangle], bound: int) -> BoundCheck:
    """Check by branch and bound whether every packing of rectangles needs at least `bound` bytes."""
    placement = pack(rectangles, "branch-and-bound")
    if placement.height < bound:
        return BoundCheck(Verdict.REFUTED, placement.offsets)
    return BoundCheck(Verdict.AGREED if placement.lower_bound >= bound else Verdict.UNDECIDED)


BOUND_CHECKS: Mapping[str, Callable[[Sequence[Rectangle], int], BoundCheck]] = dict(
    zip(JUDGES, (check_bound, check_bound_by_search), strict=True)
)
"""The algorithms that check bounds, by their names."""


def other_check(name: str, proof: str | None) -> str:
    """The name of the algorithm that checks a lower bound: `name`, unless this algorithm itself proved the bound.
    In that case, and for `OTHER_JUDGE`, it is an algorithm that did not prove the bound.

    proof: the algorithm that proved the bound, if any.
    """
    return next(judge for judge in JUDGES if judge != proof) if name in (OTHER_JUDGE, proof) else name


def _packed(rectangles: Sequence[Rectangle], height: int, work: int) -> tuple[tuple[int, ...] | None, bool, int]:
    """Search for a packing in `height` bytes. Return its offsets or None, whether it is proven that there is no such
    packing, and the work spent.

    work: as in `check_bound`.
    """
    if height < 0:
        return None, True, 0
    if height > BYTES:
        return None, False, 0
    grid, effort = _in_bytes(rectangles), Effort(work=work)
    try:
        patterns = normal_patterns(grid, height, effort.check)
        if not all(patterns):
            offsets, ended = None, True
        else:
            offsets, _, outcome = cover(grid, patterns, effort, MATRIX_LIMIT)
            ended = outcome == "failed"
    except OutOfTime:
        offsets, ended = None, False
    return None if offsets is None else tuple(offsets), ended, work - int(effort.work)


def _in_bytes(rectangles: Sequence[Rectangle]) -> Grid:
    """A grid whose unit is one byte, with a section for each point at which a buffer starts.

    These sections suffice: of two buffers that are live together, one is live where the other starts.
    """
    starts = sorted({first for shape in rectangles for first, _ in shape.lives})
    return Grid(
        unit=1,
        sections=len(starts),
        sizes=tuple(shape.size for shape in rectangles),
        alignments=tuple(shape.alignment for shape in rectangles),
        first=tuple(bisect_left(starts, shape.first) for shape in rectangles),
        last=tuple(bisect_right(starts, shape.last) - 1 for shape in rectangles),
        overlaps={i: dict(shape.overlaps) for i, shape in enumerate(rectangles) if shape.overlaps},
        savings={},
        idle=idle_sections(rectangles, starts),
        pinned={i: shape.pinned for i, shape in enumerate(rectangles) if shape.pinned is not None},
    )
