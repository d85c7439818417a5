"""The choice of a segment's stages and their timing with small ring buffers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.rings.on_demand import Slice
from tinyml.transforms.schedules.rings.pooled_blocks import By
from tinyml.transforms.schedules.rings.ticks import TickTiming, timing_of
from tinyml.transforms.schedules.segments import NotTiled
from tinyml.transforms.schedules.slices.bodies import kind_of
from tinyml.transforms.schedules.slices.stages import StagedSegment, segment_of


class RingSchedule(NamedTuple):
    """Stages, their timing, and the number of slots for each image that is stored in a ring."""

    segment: StagedSegment
    timing: TickTiming
    slots: dict[str, int]

    @property
    def bits(self) -> int:
        """The total size of all ring buffers in bits."""
        timing, tensors = self.timing, self.segment.tensors
        slices = {name: Slice.ROW if timing.arrives(name) else timing.slice for name in self.slots}
        return sum(slots * slices[name].bits(tensors[name]) for name, slots in self.slots.items())


class _JoinChoice(NamedTuple):
    """The choices made at joins of branches.

    carriers: as in `segment_of`.
    early: stages that run as early as their rings permit.
    """

    carriers: dict[str, str]
    early: frozenset[str]


def smallest_rings(network: Network, first: int, last: int, by: By) -> RingSchedule:
    """The stages and the timing of nodes `first` to `last`, both inclusive, with small rings. Raises `NotTiled` for
    nodes that cannot be streamed.

    Where two branches join, the node that joins them may run with either branch. The other branch runs as late as
    possible, or early. If it runs early, it runs before the first branch consumes more of their common operand.
    Joins are decided one after the other by the size of the rings.
    """
    choice = _JoinChoice({}, frozenset())
    best = _scheduled(network, first, last, by, choice)
    for join, operands in best.segment.joins.items():
        for option in _options(choice, join, operands):
            try:
                schedule = _scheduled(network, first, last, by, option)
            except NotTiled:
                continue
            if schedule.bits < best.bits:
                best, choice = schedule, option
    return best


def _options(choice: _JoinChoice, join: str, operands: list[str]) -> Iterator[_JoinChoice]:
    """Yield the choices that differ from the given choice at the node `join`.

    operands: the operands whose stages the node may join.
    """
    for carrier in operands:
        carriers = choice.carriers | {join: carrier}
        yield _JoinChoice(carriers, choice.early)
        for other in operands:
            if other != carrier:
                yield _JoinChoice(carriers, choice.early | {other})


def _scheduled(network: Network, first: int, last: int, by: By, choice: _JoinChoice) -> RingSchedule:
    segment = segment_of(network, first, last, choice.carriers, by is By.BLOCKS)
    for stage in segment.stages:
        kind_of(stage)
    timing = timing_of(segment.graph, by.slice, choice.early)
    slots = {stage.node.result: timing.slots(stage.node.result) for stage in segment.stages if not stage.kept}
    return RingSchedule(segment, timing, slots)
