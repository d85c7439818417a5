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
from tinyml.targets.registry import HOST, tile_families
from tinyml.transforms.formats.channels.choice import SUM_BITS, partial_plan
from tinyml.transforms.formats.channels.nest import ChannelLoop
from tinyml.transforms.formats.execution.attributes import PLAN
from tinyml.transforms.formats.execution.copies import weighed, with_given_input
from tinyml.transforms.formats.execution.modes import ROUNDING, check_mode
from tinyml.transforms.formats.patching.choice import PATCHES, patched_plan, run_in_patches
from tinyml.transforms.formats.plans.executable import ORDINARY, scratch_of
from tinyml.transforms.formats.plans.network import Network, network_of
from tinyml.transforms.formats.plans.segmentation import Plan, Segment
from tinyml.transforms.formats.streaming.choice import by_of, plan_of
from tinyml.transforms.formats.streaming.nest import stream
from tinyml.transforms.formats.tiling.orders import orders
from tinyml.transforms.formats.tiling.strips import AMPLE, ROOM, Room, room_attribute, small_room, stack_of
from tinyml.transforms.formats.turning.choice import METHODS, run_in_turns, turned_plan
from tinyml.transforms.ir.attributes import argument_attribute

ROUNDED = "rounded"
"""The end of `by` where sums are rounded in between, so that bits are not those of ordinary execution."""


