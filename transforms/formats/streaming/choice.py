"""The choice of the segments of a network that are streamed, and by what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tinyml.transforms.formats.plans.executable import ordinary_segments, plan_that_runs, scratch_of
from tinyml.transforms.formats.plans.network import Network
from tinyml.transforms.formats.plans.segmentation import Plan, Segment
from tinyml.transforms.formats.plans.streaming import Slice, Streams
from tinyml.transforms.formats.streaming.schedule import schedule_of
from tinyml.transforms.formats.streaming.stages import NotStreamed

SLICES: Mapping[str, Sequence[Slice]] = {
    "ordinary": (),
    "rows": (Slice.ROW,),
    "pixels": (Slice.PIXEL,),
    "auto": (Slice.ROW, Slice.PIXEL),
}
"""The modes of execution, and what segments may be streamed by in each."""

SLOWNESS = {Slice.ROW: 1, Slice.PIXEL: 3}
"""Rough costs of streaming a node, in units of their own; ordinary execution costs nothing."""


def plan_of(network: Network, mode: str, ram: int | None = None) -> Plan:
    """The plan of a mode, of segments that run: that with the least peak, or in mode `auto` the fastest.

    ram: bytes that may be alive at once in mode `auto`, windows of convolutions included. Without any plan that fits,
    the plan is that with the least peak.
    """
    if mode == "auto" and ram is None:
        mode = "ordinary"
    candidates = _candidates(network, SLICES[mode])
    return plan_that_runs(network, candidates, lambda segment: _runs(network, segment), ram if mode == "auto" else None)


def slice_of(segment: Segment) -> Slice | None:
    """What a segment is streamed by; None if it is ordinary."""
    return next((slice for slice in Slice if segment.schedule == _name(slice)), None)


def _name(slice: Slice) -> str:
    return f"streamed by {slice.value}s"


def _candidates(network: Network, slices: Sequence[Slice]) -> Iterator[Segment]:
    graph = network.graph
    count = len(graph.nodes)
    scratch = [scratch_of(network, i) for i in range(count)]
    yield from ordinary_segments(network)
    runs = [_runs(network, Segment(i, i, 0, _name(Slice.ROW))) for i in range(count)] if slices else []
    for slice in slices:
        streams = Streams(graph, slice)
        for first in range(count):
            for last in range(first, count):
                if not runs[last]:
                    break
                if last > first and (bits := streams.cost(first, last)) is not None:
                    cost = SLOWNESS[slice] * (last + 1 - first)
                    yield Segment(first, last, bits + max(scratch[first : last + 1]), _name(slice), cost)


def _runs(network: Network, segment: Segment) -> bool:
    """Can a segment run as its schedule says?"""
    if (slice := slice_of(segment)) is None:
        return True
    try:
        schedule_of(network, segment.first, segment.last, slice)
    except NotStreamed:
        return False
    return True
