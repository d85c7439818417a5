"""The lowering of one num op to arithmetic on bits, within its program or alone.

Formats and accumulators become storage types. A kernel op becomes a call, whose arguments are contiguous memory,
lengths, and tables that decode raws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import xdsl.dialects.memref as upstream_memref
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    i8,
    i16,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import Coding, element_format, number_format
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import compile_for, kernel_of, target_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.lazy_numpy import np


class FunctionContext:
    """The emission context of a function: one copy of equal tables at its entry, declarations in the module."""

    def __init__(self, module: ModuleOp, function: func.FuncOp):
        self.module = module
        self.function = function
        self.tables: dict[tuple[str, bytes], SSAValue] = {}
        self.intervals: dict[SSAValue, tuple[int, int]] = {}
        self.declared = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}

    def table(self, name: str, table: NDArray[np.signedinteger[Any]]) -> SSAValue:
        key = str(table.dtype), table.tobytes()
        if key not in self.tables:
            constant = scratch.ConstantOp.of(table, IntegerType(table.dtype.itemsize * 8))
            constant.result.name_hint = f"{name}_table"
            first = self.function.body.block.first_op
            assert first is not None
            Rewriter.insert_op(constant, InsertPoint.before(first))
            self.tables[key] = constant.result
        return self.tables[key]

    def declare(self, function: str) -> None:
        known = RUNTIME_FUNCTIONS[function]
        self.declare_kernel(function, known.arguments, [known.result])

    def declare_kernel(
        self,
        function: str,
        arguments: Sequence[Attribute],
        results: Sequence[Attribute],
        attributes: Mapping[str, Attribute] | None = None,
    ) -> None:
        if function not in self.declared:
            self.declared.add(function)
            declaration = func.FuncOp.external(function, arguments, results)
            declaration.attributes |= attributes or {}
            self.module.body.block.add_op(declaration)


class ToStorage(RewritePattern):
    """Replace formats and accumulators inside any type by their storage; data attributes are unchanged."""

    def __init__(self) -> None:
        self.memo: dict[Attribute, Attribute] = {}

    def convert(self, attribute: Attribute) -> Attribute:
        if (known := self.memo.get(attribute)) is not None:
            return known
        converted = self.memo[attribute] = self._convert(attribute)
        return converted

    def _convert(self, attribute: Attribute) -> Attribute:
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            return cast(Attribute, attribute)
        if (format := number_format(attribute)) is not None:
            return format.storage
        if (accumulator := accumulator_of(attribute)) is not None:
            return accumulator.storage
        if isinstance(attribute, ParametrizedAttribute):
            new = [self.convert(parameter) for parameter in attribute.parameters]
            if any(a is not b for a, b in zip(attribute.parameters, new, strict=True)):
                return type(attribute).new(new)
        if isinstance(attribute, ArrayAttr):
            array = cast("ArrayAttr[Attribute]", attribute)
            new = [self.convert(element) for element in array.data]
            if any(a is not b for a, b in zip(array.data, new, strict=True)):
                return ArrayAttr(new)
        return cast(Attribute, attribute)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        arguments = (argument for region in op.regions for block in region.blocks for argument in block.args)
        for value in (*op.results, *arguments):
            if (new := self.convert(value.type)) is not value.type:
                rewriter.replace_value_with_new_type(value, new)
        for attributes in (op.properties, op.attributes):
            for name, value in attributes.items():
                if (new := self.convert(value)) is not value:
                    attributes[name] = new
                    rewriter.notify_op_modified(op)


Lowering: TypeAlias = Callable[[Emitter], SSAValue | None]
"""Emit the arithmetic of an op and return its result, if it has one."""

_Called: TypeAlias = tuple[num.KernelAttr, str]
"""A kernel and the name of its C function."""


def _decoding(e: Emitter, kernel: Kernel, codings: Sequence[Coding]) -> tuple[list[SSAValue], list[SSAValue]]:
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


def _call_kernel(
    e: Emitter,
    called: _Called,
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
    """The memrefs cast to a dynamic length in no memory space, as kernels take them."""
    types = [MemRefType(scratch.memref_type(memref).element_type, [DYNAMIC_INDEX]) for memref in memrefs]
    return [e.insert(upstream_memref.CastOp.get(*pair)) for pair in zip(memrefs, types, strict=True)]


def _call_of(op: num.KernelOp) -> Lowering:
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
            return lambda e: _call_kernel(e, kernel, [op.sums, op.vector], [op.factor, _number(e, length)], None)
        case num.DotRowsOp():
            length = op.length
            return lambda e: _call_kernel(
                e, kernel, [op.matrix, op.vector], [_number(e, length)], None, [op.starts, op.sums]
            )
        case num.ChannelDotsOp():
            length, stride = op.length, op.stride
            return lambda e: _call_kernel(
                e,
                kernel,
                [op.matrix, op.window],
                [_number(e, length), e.insert(arith.ConstantOp(stride))],
                None,
                [op.starts, op.sums],
            )
        case num.ComposedTilesOp():
            return lambda e: _call_kernel(e, kernel, [op.stream, op.windows], [], None, [op.outputs])
        case _:
            raise InputError(f"{op.name} is not supported yet: its kernels have no calls")


def _call_of_code(op: num.CodedOp) -> Lowering:
    """The lowering of coded sums to a call of their kernel, whose declaration holds the constants."""
    declared, kernel = op.declared, (op.kernel, op.kernel.function)

    def lower(e: Emitter) -> SSAValue | None:
        read, written = op.runs
        return _call_kernel(e, kernel, read, [], None, [written], declared)

    return lower


def _call_of_transform(op: num.TransformOp) -> Lowering:
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


def _dense_sum(op: num.DenseSumOp, kernel: _Called, known: Kernel) -> Lowering:
    codings = [element_format(factor.type).coding for factor in (op.lhs, op.rhs)]
    length = op.length

    def lower(e: Emitter) -> SSAValue | None:
        tables, parameters = _decoding(e, known, [coding for coding in codings if coding is not None])
        numbers = [e.insert(arith.ConstantOp(number)) for number in op.numbers]
        scalars = [_number(e, length), *parameters, *numbers, op.sum]
        return _call_kernel(e, kernel, [*tables, op.lhs, op.rhs], scalars, op.sum.type)

    return lower


def _sparse_sum(op: num.SparseDotOp, kernel: _Called) -> Lowering:
    def lower(e: Emitter) -> SSAValue | None:
        runs = [
            e.insert(scratch.SliceOp(run, op.at, scratch.memref_type(run).get_shape())) for run in (op.values, op.gaps)
        ]
        length = e.insert(upstream_memref.LoadOp.get(op.lengths, [op.row]))
        wide = e.insert(arith.ExtUIOp(length, i16 if length.type == i8 else i32))
        count = e.insert(arith.IndexCastOp(wide, IndexType()))
        return _call_kernel(e, kernel, [*runs, op.vector], [count, op.sum], op.sum.type)

    return lower


def _packed_sum(op: num.PackedDotOp, kernel: _Called) -> Lowering:
    return lambda e: _call_kernel(e, kernel, [op.row, op.vector], [op.sum], op.sum.type)


def _number(e: Emitter, value: int) -> SSAValue:
    return e.insert(arith.ConstantOp(IntegerAttr(value, IndexType())))


Interval: TypeAlias = tuple[int, int]
"""The least and the greatest raw."""


def prepare(op: Operation) -> Lowering | None:
    """The lowering of an op in its current formats; None for an op that is not lowered."""
    match op:
        case num.NumOp():
            computation = op.computation()
            return lambda e: computation(e, op.operands)
        case num.KernelOp():
            return _call_of(op)
        case num.CodedOp():
            return _call_of_code(op)
        case num.TransformOp():
            return _call_of_transform(op)
        case _:
            return None


def lowered_alone(op: Operation, intervals: Sequence[Interval | None]) -> tuple[Block, Interval | None]:
    """The lowering of one num op, in a block of its own that ends in a return, and the interval proven for its result.

    intervals: the proven interval of each operand, or None. Raises `InputError` for an op without a lowering.
    """
    block = Block(arg_types=[operand.type for operand in op.operands])
    copy = op.clone(value_mapper=dict(zip(op.operands, block.args, strict=True)))
    block.add_ops([copy, func.ReturnOp(*copy.results)])
    function = func.FuncOp("alone", (block.arg_types, copy.result_types), Region(block))
    module = ModuleOp([function])
    compile_for(module, target_of(op))
    if (lower := prepare(copy)) is None:
        raise error_at(op, f"{op.name} is not supported yet: it has no lowering")
    PatternRewriteWalker(ToStorage(), apply_recursively=False).rewrite_module(module)
    context = FunctionContext(module, function)
    operands = zip(block.args, intervals, strict=True)
    context.intervals |= {operand: known for operand, known in operands if known is not None}
    value = lower(Emitter(copy, context))
    if value is not None:
        copy.results[0].replace_all_uses_with(value)
    Rewriter.erase_op(copy)
    return block, None if value is None else context.intervals.get(value)
