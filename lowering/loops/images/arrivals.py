"""Lowering of inputs that the caller supplies row by row (L2 to L3)."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.locations import error_at
from tinyml.lowering.loops.lowerings import lowers
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(tdsl.ReceiveOp)
def lower_arrival(op: tdsl.ReceiveOp, nest: LoopBuilder) -> None:
    """Emit code that receives each row of the input. Raises `InputError` for rows that are stored in packed form."""
    _, rows, *row_shape = tdsl.shape_of(op.out)
    source, type = scratch.root(op.image), scratch.memref_type(op.out)
    if scratch.packed_bits(type) != scratch.packed_bits(scratch.memref_type(source)):
        raise error_at(op, "what arrives has to be stored as the caller sends it: compile without --pack-buffers")

    def row(indices: Indices) -> None:
        start = nest.times(indices[0], prod(row_shape))
        row_view = op.out if rows == 1 else nest.insert(scratch.SliceOp(op.out, start, (1, 1, *row_shape)))
        nest.put(scratch.ReceiveOp(source, nest.insert(arith.AddiOp(op.top, indices[0])), row_view))

    nest.over((rows,), row)
