"""Results that may overlap operands, among the rectangles of a function's buffers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from tinyml.transforms.buffers.liveness.live_ranges import Buffer, LiveRanges
from tinyml.transforms.buffers.overlap.overlap_distance import safe_distance
from tinyml.transforms.buffers.packing import Overlap, Rectangle

Distances: TypeAlias = Sequence[Mapping[int, int]]
"""For each rectangle, the indices of the rectangles that it may overlap, with safe distances in bytes."""


def safe_distances(live: LiveRanges, groups: Sequence[Sequence[Buffer]], rectangles: Sequence[Rectangle]) -> Distances:
    """The safe distances of the operands that each group of buffers may overlap, if less than the size of the result.

    The op or loop nest that first touches the result has to be the last that needs the operand. The group that holds
    the input overlaps nothing: the caller fills it before the first op. Of two buffers that are first touched together,
    and each of which could overlap the other, only the later one does, so that chains of overlaps are acyclic.
    """
    ends = sorted((shape.last, i) for i, shape in enumerate(rectangles))
    number = {op: point for point, op in enumerate(live.points)}
    distances: list[dict[int, int]] = []
    for i, (members, shape) in enumerate(zip(groups, rectangles, strict=True)):
        overlapped: dict[int, int] = {}
        distances.append(overlapped)
        if shape.first < 0:
            continue
        op = live.points[shape.first]
        end = max(number[inner] for inner in op.walk() if inner in number)
        results = {member.result for member in members}
        for _, k in ends[bisect_left(ends, (shape.first, 0)) : bisect_right(ends, (end, len(ends)))]:
            if k == i or rectangles[k].first > shape.first:
                continue
            distance = safe_distance(op, {member.result for member in groups[k]}, results)
            if distance is not None and distance < shape.size:
                overlapped[k] = distance
    for i, overlapped in enumerate(distances):
        for k in [k for k in overlapped if k > i and i in distances[k]]:
            del overlapped[k]
    return distances


def with_overlaps(rectangles: Sequence[Rectangle], distances: Distances) -> list[Rectangle]:
    """The rectangles with the operands that each may overlap. No operand starts below a result."""
    return [
        replace(shape, overlaps=tuple(Overlap(k, max(distance, 0)) for k, distance in overlapped.items()))
        for shape, overlapped in zip(rectangles, distances, strict=True)
    ]
