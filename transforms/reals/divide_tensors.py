"""`divide-tensors`: computes the parts of a tensor one by one, if the program reads only parts of the tensor (L0).

A layer of attention computes the queries of all heads by one product, and then slices the queries of each head. If each
head has its own product instead, only one head is in memory at a time: its queries, keys, values and scores. The sums
of products are the same, and nothing is copied.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.transforms.reals.analysis.tensor_parts import concatenate_transposed, divide

SLICE, CONCAT = "tdsl.slice", "tdsl.concat"


@dataclass(frozen=True)
class DivideTensorsPass(ModulePass):
    """Compute slices of a tensor separately if they divide the tensor along one axis.

    The tensor must be computed by products of several rows and a constant, by elementwise ops, by softmax or
    normalisation along another axis, by transposition, or by concatenation of the parts. Every op is divided, so that
    no op is executed twice. All other slices are unchanged. Where parts are concatenated and then transposed, they are
    instead concatenated along the axis to which the transposition would move them.
    """

    name = "divide-tensors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = {inner.name for inner in op.walk()}
        if not {SLICE, CONCAT} & names:
            return
        # Imported here, as few programs slice or concatenate tensors.
        if SLICE in names:
            divide(op)
        if CONCAT in names:
            concatenate_transposed(op)
