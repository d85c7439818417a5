"""The interface of schedules.

A *schedule* is a row of a table, which `--plan` and `tinyml plan` select by name. It proposes segments of a network,
from which the plan with the lowest peak is chosen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tinyml.dialects import tdsl
from tinyml.dialects.plugins import expected, wrong_result
from tinyml.dialects.remarks import missed
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.plans.segmentation import cheapest, least_peak
from tinyml.transforms.schedules.segments import Plan, Segment, Tiling
from tinyml.transforms.schedules.tiling.window_tiles import TileMemory, small_memory


class TilingOptions(NamedTuple):
    """The options of `tile-segment` for the execution of a segment.

    sums: the width of accumulated sums in bits.
    patches: the number of parts along each sliced axis.
    channels: the number of channels per iteration.
    """

    sums: int = 32
    patches: int = 2
    channels: int = 1


class Width(NamedTuple):
    """The costs of a plan whose loops compute several channels at once.

    channels: the maximum number of channels per iteration.
    bits: the greatest number of live bits.
    turns: the number of executions of ops in loops, summed over all of these ops.
    sums: the number of partial sums that are read and written.
    """

    channels: int
    bits: int
    turns: int
    sums: int


class Schedule(ABC):
    """A row of the table of schedules.

    name: the mode in `tinyml plan`, `plan-execution` and `--plan`.
    help: the row's text in docs/schedules.md.
    rounds: whether partial sums may be rounded, so that results differ from ordinary execution.
    sliced: whether segments run in slices, for which memory matters more than time.
    recomputes: whether some values are computed several times; the `extra` of segments then counts
        multiply-accumulates, which plans limit and report.
    counts_given_input: whether the memory of a program's plan includes an input in the caller's array.
    in_auto: whether the schedule `auto` considers this schedule's program segments.
    takes_ram: whether the plan is the fastest within a memory limit instead of the one with the lowest peak.
    widens: whether loops over channels compute as many channels at once as a memory limit permits.
    """

    name: str
    help: str
    rounds = False
    sliced = True
    recomputes = False
    counts_given_input = True
    in_auto = False
    takes_ram = False
    widens = False

    @abstractmethod
    def segments(self, graph: Graph) -> Iterator[Segment]:
        """Yield the candidate segments, with memory counted as in the published papers. They must cover any graph."""

    @abstractmethod
    def program_segments(self, network: Network) -> Iterator[Segment]:
        """Yield the candidate segments of a compiled program, with the memory of the program. They must cover
        any network.

        `extra` is the time in excess of ordinary execution, about one for each node, or multiply-accumulates if
        the schedule recomputes. Segments that cannot run (`Tiling.runs`) are removed later.
        """

    def orders(self, graph: Graph) -> Iterator[Sequence[int]]:
        """Yield the topological orders of the nodes for which plans are computed. Among equal plans, the plan
        of the first order is used.
        """
        yield range(len(graph.nodes))

    def tilings(self, options: TilingOptions) -> Mapping[str, Tiling]:
        """The tilings that this schedule adds to `tile-segment`, by the value of the option `by`."""
        return {}

    def tile_memory(self, convolutions: Sequence[tdsl.Conv2dOp], target: str) -> TileMemory | None:
        """The memory, in addition to a plan's peak, for computing several pixels at once. None if a plan permits none.

        convolutions: the convolutions of the program.
        target: the board.
        """
        return small_memory(convolutions, target)

    def plan(self, graph: Graph, most_extra: int | None = None) -> Plan:
        """The plan of a graph with the lowest peak, with memory counted as in the published papers.

        most_extra: a limit on the number of multiply-accumulates in excess of the network's own.
        """

        def in_order(order: Sequence[int]) -> Plan:
            chosen = least_peak(len(graph.nodes), self.segments(graph.in_order(order)), most_extra)
            if chosen is None:
                raise wrong_result(type(self), "the segments do not cover the network")
            return chosen._replace(order=tuple(order))

        return min(map(in_order, self.orders(graph)), key=lambda plan: (plan.bits, plan.extra))

    def program_plan(self, network: Network, ram: int | None = None, most_extra: int | None = None) -> Plan:
        """The plan of a compiled program with the lowest peak or, if `takes_ram`, the least time.

        ram: the limit on live bytes, including scratch memory; if no plan fits, the plan with the lowest peak is
            returned.
        most_extra: a limit on the number of multiply-accumulates in excess of the network's own, if the schedule
            recomputes.
        """
        limit = 8 * ram if self.takes_ram and ram is not None else None

        def rank(plan: Plan) -> tuple[int, int]:
            within = limit is not None and plan.bits <= limit
            return 0 if within else plan.bits, plan.extra

        plans = (self._program_plan(network, order, limit, most_extra) for order in self.orders(network.graph))
        return min(plans, key=rank)

    def widths(self, graph: Graph, plan: Plan) -> Sequence[Width]:
        """The costs of a plan for increasing numbers of channels at once. Empty without loops over channels."""
        return ()

    def _program_plan(self, network: Network, order: Sequence[int], limit: int | None, most_extra: int | None) -> Plan:
        ordered = network.in_order(order)
        known = [expected(segment, Segment, self.program_segments) for segment in self.program_segments(ordered)]
        while True:
            plan = cheapest(len(order), known, limit) if limit is not None else None
            plan = plan or least_peak(len(order), known, most_extra if self.recomputes else None)
            if plan is None:
                raise wrong_result(type(self), "the segments do not cover the network")
            refused: list[Segment] = []
            for segment in plan.segments:
                if (reason := segment.tiling.obstacle(ordered, segment)) is not None:
                    refused.append(segment)
                    first, *_ = ordered.ops[segment.first]
                    last = ordered.graph.nodes[segment.last].result
                    missed(first, f"is not {segment.schedule}, to {last}: {reason}")
            if not refused:
                return plan._replace(order=tuple(order))
            known = [segment for segment in known if segment not in refused]
