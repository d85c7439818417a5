"""`expand-loops`: fully unrolls innermost loops of a few iterations without products (hardware).

An example is the maximum over a window of 2 x 2 pixels. The surrounding loop over channels can then be pipelined.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.transforms.scf_for_loop_unroll import UnrollLoopPattern

from tinyml.dialects.loops import trips_from_zero
from tinyml.dialects.rewriting import LocatedPattern
from tinyml.transforms.rtl.scheduling.regions import is_pipelined, multiplies

MAX_ITERATIONS = 4
"""The maximum number of iterations that a loop is expanded to, including those of the loops in it."""


@dataclass(frozen=True)
class ExpandLoopsPass(ModulePass):
    """Replace innermost loops of at most four iterations inside other loops by copies of their bodies, one for each
    iteration.

    The iterations of a loop include those of loops in its body that have been expanded. Loops with products, and loops
    that are not inside another loop, are unchanged.
    """

    name = "expand-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                copies: dict[scf.ForOp, int] = {}
                # Inner loops come first: a loop whose inner loops have been expanded may be expanded too.
                for loop in list(function.walk(region_first=True)):
                    around = loop.parent_op()
                    if not is_pipelined(loop) or not isinstance(around, scf.ForOp) or multiplies(loop):
                        continue
                    trips = (trips_from_zero(loop) or 0) * copies.get(loop, 1)
                    if 0 < trips <= MAX_ITERATIONS:
                        copies[around] = copies.get(around, 1) * trips
                        LocatedPattern(UnrollLoopPattern()).match_and_rewrite(loop, PatternRewriter(loop))
