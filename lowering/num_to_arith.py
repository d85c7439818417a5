"""`lower-num-to-arith`: every number becomes bits (L3 to L4).

Each num op asks its format to write itself down as integer or float arithmetic; then every type that stands for a
format becomes the type of its storage. One pass does both, because after it the formats are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import xdsl.dialects.memref as upstream_memref
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    i8,
    i16,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import element_format, number_format
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.lowering.bits.format_notes import note_formats
from tinyml.lowering.bits.kernel_calls import call_kernel, decoding
from tinyml.lowering.bits.packed_elements import unpack_elements

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Lowering: TypeAlias = Callable[[Emitter], SSAValue | None]
"""Gives the result in bits, where the op has one."""
Interval: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class LowerNumToArithPass(ModulePass):
    """Lowers all functions of a module."""

    name = "lower-num-to-arith"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [one for one in op.ops if isinstance(one, func.FuncOp) and not one.is_declaration]
        # The formats are read off the types before the types change, the code is written after.
        prepared = [
            (function, [(one, _LOWERINGS[type(one)](one)) for one in function.walk() if type(one) in _LOWERINGS])
            for function in functions
        ]
        for function in functions:
            note_formats(function)
        PatternRewriteWalker(_ToStorage(), apply_recursively=False).rewrite_module(op)
        for function, lowerings in prepared:
            context = _FunctionContext(op, function)
            unpack_elements(function, context)
            context.intervals |= _loaded_intervals(function)
            for one, lower in lowerings:
                value = lower(Emitter(one, context))
                for result in one.results:
                    assert value is not None
                    value.name_hint = value.name_hint or result.name_hint
                    result.replace_all_uses_with(value)
                one.detach()
                one.erase()


def lowered_alone(op: Operation, intervals: Sequence[Interval | None]) -> tuple[Block, Interval | None]:
    """What one num op becomes, in a block of its own that ends in a return, and what its result is proven to lie in.

    intervals: what is proven of each operand, where something is. Raises `InputError` for an op that has no lowering.
    """
    if type(op) not in _LOWERINGS:
        raise error_at(op, f"{op.name} is not supported yet: it has no lowering")
    block = Block(arg_types=[operand.type for operand in op.operands])
    copy = op.clone(value_mapper=dict(zip(op.operands, block.args, strict=True)))
    block.add_ops([copy, func.ReturnOp(*copy.results)])
    function = func.FuncOp("alone", (block.arg_types, copy.result_types), Region(block))
    module = ModuleOp([function])
    lower = _LOWERINGS[type(op)](copy)
    PatternRewriteWalker(_ToStorage(), apply_recursively=False).rewrite_module(module)
    context = _FunctionContext(module, function)
    operands = zip(block.args, intervals, strict=True)
    context.intervals |= {operand: known for operand, known in operands if known is not None}
    value = lower(Emitter(copy, context))
    if value is not None:
        copy.results[0].replace_all_uses_with(value)
    copy.detach()
    copy.erase()
    return block, None if value is None else context.intervals.get(value)


def _loaded_intervals(function: func.FuncOp) -> dict[SSAValue, tuple[int, int]]:
    """What is proven of elements that are loaded from constants: they lie between the least and the greatest."""
    extremes: dict[scratch.ConstantOp, tuple[int, int]] = {}
    found: dict[SSAValue, tuple[int, int]] = {}
    for op in function.walk():
        if not (isinstance(op, upstream_memref.LoadOp) and isinstance(op.res.type, IntegerType)):
            continue
        if isinstance(constant := scratch.root(op.memref).owner, scratch.ConstantOp):
            if constant not in extremes:
                raws = constant.raws
                extremes[constant] = int(raws.min()), int(raws.max())
            found[op.res] = extremes[constant]
    return found


class _FunctionContext:
    """Tables at the entry of a function, equal ones once; declarations at the end of the module."""

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

    def declare_kernel(self, function: str, arguments: Sequence[Attribute], results: Sequence[Attribute]) -> None:
        if function not in self.declared:
            self.declared.add(function)
            self.module.body.block.add_op(func.FuncOp.external(function, arguments, results))


class _ToStorage(RewritePattern):
    """Formats and accumulators inside any type become what holds them; data attributes are left alone."""

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


def _unary(method: str) -> Callable[[Any], Lowering]:
    def prepare(op: num.UnaryOp) -> Lowering:
        source, result = num.format_of(op.input), num.format_of(op.result)
        return lambda e: getattr(result, method)(e, op.input, source)

    return prepare


def _function(op: num.FunctionOp) -> Lowering:
    source, result = num.format_of(op.input), num.format_of(op.result)
    scheme = op.scheme.data if op.scheme else None
    return lambda e: result.function(e, op.FUNCTION, op.input, source, scheme)


def _binary(method: str) -> Callable[[Any], Lowering]:
    def prepare(op: num.BinaryOp) -> Lowering:
        lhs, rhs, result = (num.format_of(value) for value in (op.lhs, op.rhs, op.result))
        return lambda e: getattr(result, method)(e, op.lhs, lhs, op.rhs, rhs)

    return prepare


def _zero(op: num.ZeroOp) -> Lowering:
    return num.accumulator_type(op.result).zero


def _start(op: num.StartOp) -> Lowering:
    accumulator, format = num.accumulator_type(op.result), num.format_of(op.value)
    return lambda e: accumulator.start(e, op.value, format)


def _align(op: num.AlignOp) -> Lowering:
    accumulator, other = num.accumulator_type(op.result), num.accumulator_type(op.sum)
    return lambda e: accumulator.align(e, op.sum, other)


def _mac(op: num.MacOp) -> Lowering:
    accumulator, lhs, rhs = num.accumulator_type(op.sum), num.format_of(op.lhs), num.format_of(op.rhs)
    return lambda e: accumulator.mac(e, op.sum, op.lhs, lhs, op.rhs, rhs)


def _join(op: num.JoinOp) -> Lowering:
    accumulator, part = num.accumulator_type(op.sum), num.accumulator_type(op.part)
    return lambda e: accumulator.join(e, op.sum, op.part, part)


def _finish(op: num.FinishOp) -> Lowering:
    accumulator, result = num.accumulator_type(op.sum), num.format_of(op.result)
    return lambda e: result.finish(e, op.sum, accumulator, op.sum_bound)


def _shift(op: num.ShiftOp) -> Lowering:
    accumulator = num.accumulator_type(op.sum)
    return lambda e: accumulator.shifted(e, op.sum, op.places)


def _level(op: num.LevelOp) -> Lowering:
    accumulator, levelled = num.accumulator_type(op.sum), num.accumulator_type(op.result)
    return lambda e: accumulator.level_row(e, op.sum, op.row, levelled)


def _dot(op: num.DotOp | num.StridedDotOp | num.DistanceOp) -> Lowering:
    kernel = _kernel(op)
    found = [element_format(factor.type).coding for factor in (op.lhs, op.rhs)]
    codings = [coding for coding in found if coding is not None]

    def lower(e: Emitter) -> SSAValue | None:
        tables, parameters = decoding(e, kernel, codings)
        # Packed weights are counted by the numbers that they meet, those that meet a column by themselves.
        counted = op.rhs
        if isinstance(op, num.StridedDotOp):
            counted = op.lhs
            parameters.append(e.insert(arith.ConstantOp(op.stride)))
        return call_kernel(
            e, kernel, [*tables, op.lhs, op.rhs], [_length(e, counted), *parameters, op.sum], op.sum.type
        )

    return lower


def _dot_rows(op: num.DotRowsOp) -> Lowering:
    def lower(e: Emitter) -> SSAValue | None:
        return call_kernel(
            e, op.kernel.data, [op.matrix, op.vector], [_length(e, op.vector)], None, [op.starts, op.sums]
        )

    return lower


def _axpy(op: num.AxpyOp) -> Lowering:
    kernel = _kernel(op)
    return lambda e: call_kernel(e, kernel, [op.sums, op.vector], [op.factor, _length(e, op.vector)], None)


def _length(e: Emitter, run: SSAValue) -> SSAValue:
    return e.insert(arith.ConstantOp(IntegerAttr(tdsl.shape_of(run)[0], IndexType())))


def _sparse_dot(op: num.SparseDotOp) -> Lowering:
    kernel = _kernel(op)

    def lower(e: Emitter) -> SSAValue | None:
        row = [e.insert(scratch.SliceOp(run, op.at, tdsl.shape_of(run))) for run in (op.values, op.gaps)]
        length = e.insert(upstream_memref.LoadOp.get(op.lengths, [op.row]))
        wide = e.insert(arith.ExtUIOp(length, i16 if length.type == i8 else i32))
        count = e.insert(arith.IndexCastOp(wide, IndexType()))
        return call_kernel(e, kernel, [*row, op.vector], [count, op.sum], op.sum.type)

    return lower


def _packed_dot(op: num.PackedDotOp) -> Lowering:
    bits = scratch.packed_bits(scratch.memref_type(op.vector))

    def lower(e: Emitter) -> SSAValue | None:
        fetched = [] if bits is None else [e.int_constant(bits, 8)]
        return call_kernel(e, op.kernel.data, [op.row, op.vector], [*fetched, op.sum], op.sum.type)

    return lower


def _kernel(op: num.DotOp | num.StridedDotOp | num.SparseDotOp | num.DistanceOp | num.AxpyOp) -> str:
    if op.kernel is None:
        raise InputError(f"{op.name} has no kernel: run select-kernels first")
    return op.kernel.data


def _constant(op: num.ConstantOp) -> Lowering:
    result = num.format_of(op.result)
    return lambda e: result.constant(e, op.value.value.data)


def _clamp(op: num.ClampOp) -> Lowering:
    format = num.format_of(op.input)
    high = None if op.high is None else op.high.value.data
    return lambda e: format.clamp(e, op.input, op.low.value.data, high)


def _at_least(op: num.AtLeastOp) -> Lowering:
    format = num.format_of(op.input)
    return lambda e: format.at_least(e, op.input, op.threshold.value.data)


def _greater(op: num.GreaterOp) -> Lowering:
    ordered = accumulator_of(op.lhs.type) or num.format_of(op.lhs)
    return lambda e: ordered.greater(e, op.lhs, op.rhs)


_LOWERINGS: dict[type[Operation], Callable[[Any], Lowering]] = {
    num.ConstantOp: _constant,
    num.ZeroOp: _zero,
    num.StartOp: _start,
    num.AlignOp: _align,
    num.MacOp: _mac,
    num.JoinOp: _join,
    num.DotOp: _dot,
    num.StridedDotOp: _dot,
    num.SparseDotOp: _sparse_dot,
    num.DistanceOp: _dot,
    num.AxpyOp: _axpy,
    num.DotRowsOp: _dot_rows,
    num.PackedDotOp: _packed_dot,
    num.ShiftOp: _shift,
    num.LevelOp: _level,
    num.FinishOp: _finish,
    num.AddOp: _binary("add"),
    num.SubOp: _binary("sub"),
    num.MulOp: _binary("mul"),
    num.NegOp: _unary("neg"),
    num.ConvertOp: _unary("convert"),
    num.ExpOp: _function,
    num.TanhOp: _function,
    num.SigmoidOp: _function,
    num.ClampOp: _clamp,
    num.AtLeastOp: _at_least,
    num.GreaterOp: _greater,
}
