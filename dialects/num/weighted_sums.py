"""Sums of raws with constant weights, which replace sums of numbers with unlike scales that have the same results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.machine.machine import Int, limits
from tinyml.dialects.num.base import SCALAR, Computation, NumOp, format_of

__all__ = ["WEIGHTED_SUM_SHIFT", "WeightedSumOp", "weighted_sum_fits"]

WEIGHTED_SUM_SHIFT = 24
"""The fractional bits of the weights of `num.weighted_sum`."""

_SUM_BITS, _BYTE = 40, 8


def weighted_sum_fits(weights: Sequence[int], start: int) -> bool:
    """True if no sum of bytes with the given weights and start value leaves 40 bits."""
    return sum(weights) * -limits(_BYTE)[0] + abs(start) <= limits(_SUM_BITS)[1]


@irdl_op_definition
class WeightedSumOp(NumOp):
    """The raw `(sum_i weights[i] * raw_i + start) / 2^24`, rounded down and clamped to the raws of the result.

    There are one or two operands, whose raws are bytes, as those of the result. Weights are from 0 to 2^31 - 1. No sum
    leaves 40 bits.
    """

    name = "num.weighted_sum"
    inputs = var_operand_def(SCALAR)
    weights = prop_def(DenseArrayBase)
    start = prop_def(IntegerAttr)
    result = result_def(SCALAR)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$inputs attr-dict `:` type($inputs) `->` type($result)"

    def __init__(self, inputs: Sequence[SSAValue], weights: Sequence[int], start: int, type: Attribute):
        properties = {"weights": DenseArrayBase.from_list(i32, weights), "start": IntegerAttr(start, i64)}
        super().__init__(operands=[inputs], properties=properties, result_types=[type])

    @property
    def factors(self) -> tuple[int, ...]:
        """The weights as integers."""
        return tuple(cast("DenseArrayBase[IntegerType]", self.weights).get_values())

    def verify_(self) -> None:
        if len(self.inputs) not in (1, 2) or len(self.inputs) != len(self.factors):
            raise VerifyException(f"{self.name} has one or two operands, and a weight for each")
        if any(format_of(value).dtype.itemsize != 1 for value in (*self.inputs, self.result)):
            raise VerifyException(f"{self.name} has operands and a result of bytes")
        if min(self.factors) < 0:
            raise VerifyException(f"the weights of {self.name} are not negative")
        if not weighted_sum_fits(self.factors, self.start.value.data):
            raise VerifyException(f"the sums of {self.name} can leave {_SUM_BITS} bits")

    def computation(self) -> Computation:
        low, high = format_of(self.result).stored_limits or limits(_BYTE)
        first, second = (*self.factors, 0)[:2]

        def compute(m: Any, x: Sequence[Any]) -> Any:
            others = x[1] if len(x) > 1 else m.int_constant(0, _BYTE)
            weights = m.int_constant(first, 32), m.int_constant(second, 32)
            raw = m.call("tm_weighted_sum_s8", x[0], others, *weights, m.int_constant(self.start.value.data, 64))
            return m.settle(m.clamp(Int(raw, _BYTE, *limits(_BYTE)), low, high), _BYTE)

        return compute
