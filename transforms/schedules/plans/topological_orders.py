"""Orders of a graph's nodes for execution with loops over channels (PEX, section 3.3, algorithm 1).

Between ops and loops, all tensors are whole. The memory at these points depends only on the set of nodes that have run.
An order is a path from the empty set to the set of all nodes. Each step is a single op, or a loop over nodes that share
channels. The order with the lowest peak is the path whose greatest step is least. This search runs forwards; the search
in the paper runs backwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import count

from tinyml.transforms.schedules.plans.channel_rules import ChannelNodes, alive, in_best_order
from tinyml.transforms.schedules.plans.graph import Graph, Kind

MAX_STEPS = 20_000
"""Maximum steps of a search: the number of sets is exponential in the number of parallel branches."""

Nodes = frozenset[int]


class ChannelOrders:
    """The search for the order of ops and loops over channels with the lowest peak.

    sum_bits: the width of accumulated sums.
    longest: the maximum number of nodes in a loop.
    """

    def __init__(self, graph: Graph, sum_bits: int, longest: int) -> None:
        self.graph, self.sum_bits, self.longest = graph, sum_bits, longest
        self.before = [
            frozenset(i for name in node.operands if (i := graph.producer[name]) >= 0) for node in graph.nodes
        ]

    def least(self, below: int) -> Sequence[int] | None:
        """An order with the lowest peak. None if this peak is not below `below` bits, or if the search has too many
        steps.
        """
        everything, number = frozenset(range(len(self.graph.nodes))), count()
        open: list[tuple[int, int, int, Nodes, tuple[int, ...]]] = [(0, 0, next(number), frozenset(), ())]
        known: dict[Nodes, int] = {}
        steps = 0
        while open:
            peak, _, _, done, order = heappop(open)
            if done == everything:
                return order
            for more, bits in self._steps(done):
                steps += 1
                reached, most = done.union(more), max(peak, bits)
                if most < min(below, known.get(reached, below)):
                    known[reached] = most
                    heappush(open, (most, -len(reached), next(number), reached, order + more))
            if steps > MAX_STEPS:
                return None
        return None

    def _steps(self, done: Nodes) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield each op or loop that may run next, as the tuple of its nodes and the peak of live bits while it runs.

        done: the nodes that have run.
        """
        context = alive(self.graph, done)
        for i in self._ready(done):
            yield (i,), context + self._result(i, done)
            for loop in self._loops(i, done):
                yield loop.nodes, context + loop.whole_bits(self.sum_bits) + loop.peak()

    def _ready(self, done: Nodes) -> Iterator[int]:
        return (i for i, before in enumerate(self.before) if i not in done and before <= done)

    def _result(self, i: int, done: Nodes) -> int:
        graph, node = self.graph, self.graph.nodes[i]
        after = done | {i}
        dying = [name for name in node.operands if name not in graph.outputs and after.issuperset(graph.users[name])]
        updates = node.kind is Kind.ELEMENTWISE and any(graph.size(name) >= graph.size(node.result) for name in dying)
        return 0 if updates else graph.size(node.result)

    def _loops(self, seed: int, done: Nodes) -> Iterator[ChannelNodes]:
        """Yield the loops of at most `longest` nodes that may run next and that start with node `seed`.

        If several nodes of a loop could start it, `seed` must be the first of these nodes in the order of the file.
        """
        open, seen = [frozenset([seed])], set[Nodes]()
        while open:
            nodes = open.pop()
            if nodes in seen or any(i < seed and self.before[i] <= done for i in nodes):
                continue
            seen.add(nodes)
            loop = ChannelNodes(self.graph, tuple(sorted(nodes)))
            obstacle = loop.obstacle()
            if obstacle is None:
                yield in_best_order(loop)
            elif obstacle.final:
                continue
            for name in loop.sliced:
                for i in self.graph.users[name]:
                    if i not in nodes and len(more := nodes | self._with_ancestors(i, done | nodes)) <= self.longest:
                        open.append(more)

    def _with_ancestors(self, i: int, done: Nodes) -> Nodes:
        missing, open = {i}, [i]
        while open:
            further = self.before[open.pop()] - done - missing
            missing |= further
            open.extend(further)
        return frozenset(missing)
