"""`expand-nests`: expands nests into loops of `scf` (L3, L4, hardware memories)."""

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
from tinyml.targets.registry import board, target_of
from tinyml.transforms.ir.index_maps import expand_nest
from tinyml.transforms.ir.levels import NESTS


@dataclass(frozen=True)
class ExpandNestsPass(ModulePass):
    """Replace every `num.nest` and `num.reduce` by `scf` loops.

    For an FPGA, a function in number formats (L3) is unchanged, because later passes read its nests. At L4, a
    `num.contract` that was preserved for hardware becomes a loop over its rows. If the rows are compressed, this loop
    contains a loop over the entries of a row, which follows the gaps. At L4, every `scratch.slide` is erased. Functions
    of lanes (`num.lane_function`), which are code for vectors, are unchanged at every level.
    """

    name = "expand-nests"
    takes = NESTS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        hardware = board(target_of(op)).fabric is not None
        for function in defined_functions(op):
            if not (hardware and _has_formats(function)):
                _expand(function)


def _expand(function: func.FuncOp) -> None:
    for nest in list(function.walk()):
        # The expansion of a nest also expands the reductions in it.
        if isinstance(nest, num.NestOp | num.ReduceOp) and nest.parent is not None:
            expand_nest(nest)
        elif isinstance(nest, num.ContractOp) and not _has_formats(nest):
            from tinyml.transforms.ir.contraction_loops import expand_contraction

            expand_contraction(nest)
    for slide in [each for each in function.walk() if scratch.is_slide(each) and not _has_formats(each)]:
        Rewriter.erase_op(slide)


def _has_formats(op: Operation) -> bool:
    """Whether an op, or an op inside it, has an operand in a number format or an accumulator, as at L3."""
    types = {operand.type for each in op.walk() for operand in each.operands}
    elements = [memref_type.element_type for memref_type in types if isa(memref_type, MemRefType)]
    return any(number_format(type) is not None or accumulator_of(type) is not None for type in (*types, *elements))


def open_nest_around(op: Operation) -> None:
    """Expand the nest around an op into loops, if the op itself becomes a loop or needs memory that is written."""
    if isinstance(nest := op.parent_op(), num.NestOp):
        expand_nest(nest)
