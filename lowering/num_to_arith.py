"""`lower-num-to-arith`: lowers arithmetic in number formats to arithmetic on their bits (L3 to L4).

Each num op is written as integer or float arithmetic by its format; then storage types replace the types of formats.
One pass does both, because the formats are gone after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import xdsl.dialects.memref as upstream_memref
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerType,
    ModuleOp,
)
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.lowering.bits.format_notes import note_formats
from tinyml.lowering.bits.kernel_calls import Lowering, call_of, call_of_code
from tinyml.lowering.bits.packed_elements import unpack_elements
from tinyml.targets.registry import compile_for, target_of
from tinyml.transforms.ir.levels import LOOPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Interval: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class LowerNumToArithPass(ModulePass):
    """Lowers every function of a module."""

    name = "lower-num-to-arith"
    takes = LOOPS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = defined_functions(op)
        # Formats are read from the types before these change; the code is emitted afterwards.
        prepared = [
            (function, [(op, lower) for op in function.walk() if (lower := _prepare(op)) is not None])
            for function in functions
        ]
        for function in functions:
            note_formats(function)
        PatternRewriteWalker(_ToStorage(), apply_recursively=False).rewrite_module(op)
        for function, lowerings in prepared:
            context = _FunctionContext(op, function)
            unpack_elements(function, context)
            context.intervals |= _loaded_intervals(function)
            for num_op, lower in lowerings:
                value = lower(Emitter(num_op, context))
                for result in num_op.results:
                    assert value is not None
                    value.name_hint = value.name_hint or result.name_hint
                    result.replace_all_uses_with(value)
                Rewriter.erase_op(num_op)


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
    if (lower := _prepare(copy)) is None:
        raise error_at(op, f"{op.name} is not supported yet: it has no lowering")
    PatternRewriteWalker(_ToStorage(), apply_recursively=False).rewrite_module(module)
    context = _FunctionContext(module, function)
    operands = zip(block.args, intervals, strict=True)
    context.intervals |= {operand: known for operand, known in operands if known is not None}
    value = lower(Emitter(copy, context))
    if value is not None:
        copy.results[0].replace_all_uses_with(value)
    Rewriter.erase_op(copy)
    return block, None if value is None else context.intervals.get(value)


def _loaded_intervals(function: func.FuncOp) -> dict[SSAValue, tuple[int, int]]:
    """The intervals of elements loaded from constants, from the least to the greatest."""
    extremes: dict[scratch.ConstantOp, tuple[int, int]] = {}
    intervals: dict[SSAValue, tuple[int, int]] = {}
    for op in function.walk():
        if not (isinstance(op, upstream_memref.LoadOp) and isinstance(op.res.type, IntegerType)):
            continue
        if isinstance(constant := scratch.root(op.memref).owner, scratch.ConstantOp):
            if constant not in extremes:
                raws = constant.raws
                extremes[constant] = int(raws.min()), int(raws.max())
            intervals[op.res] = extremes[constant]
    return intervals


class _FunctionContext:
    """Emission context of a function: equal tables share one at its entry, declarations go to the end of the module."""

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


class _ToStorage(RewritePattern):
    """Replaces formats and accumulators inside any type by their storage; data attributes are left alone."""

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


def _prepare(op: Operation) -> Lowering | None:
    """The lowering of an op in its current formats; None for an op that stays as it is."""
    match op:
        case num.NumOp():
            computation = op.computation()
            return lambda e: computation(e, op.operands)
        case num.KernelOp():
            return call_of(op)
        case num.CodedOp():
            return call_of_code(op)
        case _:
            return None
