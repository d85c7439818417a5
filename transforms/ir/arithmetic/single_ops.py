"""The lowering of one num op, within its program or alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriteWalker
from xdsl.rewriter import Rewriter

from tinyml.dialects import num
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.emitter import Emitter
from tinyml.targets.registry import compile_for, target_of
from tinyml.transforms.ir.arithmetic.function_context import FunctionContext
from tinyml.transforms.ir.arithmetic.kernel_calls import Lowering, call_of, call_of_code, call_of_transform
from tinyml.transforms.ir.arithmetic.storage_types import ToStorage

Interval: TypeAlias = tuple[int, int]
"""The least and the greatest raw."""


def prepare(op: Operation) -> Lowering | None:
    """The lowering of an op in its current formats; None for an op that is not lowered."""
    match op:
        case num.NumOp():
            computation = op.computation()
            return lambda e: computation(e, op.operands)
        case num.KernelOp():
            return call_of(op)
        case num.CodedOp():
            return call_of_code(op)
        case num.TransformOp():
            return call_of_transform(op)
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
