"""`reuse-input`: places buffers in the caller's input array once the input has been read (L2, before packing)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects.functions import defined_functions
from tinyml.dialects.scratch import ViewOp, bytes_of, in_flash, memref_type, stored_as
from tinyml.transforms.buffers.liveness.live_ranges import (
    Buffer,
    LiveRanges,
    buffers_by_location,
    erase_dead_buffers,
    hands_on,
    last_use,
    live_ranges,
)
from tinyml.transforms.buffers.pack_scratch import rectangle
from tinyml.transforms.buffers.packing import pack


@dataclass(frozen=True)
class ReuseInputPass(ModulePass):
    """Turns buffers into views of an argument, which the function then overwrites.

    They are stored like the argument's elements, so that C accesses its memory as a single type, are not returned, and
    become alive after its last use. The largest come first, as long as the argument has room. Functions whose loops or
    branches hand buffers on stay as they are.
    """

    name = "reuse-input"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            erase_dead_buffers(function)
            for argument in function.args:
                type = argument.type
                if isinstance(type, MemRefType) and not in_flash(memref_type(argument)) and not hands_on(function):
                    _fill(function, argument)


def _fill(function: func.FuncOp, argument: SSAValue) -> None:
    live, dead_from = live_ranges(function), last_use(function, argument) + 1
    fitting = [members for members in buffers_by_location(live) if _fits(live, members, argument, dead_from)]
    chosen: list[list[Buffer]] = []
    offsets: tuple[int, ...] = ()
    for members in sorted(fitting, key=lambda members: -bytes_of(members[0].result)):
        placement = pack([rectangle(live, group) for group in [*chosen, members]], "best-fit")
        if placement.height <= bytes_of(argument):
            chosen, offsets = [*chosen, members], placement.offsets
    views: list[ViewOp] = []
    for members, offset in zip(chosen, offsets, strict=True):
        for buffer in members:
            view = ViewOp(argument, offset, memref_type(buffer.result), live.ranges[buffer])
            view.result.name_hint = buffer.result.name_hint
            buffer.result.replace_all_uses_with(view.result)
            views.append(view)
    for members in chosen:
        for buffer in members:
            Rewriter.erase_op(buffer)
    Rewriter.insert_op(views, InsertPoint.at_start(function.body.block))


def _fits(live: LiveRanges, members: list[Buffer], argument: SSAValue, dead_from: int) -> bool:
    stored = stored_as(memref_type(argument))
    same = all(stored_as(memref_type(member.result)) == stored for member in members)
    ranges = [live.ranges[member] for member in members]
    end = len(live.points) - 1
    return same and min(range.first for range in ranges) >= dead_from and max(range.last for range in ranges) < end
