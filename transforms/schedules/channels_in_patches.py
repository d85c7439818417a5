"""Loops over channels inside patches: one plan splits an image both into tiles and by channels (PEX, appendix B).

In a tile of the last result, some ops run as a loop over channels. The slice of a channel and the sums then have the
size of the part of the image that the tile needs. Because a tile needs fewer bytes, tiles can be fewer and larger, and
less is computed repeatedly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.channels import PARTIAL_32, ByChannel
from tinyml.transforms.schedules.ordinary import ONE_BY_ONE, ordinary
from tinyml.transforms.schedules.patches import PATCHES, TILES, patches
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.halos import extents_of_parts
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.plans.segmentation import least_peak
from tinyml.transforms.schedules.protocol import Schedule, TilingOptions
from tinyml.transforms.schedules.rewriting.channel_patches import ChannelPatches, runs_in_tiles
from tinyml.transforms.schedules.segments import Kernels, NotTiled, Plan, Rewrite, Segment, Share, Tiling


@dataclass(frozen=True)
class ByChannelInPatches(Tiling):
    """Loops over count x count tiles of the last result. Inside a tile, ops run one by one or channel by channel."""

    count: int

    @property
    def name(self) -> str:
        return f"{self.count}x{self.count} patches by channels"

    def share(self, graph: Graph, segment: Segment, tensor: str) -> Share:
        tile = _tile(graph, segment.last, self.count)
        inner = _least(PARTIAL_32.segments(tile), segment.last)
        part = tile.tensors[tensor]
        for loop in inner.segments:
            made = [node.result for node in graph.nodes[loop.first : loop.last + 1]]
            if isinstance(loop.tiling, ByChannel) and tensor in made and graph.last_use[tensor] <= loop.last:
                text = f"{part.pixels} of {graph.tensors[tensor].pixels} pixels of a channel"
                return Share(tensor, text, part.pixels * part.bits)
        return Share.of_pixels(graph, tensor, part.pixels)

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        if first:
            raise NotTiled("patches begin with the network")
        inner = _least_in_program(network, last, self.count, _runnable(network))
        channels = [(one.first, one.last) for one in inner.segments if isinstance(one.tiling, ByChannel)]
        if not channels:
            raise NotTiled("no loop over channels takes less memory in a tile than its ops one by one")
        loops = ChannelPatches(network, last, self.count, channels, PARTIAL_32.tiling.sums)

        def rewrite(kernels: Kernels) -> str:
            loops.rewrite()
            return self.name

        return rewrite


class ChannelsInPatches(Schedule):
    """A schedule that computes the first ops patch by patch, and the remaining ops channel by channel or in the
    ordinary schedule. Inside a patch, ops may also be computed channel by channel.
    """

    name = "channels-in-patches"
    help = (
        "the beginning of the network runs tile by tile, and within a tile op by op or by channels with sums of 32 "
        "bits; the rest runs as in `partial-32` (PEX, appendix B)"
    )
    recomputes = True
    counts_given_input = False

    def segments(self, graph: Graph) -> Iterator[Segment]:
        yield from PARTIAL_32.segments(graph)
        yield from PATCHES.segments(graph)
        for patched, count in _patched(graph):
            tile = _tile(graph, patched.last, count)
            yield from _joint(graph, patched, count, _least(PARTIAL_32.segments(tile), patched.last))

    def program_segments(self, network: Network) -> Iterator[Segment]:
        for segment in PARTIAL_32.program_segments(network):
            # The extra work of this schedule is what it recomputes.
            yield segment._replace(extra=0)
        yield from PATCHES.program_segments(network)
        runnable = _runnable(network)
        for patched, count in _patched(network.graph):
            inner = _least_in_program(network, patched.last, count, runnable)
            yield from _joint(network.graph, patched, count, inner)

    def tilings(self, options: TilingOptions) -> Mapping[str, Tiling]:
        return {"channels-in-patches": ByChannelInPatches(options.patches)}

    def tile_memory(self, convolutions: Sequence[tdsl.Conv2dOp], target: str) -> None:
        return None


CHANNELS_IN_PATCHES = ChannelsInPatches()


def _patched(graph: Graph) -> Iterator[tuple[Segment, int]]:
    """Yield segments in patches, each with its number of patches per axis. They increase the work of the network by
    at most a factor of two.
    """
    for last in range(len(graph.nodes)):
        for count in TILES:
            segment = patches(graph, last, count)
            if segment is not None and segment.extra <= graph.macs:
                yield segment, count


def _joint(graph: Graph, patched: Segment, count: int, inner: Plan) -> Iterator[Segment]:
    bits = graph.size(graph.nodes[patched.last].result) + inner.bits
    if any(isinstance(one.tiling, ByChannel) for one in inner.segments) and bits < patched.bits:
        yield patched._replace(bits=bits, tiling=ByChannelInPatches(count))


def _tile(graph: Graph, last: int, count: int) -> Graph:
    parts = extents_of_parts(graph, last, count)
    made = {node.result: parts[node.result] for node in graph.nodes[: last + 1]}
    tensors = {
        name: image if name not in made else image._replace(height=made[name][0], width=made[name][1])
        for name, image in graph.tensors.items()
        if name in made or name in graph.inputs
    }
    return Graph(tensors, graph.inputs, graph.nodes[: last + 1], (graph.nodes[last].result, *graph.inputs))


def _least(candidates: Iterable[Segment], last: int) -> Plan:
    plan = least_peak(last + 1, candidates)
    assert plan is not None
    return plan


def _runnable(network: Network) -> list[tuple[int, int]]:
    loops = ((loop.nodes[0], loop.nodes[-1]) for loop in PARTIAL_32.loops(network.graph))
    return [ends for ends in loops if runs_in_tiles(network, *ends, PARTIAL_32.tiling.sums)]


def _least_in_program(network: Network, last: int, count: int, runnable: Sequence[tuple[int, int]]) -> Plan:
    tile = _tile(network.graph, last, count)
    program = replace(network, graph=tile)
    alone = (Segment(i, i, ordinary(tile, i) + scratch_of(network, i), ONE_BY_ONE) for i in range(last + 1))
    loops = (PARTIAL_32.program_loop(program, *ends) for ends in runnable if ends[1] <= last)
    return _least([*alone, *loops], last)
