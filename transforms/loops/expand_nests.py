"""`expand-nests`: nests become loops of `scf`, and windows no longer slide (L3, L4)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.index_maps import inline, inline_reduction
from tinyml.transforms.ir.loop_nest import LoopNest


@dataclass(frozen=True)
class ExpandNestsPass(ModulePass):
    """Expand every `num.nest` and `num.reduce` and, at L4, the contractions that were kept for hardware.

    The latter are the `num.contract`s with compressed rows, each of which becomes a loop that follows the gaps of its
    rows; the statements of `scratch.slide` are removed. At L3, where programs have number formats, both are unchanged.
    """

    name = "expand-nests"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for nest in [each for each in op.walk() if isinstance(each, num.ClosedNestOp)]:
            if isinstance(nest, num.NestOp):
                expand_nest(nest)
            elif isinstance(nest, num.ContractOp) and not nest.products and not _has_formats(nest):
                expand_contraction(nest)
        reductions = [each for each in op.walk() if isinstance(each, num.ReduceOp)]
        for reduction in [each for each in reductions if not isinstance(each.parent_op(), num.ReduceOp)]:
            inline_reduction(reduction, LoopNest(reduction))
        for slide in [each for each in op.walk() if isinstance(each, scratch.SlideOp) and not _has_formats(each)]:
            Rewriter.erase_op(slide)


def _has_formats(op: Operation) -> bool:
    """True if an op, or one inside it, reads numbers of a format or their sums, as at L3."""
    return any(
        number_format(element) is not None or accumulator_of(element) is not None
        for each in op.walk()
        for operand in each.operands
        for element in [operand.type.element_type if isinstance(operand.type, MemRefType) else operand.type]
    )


def expand_nest(op: num.NestOp) -> None:
    """Replace a nest by loops over its axes, the outermost first."""
    nest = LoopNest(op)

    nest.over(op.shape, lambda numbers: inline(op, numbers, nest))
    Rewriter.erase_op(op)
