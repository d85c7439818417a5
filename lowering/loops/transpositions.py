"""Lowering of transpositions to loops or, in place, to the op `scratch.turn` (L2 to L3)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tinyml.dialects import scratch, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.movement import lower_moves
from tinyml.transforms.ir.loop_nest import LoopBuilder


@lowers(tdsl.TransposeOp)
def transpose(op: tdsl.TransposeOp, nest: LoopBuilder) -> None:
    """Emit a transposition, in place if the result shares the operand's buffer, and otherwise element by element."""
    if op.in_place is None:
        return lower_moves(op, nest)
    assert op.matrix is not None
    rows, columns = map(nest.index, op.matrix)
    return turn_image(op.input, nest.index(0), rows, columns, nest)


def turn_image(
    image: SSAValue, first: SSAValue, rows: SSAValue, columns: SSAValue, nest: LoopBuilder, elements: int = 1
) -> None:
    """Emit the transposition in place of a part of an image.

    first: the first pixel of the part.
    rows, columns: the extents of the part.
    elements: the number of elements per pixel.
    """
    type = scratch.memref_type(image)
    size = elements * (scratch.ram_bits(type) or 8 * scratch.element_bytes(type))
    unit = 8 if size % 8 == 0 else 4
    nest.put(scratch.TurnOp(image, first, rows, columns, size // unit, unit))
