"""The choice of the segments of a network that are streamed, and by what."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml.transforms.formats.plans.graph import Graph, Kind
from tinyml.transforms.formats.plans.network import Network
from tinyml.transforms.formats.plans.ordinary import ordinary, updated_in_place
from tinyml.transforms.formats.plans.segmentation import Plan, Segment, least_peak
from tinyml.transforms.formats.plans.streaming import Slice, Streams
from tinyml.transforms.formats.streaming.schedule import schedule_of
from tinyml.transforms.formats.streaming.stages import NotStreamed

ORDINARY = "ordinary"


def streaming_plan(network: Network, slices: tuple[Slice, ...]) -> Plan:
    """The plan with the least peak among those that run, of segments that are ordinary or streamed by some slices."""
    candidates = list(_candidates(network, slices))
    while True:
        plan = least_peak(len(network.graph.nodes), candidates)
        assert plan is not None
        refused = [segment for segment in plan.segments if not _runs(network, segment)]
        if not refused:
            return plan
        candidates = [segment for segment in candidates if segment not in refused]


def slice_of(segment: Segment) -> Slice | None:
    """What a segment is streamed by; None if it is ordinary."""
    return next((slice for slice in Slice if segment.schedule == _name(slice)), None)


def _name(slice: Slice) -> str:
    return f"streamed by {slice.value}s"


def _candidates(network: Network, slices: tuple[Slice, ...]) -> Iterator[Segment]:
    graph = network.graph
    pixels = Streams(graph, Slice.PIXEL)
    for i in range(len(graph.nodes)):
        yield Segment(i, i, _by_itself(graph, i, pixels), ORDINARY)
    runs = [_node_runs(network, i) for i in range(len(graph.nodes))]
    for slice in slices:
        streams = Streams(graph, slice)
        for first in range(len(graph.nodes)):
            for last in range(first, len(graph.nodes)):
                if not runs[last]:
                    break
                if last > first and (bits := streams.cost(first, last)) is not None:
                    yield Segment(first, last, bits, _name(slice))


def _by_itself(graph: Graph, i: int, pixels: Streams) -> int:
    """The bits of a node in ordinary execution, whose result may overlap an operand pixel by pixel."""
    options = [ordinary(graph, i), updated_in_place(graph, i)]
    if graph.nodes[i].kind is not Kind.ELEMENTWISE and not any(read.sums for read in graph.nodes[i].reads):
        options.append(pixels.cost(i, i))
    return min(bits for bits in options if bits is not None)


def _node_runs(network: Network, i: int) -> bool:
    try:
        schedule_of(network, i, i, Slice.ROW)
    except NotStreamed:
        return False
    return True


def _runs(network: Network, segment: Segment) -> bool:
    slice = slice_of(segment)
    if slice is None:
        return True
    try:
        schedule_of(network, segment.first, segment.last, slice)
    except NotStreamed:
        return False
    return True
