"""Loops over the channels of any part of a graph (PEX, Liberis and Lane 2023, section 3.1, definition 11, table 2)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from tinyml.transforms.schedules.plans.graph import Graph, Kind


class Role(Enum):
    """The role of an op in a loop over channels, named as in table 2 of PEX."""

    GENERATE = "generates a channel of its result from all of its operand"
    CONTINUE = "computes a channel of its result from one of its operands"
    ACCUMULATE = "adds what a channel of its operand contributes to all sums"


class Obstacle(NamedTuple):
    """The rule that prevents nodes from running as a loop over channels.

    reason: a description of the rule, for messages.
    final: whether the rule still applies if any further nodes are added.
    """

    reason: str
    final: bool = True


@dataclass(frozen=True)
class ChannelNodes:
    """Nodes of a graph that may run as one loop over channels, in the order of execution.

    A contraction generates if its operands are computed before the loop, and accumulates if an operand is computed
    in the loop. Results of ops that do not accumulate are *slices*. Slices that are used after the loop are *kept*:
    each iteration inserts them into a whole tensor.
    """

    graph: Graph
    nodes: tuple[int, ...]

    @cached_property
    def roles(self) -> dict[str, Role]:
        """For each node, by the name of its result, whether it generates, continues or accumulates."""
        inside = {self.graph.nodes[i].result for i in self.nodes}
        roles: dict[str, Role] = {}
        for i in self.nodes:
            node = self.graph.nodes[i]
            roles[node.result] = Role.CONTINUE
            if node.kind is Kind.CONTRACTION:
                roles[node.result] = Role.ACCUMULATE if inside.intersection(node.operands) else Role.GENERATE
        return roles

    @cached_property
    def readers(self) -> dict[str, list[int]]:
        """For each slice, a result computed channel by channel, the nodes of the loop that read it."""
        members = set(self.nodes)
        return {name: [i for i in self.graph.users[name] if i in members] for name in self.sliced}

    @cached_property
    def sliced(self) -> tuple[str, ...]:
        return tuple(name for name, role in self.roles.items() if role is not Role.ACCUMULATE)

    @cached_property
    def kept(self) -> frozenset[str]:
        """The names of the results that are whole after the loop: the accumulated results, and the slices that
        iterations insert into whole tensors because they are used after the loop.
        """
        whole = {name for name in self.roles if name not in self.readers or self._outlives(name)}
        return frozenset(whole)

    def _outlives(self, name: str) -> bool:
        readers = self.readers[name]
        return not readers or len(readers) < len(self.graph.users[name]) or name in self.graph.outputs

    @property
    def channels(self) -> int:
        return self.graph.tensors[self.sliced[0]].channels

    @property
    def accumulated(self) -> int:
        """The number of elements of all accumulated results, which each iteration reads and writes as sums."""
        sums = (self.graph.tensors[name] for name, role in self.roles.items() if role is Role.ACCUMULATE)
        return sum(image.pixels * image.channels for image in sums)

    def obstacle(self) -> Obstacle | None:
        """The rule that forbids the loop. None if the loop may run."""
        graph, roles = self.graph, self.roles
        counts = {graph.tensors[name].channels for name in self.sliced}
        for i in self.nodes:
            node = graph.nodes[i]
            if node.kind is Kind.ARRIVAL:
                return Obstacle("the input arrives row by row")
            if any(roles.get(name) is Role.ACCUMULATE for name in node.operands):
                return Obstacle(f"{node.result} needs all channels of its operand")
            outside = [name for name in node.operands if name not in roles]
            if roles[node.result] is Role.ACCUMULATE and len(node.operands) > 1:
                return Obstacle(f"{node.result} accumulates several operands")
            if roles[node.result] is Role.CONTINUE and len(outside) == len(node.operands):
                taken = {graph.tensors[name].channels for name in outside}
                if len(taken) == 1:
                    counts |= taken
        if len(counts) > 1:
            return Obstacle("the tensors have different numbers of channels")
        if len(self.nodes) < 2:
            return Obstacle("a single op needs all channels, of its operand or of its result", final=False)
        for i in self.nodes:
            name = graph.nodes[i].result
            if not self.readers.get(name) and not set(graph.nodes[i].operands) & set(roles):
                return Obstacle(f"{name} shares no channel with the others", final=False)
        return None

    def peak(self, copies: bool = False) -> int:
        """The peak of the bits of live slices in an iteration, if the nodes run in the given order.

        copies: as in `step`.
        """
        done: set[int] = set()
        most = 0
        for i in self.nodes:
            most = max(most, self.step(i, done, copies))
            done.add(i)
        return most

    def step(self, i: int, done: Collection[int], copies: bool = False) -> int:
        """The number of live bits of slices while node i runs.

        As in the paper, slices that are read from or inserted into a whole tensor are views of the tensor. An
        elementwise op overwrites an operand slice that no later node reads.

        done: the nodes that have run before in the same iteration.
        copies: whether, as in compiled programs, slices of whole tensors have separate memory unless a contraction
            computes them.
        """
        node, readers = self.graph.nodes[i], self.readers
        after = {*done, i}
        held = [
            name
            for name in readers
            if self.graph.producer[name] in done
            and not set(readers[name]).issubset(done)
            and self._has_slice(name, copies)
        ]
        bits = sum(map(self.plane, held))
        if copies and self.roles[node.result] is Role.CONTINUE and not self._joins_generated(i):
            bits += sum(self.plane(name) for name in node.operands if name not in self.roles and self._splits(name))
        if node.result in readers and self._has_slice(node.result, copies):
            dying = [name for name in held if name in node.operands and set(readers[name]) <= after]
            updates = node.kind is Kind.ELEMENTWISE and any(name not in self.kept for name in dying)
            bits += 0 if updates else self.plane(node.result)
        return bits

    def plane(self, name: str) -> int:
        """The number of bits that one channel of a tensor occupies."""
        return self.graph.size(name) // self.graph.tensors[name].channels

    def _splits(self, name: str) -> bool:
        return self.graph.tensors[name].channels == self.channels

    def _has_slice(self, name: str, copies: bool) -> bool:
        if name not in self.kept:
            return True
        made_in_place = self.roles[name] is Role.GENERATE and not self.readers[name]
        return copies and not made_in_place

    def _joins_generated(self, i: int) -> bool:
        before = self.joined(i)
        return before is not None and (self.roles[before] is Role.GENERATE or self._joins_generated(self._node(before)))

    def _node(self, name: str) -> int:
        return self.graph.producer[name]

    def joined(self, i: int) -> str | None:
        """The operand in whose loop nest an elementwise op runs: the last operand that the loop computes, if it is not
        kept and no other node reads it. None for any other op.
        """
        node = self.graph.nodes[i]
        inside = [k for k in self.nodes if self.graph.nodes[k].result in node.operands]
        if node.kind is not Kind.ELEMENTWISE or not inside:
            return None
        last = self.graph.nodes[inside[-1]].result
        return last if self.readers[last] == [i] and last not in self.kept else None

    def whole_bits(self, sum_bits: int) -> int:
        """The number of bits of the results that are whole after the loop.

        sum_bits: the width of the sums from which results are computed.
        """
        sliced = [name for name in self.kept if name in self.readers]
        sums = (self.graph.tensors[name] for name in self.kept.difference(sliced))
        return self.graph.size(*sliced) + sum(image.size // image.bits * sum_bits for image in sums)


def consecutive(graph: Graph, first: int, last: int) -> ChannelNodes:
    return ChannelNodes(graph, tuple(range(first, last + 1)))


def alive(graph: Graph, done: Collection[int]) -> int:
    """The number of bits of the tensors that are live after the nodes `done` have run."""
    computed = [name for name, i in graph.producer.items() if i < 0 or i in done]
    return graph.size(*(name for name in computed if name in graph.outputs or not set(graph.users[name]) <= set(done)))


def in_best_order(loop: ChannelNodes) -> ChannelNodes:
    """The same loop with its nodes in an order with the lowest peak."""
    best: dict[frozenset[int], tuple[int, tuple[int, ...]]] = {frozenset(): (0, ())}
    for _ in loop.nodes:
        further: dict[frozenset[int], tuple[int, tuple[int, ...]]] = {}
        for done, (peak, order) in best.items():
            for i in _ready(loop, done):
                found = max(peak, loop.step(i, done)), (*order, i)
                key = done | {i}
                if key not in further or found < further[key]:
                    further[key] = found
        best = further
    [(_, order)] = best.values()
    return ChannelNodes(loop.graph, order)


def _ready(loop: ChannelNodes, done: Collection[int]) -> Sequence[int]:
    producers = {i: {loop.graph.producer[name] for name in loop.graph.nodes[i].operands} for i in loop.nodes}
    members = set(loop.nodes)
    return [i for i in loop.nodes if i not in done and (producers[i] & members).issubset(done)]
