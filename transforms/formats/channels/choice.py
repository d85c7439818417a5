"""The choice of the segments of a network that run channel by channel."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tinyml.transforms.formats.channels.nest import ChannelLoop
from tinyml.transforms.formats.plans.executable import ordinary_segments, plan_that_runs, scratch_of
from tinyml.transforms.formats.plans.graph import Kind
from tinyml.transforms.formats.plans.network import Network
from tinyml.transforms.formats.plans.partial import LONGEST, partial
from tinyml.transforms.formats.plans.segmentation import Plan, Segment
from tinyml.transforms.formats.streaming.stages import NotStreamed

SUM_BITS = {"partial-32": 32, "partial-16": 16, "partial-8": 8}
"""The modes of partial execution, and the bits of the sums that they accumulate."""


def partial_plan(network: Network, mode: str) -> Plan:
    """The plan with the least peak whose segments are ordinary or run channel by channel.

    Its bits count a slice that is copied out of a whole tensor, or into one, and windows of convolutions.
    """
    bits = SUM_BITS[mode]

    def runs(segment: Segment) -> bool:
        try:
            ChannelLoop(network, segment.first, segment.last, bits)
        except NotStreamed:
            return False
        return True

    return plan_that_runs(network, [*ordinary_segments(network), *_loops(network, mode)], runs)


def _loops(network: Network, mode: str) -> Iterator[Segment]:
    nodes = network.graph.nodes
    scratch = [scratch_of(network, i) for i in range(len(nodes))]
    for first in range(len(nodes)):
        for last in range(first + 1, min(first + LONGEST, len(nodes))):
            bits = partial(network.graph, first, last, SUM_BITS[mode])
            if bits is not None:
                more = max(scratch[first : last + 1]) + _copied(network, first, last)
                yield Segment(first, last, bits + more, mode, last + 1 - first)


def _copied(network: Network, first: int, last: int) -> int:
    """Bits of the slices that are copied: the operand of the first op, and the result of the last.

    So are other operands of elementwise ops that do not follow a convolution.
    """
    graph = network.graph

    def plane(name: str) -> int:
        return graph.size(name) // graph.tensors[name].channels

    copied = 0
    if graph.nodes[first].kind is not Kind.CONTRACTION:
        copied += plane(graph.nodes[first].reads[0].tensor)
    if graph.nodes[last].kind is not Kind.CONTRACTION:
        copied += plane(graph.nodes[last].result)
    for before, node in pairwise(graph.nodes[first : last + 1]):
        if node.kind is Kind.ELEMENTWISE:
            copied += sum(plane(name) for name in node.operands if name != before.result)
    return copied
