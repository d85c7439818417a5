"""Segments of a network, and the interface of tilings, which run them.

A *tiling* is a way to run one segment. It defines which part of each tensor the segment stores, and rewrites the
segment. Segments that cover a network are a plan.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.tiling.window_tiles import TileMemory


class NotTiled(Exception):
    """Raised if a tiling cannot run a segment. The message states the reason."""


class Share(NamedTuple):
    """A tensor that is live in a segment, whole or in part.

    part: a description of the live part, for users.
    bits: the size of the part that is live.
    """

    tensor: str
    part: str
    bits: int

    @staticmethod
    def whole(graph: Graph, tensor: str) -> Share:
        """A tensor that is live as a whole."""
        return Share(tensor, "whole", graph.size(tensor))

    @staticmethod
    def of_pixels(graph: Graph, tensor: str, count: int) -> Share:
        """An image of which `count` pixels are live."""
        image = graph.tensors[tensor]
        return Share(tensor, f"{count} of {image.pixels} pixels", image.size // image.pixels * count)


class Kernels(NamedTuple):
    """The target's kernels that compute several pixels at once, and the memory that these kernels may use.

    inside: the memory for kernels in the loops of a segment.
    single: the memory for the kernels of a single op; None if `tile-windows` determines it.
    """

    target: str
    inside: TileMemory
    single: TileMemory | None = None


ROUNDED_SUFFIX = "rounded"
"""The suffix of `by` for a segment that rounds partial sums, so that bits differ from ordinary execution."""

Rewrite = Callable[[Kernels], str | None]
"""A rewrite of a segment that returns the `by` of its entry in `tinyml.plan`; None for a segment without an entry."""


class Tiling(ABC):
    """A way to run the ops of a segment. Tilings must be comparable values, such as frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the tiling in the tables of `tinyml plan`."""

    @abstractmethod
    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        """Return the function that rewrites nodes `first` to `last`, both inclusive.

        Raises `NotTiled` for nodes that cannot run in this tiling. The IR is not modified until the returned
        function is called.
        """

    def round_sums(self, network: Network, first: int, last: int) -> None:
        """Round the sums in nodes `first` to `last` as `rewrite` does, but do not tile the nodes. If the rewrite rounds
        no sums, nothing is changed.
        """
        return

    def gathered(self, network: Network, segment: Segment) -> int:
        """The bits of gathered windows and pixels that a segment needs unless tiles compute several pixels."""
        return max(scratch_of(network, i) for i in range(segment.first, segment.last + 1))

    def share(self, graph: Graph, segment: Segment, tensor: str) -> Share:
        """The part of a tensor that a segment stores. The tensor must have no readers outside the segment."""
        return Share.whole(graph, tensor)

    def obstacle(self, network: Network, segment: Segment) -> str | None:
        """The reason why the segment cannot run in this tiling. None if it can."""
        try:
            self.rewrite(network, segment.first, segment.last)
        except NotTiled as error:
            return str(error)
        return None

    def runs(self, network: Network, segment: Segment) -> bool:
        """Whether the segment can run in this tiling."""
        return self.obstacle(network, segment) is None


class Segment(NamedTuple):
    """The nodes `first` to `last`, both inclusive, executed in a tiling.

    bits: the peak of live bits.
    extra: the work in addition to ordinary execution, in multiply-accumulates or, for compiled programs, in rough
        units of time.
    """

    first: int
    last: int
    bits: int
    tiling: Tiling
    extra: int = 0

    @property
    def schedule(self) -> str:
        """The name of the tiling in which the segment is executed."""
        return self.tiling.name


class Plan(NamedTuple):
    """Segments that cover a network, with the peak of the plan in bits and the total extra work of the segments.

    order: the nodes of the network in the order of execution; segments refer to positions in this order.
    """

    segments: tuple[Segment, ...]
    bits: int
    extra: int
    order: tuple[int, ...]
