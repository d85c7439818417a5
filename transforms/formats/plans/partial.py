"""Bits of partial execution along channels (PEX, Liberis and Lane 2023, section 3, definition 11, table 2).

In a loop over channels the first op *generates* a slice of one channel from a whole operand, ops on channels *continue*
with it, and the last *accumulates* its contribution to a whole result, whose sums may need more bits than its elements.
"""

from __future__ import annotations

from itertools import pairwise

from tinyml.transforms.formats.plans.graph import Graph, Kind

LONGEST = 8
"""Limit on the ops of a loop, which the networks of the paper stay below."""


def obstacle(graph: Graph, first: int, last: int) -> str | None:
    """The rule of table 2 by which the nodes from first to last are no loop over channels; None if they are."""
    nodes, boundary = graph.nodes[first : last + 1], graph.boundary(first, last)
    if len(nodes) < 2:
        return "a single op needs all channels, of its operand or of its result"
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


def partial(graph: Graph, first: int, last: int, sum_bits: int) -> int | None:
    """The bits of the nodes from first to last as a loop over channels; None where the rules of table 2 forbid it.

    The context of the loop, alive throughout, are its whole operands and its result; two slices are alive beside it, an
    operand and the result of an op on them.
    """
    if obstacle(graph, first, last) is not None:
        return None
    nodes, boundary = graph.nodes[first : last + 1], graph.boundary(first, last)
    accumulates = nodes[-1].kind is Kind.CONTRACTION
    result = graph.tensors[nodes[-1].result]
    whole = result.size // result.bits * sum_bits if accumulates else result.size
    context = boundary.through + graph.size(*boundary.dead, *boundary.kept) + whole
    planes = [0, *(graph.size(node.result) // graph.tensors[node.result].channels for node in nodes[:-1]), 0]
    return context + max(a + b for a, b in pairwise(planes))
