"""`choose-accumulators`: every sum of products gets the narrowest accumulator that is proven not to overflow.

The proof is exact for constants: what a row's weights of either sign add up to, times the least and the greatest that
the other operand can be, bounds every partial sum. It stands in the IR beside the accumulator's type.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cmp_to_key

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, tdsl
from tinyml.dialects.number_format import NumberFormat


@dataclass(frozen=True)
class ChooseAccumulatorsPass(ModulePass):
    """Sets `acc` and `bound` of every product of matrices at L1.

    Raises `InputError` where no accumulator of the format is wide enough.
    """

    name = "choose-accumulators"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for contraction in op.walk():
            if isinstance(contraction, tdsl.ContractionOp):
                choose(contraction)


def choose(op: tdsl.ContractionOp) -> None:
    """Set the accumulator of one sum of products from what is known of the operands."""
    result, bound = tdsl.format_of(op.out), op.derived_bound
    if isinstance(op, tdsl.MatmulSumOp):
        _order(op, result)
    lhs, rhs = op.pairs[-1]
    op.acc = result.accumulator(tdsl.format_of(lhs), tdsl.format_of(rhs), bound).type
    op.properties |= num.proof(bound)


def _order(op: tdsl.MatmulSumOp, result: NumberFormat) -> None:
    """Let each sum go on exactly in the next one's units: the finest products last, else as they were."""

    def goes_on(one: tuple[SSAValue, SSAValue], other: tuple[SSAValue, SSAValue]) -> int:
        units = [result.accumulator(tdsl.format_of(lhs), tdsl.format_of(rhs), None) for lhs, rhs in (one, other)]
        return units[0].follows(units[1]) - units[1].follows(units[0])

    pairs = sorted(op.pairs, key=cmp_to_key(goes_on))
    op.operands = [*(factor for pair in pairs for factor in pair), *op.operands[len(op.factors) :]]
