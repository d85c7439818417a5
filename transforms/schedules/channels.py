"""Partial execution along channels (PEX, Liberis and Lane 2023, section 3, definition 11, algorithm 1, table 2).

Ops have three roles in a loop over channels. Ops that *generate* compute slices of one channel from whole operands. Ops
that *continue* compute slices from slices. Ops that *accumulate* add the contributions of slices to whole results. The
sums of these results may need more bits than the elements of the results. A loop may have any number of ops of each
role, across branches and joins. Ops run in the topological order with the lowest peak.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.transforms.schedules.ordinary import ordinary_in_programs, usual_segments
from tinyml.transforms.schedules.plans.channel_rules import ChannelNodes, Role, alive, consecutive
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.plans.segmentation import least_peak
from tinyml.transforms.schedules.plans.topological_orders import ChannelOrders
from tinyml.transforms.schedules.protocol import Schedule, TilingOptions, Width
from tinyml.transforms.schedules.rewriting.channel_loop import ChannelLoop
from tinyml.transforms.schedules.segments import ROUNDED_SUFFIX, Kernels, Plan, Rewrite, Segment, Share, Tiling

MAX_LOOP_OPS = 16
"""Maximum ops in a loop; the networks of the paper need fewer."""

SUM_BITS = 32, 16, 8
"""The permitted widths of sums, in bits."""


@dataclass(frozen=True)
class ByChannel(Tiling):
    """A loop over channels.

    sums: the width of accumulated sums in bits.
    channels: the number of channels per iteration.

    Raises `InputError` for a width of sums that is not supported.
    """

    sums: int
    channels: int = 1

    def __post_init__(self) -> None:
        if self.sums not in SUM_BITS:
            raise InputError(f"sums have {', '.join(map(str, SUM_BITS))} bits, got {self.sums}")

    @property
    def name(self) -> str:
        several = f", {self.channels} channels at once" if self.channels > 1 else ""
        return f"partial, sums of {self.sums} bits{several}"

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
            return mode if loop.is_exact else f"{mode}, {ROUNDED_SUFFIX}"

        return rewrite

    def round_sums(self, network: Network, first: int, last: int) -> None:
        ChannelLoop(network, first, last, self.sums, self.channels).round_sums()


class Partial(Schedule):
    """The schedule with loops over channels, which accumulate sums of a given width."""

    widens = True

    def __init__(self, sums: int, help: str) -> None:
        self.name, self.help, self.rounds = f"partial-{sums}", help, sums < max(SUM_BITS)
        self.tiling = ByChannel(sums)

    def orders(self, graph: Graph) -> Iterator[Sequence[int]]:
        """Yield the order of the program, then an order with a lower peak by PEX's rules if the search finds one."""
        yield range(len(graph.nodes))
        chosen = least_peak(len(graph.nodes), self.segments(graph))
        assert chosen is not None
        better = ChannelOrders(graph, self.tiling.sums, MAX_LOOP_OPS).least(chosen.bits)
        if better is not None:
            yield better

    def segments(self, graph: Graph) -> Iterator[Segment]:
        yield from usual_segments(graph)
        for loop in self.loops(graph):
            yield self._segment(loop, 1)

    def program_segments(self, network: Network) -> Iterator[Segment]:
        """Yield the segments. Their memory includes copied slices and the windows of convolutions."""
        yield from ordinary_in_programs(network)
        for loop in self.loops(network.graph):
            yield self._program_segment(network, loop, 1)

    def program_plan(self, network: Network, ram: int | None = None, most_extra: int | None = None) -> Plan:
        """The plan with the lowest peak if loops compute one channel at a time.

        ram: the limit on live bytes. With a limit, each loop computes as many channels at once as fit (remark 4).
        most_extra: as in `Schedule.program_plan`.
        """
        plan = super().program_plan(network, ram, most_extra)
        if ram is None:
            return plan
        ordered, limit = network.in_order(plan.order), max(plan.bits, 8 * ram)

        def widest(segment: Segment) -> Segment:
            if not isinstance(segment.tiling, ByChannel):
                return segment
            loop = consecutive(ordered.graph, segment.first, segment.last)
            several = (self._program_segment(ordered, loop, count) for count in reversed(divisors(loop.channels)))
            return next(wide for wide in several if wide.bits <= limit and wide.tiling.runs(ordered, wide))

        segments = tuple(map(widest, plan.segments))
        return plan._replace(segments=segments, bits=max((segment.bits for segment in segments), default=0))

    def widths(self, graph: Graph, plan: Plan) -> list[Width]:
        """The costs of a plan for each number of channels that some loop of the plan can compute at once.

        A loop that cannot compute this number of channels computes the greatest possible number below it.
        """
        ordered = graph.in_order(plan.order)
        loops = {
            segment: consecutive(ordered, segment.first, segment.last)
            for segment in plan.segments
            if isinstance(segment.tiling, ByChannel)
        }

        def width(most: int) -> Width:
            bits = turns = sums = 0
            for segment in plan.segments:
                if (loop := loops.get(segment)) is not None:
                    count = max(number for number in divisors(loop.channels) if number <= most)
                    segment = self._segment(loop, count)
                    turns += len(loop.nodes) * (loop.channels // count)
                    sums += 2 * loop.accumulated * (loop.channels // count)
                bits = max(bits, segment.bits)
            return Width(most, bits, turns, sums)

        return [width(most) for most in sorted({n for loop in loops.values() for n in divisors(loop.channels)})]

    def _segment(self, loop: ChannelNodes, channels: int) -> Segment:
        bits = self._whole(loop) + channels * loop.peak()
        return Segment(loop.nodes[0], loop.nodes[-1], bits, ByChannel(self.tiling.sums, channels))

    def _program_segment(self, network: Network, loop: ChannelNodes, channels: int) -> Segment:
        tiling = ByChannel(self.tiling.sums, channels)
        bits = self._whole(loop) + channels * loop.peak(copies=True) + _windows(network, loop, tiling)
        return Segment(loop.nodes[0], loop.nodes[-1], bits, tiling, len(loop.nodes))

    def program_loop(self, network: Network, first: int, last: int) -> Segment:
        """The segment for a loop over the channels of nodes `first` to `last`, inclusive.

        Its memory includes all memory that a compiled program needs.
        """
        return self._program_segment(network, consecutive(network.graph, first, last), 1)

    def _whole(self, loop: ChannelNodes) -> int:
        return alive(loop.graph, range(loop.nodes[0])) + loop.whole_bits(self.tiling.sums)

    def loops(self, graph: Graph) -> Iterator[ChannelNodes]:
        """Yield all loops over channels of at most `MAX_LOOP_OPS` consecutive nodes that may run."""
        for first in range(len(graph.nodes)):
            for last in range(first, min(first + MAX_LOOP_OPS, len(graph.nodes))):
                loop = consecutive(graph, first, last)
                obstacle = loop.obstacle()
                if obstacle is None:
                    yield loop
                elif obstacle.final:
                    break

    def tilings(self, options: TilingOptions) -> Mapping[str, Tiling]:
        return {"channels": ByChannel(options.sums, options.channels)}

    def tile_memory(self, convolutions: Sequence[tdsl.Conv2dOp], target: str) -> None:
        return None


PARTIAL_32 = Partial(
    32,
    "loops over channels (PEX, Liberis and Lane 2023), in the order of ops with the least peak: one op computes a "
    "channel of its result, elementwise and depthwise ops process this channel across branches and joins, and another "
    "op adds its contribution to sums of 32 bits",
)
PARTIAL_16 = Partial(16, "as `partial-32`, with sums of 16 bits, which may be rounded after each channel")
PARTIAL_8 = Partial(8, "as `partial-32`, with sums of 8 bits, which may be rounded after each channel")


def divisors(number: int) -> list[int]:
    return [count for count in range(1, number + 1) if number % count == 0]


def _windows(network: Network, loop: ChannelNodes, tiling: ByChannel) -> int:
    most = 0
    for i in loop.nodes:
        bits, name = scratch_of(network, i), loop.graph.nodes[i].result
        if loop.roles[name] is not Role.GENERATE:
            copied = loop.roles[name] is Role.CONTINUE and tiling.channels > 1
            bits = -(-bits // loop.channels) * (tiling.channels + copied)
        if loop.roles[name] is Role.ACCUMULATE and tiling.sums < max(SUM_BITS):
            bits += loop.graph.tensors[name].channels * tiling.sums
        most = max(most, bits)
    return most
