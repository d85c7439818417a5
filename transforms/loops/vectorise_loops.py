"""`vectorise-loops`: nests over elements become calls of code for vectors, where the target has any (L3).

Elementwise ops, sums of tensors, pools and means are nests whose iterations compute one element of a result each, as
are contractions of short rows, with all that follows their sums. Argmax and the passes of a softmax join what all
iterations compute to a single element. Iterations are the lanes of vectors. What a lane computes is recorded by the
number formats themselves, as the body of a function on integers of 32 bits (`num.lane_function`), so that a new format
or op needs no kernel. The composer of a vector unit (`LoopCoder`) makes code of the function, or refuses it.
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


@dataclass(frozen=True)
class VectoriseLoopsPass(ModulePass):
    """Replace nests, contractions and reductions whose iterations, along the last axis, can be lanes.

    Each lane stores one element of a run, and depends on no other lane; or a reduction joins all of them to a sum,
    the greatest value or its place. Lanes load elements of other runs, or of the same, at their place; rows, which
    meet a vector that all lanes share; tables of functions; and single values from outside; and they may join the
    elements of windows. An axis around the last one is joined with it where both visit one run; one more has lines;
    others are loops around the call. Loops of the program that carry nothing are nests of one axis. Contractions that
    a tile computes stay.

    target: as for `select-kernels`. Raises `InputError` for an unknown target.
    """

    name = "vectorise-loops"
    takes = LOOPS
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compile_for(op, self.target)
        if not makers(self.target, LoopCoder):
            return
        from tinyml.transforms.loops.kernels.lane_runs import vectorise

        for function in defined_functions(op):
            vectorise(function, self.target)
