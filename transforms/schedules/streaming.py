"""Streaming: a segment of a network runs as one loop nest, with intermediate values in ring buffers of rows or
pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.ordinary import ordinary_in_programs, usual_segments
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.protocol import Schedule, TilingOptions
from tinyml.transforms.schedules.rewriting.stream_loops import StreamLoops
from tinyml.transforms.schedules.rings.on_demand import Streams
from tinyml.transforms.schedules.rings.pooled_blocks import By, blocked, streamed
from tinyml.transforms.schedules.rings.smallest_rings import smallest_rings
from tinyml.transforms.schedules.segments import Kernels, Rewrite, Segment, Share, Tiling
from tinyml.transforms.schedules.tiling.window_tiles import TileMemory


@dataclass(frozen=True)
class Streamed(Tiling):
    """The tiling of a segment as one loop nest that computes each value once, when its first reader needs it."""

    by: By

    @property
    def name(self) -> str:
        return f"streamed by {self.by.value}"

    def share(self, graph: Graph, segment: Segment, tensor: str) -> Share:
        merged = blocked(graph).graph if self.by is By.BLOCKS else graph
        if tensor not in merged.tensors:
            return Share.of_pixels(graph, tensor, prod(graph.nodes[graph.last_use[tensor]].reads[0].kernel))
        image, slice = graph.tensors[tensor], self.by.slice
        count = Streams(merged, slice).ring(tensor)
        return Share(tensor, f"{count} of {slice.count(image)} {slice.value}s", count * slice.bits(image))

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        rings = smallest_rings(network, first, last, self.by)

        def rewrite(kernels: Kernels) -> str:
            StreamLoops(network, rings, kernels.target, kernels.inside).rewrite()
            return self.by.value

        return rewrite


SLOWNESS = {By.ROWS: 1, By.PIXELS: 3, By.BLOCKS: 2}
"""The rough time of streaming a node in excess of ordinary execution, in arbitrary units."""


class Streaming(Schedule):
    """A schedule with streamed segments and segments in ordinary execution.

    name, help: as in `Schedule`.
    steps: the units, such as rows or pixels, by which a segment can be streamed.
    """

    in_auto = True

    def __init__(self, name: str, help: str, *steps: By) -> None:
        self.name, self.help, self.steps = name, help, steps

    def segments(self, graph: Graph) -> Iterator[Segment]:
        yield from usual_segments(graph)
        for by in self.steps:
            for first, last, bits in streamed(graph, by):
                yield Segment(first, last, bits, Streamed(by))

    def program_segments(self, network: Network) -> Iterator[Segment]:
        yield from ordinary_in_programs(network)
        for by in self.steps:
            yield from streamed_in_programs(network, by)

    def tilings(self, options: TilingOptions) -> Mapping[str, Tiling]:
        return {by.value: Streamed(by) for by in self.steps}


class ByPixels(Streaming):
    """The schedule that streams pixel by pixel, without memory for tiles of several pixels."""

    def tile_memory(self, convolutions: Sequence[tdsl.Conv2dOp], target: str) -> TileMemory:
        return TileMemory(0)


ROWS = Streaming(
    "rows",
    "streaming: a segment of consecutive ops becomes one loop nest, in which a *ring* stores the last rows of each "
    "intermediate image; each row is computed once, and the result overwrites the segment's input",
    By.ROWS,
)
PIXELS = ByPixels(
    "pixels",
    "as `rows`, with rings of pixels; if the windows of a pool do not overlap, the convolution before it may compute "
    "its pixels block by block, without a ring",
    By.PIXELS,
    By.BLOCKS,
)


def streamed_in_programs(network: Network, by: By) -> Iterator[Segment]:
    """Yield the streamed segments of at least two nodes that can run in a compiled program."""
    scratch = [scratch_of(network, i) for i in range(len(network.graph.nodes))]
    for (first, last), bits in streamed_bits(network, by).items():
        time = SLOWNESS[by] * (last + 1 - first)
        yield Segment(first, last, bits + max(scratch[first : last + 1]), Streamed(by), time)


def streamed_bits(network: Network, by: By) -> dict[tuple[int, int], int]:
    """For the first and the last node of each segment of at least two nodes that can be streamed in a compiled program,
    the bits that are live, without scratch memory.
    """
    rows, graph = Streamed(By.ROWS), network.graph
    streams = [rows.runs(network, Segment(i, i, 0, rows)) for i in range(len(graph.nodes))]
    least = {(first, last): bits for first, last, bits in streamed(graph, by)}
    for first, last, bits in streamed(graph, by, packed=True):
        least[first, last] = min(bits, least.get((first, last), bits))
    return {
        (first, last): bits for (first, last), bits in least.items() if last > first and all(streams[first : last + 1])
    }
