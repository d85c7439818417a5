"""Exact cover as the judge of a lower bound: Algorithm X looks for the packing that another search has excluded.

The judge shares nothing with the search that it judges. It counts in bytes and starts of buffers, not in a grid's units
and sections, and every offset that a packing pushed down can have is an option. Whether a packing is one is shown by
the validator, and in a program by `check-packing`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from tinyml.transforms.buffers.packing.cover import cover, normal_patterns
from tinyml.transforms.buffers.packing.effort import Effort
from tinyml.transforms.buffers.packing.grid import Grid
from tinyml.transforms.buffers.packing.rectangles import Proof, Rectangle

JUDGES = (Proof.EXACT_COVER.value,)
"""The algorithms that judge, by their names in options."""

SMALL = 100_000
"""Limit on the ones of a matrix: some tenths of a second to write."""

BUFFERS, BYTES = 200, 1 << 20
"""Limits on the buffers and the height of a problem, whose options are sets of bits."""

NODES = 2_000
"""Default limit on the nodes of the search tree: a second at most."""


class Verdict(Enum):
    """AGREED: no packing takes less. REFUTED: one does. UNDECIDED: the problem is too large for the judge."""

    AGREED = "agreed"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Judgement:
    """A verdict. offsets: of the packing that was found, in bytes. nodes: of the search tree."""

    verdict: Verdict
    nodes: int
    offsets: tuple[int, ...] = ()


def judge(rectangles: Sequence[Rectangle], bound: int, nodes: int = NODES) -> Judgement:
    """Prove or refute that every packing of non-empty rectangles takes at least `bound` bytes.

    nodes: a limit on the nodes of the search tree.
    """
    offsets, visited, ended = _packed(rectangles, bound - 1, nodes)
    if offsets is not None:
        return Judgement(Verdict.REFUTED, visited, offsets)
    return Judgement(Verdict.AGREED if ended else Verdict.UNDECIDED, visited)


def judge_height(rectangles: Sequence[Rectangle], height: int, nodes: int = NODES) -> Judgement:
    """Prove or refute, without a look at any placement, that some packing takes at most `height` bytes."""
    offsets, visited, ended = _packed(rectangles, height, nodes)
    if offsets is not None:
        return Judgement(Verdict.AGREED, visited, offsets)
    return Judgement(Verdict.REFUTED if ended else Verdict.UNDECIDED, visited)


def _packed(rectangles: Sequence[Rectangle], height: int, nodes: int) -> tuple[tuple[int, ...] | None, int, bool]:
    """Offsets of a packing in `height` bytes, if one was found; nodes; and whether the whole tree was seen."""
    if len(rectangles) > BUFFERS or height > BYTES:
        return None, 0, False
    grid, effort = _in_bytes(rectangles), Effort(nodes=nodes)
    patterns = normal_patterns(grid, height, effort.check)
    if not all(patterns):
        return None, 0, True
    offsets, visited, outcome = cover(grid, patterns, effort, SMALL)
    return None if offsets is None else tuple(offsets), visited, outcome == "failed"


def _in_bytes(rectangles: Sequence[Rectangle]) -> Grid:
    """A grid of single bytes with a section for each point at which a buffer starts.

    Of two buffers that are alive together one is alive where the other starts.
    """
    starts = sorted({shape.first for shape in rectangles})
    return Grid(
        unit=1,
        sections=len(starts),
        sizes=tuple(shape.size for shape in rectangles),
        alignments=tuple(shape.alignment for shape in rectangles),
        first=tuple(bisect_left(starts, shape.first) for shape in rectangles),
        last=tuple(bisect_right(starts, shape.last) - 1 for shape in rectangles),
        overlaps={i: dict(shape.overlaps) for i, shape in enumerate(rectangles) if shape.overlaps},
        savings={},
    )
