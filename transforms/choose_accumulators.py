"""`choose-accumulators`: every sum of products gets the narrowest accumulator that is proven not to overflow.

The proof is exact for constants: the sum of |w| along each row, times the greatest magnitude that the other operand's
format can hold, bounds every partial sum. It stands in the IR beside the accumulator's type.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.number_format import Raws
from tinyml.transforms.constant_operands import constant_root, oriented


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
    lhs, rhs, result = (tdsl.format_of(value) for value in (op.lhs, op.rhs, op.out))
    bound = result.sum_bound(tdsl.shape_of(op.lhs)[1], lhs, rhs, lhs=_raws(op.lhs), rhs=_raws(op.rhs))
    op.acc = result.accumulator(lhs, rhs, bound).type
    op.bound = None if bound is None else tdsl.proof(bound)


def _raws(operand: SSAValue) -> Raws | None:
    constant = constant_root(operand)
    return None if constant is None else oriented(constant.raws, operand)
