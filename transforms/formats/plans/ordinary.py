"""Bits of ordinary execution: one op after the other, each with its operands and its result whole."""

from __future__ import annotations

from tinyml.transforms.formats.plans.graph import Graph, Kind
from tinyml.transforms.formats.plans.streaming import overlap_of_planes


def ordinary(graph: Graph, i: int) -> int:
    """The bits alive while node i runs."""
    node = graph.nodes[i]
    return graph.boundary(i, i).through + graph.size(*node.operands, node.result)


def updated_in_place(graph: Graph, i: int) -> int | None:
    """The bits of an elementwise op whose result takes the place of an operand that dies; None for other ops."""
    node, boundary = graph.nodes[i], graph.boundary(i, i)
    if node.kind is not Kind.ELEMENTWISE or not any(
        graph.size(name) >= graph.size(node.result) for name in boundary.dead
    ):
        return None
    return boundary.through + graph.size(*node.operands)


def channel_by_channel(graph: Graph, i: int) -> int | None:
    """The bits of a depthwise op or a pool that overwrites each channel of its operand; None where that is impossible.

    The operand lies above the result by what the planes of a single channel need, stored channel by channel.
    """
    node, boundary = graph.nodes[i], graph.boundary(i, i)
    [read] = node.reads[:1]
    fits = read.tensor in boundary.dead and graph.size(node.result) <= graph.size(read.tensor)
    if node.kind is not Kind.CHANNELWISE or read.sums or not fits:
        return None
    bits = graph.tensors[node.result].bits
    return boundary.through + graph.size(read.tensor) + bits * overlap_of_planes(graph, i)
