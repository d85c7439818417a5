"""What scalars and sums share: looking up formats, and the rule that operands are of one family."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
)
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.number_format import (
    Accumulator,
    NumberFormat,
    accumulator_of,
    number_format,
)


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


def same_family(op: IRDLOperation, *formats: NumberFormat) -> None:
    if len(names := {one.FAMILY for one in formats}) > 1:
        raise VerifyException(f"{op.name} mixes the families {', '.join(sorted(names))}; convert first")
