"""The tensors that are live at the peak of a plan."""

from __future__ import annotations

from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.segments import Plan, Segment, Share


def fullest_segments(plan: Plan) -> list[Segment]:
    """The segments of a plan whose bits equal the peak of the plan."""
    return [segment for segment in plan.segments if segment.bits == plan.bits]


def shares(graph: Graph, segment: Segment) -> list[Share]:
    """The tensors, or parts of tensors, that are live in a segment, in order of definition.

    The sum of their bits may exceed the bits of the segment, because results overlap operands.
    """
    boundary = graph.boundary(segment.first, segment.last)
    # A single op has its whole result, even if nothing reads it.
    parts = boundary.internal if segment.first < segment.last else []
    touched = {*boundary.dead, *boundary.kept, *boundary.outputs, *boundary.internal}
    alive = touched.union(graph.untouched(segment.first, segment.last))
    return [
        segment.tiling.share(graph, segment, name) if name in parts else Share.whole(graph, name)
        for name in graph.tensors
        if name in alive
    ]
