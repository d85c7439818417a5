"""The schedule `inner-patches`: pairs of ops anywhere in a network as 2x2 tiles, not only at its beginning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tinyml.transforms.schedules.ordinary import ordinary_in_programs, usual_segments
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.halos import areas_of_tiles
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.plans.segmentation import Segment
from tinyml.transforms.schedules.protocol import Kernels, Rewrite, Schedule, Tiling, TilingOptions
from tinyml.transforms.schedules.rewriting.patch_loops import PatchLoops


@dataclass(frozen=True)
class Quarters(Tiling):
    """Loops over the four quarters of the last result."""

    @property
    def name(self) -> str:
        return "quarters"

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        loops = PatchLoops(network, first, last, 2)

        def rewrite(kernels: Kernels) -> str:
            loops.rewrite()
            return self.name

        return rewrite


class InnerPatches(Schedule):
    name = "inner-patches"
    help = "pairs of ops as 2x2 tiles of the result"
    recomputes = True

    def segments(self, graph: Graph) -> Iterator[Segment]:
        yield from usual_segments(graph)
        yield from self._pairs(graph)

    def program_segments(self, network: Network) -> Iterator[Segment]:
        yield from ordinary_in_programs(network)
        for segment in self._pairs(network.graph):
            scratch = max(scratch_of(network, i) for i in (segment.first, segment.last))
            yield segment._replace(bits=segment.bits + scratch)

    def tilings(self, options: TilingOptions) -> Mapping[str, Tiling]:
        return {"quarters": Quarters()}

    def _pairs(self, graph: Graph) -> Iterator[Segment]:
        for last in range(1, len(graph.nodes)):
            first, boundary = graph.nodes[last - 1], graph.boundary(last - 1, last)
            result = graph.tensors[graph.nodes[last].result]
            windows = not any(
                read.sums or 0 in read.strides for node in graph.nodes[last - 1 : last + 1] for read in node.reads
            )
            if not windows or boundary.internal != [first.result] or min(result[:2]) < 2:
                continue
            parts = [(alike, areas[first.result]) for alike, areas in areas_of_tiles(graph, last, 2)]
            image = graph.tensors[first.result]
            most = max(area for _, area in parts) * image.channels * image.bits
            bits = boundary.through + graph.size(*boundary.dead, *boundary.kept, *boundary.outputs) + most
            work = sum(alike * (first.macs * area // image.pixels) for alike, area in parts) - first.macs
            yield Segment(last - 1, last, bits, Quarters(), max(work, 0))


INNER_PATCHES = InnerPatches()
