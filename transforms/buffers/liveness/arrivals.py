"""Buffers that receive rows from the caller."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tinyml.dialects.scratch import SliceOp, memref_type, packed_bits
from tinyml.dialects.tdsl.slices import ReceiveOp


def receives(buffer: SSAValue, *, packed: bool) -> bool:
    """True if a buffer or a view of it receives rows from the caller, packed or unpacked as given."""
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, ReceiveOp) and op.dest is buffer:
            return (packed_bits(memref_type(op.image)) is not None) == packed
        if isinstance(op, SliceOp) and receives(op.result, packed=packed):
            return True
    return False
