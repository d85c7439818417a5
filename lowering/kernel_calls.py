"""Calls of kernels: runs of memory of any length, and the tables by which they decode raws."""

from __future__ import annotations

from collections.abc import Sequence

import xdsl.dialects.memref as upstream_memref
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import scratch
from tinyml.dialects.coding import Coding
from tinyml.dialects.emitter import Emitter


def decoding_table(e: Emitter, coding: Coding) -> SSAValue:
    """A run of memory that begins with the entry for raw 0, as kernels take it; negative raws lie before it."""
    assert coding.table is not None
    zero = e.insert(arith.ConstantOp(IntegerAttr(coding.zero, IndexType())))
    table = e.surroundings.table("decoding", coding.table)
    return e.insert(scratch.SliceOp(table, zero, (len(coding.table) - coding.zero,)))


def call_kernel(
    e: Emitter,
    kernel: str,
    memrefs: Sequence[SSAValue],
    scalars: Sequence[SSAValue],
    result: Attribute | None,
    results_in: Sequence[SSAValue] = (),
) -> SSAValue | None:
    """A call of a kernel, which takes runs of memory of any length; what it returns, if anything."""

    def runs(memrefs: Sequence[SSAValue]) -> list[SSAValue]:
        # Of any length; in flash or not is the kernel's affair.
        types = [MemRefType(scratch.memref_type(memref).element_type, [DYNAMIC_INDEX]) for memref in memrefs]
        return [e.insert(upstream_memref.CastOp.get(*pair)) for pair in zip(memrefs, types, strict=True)]

    arguments = [*runs(memrefs), *scalars, *runs(results_in)]
    results = [] if result is None else [result]
    e.surroundings.declare_kernel(kernel, [value.type for value in arguments], results)
    call = func.CallOp(kernel, arguments, results)
    call.location = e.location
    e.builder.insert(call)
    return call.results[0] if results else None
