"""`expand-nests`: expands nests into loops of `scf` (L3, L4, hardware memories)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation
from xdsl.transforms.loop_invariant_code_motion import move_loop_invariant_code
from xdsl.utils.hints import isa

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.registry import board, target_of
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.index_maps import expand_nest
from tinyml.transforms.ir.levels import NESTS


@dataclass(frozen=True)
class ExpandNestsPass(ConditionalPass):
    """Replace every `num.nest` and `num.reduce` by `scf` loops.

    For an FPGA, a function in number formats (L3) is unchanged, because later passes read its nests. At L4, a
    `num.contract` that was preserved for hardware becomes a loop over its rows. If the rows are compressed, this loop
    contains a loop over the entries of a row, which follows the gaps. At L4, invariants leave the loops of a function
    that has nests, and every `scratch.slide` is erased. Functions of lanes (`num.lane_function`) are never changed.
    """

    name = "expand-nests"
    takes = NESTS
    ACTS_ON = (
        num.NestOp,
        num.ReduceOp,
        num.ContractOp,
        scratch.SlideOp,
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            in_bits = not _has_formats(function)
            if in_bits or board(target_of(op)).fabric is None:
                _expand(function, in_bits)


def _expand(function: func.FuncOp, in_bits: bool) -> None:
    nests = [op for op in function.walk() if isinstance(op, num.NestOp | num.ReduceOp | num.ContractOp)]
    for nest in nests:
        if isinstance(nest, num.ContractOp):
            if in_bits:
                expand_contraction(nest)
        elif nest.parent is not None:  # The expansion of a nest also expands the reductions in it.
            expand_nest(nest)
    for op in list(function.walk(region_first=True)) if in_bits else ():
        if isinstance(op, scratch.SlideOp):
            Rewriter.erase_op(op)
        elif nests and isinstance(op, scf.ForOp):
            move_loop_invariant_code(op)


def _has_formats(op: Operation) -> bool:
    types = {operand.type for each in op.walk() for operand in each.operands}
    elements = [memref_type.element_type for memref_type in types if isa(memref_type, MemRefType)]
    return any(number_format(type) is not None or accumulator_of(type) is not None for type in (*types, *elements))


def open_nest_around(op: Operation) -> None:
    """Expand the nest around an op into loops, if the op itself becomes a loop or needs memory that is written."""
    if isinstance(nest := op.parent_op(), num.NestOp):
        expand_nest(nest)
