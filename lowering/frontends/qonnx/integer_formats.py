"""The fixed-point formats of the integers that a quantiser yields."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.fixed.type import ExactInteger, FixedType, RoundedInteger, SignedType, UnsignedType
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.tdsl import format_of

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

SUM_WIDTHS = (16, 32)

MOST_BITS = 16
"""Maximum bits of a quantiser."""


def format_of_range(low: int, high: int, frac: int, *, bipolar: bool = False, computed: bool = False) -> ExactInteger:
    """The narrowest format that represents the integers from low to high, times 2^-frac.

    bipolar: whether the integers are -1 and 1 only. computed: whether numbers are rounded to the format, as quantisers
    do it, halves to even.
    """
    if bipolar:
        return imported("tinyml.dialects.formats.midrise:MidriseType")(1, frac)
    if low >= 0 and high < 1 << UnsignedType.WIDTHS[-1]:
        return UnsignedType(max(high.bit_length(), 1), frac)
    width = max(max(-low - 1, high, 0).bit_length() + 1, FixedType.WIDTHS[0])
    if low > -(1 << width - 1):
        return FixedType(width, frac, to_even=computed)
    return SignedType(width, frac, to_even=computed)


def format_of_bits(bits: int, frac: int) -> ExactInteger:
    """The format of symmetric integers of some bits, sign included, times 2^-frac; halves are rounded up."""
    return FixedType(bits, frac)


def format_of_sums(low: int, high: int, frac: int) -> ExactInteger:
    """The format for exact sums from low to high, times 2^-frac."""
    width = next(width for width in SUM_WIDTHS if max(-low, high) < 1 << width - 1)
    return format_of_bits(width, frac)


def binary_exponent(scale: float) -> int | None:
    """The number n for which a scale is 2^-n; None if it is no such power of two."""
    fraction, exponent = math.frexp(scale)
    return 1 - exponent if fraction == 0.5 and 1 - exponent in FRACS else None


def integer_format(value: SSAValue) -> ExactInteger:
    """The format of a tensor of integers."""
    format = format_of(value)
    assert isinstance(format, ExactInteger)
    return format


def rounds_to_even(format: ExactInteger) -> bool:
    return isinstance(format, RoundedInteger) and format.halves_to_even


__all__ = [
    "MOST_BITS",
    "ExactInteger",
    "binary_exponent",
    "format_of_bits",
    "format_of_range",
    "format_of_sums",
    "integer_format",
    "rounds_to_even",
]
