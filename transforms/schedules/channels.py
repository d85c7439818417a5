"""Partial execution along channels (PEX, Liberis and Lane 2023, section 3, definition 11, algorithm 1, table 2).

In a loop over channels ops *generate* slices of one channel from whole operands, ops on channels *continue* with them,
and others *accumulate* their contributions to whole results, whose sums may need more bits than their elements. A loop
may have any number of each, across branches and joins; ops run in the topological order with the least peak.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.targets.tiles import TileFamily
from tinyml.transforms.schedules.ordinary import ordinary_in_programs, usual_segments
from tinyml.transforms.schedules.plans.channel_rules import ChannelNodes, Role, alive, consecutive
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.plans.segmentation import Segment, least_peak
from tinyml.transforms.schedules.plans.topological_orders import ChannelOrders
from tinyml.transforms.schedules.protocol import ROUNDED, Kernels, Rewrite, Schedule, Share, Tiling, TilingOptions
from tinyml.transforms.schedules.rewriting.channel_loop import ChannelLoop

LONGEST = 16
"""The most ops in a loop; the networks of the paper need fewer."""

SUM_BITS = 32, 16, 8
"""The permitted widths of sums, in bits."""


@dataclass(frozen=True)
class ByChannel(Tiling):
    """A loop over channels. sums: the width of accumulated sums in bits. channels: those computed in an iteration.

    Raises `InputError` for other widths of sums.
    """

    sums: int
    channels: int = 1

    def __post_init__(self) -> None:
        if self.sums not in SUM_BITS:
            raise InputError(f"sums have {', '.join(map(str, SUM_BITS))} bits, got {self.sums}")

    @property
    def name(self) -> str:
        return f"partial, sums of {self.sums} bits"

    def share(self, graph: Graph, segment: Segment, tensor: str) -> Share:
        image = graph.tensors[tensor]
        part = f"{self.channels} of {image.channels} channels"
        return Share(tensor, part, image.size // image.channels * self.channels)

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        loop = ChannelLoop(network, first, last, self.sums, self.channels)

        def rewrite(kernels: Kernels) -> str:
            loop.rewrite()
            mode = f"partial-{self.sums}"
            if self.channels > 1:
                mode += f", {self.channels} channels at once"
            return mode if loop.is_exact else f"{mode}, {ROUNDED}"

        return rewrite


class Partial(Schedule):
    """Loops over channels with sums of a given width."""

    def __init__(self, sums: int, help: str) -> None:
        self.name, self.help, self.rounds = f"partial-{sums}", help, sums < max(SUM_BITS)
        self.tiling = ByChannel(sums)

    def orders(self, graph: Graph) -> Iterator[Sequence[int]]:
        """Yield the order of the program and, if there is any, a better one for PEX's rules."""
        yield range(len(graph.nodes))
        chosen = least_peak(len(graph.nodes), self.segments(graph))
        assert chosen is not None
        better = ChannelOrders(graph, self.tiling.sums, LONGEST).least(chosen.bits)
        if better is not None:
            yield better

    def segments(self, graph: Graph) -> Iterator[Segment]:
        yield from usual_segments(graph)
        for loop, context in self._loops(graph):
            yield Segment(loop.nodes[0], loop.nodes[-1], context + loop.peak(), self.tiling)

    def program_segments(self, network: Network) -> Iterator[Segment]:
        """Count slices copied from or to a whole tensor and the windows of convolutions, too."""
        yield from ordinary_in_programs(network)
        sums = self.tiling.sums
        for loop, context in self._loops(network.graph):
            bits = context + loop.peak(copies=True) + _windows(network, loop, sums)
            yield Segment(loop.nodes[0], loop.nodes[-1], bits, self.tiling, len(loop.nodes))

    def _loops(self, graph: Graph) -> Iterator[tuple[ChannelNodes, int]]:
        """Yield the loops over consecutive nodes, each with the bits of the tensors that are whole in it."""
        for first in range(len(graph.nodes)):
            context = alive(graph, range(first))
            for last in range(first, min(first + LONGEST, len(graph.nodes))):
                loop = consecutive(graph, first, last)
                obstacle = loop.obstacle()
                if obstacle is None:
                    yield loop, context + loop.whole_bits(self.tiling.sums)
                elif obstacle.final:
                    break

    def tilings(self, options: TilingOptions) -> Mapping[str, Tiling]:
        return {"channels": ByChannel(options.sums, options.channels)}

    def tile_memory(self, convolutions: Sequence[tdsl.Conv2dOp], families: Sequence[TileFamily]) -> None:
        return None


PARTIAL_32 = Partial(
    32,
    "loops over channels (PEX, Liberis and Lane 2023), in the best order of the ops: some generate a channel of their "
    "result, ops on channels continue with it across branches and joins, others accumulate its part of sums of 32 bits",
)
PARTIAL_16 = Partial(16, "the same with sums of 16 bits, which may be rounded in between")
PARTIAL_8 = Partial(8, "the same with sums of 8 bits, which may be rounded in between")


def _windows(network: Network, loop: ChannelNodes, sum_bits: int) -> int:
    """The most bits of a window that an op of a loop gathers, of a pixel, and of what it adds to narrow sums."""
    most = 0
    for i in loop.nodes:
        bits, name = scratch_of(network, i), loop.graph.nodes[i].result
        if loop.roles[name] is not Role.GENERATE:
            bits = -(-bits // loop.channels)
        if loop.roles[name] is Role.ACCUMULATE and sum_bits < max(SUM_BITS):
            bits += loop.graph.tensors[name].channels * sum_bits
        most = max(most, bits)
    return most
