"""The choice of the segments of a network that are streamed, and by what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from tinyml.dialects import tdsl
from tinyml.transforms.formats.plans.blocks import By, streamed
from tinyml.transforms.formats.plans.graph import Graph, Kind
from tinyml.transforms.formats.plans.network import Network
from tinyml.transforms.formats.plans.ordinary import ordinary, updated_in_place
from tinyml.transforms.formats.plans.segmentation import Plan, Segment, cheapest, least_peak
from tinyml.transforms.formats.plans.streaming import Slice, Streams
from tinyml.transforms.formats.streaming.schedule import schedule_of
from tinyml.transforms.formats.streaming.stages import NotStreamed

STEPS: Mapping[str, Sequence[By]] = {
    "ordinary": (),
    "rows": (By.ROWS,),
    "pixels": (By.PIXELS, By.BLOCKS),
    "auto": tuple(By),
}
"""The modes of execution, and what segments may be streamed by in each."""

ORDINARY = "ordinary"
SLOWNESS = {By.ROWS: 1, By.PIXELS: 3, By.BLOCKS: 2}
"""Rough costs of streaming a node, in units of their own; ordinary execution costs nothing."""


def plan_of(network: Network, mode: str, ram: int | None = None) -> Plan:
    """The plan of a mode, of segments that run: that with the least peak, or in mode `auto` the fastest.

    ram: bytes that may be alive at once in mode `auto`, windows of convolutions included. Without any plan that fits,
    the plan is that with the least peak.
    """
    if mode == "auto" and ram is None:
        mode = "ordinary"
    candidates = list(_candidates(network, STEPS[mode]))
    nodes = len(network.graph.nodes)
    while True:
        plan = cheapest(nodes, candidates, 8 * ram) if mode == "auto" and ram is not None else None
        plan = plan or least_peak(nodes, candidates)
        assert plan is not None
        refused = [segment for segment in plan.segments if not _runs(network, segment)]
        if not refused:
            return plan
        candidates = [segment for segment in candidates if segment not in refused]


def by_of(segment: Segment) -> By | None:
    """What a segment is streamed by; None if it is ordinary."""
    return next((by for by in By if segment.schedule == by.schedule), None)


def _candidates(network: Network, steps: Sequence[By]) -> Iterator[Segment]:
    graph = network.graph
    count = len(graph.nodes)
    scratch = [_scratch(network, i) for i in range(count)]
    pixels = Streams(graph, Slice.PIXEL)
    for i in range(count):
        yield Segment(i, i, _by_itself(graph, i, pixels) + scratch[i], ORDINARY)
    runs = [_runs(network, Segment(i, i, 0, By.ROWS.schedule)) for i in range(count)] if steps else []
    for by in steps:
        for first, last, bits in streamed(graph, by):
            if last > first and all(runs[first : last + 1]):
                cost = SLOWNESS[by] * (last + 1 - first)
                yield Segment(first, last, bits + max(scratch[first : last + 1]), by.schedule, cost)


def _by_itself(graph: Graph, i: int, pixels: Streams) -> int:
    """The bits of a node in ordinary execution, whose result may overlap an operand pixel by pixel."""
    options = [ordinary(graph, i), updated_in_place(graph, i)]
    if graph.nodes[i].kind is not Kind.ELEMENTWISE and not any(read.sums for read in graph.nodes[i].reads):
        options.append(pixels.cost(i, i))
    return min(bits for bits in options if bits is not None)


def _scratch(network: Network, i: int) -> int:
    """The bits of the window of a convolution and of one pixel of its result."""
    op = network.ops[i][0]
    if not isinstance(op, tdsl.Conv2dOp):
        return 0
    _, height, width, _ = tdsl.shape_of(op.lhs)
    gathered = height * width * tdsl.shape_of(op.rhs)[3] if height * width > 1 else 0
    pixel = prod(tdsl.shape_of(op.out)[3:]) if len(network.ops[i]) > 1 else 0
    return 8 * sum(
        elements * tdsl.format_of(value).dtype.itemsize for elements, value in ((gathered, op.rhs), (pixel, op.out))
    )


def _runs(network: Network, segment: Segment) -> bool:
    """Can a segment run as its schedule says?"""
    if (by := by_of(segment)) is None:
        return True
    try:
        schedule_of(network, segment.first, segment.last, by)
    except NotStreamed:
        return False
    return True
