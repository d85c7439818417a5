"""`forward-inserts`: computes a part of a buffer at its final location, instead of inserting it later (L2, before
packing).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.transforms.buffers.liveness.inserted_parts import forward
from tinyml.transforms.buffers.liveness.live_ranges import erase_dead_buffers


@dataclass(frozen=True)
class ForwardInsertsPass(ModulePass):
    """Compute a part of a buffer at the location where `tdsl.insert_slice` would insert it, and erase the insertion.

    A view into the destination replaces the buffer of the part. The part must consist of consecutive elements, at an
    offset that is known before the part is computed. Between the first op that touches the part and the insertion, no
    op may touch the destination, with two exceptions. The first op may update exactly the elements that the part
    replaces. If no other op touches the destination, a `tdsl.move_up` of it is moved before the first op.
    If the first op is elementwise, its operand is also computed in these bytes, provided that the operand meets the
    same conditions and has the same format. An insertion that does not meet these conditions is unchanged.
    """

    name = "forward-inserts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            erase_dead_buffers(function)
            for insert in [inner for inner in function.walk() if isinstance(inner, tdsl.InsertSliceOp)]:
                forward(insert)
