"""Lowering of shifts of a buffer in place to nests (L2 to L3)."""

from __future__ import annotations

from math import prod

from tinyml.dialects import scratch, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.movement import lower_moves
from tinyml.lowering.loops.operands import elements_from
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder

LONG_MOVE = 64
"""The least number of bytes of a shift that calls a function of the runtime instead of being a loop."""


@lowers(tdsl.MoveUpOp)
def move_up(op: tdsl.MoveUpOp, nest: LoopBuilder) -> None:
    """Emit a shift of one run in place as a move of the run, and all other shifts element by element.

    A long move is one `scratch.copy_run`. C compilers turn the loop of a short one into a call of memmove.
    """
    shape, axis = tdsl.shape_of(op.out), op.axis.value.data
    row = prod(shape[axis + 1 :])
    runs, packed = prod(shape[:axis]), scratch.packed_bits(scratch.memref_type(op.out))
    if op.input is not op.out or runs > 1 or packed:
        return lower_moves(op, nest)
    shifted = op.count.value.data * row
    count = prod(shape) - shifted
    if count * scratch.element_bytes(scratch.memref_type(op.out)) >= LONG_MOVE:
        run = elements_from(op.out, nest.index(0), prod(shape), nest)
        copied = nest.index(count)
        nest.put(scratch.CopyRunOp(run, nest.index(shifted), run, nest.index(0), copied, count, down=True))
        return
    source, dest = (elements_from(op.out, nest.index(first), count, nest) for first in (shifted, 0))

    def body(indices: Indices) -> None:
        nest.store(nest.load(source, indices), dest, indices)

    nest.nest((count,), body)
