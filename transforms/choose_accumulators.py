"""`choose-accumulators`: every sum of products gets the narrowest accumulator that is proven not to overflow.

The proof is exact for constants: what a row's weights of either sign add up to, times the least and the greatest that
the other operand can be, bounds every partial sum. It stands in the IR beside the accumulator's type.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import num, tdsl


@dataclass(frozen=True)
class ChooseAccumulatorsPass(ModulePass):
    """Sets `acc` and `bound` of every matmul and spmv at L1.

    Raises `InputError` where no accumulator of the format is wide enough.
    """

    name = "choose-accumulators"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for contraction in op.walk():
            if isinstance(contraction, tdsl.ContractionOp):
                choose(contraction)


def choose(op: tdsl.ContractionOp) -> None:
    """Set the accumulator of one product from what is known of its operands."""
    bound = op.derived_bound
    op.acc = tdsl.format_of(op.out).accumulator(tdsl.format_of(op.lhs), tdsl.format_of(op.rhs), bound).type
    op.properties |= num.proof(bound)
