"""`expand-loops`: fully unrolls innermost loops of a few iterations without products (hardware).

An example is the maximum over a window of 2 x 2 pixels. The surrounding loop over channels can then be pipelined.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.transforms.scf_for_loop_unroll import UnrollLoopPattern

from tinyml.dialects.loops import trips_from_zero
from tinyml.dialects.rewriting import LocatedPattern
from tinyml.transforms.rtl.scheduling.regions import is_pipelined

MAX_ITERATIONS = 4
"""The maximum number of iterations that a loop is expanded to, including those of the loops in it."""


@dataclass(frozen=True)
class ExpandLoopsPass(ModulePass):
    """Replace innermost loops of at most four iterations inside other loops by copies of their bodies, one for each
    iteration.

    The iterations of expanded loops in the body count too. Loops with products, and loops that are not inside another
    loop, are unchanged.
    """

    name = "expand-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                copies: dict[scf.ForOp, int] = {}
                while (found := _next(function, copies)) is not None:
                    loop, trips = found
                    around = loop.parent_op()
                    if isinstance(around, scf.ForOp):
                        copies[around] = copies.get(around, 1) * copies.get(loop, 1) * trips
                    LocatedPattern(UnrollLoopPattern()).match_and_rewrite(loop, PatternRewriter(loop))


def _next(function: func.FuncOp, copies: dict[scf.ForOp, int]) -> tuple[scf.ForOp, int] | None:
    """The next loop to expand, and the number of its iterations. None if there is none.

    copies: for each loop, the number of copies made by expanding the loops inside it.
    """
    for loop in function.walk():
        if not is_pipelined(loop) or not (trips := trips_from_zero(loop)):
            continue
        if trips * copies.get(loop, 1) > MAX_ITERATIONS or not isinstance(loop.parent_op(), scf.ForOp):
            continue
        if not any(_is_product(op) for op in loop.body.block.ops):
            return loop, trips
    return None


def _is_product(op: object) -> bool:
    return isinstance(op, arith.MuliOp) and not isinstance(op.result.type, IndexType)
