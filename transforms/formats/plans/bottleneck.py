"""Tensors alive at the peak of a plan."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from tinyml.transforms.formats.plans.blocks import By, blocked
from tinyml.transforms.formats.plans.graph import Graph
from tinyml.transforms.formats.plans.patches import largest_tile
from tinyml.transforms.formats.plans.segmentation import Plan, Segment
from tinyml.transforms.formats.plans.streaming import Streams


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
    # An op by itself has all of its result, even if nothing reads that.
    parts = boundary.internal if segment.first < segment.last else []
    touched = {*boundary.dead, *boundary.kept, *boundary.outputs, *boundary.internal}
    alive = touched.union(graph.untouched(segment.first, segment.last))
    return [
        _internal(graph, segment, name) if name in parts else Share(name, "whole", graph.size(name))
        for name in graph.tensors
        if name in alive
    ]


def _internal(graph: Graph, segment: Segment, name: str) -> Share:
    """The part that a segment keeps of a tensor that nothing outside of it reads."""
    image = graph.tensors[name]
    for by in By:
        if segment.schedule == by.schedule:
            merged = blocked(graph).graph if by is By.BLOCKS else graph
            if name not in merged.tensors:
                return _pixels(graph, name, prod(graph.nodes[graph.last_use[name]].reads[0].kernel))
            count = Streams(merged, by.slice).ring(name)
            part = f"{count} of {by.slice.count(image)} {by.slice.value}s"
            return Share(name, part, count * by.slice.bits(image))
    if segment.schedule.startswith("partial"):
        return Share(name, f"1 of {image.channels} channels", image.size // image.channels)
    return _pixels(graph, name, largest_tile(graph, segment, name))


def _pixels(graph: Graph, name: str, count: int) -> Share:
    image = graph.tensors[name]
    return Share(name, f"{count} of {image.pixels} pixels", image.size // image.pixels * count)
