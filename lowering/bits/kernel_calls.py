"""Calls of kernels: runs of memory of any length, and the tables by which they decode raws."""

from __future__ import annotations

from collections.abc import Sequence

import xdsl.dialects.memref as upstream_memref
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import scratch
from tinyml.dialects.formats.coding import Coding
from tinyml.dialects.machine.emitter import Emitter
from tinyml.targets.registry import kernel_named


def decoding(e: Emitter, kernel: str, codings: Sequence[Coding]) -> tuple[list[SSAValue], list[SSAValue]]:
    """What a kernel takes to decode raws: tables, which begin with the entry for raw 0 and have those of negative raws
    before it, and bytes."""
    tables = [(one.table, one.zero) for one in codings if one.table is not None]
    parameters = [value for one in codings for value in one.parameters]
    if kernel_named(kernel).segments:
        [(table, places)] = [one.segments() for one in codings if one.segments is not None]
        tables, parameters = [(table, len(table) // 2)], [*parameters, places]
    runs: list[SSAValue] = []
    for table, zero in tables:
        first = e.insert(arith.ConstantOp(IntegerAttr(zero, IndexType())))
        whole = e.surroundings.table("decoding", table)
        runs.append(e.insert(scratch.SliceOp(whole, first, (len(table) - zero,))))
    return runs, [e.int_constant(value, 8) for value in parameters]


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
