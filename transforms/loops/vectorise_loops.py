"""`vectorise-loops`: replaces nests over elements by calls of vector code, if the target supports vector code (L3).

Each iteration of an elementwise op, a sum of tensors, a pool or a mean computes one element of the result. Each row of
a short contraction, together with the ops that follow its sum, also computes one element. Argmax and the passes of a
softmax reduce the values of all iterations to a single element. The iterations become the lanes of vectors.

The number formats emit the computation of a lane as a function on integers of 32 bits (`num.lane_function`). A new
format or op therefore needs no separate kernel. The composer of a vector unit (`LoopCoder`) generates code for the
function, or rejects the function.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.functions import defined_functions
from tinyml.targets.kernel_table import LoopCoder
from tinyml.targets.registry import HOST, compile_for, table_entries
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.levels import LOOPS


@dataclass(frozen=True)
class VectoriseLoopsPass(ConditionalPass):
    """Replace nests, contractions and reductions by calls of vector code, if iterations along the last axis can be
    lanes.

    Each lane must store one element of a run and be independent of all other lanes. Alternatively, a reduction
    combines all lanes to a sum, the greatest value, or the position of the greatest value. A lane may load its
    elements of other runs or of the same run, and entries of tables. It may multiply a row by a vector that all
    lanes read, use values from outside the nest, and reduce the elements of a window.

    The last two axes are merged if both traverse one run. The next axis becomes the lines of the function, and
    further axes become loops around the call. Loops without carried values count as nests of one axis. Contractions
    that a tile computes are unchanged, and so are nests for which vector code is not faster.

    target: as for `select-kernels`.

    Raises `InputError` for an unknown target.
    """

    name = "vectorise-loops"
    takes = LOOPS
    target: str = HOST

    def obstacle(self, module: ModuleOp) -> str | None:
        return None if table_entries(self.target, LoopCoder) else f"{self.target} has no vectors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compile_for(op, self.target)
        if self.obstacle(op) is not None:
            return
        # Only targets with a vector unit need it.
        from tinyml.transforms.loops.kernels.lane_calls import vectorise

        for function in defined_functions(op):
            vectorise(function, self.target)
