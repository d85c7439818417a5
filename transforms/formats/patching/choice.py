"""The choice of the beginning of a network that runs tile by tile."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml.transforms.formats.patching.nest import Patches
from tinyml.transforms.formats.plans.executable import ordinary_segments, plan_that_runs, scratch_of
from tinyml.transforms.formats.plans.modes import TILES
from tinyml.transforms.formats.plans.network import Network
from tinyml.transforms.formats.plans.patches import SCHEDULE, count_of, patches
from tinyml.transforms.formats.plans.segmentation import Plan, Segment
from tinyml.transforms.formats.streaming.stages import NotStreamed

PATCHES = SCHEDULE
"""The mode of execution that begins with patches."""


def patched_plan(network: Network, most_extra: int) -> Plan:
    """The plan with the least peak that begins with patches and goes on ordinarily.

    most_extra: multiply-accumulates that it may add to the network's.
    """
    candidates = [*ordinary_segments(network), *_patches(network)]
    return plan_that_runs(network, candidates, lambda segment: _runs(network, segment), most_extra=most_extra)


def run_in_patches(network: Network, segment: Segment) -> None:
    """Rewrite a segment of a plan as loops over its patches."""
    Patches(network, segment.first, segment.last, count_of(segment)).rewrite()


def _patches(network: Network) -> Iterator[Segment]:
    scratch = 0
    for last in range(len(network.graph.nodes)):
        scratch = max(scratch, scratch_of(network, last))
        for count in TILES:
            if (segment := patches(network.graph, last, count)) is not None:
                yield segment._replace(bits=segment.bits + scratch)


def _runs(network: Network, segment: Segment) -> bool:
    try:
        Patches(network, segment.first, segment.last, count_of(segment))
    except NotStreamed:
        return False
    return True
