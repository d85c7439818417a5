"""Execution of a function by the plan of a schedule, whose segments are rewritten (`plan-execution`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Operation

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.targets.registry import board
from tinyml.transforms.schedules.ordinary import Whole
from tinyml.transforms.schedules.plans.network import Network, network_of
from tinyml.transforms.schedules.protocol import Schedule, TilingOptions
from tinyml.transforms.schedules.rewriting.copied_images import weighed, with_given_input, without_given_input
from tinyml.transforms.schedules.segments import Kernels, Plan, Segment
from tinyml.transforms.schedules.table import AUTO, ORDINARY
from tinyml.transforms.schedules.tiling.window_tiles import AMPLE_MEMORY, TileMemory, stack_of

SEGMENTS = Statistic("num-segments", "Number of segments that are not ordinary")


@dataclass(frozen=True)
class PlannedExecution:
    """Execution by the plans of a schedule.

    ram, extra, target: as in `plan-execution`.
    """

    schedule: Schedule
    ram: int | None
    extra: int
    target: str

    def run(self, function: func.FuncOp, *, usual: bool) -> Iterator[DictionaryAttr]:
        """Rewrite a function, and yield an entry of `tinyml.plan` for each segment that is not executed in the ordinary
        way. A function without a plan is unchanged if the schedule is `auto` or `ordinary`; any other schedule
        raises `InputError`.

        usual: true to only copy or transpose images whose channels come first; all ops then run in ordinary execution.
        """
        schedule = self.schedule
        try:
            limit = self._limit(function, network_of(function))
            plan = partial(self._plan, function=function, ram=limit)
            network = weighed(function, plan, limit, turns=board(self.target).fabric is None)
        except InputError as error:
            if schedule.name not in (AUTO, ORDINARY):
                raise
            missed(function, f"runs op by op: {error.message}")
            return
        if usual:
            return
        plan = self._plan(network, function, limit)
        network = network.in_order(plan.order)
        if list(plan.order) != sorted(plan.order):
            arrange(network)
        nodes = network.graph.nodes
        for segment, by in self._run(network, plan, limit):
            ends = {"first": nodes[segment.first].result, "last": nodes[segment.last].result}
            SEGMENTS.add(function)
            values: dict[str, Attribute] = {name: StringAttr(value) for name, value in {**ends, "by": by}.items()}
            if schedule.recomputes:
                values["more_macs"] = IntegerAttr(segment.extra, i64)
            yield DictionaryAttr(values)

    def _limit(self, function: func.FuncOp, network: Network) -> int | None:
        """The limit on live bytes. None without a limit.

        A limit that a search recorded also includes the stack and an input in the caller's array. Their bytes are
        subtracted from it.
        """
        searched = function.attributes.get(tdsl.RAM)
        if self.ram is not None or not isinstance(searched, IntegerAttr):
            return self.ram
        besides = stack_of(network.convolutions(), self.target)
        given = tdsl.read_input(function)
        if not given.reused and given.received is None:
            for value in function.body.block.args:
                besides += prod(tdsl.shape_of(value)) * tdsl.format_of(value).dtype.itemsize
        return max(searched.value.data - besides, 0)

    def _plan(self, network: Network, function: func.FuncOp, ram: int | None) -> Plan:
        if not self.schedule.counts_given_input:
            network = without_given_input(network, function)
        elif not self.schedule.recomputes:
            network = with_given_input(network, function)
        return self.schedule.program_plan(network, ram, network.graph.macs * self.extra // 100)

    def _run(self, network: Network, plan: Plan, ram: int | None) -> Iterator[tuple[Segment, str]]:
        """Rewrite the segments of a plan. Yield each segment that is not executed in the ordinary way, with the name of
        its tiling.

        ram: the limit on live bytes. Kernels that compute several pixels at once may use half of the bytes that a
            segment leaves. None for no limit; the memory for these kernels then depends on the schedule.
        """
        beyond = self.schedule.tile_memory(network.convolutions(), self.target)
        alive = [segment.bits - segment.tiling.gathered(network, segment) for segment in plan.segments]
        for segment, bits in zip(plan.segments, alive, strict=True):
            kernels = Kernels(self.target, AMPLE_MEMORY)
            if beyond is not None and ram is not None:
                # Packing needs more than the live bytes: half of the rest is for results next to operands.
                left = TileMemory(AMPLE_MEMORY.input_tile, max(ram - -(-segment.bits // 8), 0) // 2)
                kernels = Kernels(self.target, left, left)
            elif beyond is not None:
                left = beyond.input_tile + (max(alive) - bits) // 8
                kernels = Kernels(self.target, TileMemory(left), TileMemory(left, left // 2))
            (first, *_), last = network.ops[segment.first], network.graph.nodes[segment.last]
            bytes = f"with {-(-segment.bits // 8)} bytes alive"
            if isinstance(segment.tiling, Whole):
                reason = partial(_why_whole, network, segment, self.schedule)
                missed(first, lambda bytes=bytes, reason=reason: f"is executed whole, {bytes}: {reason()}")
            else:
                passed(first, f"is {segment.schedule}, to {last.result}, {bytes}")
            by = segment.tiling.rewrite(network, segment.first, segment.last)(kernels)
            if by is not None:
                yield segment, by


class RoundedSums(PlannedExecution):
    """The rounding of sums that a plan causes, applied to ops on whole images. The plan is not executed otherwise."""

    def _run(self, network: Network, plan: Plan, ram: int | None) -> Iterator[tuple[Segment, str]]:
        for segment in plan.segments:
            segment.tiling.round_sums(network, segment.first, segment.last)
        yield from ()


def _why_whole(network: Network, segment: Segment, schedule: Schedule) -> str:
    """The reason why a schedule runs a segment of one node on whole tensors instead of in parts."""
    if whole := [read.tensor for read in network.graph.nodes[segment.last].reads if read.strides == (0, 0)]:
        return f"it reads all of {', '.join(whole)}"
    obstacles = [tiling.obstacle(network, segment) for tiling in schedule.tilings(TilingOptions()).values()]
    return next(filter(None, obstacles), "no segment around it needs fewer bytes")


def arrange(network: Network) -> None:
    """Sort the ops of a function into the order of a network's nodes. Each op follows the ops on which it depends."""
    block = network.ops[0][0].parent
    assert block is not None
    *ops, end = block.ops
    of_nodes = {op for group in network.ops for op in group}
    depends: set[Operation] = set()
    """The ops that depend on nodes; they precede the first of their readers. Others stay at the beginning."""
    for op in ops:
        if op in of_nodes or any(value.owner in depends for value in op.operands):
            depends.add(op)
    placed = {op for op in ops if op not in depends}

    def place(op: Operation) -> None:
        if op in placed or op.parent is not block:
            return
        placed.add(op)
        for value in op.operands:
            if isinstance(value.owner, Operation):
                place(value.owner)
        op.detach()
        block.insert_op_before(op, end)

    for group in network.ops:
        for op in group:
            place(op)
    for op in ops:
        place(op)
