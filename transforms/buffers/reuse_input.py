"""`reuse-input`: places buffers in the caller's input array once the input has been read (L2, before packing)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects.functions import defined_functions
from tinyml.dialects.scratch import ViewOp, bytes_of, in_flash, memref_type, stored_as, unit_bytes
from tinyml.transforms.buffers.liveness.live_ranges import (
    Buffer,
    LiveRanges,
    buffers_by_location,
    erase_dead_buffers,
    hands_on,
    last_use,
    live_ranges,
)
from tinyml.transforms.buffers.overlap.distance import safe_distance
from tinyml.transforms.buffers.pack_scratch import rectangle
from tinyml.transforms.buffers.packing import Overlap, Rectangle, pack


@dataclass(frozen=True)
class ReuseInputPass(ModulePass):
    """Turns buffers into views of an argument, which the function then overwrites.

    They are stored like the argument's elements, so that C accesses its memory as a single type, are not returned, and
    become alive after its last use, or with the op or loop nest that is the last to read it if that may write them over
    its beginning. The largest come first, as long as the argument has room. Functions whose loops or branches hand
    buffers on stay as they are.
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
    # Whatever is packed with the argument and is no higher than it leaves it at 0.
    whole = Rectangle("", bytes_of(argument), unit_bytes(memref_type(argument)), 0, dead_from - 1)
    for members in sorted(fitting, key=lambda members: -bytes_of(members[0].result)):
        shapes = [_rectangle(live, group, argument, dead_from) for group in [*chosen, members]]
        placement = pack([whole, *shapes], "best-fit")
        if placement.height <= bytes_of(argument):
            chosen, offsets = [*chosen, members], placement.offsets[1:]
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
    shape = _rectangle(live, members, argument, dead_from)
    apart = shape.first >= dead_from or bool(shape.overlaps)
    return same and apart and shape.last < len(live.points) - 1


def _rectangle(live: LiveRanges, members: list[Buffer], argument: SSAValue, dead_from: int) -> Rectangle:
    """The rectangle of buffers beside that of the argument, which is number 0 and which they may overlap."""
    shape = rectangle(live, members)
    op = live.points[shape.first]
    last = max(i for i, point in enumerate(live.points) if op.is_ancestor(point))
    if not shape.first < dead_from <= last + 1:
        return shape
    distance = safe_distance(op, {argument}, {member.result for member in members})
    return shape if distance is None else replace(shape, overlaps=(Overlap(0, distance),))
