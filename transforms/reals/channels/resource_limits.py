"""Limits on RAM, flash and multiply-accumulates of a network, and the choice of channels to remove to meet these
limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.reals.channels.channel_groups import FIXED_GROUP
from tinyml.transforms.reals.channels.pruning import Channels, first_as_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

Worth: TypeAlias = "NDArray[np.float64]"

RAM, FLASH, MACS = "RAM", "flash", "multiply-accumulates"


@dataclass
class ResourceLimits:
    """Limits on bytes at the peak of the plan (RAM), bytes of weights (flash), and multiply-accumulates.

    limits: the limit of each limited resource, by its name.
    bits: the width of a weight.
    removed: the groups removed so far, in order.
    """

    channels: Channels
    limits: Mapping[str, int]
    bits: int
    removed: list[int] = field(default_factory=list[int])

    def taken(self, removed: Sequence[int]) -> dict[str, float]:
        return {name: self._taken(name, removed) for name in self.limits}

    @cached_property
    def whole(self) -> dict[str, float]:
        return self.taken([])

    def next_group(self, worth: Worth, done: float) -> int | None:
        """Remove a group if the network exceeds its current limits, and return the group. None if the limits are met.
        Raises `InputError` if no group saves anything.

        The removal of each group saves a fraction of the limits. The chosen group has the least worth per fraction
        saved.

        worth: for each group, how much its removal harms the network, such as the growth of the loss.
        done: the progress from 0 to 1. At 0 the current limits are the needs of the whole network. At 1 they are the
            final limits. In between they decrease geometrically.
        """
        present = {name: self.whole[name] ** (1 - done) * limit**done for name, limit in self.limits.items()}
        taken = self.taken(self.removed)
        above = [name for name, limit in present.items() if taken[name] > max(limit, self.limits[name])]
        if not above:
            return None
        saved = self._savings(taken, above)
        group = min(saved, key=lambda each: worth[each] / saved[each]) if saved else self._several(worth, above)
        if group is None:
            least = ", ".join(f"{taken[name]:,.0f} of {name}" for name in above)
            raise InputError(f"the limits cannot be kept: at {least} no further channel can go and save any")
        self.removed.append(group)
        return group

    def regained(self) -> list[int]:
        """Restore removed groups that fit the limits again, the last removed first, and return these groups.

        Removing one channel of a large image may leave room for several channels of a small image.
        """
        found: list[int] = []
        for group in reversed(self.removed):
            without = [each for each in self.removed if each not in (*found, group)]
            taken = self.taken(without)
            if all(taken[name] <= limit for name, limit in self.limits.items()):
                found.append(group)
        self.removed = [each for each in self.removed if each not in found]
        return found

    def _savings(self, taken: Mapping[str, float], above: Sequence[str]) -> dict[int, float]:
        saved: dict[int, float] = {}
        alike: dict[tuple[tuple[str, int], ...], float] = {}
        graph = self.channels.graph(self.removed)
        plan = self.channels.plan(graph) if RAM in above else None
        for group in self.channels.removable(graph):
            if group in self.removed:
                continue
            kind = self.channels.alike(group)
            if kind not in alike:
                without = [*self.removed, group]
                parts = [
                    (taken[name] - self._taken(name, without)) / self.limits[name] for name in above if name != RAM
                ]
                if plan is not None:
                    parts.append(self.channels.fall(plan, without) / (8 * self.limits[RAM]))
                alike[kind] = sum(parts)
            if alike[kind] > 0:
                saved[group] = alike[kind]
        return saved

    def _several(self, worth: Worth, above: Sequence[str]) -> int | None:
        """The group of least worth that saves RAM if it is removed together with equivalent groups. None if
        there is none.

        It is used if no single group saves anything.

        above: the resources whose limits are exceeded.
        """
        if RAM not in above:
            return None
        graph = self.channels.graph(self.removed)
        plan = self.channels.plan(graph)
        left = [group for group in self.channels.at_peak(graph, plan) if group not in self.removed]
        return first_as_many(self.channels, graph, plan, self.removed, sorted(left, key=lambda group: worth[group]))

    def _taken(self, name: str, removed: Sequence[int]) -> float:
        graph = self.channels.graph(removed)
        if name == RAM:
            return self.channels.plan(graph).bits / 8
        return graph.macs if name == MACS else self._weights(removed) * self.bits / 8

    def _weights(self, removed: Sequence[int]) -> int:
        """The number of elements of constants that remain after the groups `removed` are removed."""
        gone, grouping = set(removed), self.channels.grouping
        total = 0
        for op in dict.fromkeys(use.operation for value in grouping.values for use in value.uses):
            for index, value in enumerate(op.operands):
                if isinstance(value.owner, tdsl.ConstOp):
                    shape = list(tdsl.shape_of(value))
                    for cut in grouping.cuts(op, index):
                        shape[cut.axis] = sum(
                            int(label) not in gone for label in cut.labels if label != FIXED_GROUP
                        ) + int((cut.labels == FIXED_GROUP).sum())
                    total += prod(shape)
        return total
