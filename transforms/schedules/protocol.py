"""The interface of schedules.

A *schedule* is what `--plan` and `tinyml plan` name: it offers segments of a network, from which the plan with the
least peak is chosen. A *tiling* is how one segment runs; it says what the segment keeps of a tensor and rewrites it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tinyml.dialects import tdsl
from tinyml.targets.tiles import TileFamily
from tinyml.transforms.formats.tiling.tile_memory import TileMemory, small_memory
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.plans.segmentation import Plan, Segment, cheapest, least_peak


class NotTiled(Exception):
    """The reason why a segment cannot run as a tiling asks."""


class Share(NamedTuple):
    """A tensor, or the part of it, that is alive in a segment. bits: of the part."""

    tensor: str
    part: str
    bits: int

    @staticmethod
    def whole(graph: Graph, tensor: str) -> Share:
        """All of a tensor."""
        return Share(tensor, "whole", graph.size(tensor))

    @staticmethod
    def of_pixels(graph: Graph, tensor: str, count: int) -> Share:
        """Some pixels of an image."""
        image = graph.tensors[tensor]
        return Share(tensor, f"{count} of {image.pixels} pixels", image.size // image.pixels * count)


class Kernels(NamedTuple):
    """The kernels of the target that compute several pixels at once, and the memory that they may take.

    inside: in the loops of a segment. single: for an op by itself; None leaves that to `tile-windows`.
    """

    families: Sequence[TileFamily]
    inside: TileMemory
    single: TileMemory | None = None


ROUNDED = "rounded"
"""The end of `by` where sums are rounded in between, so that bits are not those of ordinary execution."""

Rewrite = Callable[[Kernels], str | None]
"""Rewrites a segment and returns the `by` of its entry in `tinyml.plan`; None for a segment that has no entry."""


class Tiling(ABC):
    """A way to run the ops of a segment. Tilings are values, such as frozen dataclasses: plans compare them."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in the tables of `tinyml plan`."""

    @abstractmethod
    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        """The rewrite of the nodes from first to last, both inclusive.

        Raises `NotTiled` for nodes that cannot run so. The function does not change before the rewrite is called.
        """

    def gathered(self, network: Network, segment: Segment) -> int:
        """The bits of the windows and single pixels in a segment, which tiles of several pixels replace."""
        return max(scratch_of(network, i) for i in range(segment.first, segment.last + 1))

    def share(self, graph: Graph, segment: Segment, tensor: str) -> Share:
        """The part that a segment keeps of a tensor which nothing outside of the segment reads."""
        return Share.whole(graph, tensor)

    def runs(self, network: Network, segment: Segment) -> bool:
        """True if the segment can run so."""
        try:
            self.rewrite(network, segment.first, segment.last)
        except NotTiled:
            return False
        return True


class Schedule(ABC):
    """A row of the table of schedules.

    name: of the mode in `tinyml plan`, `plan-execution` and `--plan`. help: the row's text in docs/schedules.md.
    rounds: sums may be rounded in between, so that results differ from those of ordinary execution. sliced: segments
    run in slices, so that memory counts more than time. recomputes: values are computed several times; the `extra` of
    segments then counts multiply-accumulates, which plans limit and report. in_auto: the schedule `auto` weighs time
    against memory with the program segments of this one. takes_ram: the plan is the fastest within a limit of memory,
    instead of the one with the least peak.
    """

    name: str
    help: str
    rounds = False
    sliced = True
    recomputes = False
    in_auto = False
    takes_ram = False

    @abstractmethod
    def segments(self, graph: Graph) -> Iterator[Segment]:
        """The segments that a plan may have, in the bytes that the literature counts; they have to cover any graph."""

    @abstractmethod
    def program_segments(self, network: Network) -> Iterator[Segment]:
        """The segments of a compiled program, in the bytes that it takes; they have to cover any network.

        `extra` is the time that a segment takes beyond ordinary execution, about one for each node; multiply-
        accumulates if the schedule recomputes. Segments that cannot run (`Tiling.runs`) are left out later.
        """

    def tilings(self, sums: int, patches: int) -> Mapping[str, Tiling]:
        """The values of the option `by` of `tile-segment`, whose options `sums` and `patches` are given."""
        return {}

    def tile_memory(self, convolutions: Sequence[tdsl.Conv2dOp], families: Sequence[TileFamily]) -> TileMemory | None:
        """The memory beyond a plan for computing several pixels at once; None if a plan leaves ops none at all."""
        return small_memory(convolutions, families)

    def plan(self, graph: Graph, most_extra: int | None = None) -> Plan:
        """The plan with the least peak. most_extra: a limit on multiply-accumulates beyond the network's own."""
        chosen = least_peak(len(graph.nodes), self.segments(graph), most_extra)
        assert chosen is not None
        return chosen

    def program_plan(self, network: Network, ram: int | None = None, most_extra: int | None = None) -> Plan:
        """The plan of a compiled program with the least peak, or if `takes_ram` the fastest, of segments that run.

        ram: bytes that may be alive at once, scratch included; without a plan that fits, the one with the least peak is
        taken. most_extra: a limit on multiply-accumulates beyond the network's own, if the schedule recomputes.
        """
        known, nodes = list(self.program_segments(network)), len(network.graph.nodes)
        while True:
            plan = cheapest(nodes, known, 8 * ram) if self.takes_ram and ram is not None else None
            plan = plan or least_peak(nodes, known, most_extra if self.recomputes else None)
            assert plan is not None
            refused = [segment for segment in plan.segments if not segment.tiling.runs(network, segment)]
            if not refused:
                return plan
            known = [segment for segment in known if segment not in refused]
