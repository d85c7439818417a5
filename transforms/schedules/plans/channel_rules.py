"""Rules for the ops of a loop over channels (PEX, Liberis and Lane 2023, table 2)."""

from __future__ import annotations

from itertools import pairwise

from tinyml.transforms.schedules.plans.graph import Graph, Kind


def obstacle(graph: Graph, first: int, last: int) -> str | None:
    """The rule of table 2 that keeps nodes first to last from running as a loop over channels; None if they may."""
    nodes, boundary = graph.nodes[first : last + 1], graph.boundary(first, last)
    if len(nodes) < 2:
        return "a single op needs all channels, of its operand or of its result"
    if any(node.kind is Kind.ARRIVAL for node in nodes):
        return "the input arrives row by row"
    if boundary.outputs != [nodes[-1].result]:
        return "a result before the last is used after the segment"
    generates, accumulates = (node.kind is Kind.CONTRACTION for node in (nodes[0], nodes[-1]))
    inner = nodes[generates : len(nodes) - accumulates]
    for node in inner:
        if node.kind is Kind.CONTRACTION:
            return f"{node.result} needs all channels"
    for k, (before, node) in enumerate(pairwise(nodes), first + 1):
        if before.result not in node.operands or graph.users[before.result] != [k]:
            return f"{node.result} is not the only op that reads {before.result}"
    sliced = [node.result for node in (nodes[:-1] if accumulates else nodes)]
    if not generates:
        sliced.append(nodes[0].reads[0].tensor)
    if len({graph.tensors[name].channels for name in sliced}) > 1:
        return "the tensors have different numbers of channels"
    return None
