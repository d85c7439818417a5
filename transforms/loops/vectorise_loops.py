"""`vectorise-loops`: nests over elements become calls of code for vectors, where the target has any (L3).

Each iteration of an elementwise op, a sum of tensors, a pool or a mean computes one element of the result, as does each
row of a short contraction, together with the ops that follow its sum. Argmax and the passes of a softmax reduce the
values of all iterations to a single element. The iterations are the lanes of vectors. The number formats emit what a
lane computes as a function on integers of 32 bits (`num.lane_function`), so that a new format or op needs no kernel of
its own. The composer of a vector unit (`LoopCoder`) generates code for the function, or refuses it.
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
    """Replace nests, contractions and reductions whose iterations along the last axis can be lanes.

    Each lane stores one element of a run and is independent of all others, or a reduction combines all lanes to a sum,
    the greatest value, or the position of the greatest value. A lane loads its elements of other runs or of the same
    run, rows, which are multiplied by a vector that all lanes share, entries of tables, and values from outside of the
    nest; it may reduce the elements of a window. The axis around the last one is merged with it if both traverse one
    run; the next axis has the lines of the function; further axes are loops around the call. Loops of the program
    without carried values are nests of one axis. Contractions that a tile computes are unchanged.

    target: as for `select-kernels`. Raises `InputError` for an unknown target.
    """

    name = "vectorise-loops"
    takes = LOOPS
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compile_for(op, self.target)
        if not makers(self.target, LoopCoder):
            return
        from tinyml.transforms.loops.kernels.lane_calls import vectorise

        for function in defined_functions(op):
            vectorise(function, self.target)
