"""The tables by which kernels decode raws, as they take them: by the entry for raw 0."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue

from tinyml.dialects import scratch
from tinyml.dialects.coding import Coding
from tinyml.dialects.emitter import Emitter


def decoding_table(e: Emitter, coding: Coding) -> SSAValue:
    """A run of memory that begins with the entry for raw 0; those of negative raws lie before it."""
    assert coding.table is not None
    zero = e.insert(arith.ConstantOp(IntegerAttr(coding.zero, IndexType())))
    table = e.surroundings.table("decoding", coding.table)
    return e.insert(scratch.SliceOp(table, zero, (len(coding.table) - coding.zero,)))
