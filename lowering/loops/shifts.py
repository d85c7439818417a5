"""Lowering of shifts of a buffer in place to nests (L2 to L3)."""

from __future__ import annotations

from math import prod

from tinyml.dialects import scratch, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.movement import lower_moves
from tinyml.lowering.loops.operands import elements_from
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder

LONG_ROW = 32
"""The length in elements from which rows move separately.

GCC turns the move of a row into one call of memmove on Cortex-M, which costs little beside a long row. On AVR, at -Os,
it computes both addresses again for each element of a run of more than 255 elements: 12 cycles a byte instead of 8.
"""


@lowers(tdsl.MoveUpOp)
def move_up(op: tdsl.MoveUpOp, nest: LoopBuilder) -> None:
    """Emit a shift of short rows in place as the move of one run, which C compilers turn into one call of memmove.

    A shift of long rows, of several runs, or to another buffer is emitted element by element.
    """
    shape, axis = tdsl.shape_of(op.out), op.axis.value.data
    row = prod(shape[axis + 1 :])
    runs, packed = prod(shape[:axis]), scratch.packed_bits(scratch.memref_type(op.out))
    if op.input is not op.out or runs > 1 or packed or row >= LONG_ROW:
        return lower_moves(op, nest)
    shifted = op.count.value.data * row
    count = prod(shape) - shifted
    source, dest = (elements_from(op.out, nest.index(first), count, nest) for first in (shifted, 0))

    def body(indices: Indices) -> None:
        nest.store(nest.load(source, indices), dest, indices)

    nest.nest((count,), body)
