"""`plan-execution`: chooses the segments of a network that are streamed or run in place, and rewrites them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.own_attributes import NAME, TEXT, OwnAttribute, Place, array, integer, record, text_of
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.targets.registry import HOST, board
from tinyml.transforms.schedules.ordinary import Whole
from tinyml.transforms.schedules.plans.network import Network, network_of
from tinyml.transforms.schedules.plans.segmentation import Plan, Segment
from tinyml.transforms.schedules.protocol import ROUNDED, Kernels, Schedule, TilingOptions
from tinyml.transforms.schedules.rewriting.arrangement import arrange
from tinyml.transforms.schedules.rewriting.copied_images import weighed, with_given_input
from tinyml.transforms.schedules.table import AUTO, ORDINARY, schedule_named
from tinyml.transforms.schedules.tiling.axis_orders import orders
from tinyml.transforms.schedules.tiling.window_tiles import AMPLE, TileMemory, stack_of

_SEGMENT = record("a segment", {"first": NAME, "last": NAME, "by": TEXT}, {"more_macs": integer(0)})

PLAN = OwnAttribute(
    "tinyml.plan",
    {Place.MODULE: array(_SEGMENT, "segments with `first`, `last` and `by`")},
    "The segments that are not ordinary: their ends and tiling, and the products that recomputing adds.",
)


SEGMENTS = Statistic("num-segments", "Number of segments that are not ordinary")


@dataclass(frozen=True)
class PlanExecutionPass(ModulePass):
    """Execute each function by a plan, and record its segments in the attribute `tinyml.plan` of the module.

    A plan is for the ops behind the last loop or branch; tensors computed before are whole.

    mode: a schedule of docs/schedules.md, whose plan with the least peak is taken; `ordinary` changes nothing, `auto`
    takes the fastest plan with at most `ram` bytes alive, or the one with the least peak, of streaming segments.
    ram: without it, `auto` is the mode that a search gave the function (`tdsl.mode`), or else ordinary execution,
    and computing several pixels at once is limited to the bytes of the search (`tdsl.ram`). In loops over channels,
    one is computed at a time, or as many as fit in `ram`. In every mode, an image whose channels come first is
    copied in the order of pixels, or transposed in place if the model may overwrite it, if that takes less memory, or
    in `auto` less time. target: as for printing C; its
    kernels determine the number of pixels computed at once in segments streamed by rows. extra: percentage of
    multiply-accumulates that patches may add to the network's. Raises `InputError` for another mode and, unless the
    mode is `ordinary` or `auto`, for functions that end in a loop or branch, and for batches of images.
    """

    name = "plan-execution"
    mode: str = AUTO
    ram: int | None = None
    extra: int = 30
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        asked = schedule_named(self.mode)
        segments: list[DictionaryAttr] = []
        for function in defined_functions(op):
            schedule = self._schedule(function, asked)
            usual = schedule.name == ORDINARY and not self._limits_tiles(function)
            if usual and not any(orders(function)):
                continue
            try:
                limit = self._limit(function, network_of(function))
                plan = partial(self._plan, function=function, schedule=schedule, ram=limit)
                network = weighed(function, plan, limit, turns=board(self.target).fabric is None)
            except InputError as error:
                if schedule.name not in (AUTO, ORDINARY):
                    raise
                missed(function, f"runs op by op: {error.message}")
                continue
            if usual:
                continue
            plan = self._plan(network, function, schedule, limit)
            network = network.in_order(plan.order)
            if list(plan.order) != sorted(plan.order):
                arrange(network)
            nodes = network.graph.nodes
            for segment, by in self._run(network, plan, schedule, limit):
                ends = {"first": nodes[segment.first].result, "last": nodes[segment.last].result}
                SEGMENTS.add(function)
                values: dict[str, Attribute] = {name: StringAttr(value) for name, value in {**ends, "by": by}.items()}
                if schedule.recomputes:
                    values["more_macs"] = IntegerAttr(segment.extra, i64)
                segments.append(DictionaryAttr(values))
        if segments:
            op.attributes[PLAN] = ArrayAttr(segments)

    def _limits_tiles(self, function: func.FuncOp) -> bool:
        """True if a limit on memory decides how many pixels the convolutions of a function compute at once."""
        limited = self.ram is not None or tdsl.RAM in function.attributes
        return limited and any(isinstance(op, tdsl.Conv2dOp) for op in function.body.block.ops)

    def _schedule(self, function: func.FuncOp, asked: Schedule) -> Schedule:
        """The schedule of a function; `auto` without `ram` takes the one recorded at the function."""
        if not asked.takes_ram or self.ram is not None:
            return asked
        chosen = function.attributes.get(tdsl.MODE)
        return schedule_named(chosen.data if isinstance(chosen, StringAttr) else ORDINARY)

    def _limit(self, function: func.FuncOp, network: Network) -> int | None:
        """The bytes that may be alive at once; the limit of a search includes stack and input."""
        searched = function.attributes.get(tdsl.RAM)
        if self.ram is not None or not isinstance(searched, IntegerAttr):
            return self.ram
        besides = stack_of(_convolutions(network), self.target)
        given = tdsl.read_input(function)
        if not given.reused and given.received is None:
            for value in function.body.block.args:
                besides += prod(tdsl.shape_of(value)) * tdsl.format_of(value).dtype.itemsize
        return max(searched.value.data - besides, 0)

    def _plan(self, network: Network, function: func.FuncOp, schedule: Schedule, ram: int | None) -> Plan:
        """The plan of a function by a schedule."""
        if not schedule.recomputes:
            network = with_given_input(network, function)
        return schedule.program_plan(network, ram, network.graph.macs * self.extra // 100)

    def _run(self, network: Network, plan: Plan, schedule: Schedule, ram: int | None) -> Iterator[tuple[Segment, str]]:
        """Rewrite the segments of a plan; yields each that is not ordinary, with its tiling.

        ram: the limit, in bytes, on the memory for several pixels at once.
        """
        beyond = schedule.tile_memory(_convolutions(network), self.target)
        alive = [segment.bits - segment.tiling.gathered(network, segment) for segment in plan.segments]
        for segment, bits in zip(plan.segments, alive, strict=True):
            kernels = Kernels(self.target, AMPLE)
            if beyond is not None and ram is not None:
                # Packing takes more than the bytes alive at once: half of the rest is for results next to operands.
                left = TileMemory(AMPLE.input_tile, max(ram - -(-segment.bits // 8), 0) // 2)
                kernels = Kernels(self.target, left, left)
            elif beyond is not None:
                left = beyond.input_tile + (max(alive) - bits) // 8
                kernels = Kernels(self.target, TileMemory(left), TileMemory(left, left // 2))
            (first, *_), last = network.ops[segment.first], network.graph.nodes[segment.last]
            bytes = f"with {-(-segment.bits // 8)} bytes alive"
            if isinstance(segment.tiling, Whole):
                reason = partial(_why_whole, network, segment, schedule)
                missed(first, lambda bytes=bytes, reason=reason: f"is executed whole, {bytes}: {reason()}")
            else:
                passed(first, f"is {segment.schedule}, to {last.result}, {bytes}")
            by = segment.tiling.rewrite(network, segment.first, segment.last)(kernels)
            if by is not None:
                yield segment, by


def _why_whole(network: Network, segment: Segment, schedule: Schedule) -> str:
    """Why a schedule leaves a segment of one node whole."""
    if whole := [read.tensor for read in network.graph.nodes[segment.last].reads if read.strides == (0, 0)]:
        return f"it reads all of {', '.join(whole)}"
    obstacles = [tiling.obstacle(network, segment) for tiling in schedule.tilings(TilingOptions()).values()]
    return next(filter(None, obstacles), "no segment around it needs fewer bytes")


def _convolutions(network: Network) -> list[tdsl.Conv2dOp]:
    return [op for [op, *_] in network.ops if isinstance(op, tdsl.Conv2dOp)]


@dataclass(frozen=True)
class _RoundedSums(PlanExecutionPass):
    """Round sums as a plan does, and execute nothing else of it."""

    def _run(self, network: Network, plan: Plan, schedule: Schedule, ram: int | None) -> Iterator[tuple[Segment, str]]:
        for segment in plan.segments:
            segment.tiling.round_sums(network, segment.first, segment.last)
        yield from ()


def in_whole_images(module: ModuleOp, ctx: Context, mode: str) -> ModuleOp:
    """A program at L1 with the bits of `with_rounded_sums`, in fewer ops, which are on whole images, in more memory."""
    rounded = module.clone()
    _RoundedSums(mode).apply(ctx, rounded)
    return rounded


def with_rounded_sums(module: ModuleOp, ctx: Context, mode: str, ram: int | None = None) -> ModuleOp | None:
    """A program at L1 as a mode executes it, if that rounds partial sums; None if bits do not change.

    ram: as for the pass, on which the number of channels at once depends, and with it the roundings.
    """
    if not schedule_named(mode).rounds:
        return None
    planned = module.clone()
    PlanExecutionPass(mode, ram).apply(ctx, planned)
    rounds = any(str(segment["by"]).endswith(ROUNDED) for segment in streamed_segments(planned))
    return planned if rounds else None


def streamed_segments(module: ModuleOp) -> list[dict[str, str | int]]:
    """The segments of a program that are not ordinary: `first`, `last` and `by`, and for patches `more_macs`."""
    recorded = module.attributes.get(PLAN)
    return [
        {name: _plain(value) for name, value in segment.data.items()}
        for segment in (cast("ArrayAttr[DictionaryAttr]", recorded) if recorded is not None else ())
    ]


def _plain(value: Attribute) -> str | int:
    return value.value.data if isinstance(value, IntegerAttr) else text_of(value)
