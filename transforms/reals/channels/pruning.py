"""The choice of channels to remove, by the memory of a plan (PEX, Liberis and Lane 2023, section 3.5).

The bottleneck of a network is the set of segments at the peak of its plan. A group of channels is a candidate if it is
live in these segments and its removal reduces their memory. The least important candidate is removed, and a new plan is
computed. This is repeated until the peak is low enough.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.reals.channels.channel_groups import FIXED_GROUP, ChannelGroups, Labels
from tinyml.transforms.reals.channels.importance import Importance
from tinyml.transforms.schedules.plans.graph import Graph, Kind, Node
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.plans.peak import fullest_segments, shares
from tinyml.transforms.schedules.protocol import Schedule
from tinyml.transforms.schedules.segments import Plan


@dataclass(frozen=True)
class Channels:
    """The channels of a network, by the tensors of its graph.

    schedule: computes the plans.
    most_extra: the maximum additional multiply-accumulates of plans, in percent.
    """

    network: Network
    grouping: ChannelGroups
    schedule: Schedule
    most_extra: int = 30

    @cached_property
    def groups(self) -> dict[str, Labels]:
        """For each tensor of the graph, the group of each channel. It is `FIXED_GROUP` for channels that are
        never removed.
        """
        groups: dict[str, Labels] = {}
        for value, name in self.network.names.items():
            if name not in groups:
                channels, own = self.network.graph.tensors[name].channels, self.grouping.groups(value)
                # Tensors of several vectors are single pixels in the graph, and inputs may have another order of axes.
                groups[name] = np.tile(own, channels // len(own)) if own.any() else np.zeros(channels, np.int64)
        return groups

    @cached_property
    def counts(self) -> dict[int, dict[str, int]]:
        """For each removable group, its number of channels in each tensor."""
        counts: dict[int, dict[str, int]] = {}
        for name, groups in self.groups.items():
            for group, count in zip(*np.unique(groups, return_counts=True), strict=True):
                if group != FIXED_GROUP:
                    counts.setdefault(int(group), {})[name] = int(count)
        return counts

    def graph(self, removed: Collection[int]) -> Graph:
        """The graph of the network without the channels of the groups `removed`: smaller tensors and fewer products."""
        whole = self.network.graph
        lost: dict[str, int] = {}
        for group in removed:
            for name, count in self.counts[group].items():
                lost[name] = lost.get(name, 0) + count
        tensors = {
            name: image._replace(channels=image.channels - lost.get(name, 0)) for name, image in whole.tensors.items()
        }
        nodes: list[Node] = []
        for node in whole.nodes:
            macs = node.macs * tensors[node.result].channels // whole.tensors[node.result].channels
            if node.kind is Kind.CONTRACTION:
                operand = node.reads[0].tensor
                macs = macs * tensors[operand].channels // whole.tensors[operand].channels
            nodes.append(node._replace(macs=macs))
        return Graph(tensors, whole.inputs, tuple(nodes), whole.outputs)

    def plan(self, graph: Graph) -> Plan:
        return self.schedule.plan(graph, graph.macs * self.most_extra // 100)

    def at_peak(self, graph: Graph, chosen: Plan) -> list[int]:
        """The groups that are live at the peak of a plan and whose removal leaves channels in every tensor."""
        ordered = graph.in_order(chosen.order)
        alive = {share.tensor for segment in fullest_segments(chosen) for share in shares(ordered, segment)}
        return [group for group in self.removable(graph) if alive.intersection(self.counts[group])]

    def removable(self, graph: Graph) -> list[int]:
        """The groups of a graph whose removal leaves channels in every tensor."""
        return [
            group
            for group, counts in self.counts.items()
            if all(graph.tensors[name].channels > n for name, n in counts.items())
        ]

    def fall(self, chosen: Plan, removed: Collection[int]) -> int:
        """The total number of bits by which the segments at the peak of a plan shrink if the groups `removed`
        are removed.

        If these segments do not shrink, the number of bits by which the peak of the new plan is lower.
        """
        graph = self.graph(removed)
        least: dict[tuple[int, int], int] = {}
        for candidate in self.schedule.segments(graph.in_order(chosen.order)):
            ends = candidate.first, candidate.last
            least[ends] = min(candidate.bits, least.get(ends, candidate.bits))
        fall = sum(max(0, segment.bits - least[segment.first, segment.last]) for segment in fullest_segments(chosen))
        return fall or max(0, chosen.bits - self.plan(graph).bits)

    def alike(self, group: int) -> tuple[tuple[str, int], ...]:
        """A key that is equal for groups with the same effect on plans. It is the number of the group's
        channels in each tensor.
        """
        return tuple(self.counts[group].items())


def prune(channels: Channels, importance: Importance, ram: int) -> list[int]:
    """The groups to remove, in order, until a plan has at most `ram` live bytes at its peak.

    After each removal a new plan is computed. Raises `InputError` if no channel at a bottleneck above the limit can
    be removed.
    """
    removed: list[int] = []
    while True:
        graph = channels.graph(removed)
        chosen = channels.plan(graph)
        if chosen.bits <= 8 * ram:
            return removed
        worth = importance.without(removed)
        at_peak = (group for group in channels.at_peak(graph, chosen) if group not in removed)
        ordered = sorted(at_peak, key=lambda group: worth.get(group, 0.0))
        group = _first_useful(channels, chosen, removed, [[group] for group in ordered])
        if group is None:
            # Removing a single channel may have no effect, although removing several has.
            group = first_as_many(channels, graph, chosen, removed, ordered)
        if group is None:
            fullest = shares(graph.in_order(chosen.order), fullest_segments(chosen)[0])
            names = ", ".join(share.tensor for share in fullest)
            raise InputError(
                f"cannot be pruned to {ram} bytes: at {-(-chosen.bits // 8)} bytes no channel of {names}, which are "
                "alive at the peak, can go and save memory"
            )
        removed.append(group)


def _first_useful(channels: Channels, chosen: Plan, removed: list[int], options: list[list[int]]) -> int | None:
    useless: set[tuple[tuple[str, int], ...]] = set()
    for groups in options:
        if (alike := channels.alike(groups[0])) not in useless:
            if channels.fall(chosen, [*removed, *groups]):
                return groups[0]
            useless.add(alike)
    return None


def first_as_many(channels: Channels, graph: Graph, chosen: Plan, removed: list[int], ordered: list[int]) -> int | None:
    """The first group of channels whose removal, together with equivalent groups, reduces memory (`Channels.fall`).
    None if there is no such group.

    chosen: the plan whose peak memory is compared.
    removed: the groups that have already been removed.
    ordered: the groups in the order in which they are tried.
    """
    return _first_useful(channels, chosen, removed, [_as_many(channels, graph, group, ordered) for group in ordered])


def _as_many(channels: Channels, graph: Graph, group: int, ordered: list[int]) -> list[int]:
    """A group and all equivalent groups that can be removed together without emptying a tensor.

    ordered: the groups in the order in which they are added.
    """
    counts = channels.counts[group]
    most = min((graph.tensors[name].channels - 1) // count for name, count in counts.items())
    alike = [each for each in ordered if each != group and channels.alike(each) == channels.alike(group)]
    return [group, *alike][:most]
