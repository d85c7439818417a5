"""The lowering of one `num` op to arithmetic on bits, inside its program or in a separate function.

Formats and accumulators become storage types. A `num.call` becomes a call of a C function. The routine of the op
determines the arguments of the call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import xdsl.dialects.memref as upstream_memref
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    MemRefType,
    ModuleOp,
)
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.exact.expansion import expand
from tinyml.dialects.exact.recorder import Recorder
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.layouts.dense import element_type
from tinyml.dialects.locations import not_supported
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.rewriting import PatternRewriteWalker, Rewriter
from tinyml.targets.registry import compile_for, kernel_of, target_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.lazy_numpy import np


class FunctionContext:
    """The context in which the ops of a function are lowered.

    Equal tables become one constant at the function's entry. Declarations are added to the module.
    """

    def __init__(self, module: ModuleOp, function: func.FuncOp):
        self.module = module
        self.function = function
        self.tables: dict[tuple[str, bytes], SSAValue] = {}
        self.intervals: dict[SSAValue, tuple[int, int]] = {}
        self.locals: list[upstream_memref.AllocaOp] = []
        self.companions: dict[SSAValue, SSAValue] = {}
        self.declared = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}

    def table(self, name: str, table: NDArray[np.signedinteger[Any]]) -> SSAValue:
        key = str(table.dtype), table.tobytes()
        if key not in self.tables:
            constant = scratch.ConstantOp.of(table, element_type(table))
            constant.result.name_hint = f"{name}_table"
            first = self.function.body.block.first_op
            assert first is not None
            Rewriter.insert_op(constant, InsertPoint.before(first))
            self.tables[key] = constant.result
        return self.tables[key]

    def local(self, type: MemRefType, name: str) -> SSAValue:
        first = self.function.body.block.first_op
        assert first is not None
        array = upstream_memref.AllocaOp.get(type.element_type, shape=type.get_shape())
        array.memref.name_hint = name
        self.locals.append(array)
        Rewriter.insert_op(array, InsertPoint.before(first))
        return array.memref

    def beside(self, array: SSAValue, type: MemRefType, name: str) -> SSAValue:
        if array not in self.companions:
            self.companions[array] = self.local(type, name)
        return self.companions[array]

    def part(self, array: SSAValue, first: SSAValue, shape: tuple[int, ...]) -> Operation:
        return scratch.SliceOp(array, first, shape)

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
    """A pattern that replaces formats and accumulators inside any type by their storage types. Data attributes are
    unchanged.
    """

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
"""A function that emits the arithmetic of an op and returns its result; None if the op has no result."""


def _call_of(op: num.CallOp) -> Lowering:
    """Return the function that lowers an op to a call of a C function. The lengths and codings of the op's operands
    are read now, before other ops are lowered.

    Raises `InputError` for an op without a kernel, and for a kernel that the target does not have.
    """
    kernel, routine, segments = op.kernel, op.routine, False
    declared: Mapping[str, Attribute] = {} if kernel is None else {num.DECLARED: kernel, **routine.declared}
    if isinstance(kernel, num.CodeKernelAttr):
        function = kernel.function
    elif kernel is not None:
        known = kernel_of(kernel, target_of(op))
        function, segments = known.symbol, known.segments
    elif (function := routine.function) is None:
        raise InputError(f"{routine.name} has no kernel: run select-kernels first")
    arguments = routine.arguments(op, segments=segments)

    def lower(e: Emitter) -> SSAValue | None:
        passed = [_of_any_length(e, value) for value in arguments(e)]
        results = [op.sum.type] if routine.ADDS else []
        e.context.declare_kernel(function, [value.type for value in passed], results, declared)
        call = func.CallOp(function, passed, results)
        call.location = e.location
        e.builder.insert(call)
        return call.results[0] if results else None

    return lower


def _of_any_length(e: Emitter, value: SSAValue) -> SSAValue:
    if not isinstance(value.type, MemRefType):
        return value
    type = MemRefType(scratch.memref_type(value).element_type, [DYNAMIC_INDEX])
    return e.insert(upstream_memref.CastOp.get(value, type))


Interval: TypeAlias = tuple[int, int]
"""The least and the greatest raw."""


def prepare(op: Operation) -> Lowering | None:
    """Return the function that lowers an op in its current formats. None for an op that needs no lowering.

    Raises `InputError` for a `num.call` without a kernel, and for a kernel that the target does not have.
    """
    match op:
        case num.NumOp():
            computation = op.computation()
            return lambda e: computation(e, op.operands)
        case num.CallOp():
            return _call_of(op)
        case _:
            return None


@dataclass(frozen=True)
class OpFunction:
    """The lowering of one `num` op in a separate function.

    interval: the proven interval of the result, or None.
    """

    function: func.FuncOp
    context: FunctionContext
    interval: Interval | None

    @classmethod
    def recorded(cls, op: Operation, intervals: Sequence[Interval | None]) -> OpFunction:
        """Lower an op to exact integers in a separate function. Raises `InputError` for an op without a lowering.

        intervals: the proven interval of each operand, or None.
        """
        block = Block(arg_types=[operand.type for operand in op.operands])
        copy = op.clone(value_mapper=dict(zip(op.operands, block.args, strict=True)))
        block.add_ops([copy, func.ReturnOp(*copy.results)])
        function = func.FuncOp("alone", (block.arg_types, copy.result_types), Region(block))
        module = ModuleOp([function])
        compile_for(module, target_of(op))
        if (lower := prepare(copy)) is None:
            raise not_supported(op, ": it has no lowering")
        PatternRewriteWalker(ToStorage(), apply_recursively=False).rewrite_module(module)
        context = FunctionContext(module, function)
        operands = zip(block.args, intervals, strict=True)
        context.intervals |= {operand: known for operand, known in operands if known is not None}
        value = lower(Recorder(copy, context))
        if value is not None:
            copy.results[0].replace_all_uses_with(value)
        Rewriter.erase_op(copy)
        return cls(function, context, None if value is None else context.intervals.get(value))

    @property
    def block(self) -> Block:
        return self.function.body.block

    def expanded(self) -> OpFunction:
        """Lower the exact integers to registers in place, and return this object."""
        expand(self.function, self.context)
        return self
