"""Reconstruction of the packing problem from a packed function."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from xdsl.dialects import func

from tinyml.dialects.scratch import ViewOp, bytes_of, memref_type, unit_bytes
from tinyml.transforms.buffers.liveness.live_ranges import buffer_name, live_range, program_points
from tinyml.transforms.buffers.overlap.overlaps import safe_distances, with_overlaps
from tinyml.transforms.buffers.packing import Rectangle


def recorded_problem(function: func.FuncOp, align: int = 1) -> tuple[list[list[ViewOp]], list[Rectangle]]:
    """Return the views of a packed function, grouped into lists of views that occupy the same bytes one after another.
    Also return the rectangle of each list, with the overlaps that the ops permit.

    align: as in `pack-scratch`.

    Raises `InputError` for a view without a live range.
    """
    groups = _places(function)
    shapes = [_rectangle(members, align) for members in groups]
    return groups, with_overlaps(shapes, safe_distances(program_points(function), groups, shapes))


def _places(function: func.FuncOp) -> list[list[ViewOp]]:
    """The views of a packed function, grouped into lists of views that occupy the same bytes one after another."""
    views = [op for op in function.walk() if isinstance(op, ViewOp)]
    places: dict[int, list[ViewOp]] = {}
    for i, view in enumerate(views):
        places.setdefault(len(views) + i if view.place is None else view.place.value.data, []).append(view)
    return list(places.values())


def _rectangle(members: Sequence[ViewOp], align: int) -> Rectangle:
    lives = [live_range(view) for view in members]
    return Rectangle(
        buffer_name(members[0].result, 0),
        max(bytes_of(view.result) for view in members),
        lcm(*(unit_bytes(memref_type(view.result)) for view in members), align),
        min(live.first for live in lives),
        max(live.last for live in lives),
    )
