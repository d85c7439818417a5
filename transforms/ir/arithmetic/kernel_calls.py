"""Lowering of kernel ops to calls; the arguments are contiguous memory, lengths, and tables that decode raws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import xdsl.dialects.memref as upstream_memref
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType, i8, i16, i32
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.coding import Coding
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.machine.emitter import Emitter
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import kernel_of, target_of

Lowering: TypeAlias = Callable[[Emitter], SSAValue | None]
"""Emits the arithmetic of an op and returns its result, if it has one."""

Called: TypeAlias = tuple[num.KernelAttr, str]
"""A kernel and its C function."""


def decoding(e: Emitter, kernel: Kernel, codings: Sequence[Coding]) -> tuple[list[SSAValue], list[SSAValue]]:
    """The operands with which a kernel decodes raws: tables, then bytes.

    Each table argument points to the entry for raw 0; the entries of negative raws precede it.
    """
    tables = [(coding.table, coding.zero) for coding in codings if coding.table is not None]
    parameters = [value for coding in codings for value in coding.parameters]
    if kernel.segments:
        [(table, extra)] = [coding.segments() for coding in codings if coding.segments is not None]
        tables, parameters = [(table, len(table) // 2)], [*parameters, extra]
    runs: list[SSAValue] = []
    for table, zero in tables:
        first = e.insert(arith.ConstantOp(IntegerAttr(zero, IndexType())))
        whole = e.context.table("decoding", table)
        runs.append(e.insert(scratch.SliceOp(whole, first, (len(table) - zero,))))
    return runs, [e.int_constant(value, 8) for value in parameters]


def call_kernel(
    e: Emitter,
    called: Called,
    memrefs: Sequence[SSAValue],
    scalars: Sequence[SSAValue],
    result: Attribute | None,
    results_in: Sequence[SSAValue] = (),
    attributes: Mapping[str, Attribute] | None = None,
) -> SSAValue | None:
    """Call a kernel on contiguous memory of any length, and return the result, if there is one.

    attributes: additional attributes of the kernel's declaration.
    """

    arguments = [*_of_any_length(e, memrefs), *scalars, *_of_any_length(e, results_in)]
    results = [] if result is None else [result]
    kernel, function = called
    declared = {num.DECLARED: kernel, **(attributes or {})}
    e.context.declare_kernel(function, [value.type for value in arguments], results, declared)
    call = func.CallOp(function, arguments, results)
    call.location = e.location
    e.builder.insert(call)
    return call.results[0] if results else None


def _of_any_length(e: Emitter, memrefs: Sequence[SSAValue]) -> list[SSAValue]:
    """Runs of memory as kernels take them, which know what is in flash."""
    types = [MemRefType(scratch.memref_type(memref).element_type, [DYNAMIC_INDEX]) for memref in memrefs]
    return [e.insert(upstream_memref.CastOp.get(*pair)) for pair in zip(memrefs, types, strict=True)]


def call_of(op: num.KernelOp) -> Lowering:
    """The lowering of an op to a call of its kernel, with the current lengths and codings of its operands.

    Raises `InputError` for an op without a kernel, and for a kernel that the target does not have.
    """
    if op.kernel is None:
        raise InputError(f"{op.name} has no kernel: run select-kernels first")
    known = kernel_of(op.kernel, target_of(op))
    kernel = op.kernel, known.symbol
    match op:
        case num.DenseSumOp():
            return _dense_sum(op, kernel, known)
        case num.SparseDotOp():
            return _sparse_sum(op, kernel)
        case num.PackedDotOp():
            return _packed_sum(op, kernel)
        case num.AxpyOp():
            length = op.length
            return lambda e: call_kernel(e, kernel, [op.sums, op.vector], [op.factor, _number(e, length)], None)
        case num.DotRowsOp():
            length = op.length
            return lambda e: call_kernel(
                e, kernel, [op.matrix, op.vector], [_number(e, length)], None, [op.starts, op.sums]
            )
        case num.ChannelDotsOp():
            length, stride = op.length, op.stride
            return lambda e: call_kernel(
                e,
                kernel,
                [op.matrix, op.window],
                [_number(e, length), e.insert(arith.ConstantOp(stride))],
                None,
                [op.starts, op.sums],
            )
        case num.ComposedTilesOp():
            return lambda e: call_kernel(e, kernel, [op.stream, op.windows], [], None, [op.outputs])
        case _:
            raise InputError(f"{op.name} is not supported yet: its kernels have no calls")


def call_of_code(op: num.CodedOp) -> Lowering:
    """The lowering of coded sums to a call of their kernel, whose declaration holds the constants."""
    declared, kernel = op.declared, (op.kernel, op.kernel.function)

    def lower(e: Emitter) -> SSAValue | None:
        read, written = op.runs
        return call_kernel(e, kernel, read, [], None, [written], declared)

    return lower


def call_of_transform(op: num.TransformOp) -> Lowering:
    """The lowering of a step of a transform to a call of its function."""
    function, counts = op.function.data, op.counts

    def lower(e: Emitter) -> SSAValue | None:
        arguments = [*_of_any_length(e, op.operands), *(_number(e, count) for count in counts)]
        e.context.declare_kernel(function, [value.type for value in arguments], [])
        call = func.CallOp(function, arguments, [])
        call.location = e.location
        e.builder.insert(call)
        return None

    return lower


def _dense_sum(op: num.DenseSumOp, kernel: Called, known: Kernel) -> Lowering:
    codings = [element_format(factor.type).coding for factor in (op.lhs, op.rhs)]
    length = op.length

    def lower(e: Emitter) -> SSAValue | None:
        tables, parameters = decoding(e, known, [coding for coding in codings if coding is not None])
        numbers = [e.insert(arith.ConstantOp(number)) for number in op.numbers]
        scalars = [_number(e, length), *parameters, *numbers, op.sum]
        return call_kernel(e, kernel, [*tables, op.lhs, op.rhs], scalars, op.sum.type)

    return lower


def _sparse_sum(op: num.SparseDotOp, kernel: Called) -> Lowering:
    def lower(e: Emitter) -> SSAValue | None:
        runs = [
            e.insert(scratch.SliceOp(run, op.at, scratch.memref_type(run).get_shape())) for run in (op.values, op.gaps)
        ]
        length = e.insert(upstream_memref.LoadOp.get(op.lengths, [op.row]))
        wide = e.insert(arith.ExtUIOp(length, i16 if length.type == i8 else i32))
        count = e.insert(arith.IndexCastOp(wide, IndexType()))
        return call_kernel(e, kernel, [*runs, op.vector], [count, op.sum], op.sum.type)

    return lower


def _packed_sum(op: num.PackedDotOp, kernel: Called) -> Lowering:
    return lambda e: call_kernel(e, kernel, [op.row, op.vector], [op.sum], op.sum.type)


def _number(e: Emitter, value: int) -> SSAValue:
    return e.insert(arith.ConstantOp(IntegerAttr(value, IndexType())))
