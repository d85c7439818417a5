"""The integer formats of TOSA programs: TensorFlow Lite's 8-bit integers with a scale and a zero point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.zeroskew.functions import softmax_terms
from tinyml.dialects.formats.zeroskew.numbers import USUAL_WIDTH, ZeroSkewSum, multiplier_and_shift
from tinyml.dialects.formats.zeroskew.type import SUM_SHIFT, ZeroSkewType

__all__ = ["SUM_SHIFT", "USUAL_WIDTH", "Integers", "multiplier_and_shift", "quantised", "softmax_terms", "sum_scales"]

Integers: TypeAlias = ZeroSkewType


def quantised(value: SSAValue) -> Integers:
    """The format of a tensor of 8-bit integers with one scale, rounded as in TensorFlow Lite. Raises `InputError` for
    any other format.
    """
    format = tdsl.format_of(value)
    if (
        not isinstance(format, ZeroSkewType)
        or format.bits != USUAL_WIDTH
        or format.per_channel
        or format.halves_to_even
    ):
        raise InputError(f"elements of {format.type} are not written in TOSA, expected zero-skew integers of 8 bits")
    return format


def sum_scales(op: tdsl.ContractionOp) -> Sequence[float]:
    """The scale of the sums of products, or the scale of each row."""
    accumulator = op.accumulator
    assert isinstance(accumulator, ZeroSkewSum)
    return [scale.data for scale in accumulator.scales]
