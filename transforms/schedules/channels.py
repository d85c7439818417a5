"""Partial execution along channels (PEX, Liberis and Lane 2023, section 3, definition 11, table 2).

In a loop over channels the first op *generates* a slice of one channel from a whole operand, ops on channels *continue*
with it, and the last *accumulates* its contribution to a whole result, whose sums may need more bits than its elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.targets.tiles import TileFamily
from tinyml.transforms.schedules.ordinary import ordinary_in_programs, usual_segments
from tinyml.transforms.schedules.plans.channel_rules import obstacle
from tinyml.transforms.schedules.plans.graph import Graph, Kind
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.plans.segmentation import Segment
from tinyml.transforms.schedules.protocol import ROUNDED, Kernels, Rewrite, Schedule, Share, Tiling
from tinyml.transforms.schedules.rewriting.channel_loop import ChannelLoop

LONGEST = 8
"""The most ops in a loop; the networks of the paper need fewer."""

SUM_BITS = 32, 16, 8
"""The permitted widths of sums, in bits."""


@dataclass(frozen=True)
class ByChannel(Tiling):
    """A loop over channels. sums: the width of the accumulated sums in bits; raises `InputError` for other widths."""

    sums: int

    def __post_init__(self) -> None:
        if self.sums not in SUM_BITS:
            raise InputError(f"sums have {', '.join(map(str, SUM_BITS))} bits, got {self.sums}")

    @property
    def name(self) -> str:
        return f"partial, sums of {self.sums} bits"

    def share(self, graph: Graph, segment: Segment, tensor: str) -> Share:
        image = graph.tensors[tensor]
        return Share(tensor, f"1 of {image.channels} channels", image.size // image.channels)

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        loop = ChannelLoop(network, first, last, self.sums)

        def rewrite(kernels: Kernels) -> str:
            loop.rewrite()
            mode = f"partial-{self.sums}"
            return mode if loop.is_exact else f"{mode}, {ROUNDED}"

        return rewrite


class Partial(Schedule):
    """Loops over channels with sums of a given width."""

    def __init__(self, sums: int, help: str) -> None:
        self.name, self.help, self.rounds = f"partial-{sums}", help, sums < max(SUM_BITS)
        self.tiling = ByChannel(sums)

    def segments(self, graph: Graph) -> Iterator[Segment]:
        yield from usual_segments(graph)
        yield from self._loops(graph)

    def program_segments(self, network: Network) -> Iterator[Segment]:
        """Count slices copied from or to a whole tensor and the windows of convolutions, too."""
        yield from ordinary_in_programs(network)
        scratch = [scratch_of(network, i) for i in range(len(network.graph.nodes))]
        for segment in self._loops(network.graph):
            first, last, bits, *_ = segment
            more = max(scratch[first : last + 1]) + _copied(network.graph, first, last)
            yield segment._replace(bits=bits + more, extra=last + 1 - first)

    def _loops(self, graph: Graph) -> Iterator[Segment]:
        for first in range(len(graph.nodes)):
            for last in range(first + 1, min(first + LONGEST, len(graph.nodes))):
                if (bits := bits_by_channel(graph, first, last, self.tiling.sums)) is not None:
                    yield Segment(first, last, bits, self.tiling)

    def tilings(self, sums: int, patches: int) -> Mapping[str, Tiling]:
        return {"channels": ByChannel(sums)}

    def tile_memory(self, convolutions: Sequence[tdsl.Conv2dOp], families: Sequence[TileFamily]) -> None:
        return None


PARTIAL_32 = Partial(
    32,
    "loops over channels (PEX, Liberis and Lane 2023): the first op generates a channel of its result, ops on channels "
    "continue with it, the last accumulates its part of sums of 32 bits",
)
PARTIAL_16 = Partial(16, "the same with sums of 16 bits, which may be rounded in between")
PARTIAL_8 = Partial(8, "the same with sums of 8 bits, which may be rounded in between")


def bits_by_channel(graph: Graph, first: int, last: int, sum_bits: int) -> int | None:
    """The bits alive in a loop over channels of nodes first to last; None where the rules of table 2 forbid the loop.

    The context of the loop, its whole operands and its result, is alive throughout. In addition two slices are alive:
    an operand and the result of an op on channels.
    """
    if obstacle(graph, first, last) is not None:
        return None
    nodes, boundary = graph.nodes[first : last + 1], graph.boundary(first, last)
    accumulates = nodes[-1].kind is Kind.CONTRACTION
    result = graph.tensors[nodes[-1].result]
    whole = result.size // result.bits * sum_bits if accumulates else result.size
    context = boundary.through + graph.size(*boundary.dead, *boundary.kept) + whole
    planes = [0, *(graph.size(node.result) // graph.tensors[node.result].channels for node in nodes[:-1]), 0]
    return context + max(a + b for a, b in pairwise(planes))


def _copied(graph: Graph, first: int, last: int) -> int:
    """The bits of copied slices: the operand of the first op, the result of the last, and further elementwise operands.

    A slice computed by a convolution, or passed on from the op before, needs no copy.
    """

    def plane(name: str) -> int:
        return graph.size(name) // graph.tensors[name].channels

    copied = 0
    if graph.nodes[first].kind is not Kind.CONTRACTION:
        copied += plane(graph.nodes[first].reads[0].tensor)
    if graph.nodes[last].kind is not Kind.CONTRACTION:
        copied += plane(graph.nodes[last].result)
    for before, node in pairwise(graph.nodes[first : last + 1]):
        if node.kind is Kind.ELEMENTWISE:
            copied += sum(plane(name) for name in node.operands if name != before.result)
    return copied
