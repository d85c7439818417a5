"""Plans of segments that programs execute: what ordinary execution needs there, and the choice among candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod

from tinyml.dialects import tdsl
from tinyml.transforms.formats.plans.graph import Graph, Kind
from tinyml.transforms.formats.plans.network import Network
from tinyml.transforms.formats.plans.ordinary import ordinary, updated_in_place
from tinyml.transforms.formats.plans.segmentation import Plan, Segment, cheapest, least_peak
from tinyml.transforms.formats.plans.streaming import Slice, Streams

ORDINARY = "ordinary"
"""The schedule of a segment that runs op by op."""


def plan_that_runs(
    network: Network,
    candidates: Iterable[Segment],
    runs: Callable[[Segment], bool],
    ram: int | None = None,
    most_extra: int | None = None,
) -> Plan:
    """The plan with the least peak, of candidates that run.

    ram: bytes within which the fastest plan is taken instead, if there is one. most_extra: a limit on extra work.
    """
    known, nodes = list(candidates), len(network.graph.nodes)
    while True:
        plan = None if ram is None else cheapest(nodes, known, 8 * ram)
        plan = plan or least_peak(nodes, known, most_extra)
        assert plan is not None
        refused = [segment for segment in plan.segments if segment.schedule != ORDINARY and not runs(segment)]
        if not refused:
            return plan
        known = [segment for segment in known if segment not in refused]


def ordinary_segments(network: Network) -> Iterator[Segment]:
    """Each node by itself, as it is compiled in ordinary execution."""
    graph = network.graph
    pixels = Streams(graph, Slice.PIXEL)
    for i in range(len(graph.nodes)):
        yield Segment(i, i, _by_itself(graph, i, pixels) + scratch_of(network, i), ORDINARY)


def _by_itself(graph: Graph, i: int, pixels: Streams) -> int:
    """The bits of a node in ordinary execution, whose result may overlap an operand pixel by pixel."""
    options = [ordinary(graph, i), updated_in_place(graph, i)]
    if graph.nodes[i].kind is not Kind.ELEMENTWISE and not any(read.sums for read in graph.nodes[i].reads):
        options.append(pixels.cost(i, i))
    return min(bits for bits in options if bits is not None)


def scratch_of(network: Network, i: int) -> int:
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
