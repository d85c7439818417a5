"""Patches (MCUNet-v2, Lin et al. 2021): the first ops of a network run tile by tile, with overlapping halos."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.ordinary import ONE_BY_ONE, each, ordinary, ordinary_in_programs
from tinyml.transforms.schedules.plans.graph import Graph, Kind
from tinyml.transforms.schedules.plans.halos import areas_of_tiles
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.protocol import Schedule, TilingOptions
from tinyml.transforms.schedules.rewriting.patch_loops import PatchLoops
from tinyml.transforms.schedules.segments import Kernels, Rewrite, Segment, Share, Tiling

TILES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 28)
"""The candidate numbers of patches along each axis."""


@dataclass(frozen=True)
class InPatches(Tiling):
    """Loops over count x count tiles of the last result. Ops compute only the parts that the current tile needs."""

    count: int

    @property
    def name(self) -> str:
        return f"{self.count}x{self.count} patches"

    def share(self, graph: Graph, segment: Segment, tensor: str) -> Share:
        tiles = areas_of_tiles(graph, segment.last, self.count)
        most = max((areas[tensor] for _, areas in tiles if tensor in areas), default=0)
        return Share.of_pixels(graph, tensor, most)

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        loops = PatchLoops(network, first, last, self.count)

        def rewrite(kernels: Kernels) -> str:
            loops.rewrite()
            return self.name

        return rewrite


class Patches(Schedule):
    """The schedule that runs the first ops in patches and the remaining ops in ordinary execution."""

    name = "patches"
    help = (
        "the beginning of the network runs tile by tile (MCUNet-v2, Lin et al. 2021) and recomputes overlaps of tiles"
    )
    recomputes = True
    counts_given_input = False

    def segments(self, graph: Graph) -> Iterator[Segment]:
        yield from each(graph, ONE_BY_ONE, ordinary)
        for last in range(len(graph.nodes)):
            yield from _patches(graph, last)

    def program_segments(self, network: Network) -> Iterator[Segment]:
        yield from ordinary_in_programs(network)
        scratch = 0
        for last in range(len(network.graph.nodes)):
            scratch = max(scratch, scratch_of(network, last))
            for segment in _patches(network.graph, last):
                yield segment._replace(bits=segment.bits + scratch)

    def tilings(self, options: TilingOptions) -> Mapping[str, Tiling]:
        return {"patches": InPatches(options.patches)}

    def tile_memory(self, convolutions: Sequence[tdsl.Conv2dOp], target: str) -> None:
        return None


PATCHES = Patches()


def _patches(graph: Graph, last: int) -> Iterator[Segment]:
    yield from filter(None, (patches(graph, last, count) for count in TILES))


def patches(graph: Graph, last: int, count: int) -> Segment | None:
    """The segment of the nodes up to `last` as count x count tiles of the last result. None if that is impossible.

    Input and result are whole; the input must not arrive row by row. For each tile, ops run one after the other on the
    parts that the tile needs. The overlap with neighbouring tiles is computed repeatedly. These repeated computations
    are the segment's `extra` work.
    """
    nodes, boundary = graph.nodes[: last + 1], graph.boundary(0, last)
    result = graph.nodes[last].result
    image = graph.tensors[result]
    if any(node.kind is Kind.ARRIVAL or read.sums for node in nodes for read in node.reads):
        return None
    if boundary.outputs != [result] or boundary.kept:
        return None
    if count > min(image[:2]):
        return None
    peak = work = 0
    alive = _alive(graph, last)
    for alike, areas in areas_of_tiles(graph, last, count):
        peak = max(peak, _peak(alive, areas))
        work += alike * sum(
            node.macs * areas[node.result] // graph.tensors[node.result].pixels
            for node in nodes
            if node.result in areas
        )
    bits = graph.size(*graph.inputs, result) + peak
    return Segment(0, last, bits, InPatches(count), work - sum(node.macs for node in nodes))


def _alive(graph: Graph, last: int) -> list[dict[str, int]]:
    whole = {*graph.inputs, graph.nodes[last].result}
    alive: list[dict[str, int]] = []
    for k, node in enumerate(graph.nodes[: last + 1]):
        names = {name for name, at in graph.producer.items() if at < k < graph.last_use[name] <= last}
        images = {name: graph.tensors[name] for name in (names | {*node.operands, node.result}) - whole}
        alive.append({name: image.channels * image.bits for name, image in images.items()})
    return alive


def _peak(alive: list[dict[str, int]], areas: dict[str, int]) -> int:
    return max(sum(areas[name] * bits for name, bits in images.items() if name in areas) for images in alive)
