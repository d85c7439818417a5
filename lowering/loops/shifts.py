"""Lowering of shifts of a buffer in place to nests (L2 to L3)."""

from __future__ import annotations

from math import prod

from tinyml.dialects import scratch, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.movement import lower_moves
from tinyml.lowering.loops.operands import elements_from
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(tdsl.MoveUpOp)
def move_up(op: tdsl.MoveUpOp, nest: LoopBuilder) -> None:
    """Emit a shift of one contiguous run in place as one move, which C compilers turn into a single call of
    memmove.

    A shift of several runs, or to another buffer, is emitted element by element.
    """
    shape, axis = tdsl.shape_of(op.out), op.axis.value.data
    if op.input is not op.out or prod(shape[:axis]) > 1 or scratch.packed_bits(scratch.memref_type(op.out)):
        return lower_moves(op, nest)
    shifted = op.count.value.data * prod(shape[axis + 1 :])
    count = prod(shape) - shifted
    source, dest = (elements_from(op.out, nest.index(first), count, nest) for first in (shifted, 0))

    def body(indices: Indices) -> None:
        nest.store(nest.load(source, indices), dest, indices)

    nest.nest((count,), body)
