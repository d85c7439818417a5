"""Buffers that receive what the caller sends row by row."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tinyml.dialects.scratch import SliceOp, memref_type, packed_bits
from tinyml.dialects.tdsl.receive import ReceiveOp


def receives(buffer: SSAValue, *, packed: bool) -> bool:
    """True if the caller writes a buffer, or a view of it, with elements that are packed, or that are not."""
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, ReceiveOp) and op.dest is buffer:
            return (packed_bits(memref_type(op.image)) is not None) == packed
        if isinstance(op, SliceOp) and receives(op.result, packed=packed):
            return True
    return False
