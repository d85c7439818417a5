"""Strips: segments that run in strips of columns, whose halos are computed again instead of stored.

msf-CNN (Huang and Baccelli 2025, section 4) fuses layers into blocks that compute their result strip by strip. Along a
strip, the rows that several windows cover are cached; columns that several strips need are recomputed. A path through
the cuts between layers chooses the blocks whose peak is lowest within a limit on the work. Here strips may have any
width, and segments without recomputation are streamed, or run by channels with sums of 32 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.channels import PARTIAL_32
from tinyml.transforms.schedules.ordinary import ordinary_in_programs, usual_segments
from tinyml.transforms.schedules.plans.graph import Graph, Kind
from tinyml.transforms.schedules.plans.halos import columns_of_strips
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.plans.segmentation import Segment
from tinyml.transforms.schedules.protocol import Kernels, Rewrite, Schedule, Share, Tiling, TilingOptions
from tinyml.transforms.schedules.rewriting.strip_loops import StripLoops
from tinyml.transforms.schedules.rings.on_demand import Slice, Streams
from tinyml.transforms.schedules.rings.pooled_blocks import By, as_it_is, joined, streamed
from tinyml.transforms.schedules.streaming import Streamed, streamed_in_programs


@dataclass(frozen=True)
class InStrips(Tiling):
    """A loop over `count` strips of columns of the last result. Each strip is streamed by rows."""

    count: int

    @property
    def name(self) -> str:
        return f"{self.count} strips"

    def share(self, graph: Graph, segment: Segment, tensor: str) -> Share:
        columns = columns_of_strips(graph, segment.last, self.count)[tensor].most
        return Share.of_pixels(graph, tensor, Streams(graph, Slice.ROW).ring(tensor) * columns)

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        loops = StripLoops(network, first, last, self.count)

        def rewrite(kernels: Kernels) -> str:
            loops.rewrite()
            return self.name

        return rewrite


class Strips(Schedule):
    """The schedule whose plans combine segments in strips with segments that compute every value once."""

    name = "strips"
    help = (
        "segments run in strips of columns, each streamed by rows, and recompute the columns that strips share "
        "(msf-CNN, Huang and Baccelli 2025); other segments run by rows, pixels, blocks or channels"
    )
    recomputes = True
    counts_given_input = False

    def segments(self, graph: Graph) -> Iterator[Segment]:
        yield from usual_segments(graph)
        for by in By:
            for first, last, bits in streamed(graph, by):
                yield Segment(first, last, bits, Streamed(by))
        yield from PARTIAL_32.segments(graph)
        nodes = len(graph.nodes)
        yield from _in_strips(graph, [(k, k) for k in range(nodes)], [0] * nodes)

    def program_segments(self, network: Network) -> Iterator[Segment]:
        yield from ordinary_in_programs(network)
        for by in By:
            for segment in streamed_in_programs(network, by):
                yield segment._replace(extra=0)
        for segment in PARTIAL_32.program_segments(network):
            yield segment._replace(extra=0)
        merged = joined(as_it_is(network.graph))
        scratch = [max(scratch_of(network, i) for i in range(first, last + 1)) for first, last in merged.spans]
        yield from _in_strips(merged.graph, merged.spans, scratch)

    def tilings(self, options: TilingOptions) -> Mapping[str, Tiling]:
        return {"strips": InStrips(options.patches)}

    def tile_memory(self, convolutions: Sequence[tdsl.Conv2dOp], target: str) -> None:
        return None


STRIPS = Strips()


def _in_strips(graph: Graph, spans: Sequence[tuple[int, int]], scratch: Sequence[int]) -> Iterator[Segment]:
    """Yield the segments of at least two nodes in strips of each width.

    Operands and the result are whole, and do not overlap.

    spans: for each node, the nodes of the network that it represents.
    scratch: the additional bits that each node needs.
    """
    streams = Streams(graph, Slice.ROW)
    for last, end in enumerate(graph.nodes):
        columns = {count: columns_of_strips(graph, last, count) for count in _counts(graph.tensors[end.result].width)}
        extra, most = dict.fromkeys(columns, 0), 0
        for first in range(last, -1, -1):
            node = graph.nodes[first]
            if node.kind is Kind.ARRIVAL or any(read.sums or read.strides == (0, 0) for read in node.reads):
                break
            if any(node.result not in needed for needed in columns.values()):
                break
            most, width = max(most, scratch[first]), graph.tensors[node.result].width
            for count, needed in columns.items():
                extra[count] += node.macs * (needed[node.result].total - width) // width
            boundary = graph.boundary(first, last)
            if first == last or boundary.outputs != [end.result]:
                continue
            whole = boundary.through + graph.size(*boundary.kept, *boundary.dead, end.result) + most
            column = {name: streams.held(name) // graph.tensors[name].width for name in boundary.internal}
            for count, needed in columns.items():
                bits = whole + sum(each * needed[name].most for name, each in column.items())
                yield Segment(spans[first][0], spans[last][1], bits, InStrips(count), max(extra[count], 0))


def _counts(width: int) -> list[int]:
    """The numbers of strips, at least two, whose widest strips differ. Of several numbers with the same width, only
    the smallest is returned.

    width: the number of columns to divide.
    """
    widest = {-(-width // count): count for count in range(width, 1, -1)}
    return sorted(widest.values())
