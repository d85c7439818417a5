"""`expand-nests`: nests become loops of `scf`, and windows no longer slide (L3, L4)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.index_maps import inline, inline_reduction
from tinyml.transforms.ir.loop_nest import LoopNest


@dataclass(frozen=True)
class ExpandNestsPass(ModulePass):
    """Expand every `num.nest` and `num.reduce`, and every `num.contract` without products that a kernel could compute.

    Contractions without such products were kept for hardware (L4); the entries of a compressed row become a loop that
    follows the row's gaps. The statements of `scratch.slide` are removed as well.
    """

    name = "expand-nests"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for nest in [each for each in op.walk() if isinstance(each, num.ClosedNestOp)]:
            if isinstance(nest, num.NestOp):
                expand_nest(nest)
            elif isinstance(nest, num.ContractOp) and not nest.products:
                expand_contraction(nest)
        reductions = [each for each in op.walk() if isinstance(each, num.ReduceOp)]
        for reduction in [each for each in reductions if not isinstance(each.parent_op(), num.ReduceOp)]:
            inline_reduction(reduction, LoopNest(reduction))
        for slide in [each for each in op.walk() if isinstance(each, scratch.SlideOp)]:
            Rewriter.erase_op(slide)


def expand_nest(op: num.NestOp) -> None:
    """Replace a nest by loops over its axes, the outermost first."""
    nest = LoopNest(op)

    nest.over(op.shape, lambda numbers: inline(op, numbers, nest))
    Rewriter.erase_op(op)
