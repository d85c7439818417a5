"""Strips: segments that run in strips of columns or rows, whose halos are computed again instead of stored.

msf-CNN (Huang and Baccelli 2025, section 4) fuses layers into blocks that compute their result strip by strip. Along a
strip, the rows that several windows cover are cached; columns that several strips need are recomputed. A path through
the cuts between layers chooses the blocks whose peak is lowest within a limit on the work. Here strips may have any
width, and segments without recomputation are streamed, or run by channels with sums of 32 bits. Strips of rows release
the operand row by row, so that the result may overwrite it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml.dialects import tdsl
from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.channels import PARTIAL_32
from tinyml.transforms.schedules.ordinary import ordinary_in_programs, usual_segments
from tinyml.transforms.schedules.plans.graph import Graph, Kind, Order
from tinyml.transforms.schedules.plans.halos import Columns, columns_of_strips, turned
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.protocol import Schedule, TilingOptions
from tinyml.transforms.schedules.rewriting.strip_loops import NarrowStreamLoops, StripLoops
from tinyml.transforms.schedules.rings.on_demand import Slice, Streams
from tinyml.transforms.schedules.rings.pooled_blocks import By, as_it_is, joined, streamed
from tinyml.transforms.schedules.rings.smallest_rings import smallest_rings
from tinyml.transforms.schedules.segments import Kernels, Plan, Rewrite, Segment, Share, Tiling
from tinyml.transforms.schedules.slices.channel_windows import narrow_scratch_of
from tinyml.transforms.schedules.streaming import Streamed, streamed_bits
from tinyml.transforms.schedules.tiling.window_tiles import TileMemory

_NARROW = ", single channels"
"""The end of the names of tilings in which depthwise convolutions gather windows of single channels."""


@dataclass(frozen=True)
class InStrips(Tiling):
    """A loop over `count` strips of the last result. Each strip of columns is streamed by rows, each strip of rows by
    columns.

    rows: whether strips consist of rows.
    narrow: whether depthwise convolutions gather windows of single channels.
    """

    count: int
    rows: bool = False
    narrow: bool = False

    @property
    def name(self) -> str:
        return f"{self.count} strips{' of rows' if self.rows else ''}{_NARROW if self.narrow else ''}"

    def share(self, graph: Graph, segment: Segment, tensor: str) -> Share:
        along = turned(graph) if self.rows else graph
        columns = columns_of_strips(along, segment.last, self.count)[tensor].most
        return Share.of_pixels(graph, tensor, Streams(along, Slice.ROW).ring(tensor) * columns)

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        loops = StripLoops(network, first, last, self.count, rows=self.rows, narrow=self.narrow)

        def rewrite(kernels: Kernels) -> str:
            loops.rewrite()
            return self.name

        return rewrite


class NarrowStreamed(Streamed):
    """Streaming in which depthwise convolutions gather windows of single channels."""

    @property
    def name(self) -> str:
        return super().name + _NARROW

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        rings = smallest_rings(network, first, last, self.by)

        def rewrite(kernels: Kernels) -> str:
            NarrowStreamLoops(network, rings, HOST, TileMemory(0)).rewrite()
            return self.name

        return rewrite


class Strips(Schedule):
    """The schedule whose plans combine segments in strips with segments that compute every value once."""

    name = "strips"
    help = (
        "segments run in strips of columns or rows, each streamed along the strip, and recompute the pixels that "
        "strips share (msf-CNN, Huang and Baccelli 2025); other segments run by rows, pixels, blocks or channels"
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
        for rows in (False, True):
            yield from _in_strips(graph, [(k, k) for k in range(nodes)], [0] * nodes, rows=rows)

    def program_segments(self, network: Network) -> Iterator[Segment]:
        yield from ordinary_in_programs(network)
        nodes = range(len(network.graph.nodes))
        usual, narrow = ([bits(network, i) for i in nodes] for bits in (scratch_of, narrow_scratch_of))
        alive = {by: streamed_bits(network, by) for by in By}
        for tiling, scratch, units in ((Streamed, usual, By), (NarrowStreamed, narrow, (By.ROWS, By.PIXELS))):
            for by in units:
                for (first, last), bits in alive[by].items():
                    yield Segment(first, last, bits + max(scratch[first : last + 1]), tiling(by))
        for segment in PARTIAL_32.program_segments(network):
            yield segment._replace(extra=0)
        merged = joined(as_it_is(network.graph))
        usual, narrow = ([max(each[first : last + 1]) for first, last in merged.spans] for each in (usual, narrow))
        for rows in (False, True):
            yield from _in_strips(merged.graph, merged.spans, usual, narrow, rows=rows)

    def program_plan(self, network: Network, ram: int | None = None, most_extra: int | None = None) -> Plan:
        """The plan of a compiled program with the lowest peak.

        Segments that need more than seven eighths of the peak gather windows of single channels, which leaves room for
        gaps in the packing.

        ram, most_extra: as in `Schedule.program_plan`.
        """
        plan = super().program_plan(network, ram, most_extra)
        ordered = network.in_order(plan.order)
        large = [8 * segment.bits > 7 * plan.bits for segment in plan.segments]
        segments = zip(plan.segments, large, strict=True)
        return plan._replace(segments=tuple(_narrowed(ordered, each) if wide else each for each, wide in segments))

    def tilings(self, options: TilingOptions) -> Mapping[str, Tiling]:
        return {"strips": InStrips(options.patches), "row-strips": InStrips(options.patches, rows=True)}

    def tile_memory(self, convolutions: Sequence[tdsl.Conv2dOp], target: str) -> None:
        return None


STRIPS = Strips()


def _narrowed(network: Network, segment: Segment) -> Segment:
    match segment.tiling:
        case InStrips(count, rows, False):
            tiling = InStrips(count, rows, narrow=True)
        case Streamed(by) if by is not By.BLOCKS and type(segment.tiling) is Streamed:
            tiling = NarrowStreamed(by)
        case _:
            return segment
    nodes = range(segment.first, segment.last + 1)
    wide, narrow = (max(bits(network, i) for i in nodes) for bits in (scratch_of, narrow_scratch_of))
    changed = segment._replace(tiling=tiling, bits=segment.bits - wide + narrow)
    return changed if narrow < wide and tiling.runs(network, changed) else segment


def _in_strips(
    graph: Graph,
    spans: Sequence[tuple[int, int]],
    scratch: Sequence[int],
    narrow_scratch: Sequence[int] | None = None,
    *,
    rows: bool,
) -> Iterator[Segment]:
    """Yield the segments of at least two nodes in strips of each width.

    Operands and the result are whole. In strips of rows, the result may overlap an operand.

    spans: for each node, the nodes of the network that it represents.
    scratch: the additional bits that each node needs.
    narrow_scratch: as `scratch`, if depthwise convolutions gather windows of single channels.
    rows: as in `InStrips`.
    """
    graph = turned(graph) if rows else graph
    streams = Streams(graph, Slice.ROW)
    options = {False: scratch} if narrow_scratch is None else {False: scratch, True: narrow_scratch}
    for last, end in enumerate(graph.nodes):
        columns = {count: columns_of_strips(graph, last, count) for count in _counts(graph.tensors[end.result].width)}
        extra = dict.fromkeys(columns, 0)
        for first in range(last, -1, -1):
            node = graph.nodes[first]
            if node.kind is Kind.ARRIVAL or any(read.sums or read.strides == (0, 0) for read in node.reads):
                break
            if any(node.result not in needed for needed in columns.values()):
                break
            width = graph.tensors[node.result].width
            for count, needed in columns.items():
                extra[count] += node.macs * (needed[node.result].total - width) // width
            boundary = graph.boundary(first, last)
            if first == last or boundary.outputs != [end.result]:
                continue
            whole = boundary.through + graph.size(*boundary.kept, *boundary.dead, end.result)
            most = {narrow: max(each[first : last + 1]) for narrow, each in options.items()}
            column = {name: streams.held(name) // graph.tensors[name].width for name in boundary.internal}
            for count, needed in columns.items():
                shared = [_shared(graph, name, end.result, needed) for name in boundary.dead] if rows else []
                bits = whole - max(shared, default=0) + sum(each * needed[name].most for name, each in column.items())
                for narrow, gathered in most.items():
                    tiling = InStrips(count, rows, narrow)
                    yield Segment(spans[first][0], spans[last][1], bits + gathered, tiling, max(extra[count], 0))


def _shared(graph: Graph, operand: str, result: str, needed: Mapping[str, Columns]) -> int:
    """The number of bits of an operand that the result of a segment in strips of rows can overwrite.

    graph: the network, in which rows and columns are exchanged.
    needed: the rows that strips need.
    """
    images = [graph.tensors[name] for name in (operand, result)]
    if any(image.order is not Order.PIXELS for image in images):
        return 0
    released, written = (image.size // image.width for image in images)
    starts, ends = needed[operand].starts, (*needed[result].starts[1:], images[1].width)
    # During a strip, the rows of the operand from its first one are still needed.
    distance = max(end * written - start * released for start, end in zip(starts, ends, strict=True))
    return images[1].size + images[0].size - max(max(distance, 0) + images[0].size, images[1].size)


def _counts(width: int) -> list[int]:
    """The numbers of strips, at least two, whose widest strips differ. Of several numbers with the same width, only
    the smallest is returned.

    width: the number of columns to divide.
    """
    widest = {-(-width // count): count for count in range(width, 1, -1)}
    return sorted(widest.values())
