"""What scalars and sums share: looking up formats, and the rule that operands are of one family."""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
)
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.number_format import NumberFormat, number_format


def format_of(value: SSAValue) -> NumberFormat:
    """The format of a scalar."""
    if (found := number_format(value.type)) is None:
        raise VerifyException(f"expected a scalar of a number format, got {value.type}")
    return found


def accumulator_type(value: SSAValue) -> Accumulator:
    """The accumulator that a value is."""
    if (found := accumulator_of(value.type)) is None:
        raise VerifyException(f"expected an accumulator, got {value.type}")
    return found


def keeps_sum(sum: SSAValue, result: SSAValue) -> None:
    """The rule that a sum goes on in the accumulator that it came in."""
    if sum.type != result.type:
        raise VerifyException(f"the sum changes its type from {sum.type} to {result.type}")


def sums_products(sum: Attribute, lhs: NumberFormat, rhs: NumberFormat) -> None:
    """The rule that an accumulator can hold products of two formats."""
    if (accumulator := accumulator_of(sum)) is None:
        raise VerifyException(f"expected sums in accumulators, got {sum}")
    if not accumulator.sums(lhs, rhs):
        raise VerifyException(f"{sum} does not sum products of {lhs.type} and {rhs.type}")


def same_family(op: IRDLOperation, *formats: NumberFormat) -> None:
    if len(names := {one.FAMILY for one in formats}) > 1:
        raise VerifyException(f"{op.name} mixes the families {', '.join(sorted(names))}; convert first")
