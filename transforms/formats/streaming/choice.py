"""The choice of the segments of a network that are streamed, and by what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tinyml.transforms.formats.plans.blocks import By, streamed
from tinyml.transforms.formats.plans.executable import ordinary_segments, plan_that_runs, scratch_of
from tinyml.transforms.formats.plans.network import Network
from tinyml.transforms.formats.plans.segmentation import Plan, Segment
from tinyml.transforms.formats.streaming.schedule import schedule_of
from tinyml.transforms.formats.streaming.stages import NotStreamed

STEPS: Mapping[str, Sequence[By]] = {
    "ordinary": (),
    "rows": (By.ROWS,),
    "pixels": (By.PIXELS, By.BLOCKS),
    "auto": tuple(By),
}
"""The modes of execution, and what segments may be streamed by in each."""

SLOWNESS = {By.ROWS: 1, By.PIXELS: 3, By.BLOCKS: 2}
"""Rough costs of streaming a node, in units of their own; ordinary execution costs nothing."""


def plan_of(network: Network, mode: str, ram: int | None = None) -> Plan:
    """The plan of a mode, of segments that run: that with the least peak, or in mode `auto` the fastest.

    ram: bytes that may be alive at once in mode `auto`, windows of convolutions included. Without any plan that fits,
    the plan is that with the least peak.
    """
    if mode == "auto" and ram is None:
        mode = "ordinary"
    candidates = [
        *ordinary_segments(network),
        *(segment for by in STEPS[mode] for segment in stream_candidates(network, by)),
    ]
    return plan_that_runs(network, candidates, lambda segment: runs(network, segment), ram if mode == "auto" else None)


def by_of(segment: Segment) -> By | None:
    """What a segment is streamed by; None if it is ordinary."""
    return next((by for by in By if segment.schedule == by.schedule), None)


def stream_candidates(network: Network, by: By) -> Iterator[Segment]:
    """The segments of several nodes each of which can be streamed."""
    count = len(network.graph.nodes)
    scratch = [scratch_of(network, i) for i in range(count)]
    streams = [runs(network, Segment(i, i, 0, By.ROWS.schedule)) for i in range(count)]
    for first, last, bits in streamed(network.graph, by):
        if last > first and all(streams[first : last + 1]):
            cost = SLOWNESS[by] * (last + 1 - first)
            yield Segment(first, last, bits + max(scratch[first : last + 1]), by.schedule, cost)


def runs(network: Network, segment: Segment) -> bool:
    """Can a segment run as its schedule says? Those run that are not streamed."""
    if (by := by_of(segment)) is None:
        return True
    try:
        schedule_of(network, segment.first, segment.last, by)
    except NotStreamed:
        return False
    return True
