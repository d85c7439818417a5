"""`vectorise-loops`: loops over elements become calls of code for vectors, where the target has such code (L3).

Elementwise ops, sums of tensors, pools and means are loops in which each iteration computes one element of a result. So
are contractions of short rows, with everything that follows their sums. Argmax and the passes of a softmax combine the
values of all iterations into a single element. The number formats themselves record the computation of an iteration as
steps on integers (`ElementLoop`), so that a new format or op needs no kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.functions import defined_functions
from tinyml.targets.makers import LoopCoder
from tinyml.targets.registry import HOST, compile_for, makers
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.loops.expand_nests import ExpandNestsPass


@dataclass(frozen=True)
class VectoriseLoopsPass(ModulePass):
    """Replace loops and contractions in which each iteration stores one element of a run and depends on no other
    iteration.

    Loops that only carry a sum, the greatest value so far or its position are replaced as well.

    Inner loops may carry values, such as sums. An iteration may load its own element of any run, rows, which are
    multiplied by a vector that all iterations share, tables of functions, and single values from outside the loop. A
    loop around another one is joined with it if both visit one run, or if the loop has lines. Contractions that a tile
    computes are unchanged.

    target: as for `select-kernels`. Raises `InputError` for an unknown target.
    """

    name = "vectorise-loops"
    takes = LOOPS
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compile_for(op, self.target)
        if not makers(self.target, LoopCoder):
            return
        from tinyml.transforms.loops.kernels.element_runs import vectorise

        ExpandNestsPass().apply(ctx, op)
        for function in defined_functions(op):
            vectorise(function, self.target)
