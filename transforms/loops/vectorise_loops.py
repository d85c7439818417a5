"""`vectorise-loops`: loops over elements become calls of code for vectors, where the target has any (L3).

Elementwise ops, sums of tensors, pools and means are loops whose iterations compute one element of a result each, as
are contractions of short rows, with all that follows their sums. Argmax and the passes of a softmax join what all
iterations compute to a single element. What such an iteration computes is recorded in steps on integers
(`ElementLoop`), by the number formats themselves, so that a new format or op needs no kernel.
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
    """Replace loops and contractions whose iterations each store one element of a run and depend on no other iteration.

    Loops that carry a sum, the greatest value so far or its place, and nothing else, are replaced as well.

    Loops inside may carry values, such as sums. What is loaded are elements of other runs, or of the same, at the place
    of the iteration; rows, which meet a vector that all iterations share; tables of functions; and single values from
    outside. A loop around another one is joined with it: both visit one run, or the loop has lines. Contractions that a
    tile computes stay.

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