@dataclass(frozen=True)
class PlanExecutionPass(ModulePass):
    """Executes each function by a plan, and records its segments in the attribute `tinyml.plan` of the module.

    mode: `ordinary` changes nothing; `rows` and `pixels` stream segments in the plan with the least peak, whose others
    are ordinary; `partial-32`, `partial-16` and `partial-8` run them channel by channel, with sums of so many bits,
    which are rounded in between where they need more; `patches` runs the beginning tile by tile; in `replace`,
    `herringbone` and `single-transpose` convolutions run in place, and residual blocks pixel by pixel; `auto` takes the
    fastest plan with at most `ram` bytes alive, or that with the least peak, of those that stream. ram: without it
    `auto` is the mode that a search gave the function (`tdsl.mode`), or else ordinary execution, and computing several
    pixels at once keeps within the bytes that the search was limited to (`tdsl.ram`). In every mode an image whose
    channels come first is copied in the order of pixels where that takes less memory, or in `auto` time. target: as for
    printing C; its kernels say how many pixels are computed at once where segments are streamed by rows. extra:
    percentage of multiply-accumulates that patches may add to the network's. Raises `InputError` for another mode, and
    except for `ordinary` for functions with loops, branches or batches of images, unless the mode is `auto`.
    """

    name = "plan-execution"
    mode: str = "auto"
    ram: int | None = None
    extra: int = 30
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_mode(self.mode)
        segments: list[DictionaryAttr] = []
        for function in defined_functions(op):
            mode = self._mode(function)
            usual = mode == ORDINARY and self.ram is None and tdsl.RAM not in function.attributes
            if usual and not any(orders(function)):
                continue
            try:
                limit = self._limit(function, network_of(function))
                network = weighed(function, partial(self._plan, function=function, mode=mode, ram=limit), limit)
            except InputError:
                if mode not in ("auto", ORDINARY):
                    raise
                continue
            if usual:
                continue
            nodes = network.graph.nodes
            for segment, by in self._run(network, function, mode, limit):
                ends = {"first": nodes[segment.first].result, "last": nodes[segment.last].result}
                values: dict[str, Attribute] = {name: StringAttr(value) for name, value in {**ends, "by": by}.items()}
                if mode == PATCHES:
                    values["more_macs"] = IntegerAttr(segment.extra, i64)
                segments.append(DictionaryAttr(values))
        if segments:
            op.attributes[PLAN] = ArrayAttr(segments)

    def _mode(self, function: func.FuncOp) -> str:
        """The mode of a function; `auto` stands for the fastest plan within `ram`."""
        mode = self.mode
        if mode == "auto" and self.ram is None:
            chosen = function.attributes.get(tdsl.MODE)
            mode = chosen.data if isinstance(chosen, StringAttr) else ORDINARY
        check_mode(mode)
        return mode

    def _limit(self, function: func.FuncOp, network: Network) -> int | None:
        """The bytes that may be alive at once; what a search was limited to counts stack and input, too."""
        searched = function.attributes.get(tdsl.RAM)
        if self.ram is not None or not isinstance(searched, IntegerAttr):
            return self.ram
        besides = stack_of(_convolutions(network), tile_families(self.target))
        if all(argument_attribute(function, name) is None for name in (tdsl.REUSED, tdsl.RECEIVED)):
            for value in function.body.block.args:
                besides += prod(tdsl.shape_of(value)) * tdsl.format_of(value).dtype.itemsize
        return max(searched.value.data - besides, 0)

    def _plan(self, network: Network, function: func.FuncOp, mode: str, ram: int | None) -> Plan:
        """The plan of a mode."""
        if mode == PATCHES:
            return patched_plan(network, network.graph.macs * self.extra // 100)
        network = with_given_input(network, function)
        if mode in SUM_BITS:
            return partial_plan(network, mode)
        return turned_plan(network, mode) if mode in METHODS else plan_of(network, mode, ram)

    def _run(
        self, network: Network, function: func.FuncOp, mode: str, ram: int | None
    ) -> Iterator[tuple[Segment, str]]:
        """Rewrites the segments that are not ordinary, and gives each with what it runs by.

        ram: bytes that the memory for several pixels at once keeps within.
        """
        plan = self._plan(network, function, mode, ram)
        if mode in SUM_BITS:
            for segment in plan.segments:
                if segment.schedule != ORDINARY:
                    loop = ChannelLoop(network, segment.first, segment.last, SUM_BITS[mode])
                    loop.rewrite()
                    yield segment, mode if loop.is_exact else f"{mode}, {ROUNDED}"
            return
        if mode == PATCHES:
            for segment in plan.segments:
                if segment.schedule != ORDINARY:
                    run_in_patches(network, segment)
                    yield segment, segment.schedule
            return
        families = tile_families(self.target)
        small = small_room(_convolutions(network), families) if mode != "pixels" else Room(0)
        alive = [segment.bits - _gathered(network, segment) for segment in plan.segments]
        for segment, bits in zip(plan.segments, alive, strict=True):
            # Packing takes more than what is alive at once: half of what that leaves is for results beside operands.
            if ram is not None:
                left = max(ram - -(-segment.bits // 8), 0)
                streamed = single = Room(AMPLE.strip, left // 2)
            else:
                left = small.strip + (max(alive) - bits) // 8
                streamed, single = Room(left), Room(left, left // 2)
            if segment.schedule in METHODS:
                run_in_turns(network, segment.first, mode)
                yield segment, mode
            elif (by := by_of(segment)) is None:
                for [op, *_] in network.ops[segment.first : segment.last + 1]:
                    if isinstance(op, tdsl.Conv2dOp):
                        op.attributes[ROOM] = room_attribute(single)
            else:
                stream(network, segment.first, segment.last, by, families, streamed)
                yield segment, by.value


def _convolutions(network: Network) -> list[tdsl.Conv2dOp]:
    return [op for [op, *_] in network.ops if isinstance(op, tdsl.Conv2dOp)]


def _gathered(network: Network, segment: Segment) -> int:
    """The bits of a segment's windows and single pixels, which strips take the place of."""
    if segment.schedule in METHODS:
        return 0
    return max(scratch_of(network, i) for i in range(segment.first, segment.last + 1))


def with_rounded_sums(module: ModuleOp, ctx: Context, mode: str) -> ModuleOp | None:
    """A program at L1 as a mode executes it, if that rounds sums in between; None if bits stay as they are."""
    if mode not in ROUNDING:
        return None
    planned = module.clone()
    PlanExecutionPass(mode).apply(ctx, planned)
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
    return value.value.data if isinstance(value, IntegerAttr) else cast(StringAttr, value).data
