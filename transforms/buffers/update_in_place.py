"""`update-in-place`: lets results reuse the bytes of operands that are read for the last time (L2, before packing)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.remarks import Statistic
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import AllocOp, ReuseOp, bytes_of, memref_type, packed_bits, root, unit_bytes
from tinyml.transforms.buffers.liveness.live_ranges import (
    Buffer,
    LiveRange,
    base,
    erase_dead_buffers,
    live_ranges,
    reshaped,
)
from tinyml.transforms.buffers.overlap import overlap_distance
from tinyml.transforms.buffers.overlap.overlaps import takes_place
from tinyml.transforms.buffers.packing import Rectangle, find_peak

UPDATED = Statistic("num-updated", "Number of results in the bytes of an operand")


@dataclass(frozen=True)
class UpdateInPlacePass(ModulePass):
    """Turn the `scratch.alloc` of a result into a `scratch.reuse` of an operand's buffer.

    The op must be the last reader of the operand and the first op that touches the result. The safe distance of result
    and operand must be at most 0 (`overlap/overlap_distance.py`). An op that changes part of an operand, or adds to an
    operand, writes to the operand directly, so that nothing is copied. A result that is smaller than the operand reuses
    the operand's bytes only if this does not increase the peak memory. A result that a loop computes part by part takes
    the bytes of an operand of the same size if the loop reads each byte before it writes the byte in its place. All
    other results are unchanged. Every `scratch.alloc` moves to the start of its block.
    """

    name = "update-in-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            _Function(function).apply()


class _Function:
    """A function whose live ranges are updated whenever a result reuses the bytes of an operand."""

    def __init__(self, function: func.FuncOp) -> None:
        erase_dead_buffers(function)
        live = live_ranges(function)
        self.points = live.points
        self.ranges = live.ranges
        # The latest first, so that the earliest is placed at the start; of buffers that start together, the last.
        for buffer in sorted(reversed(live.ranges), key=lambda alloc: live.ranges[alloc].first, reverse=True):
            if isinstance(buffer, AllocOp) and (block := buffer.parent) is not None:
                buffer.detach()
                Rewriter.insert_op(buffer, InsertPoint.at_start(block))

    def apply(self) -> None:
        self.replace_in_loops()
        for point, op in enumerate(self.points):
            if not isinstance(op, tdsl.TensorOp) or (dest := op.written) is None:
                continue
            result = reshaped(dest).owner
            if not isinstance(result, AllocOp) or self.ranges[result].first != point:
                continue
            if (chosen := self.operand(op, point, result)) is not None:
                UPDATED.add(op)
                self.replace(op, result, chosen)

    def replace_in_loops(self) -> None:
        points = {op: point for point, op in enumerate(self.points)}
        for loop in [op for op in self.points if isinstance(op, scf.ForOp)]:
            first, last = points[loop], points[cast(Operation, loop.body.block.last_op)]
            begun = [each for each in self.ranges if isinstance(each, AllocOp) and self.ranges[each].first == first]
            for result in [each for each in begun if self.ranges[each].last > last]:
                for buffer in [each for each in self.ranges if self.dies(each, last, result)]:
                    if self.ranges[buffer].first < first and self.takes_place_in(loop, result, buffer):
                        UPDATED.add(loop)
                        self.reuse(result, buffer)
                        break

    def takes_place_in(self, loop: scf.ForOp, result: AllocOp, buffer: Buffer) -> bool:
        types = [memref_type(each.result) for each in (result, buffer)]
        if bytes_of(result.result) != bytes_of(buffer.result) or any(packed_bits(type) is not None for type in types):
            return False
        return self.pays(result, buffer) and overlap_distance.may_replace(loop, buffer.result, result.result)

    def operand(self, op: tdsl.TensorOp, point: int, result: AllocOp) -> Buffer | None:
        candidates: list[Buffer] = []
        for value in op.inputs:
            buffer = root(value).owner
            # An op may update its own result, whose elements are undefined before.
            if buffer is result or not isinstance(buffer, Buffer) or not self.dies(buffer, point, result):
                continue
            room = bytes_of(buffer.result) - bytes_of(result.result)
            if room >= 0 and takes_place(op, buffer.result) and (not room or self.pays(result, buffer)):
                candidates.append(buffer)
        return min(candidates, key=lambda buffer: bytes_of(buffer.result), default=None)

    def dies(self, buffer: Buffer, point: int, result: AllocOp) -> bool:
        block = buffer.parent
        return self.ranges[buffer].last == point and block is not None and block.is_ancestor(result)

    def pays(self, result: AllocOp, buffer: Buffer) -> bool:
        before, after = (find_peak(list(self.rectangles(*moved))).bytes for moved in ((), (result, buffer)))
        return after <= before

    def rectangles(self, result: Buffer | None = None, buffer: Buffer | None = None) -> Iterator[Rectangle]:
        """Yield the rectangles to pack. With arguments, they are the rectangles if `result` reused the bytes of
        `buffer`.
        """
        lives: dict[AllocOp, LiveRange] = {}
        for member, (first, last) in self.ranges.items():
            source = base(buffer) if member is result and buffer is not None else base(member)
            start, end = lives.get(source, (first, last))
            lives[source] = LiveRange(min(start, first), max(end, last))
        for source, live in lives.items():
            yield Rectangle("", bytes_of(source.result), unit_bytes(memref_type(source.result)), *live)

    def replace(self, op: tdsl.TensorOp, result: AllocOp, buffer: Buffer) -> None:
        if op.updated is None or buffer.result.type != result.result.type:
            return self.reuse(result, buffer)
        _, last = self.ranges.pop(result)
        self.ranges[buffer] = LiveRange(self.ranges[buffer].first, last)
        result.result.replace_all_uses_with(buffer.result)
        Rewriter.erase_op(result)

    def reuse(self, result: AllocOp, buffer: Buffer) -> None:
        live = self.ranges.pop(result)
        reuse = ReuseOp(buffer.result, memref_type(result.result))
        reuse.result.name_hint = result.result.name_hint
        Rewriter.insert_op(reuse, InsertPoint.before(result))
        self.ranges[reuse] = live
        result.result.replace_all_uses_with(reuse.result)
        Rewriter.erase_op(result)
