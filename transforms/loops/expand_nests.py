"""`expand-nests`: expands nests into loops of `scf` (L3, L4)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.index_maps import inline, inline_reduction
from tinyml.transforms.ir.loop_nest import LoopBuilder


@dataclass(frozen=True)
class ExpandNestsPass(ModulePass):
    """Replace every `num.nest` and `num.reduce` by `scf` loops.

    At L4, a `num.contract` that was preserved for hardware becomes a loop over its rows. If the rows are
    compressed, this loop contains a loop over the entries of a row, which follows the gaps. At L4, every
    `scratch.slide` is erased. Both ops are unchanged while they have operands in number formats (L3). Functions of
    lanes (`num.lane_function`), which are code for vectors, are unchanged at every level.
    """

    name = "expand-nests"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            _expand(function)


def _expand(function: func.FuncOp) -> None:
    for nest in [each for each in function.walk() if isinstance(each, num.ClosedNestOp)]:
        if isinstance(nest, num.NestOp):
            expand_nest(nest)
        elif isinstance(nest, num.ContractOp) and not _has_formats(nest):
            from tinyml.transforms.ir.contraction_loops import expand_contraction

            expand_contraction(nest)
    reductions = [each for each in function.walk() if isinstance(each, num.ReduceOp)]
    for reduction in [each for each in reductions if not isinstance(each.parent_op(), num.ReduceOp)]:
        inline_reduction(reduction, LoopBuilder(reduction))
    for slide in [each for each in function.walk() if scratch.is_slide(each) and not _has_formats(each)]:
        Rewriter.erase_op(slide)


def _has_formats(op: Operation) -> bool:
    """Whether an op, or an op inside it, has an operand in a number format or an accumulator, as at L3."""
    types = {operand.type for each in op.walk() for operand in each.operands}
    elements = [memref_type.element_type for memref_type in types if isa(memref_type, MemRefType)]
    return any(number_format(type) is not None or accumulator_of(type) is not None for type in (*types, *elements))


def expand_nest(op: num.NestOp) -> None:
    """Replace a `num.nest` by loops over its axes, the first axis outermost."""
    nest = LoopBuilder(op)

    nest.over(op.shape, lambda numbers: inline(op, numbers, nest))
    Rewriter.erase_op(op)


def open_nest_around(op: Operation) -> None:
    """Expand the nest around an op into loops, if the op itself becomes a loop or needs memory that is written."""
    if isinstance(nest := op.parent_op(), num.NestOp):
        expand_nest(nest)
