"""What is alive at the peak of a plan."""

from __future__ import annotations

from typing import NamedTuple

from tinyml.transforms.formats.plans.graph import Graph
from tinyml.transforms.formats.plans.patches import largest_tile
from tinyml.transforms.formats.plans.segmentation import Plan, Segment
from tinyml.transforms.formats.plans.streaming import Slice, Streams


class Share(NamedTuple):
    """A tensor, or the part of it, that is alive in a segment. bits: of the part."""

    tensor: str
    part: str
    bits: int


def fullest_segments(plan: Plan) -> list[Segment]:
    """The segments in which the bits of the plan are alive."""
    return [segment for segment in plan.segments if segment.bits == plan.bits]


def shares(graph: Graph, segment: Segment) -> list[Share]:
    """The tensors that are alive at some time in a segment, in the order of their making.

    Their bits may add up to more than the segment's, as results overlap operands.
    """
    boundary = graph.boundary(segment.first, segment.last)
    touched = {*boundary.dead, *boundary.kept, *boundary.outputs, *boundary.internal}
    alive = touched.union(graph.untouched(segment.first, segment.last))
    return [
        _internal(graph, segment, name) if name in boundary.internal else Share(name, "whole", graph.size(name))
        for name in graph.tensors
        if name in alive
    ]


def _internal(graph: Graph, segment: Segment, name: str) -> Share:
    """The part that a segment keeps of a tensor that nothing outside of it reads."""
    image = graph.tensors[name]
    for slice in Slice:
        if segment.schedule == slice.schedule:
            count = Streams(graph, slice).ring(name)
            return Share(name, f"{count} of {slice.count(image)} {slice.value}s", count * slice.bits(image))
    if segment.schedule.startswith("partial"):
        return Share(name, f"1 of {image.channels} channels", image.size // image.channels)
    pixels = largest_tile(graph, segment, name)
    return Share(name, f"{pixels} of {image.pixels} pixels", image.size // image.pixels * pixels)
