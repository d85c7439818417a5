"""The fixed-point formats of the integers that a quantiser returns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.fixed.type import ExactInteger, FixedType, RoundedInteger, SignedType, UnsignedType
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.tdsl import format_of

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

MIN_SUM_WIDTH = 16

MAX_BITS = 16
"""The maximum width of a quantiser in bits."""


def format_of_range(low: int, high: int, frac: int, *, bipolar: bool = False, computed: bool = False) -> ExactInteger:
    """The narrowest format that represents the numbers `n * 2^-frac` for all integers n from low to high.

    bipolar: whether the only integers are -1 and 1.
    computed: whether the program rounds reals to the format. The format then rounds halves to even, as quantisers do.
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
    """The fixed-point format of signed integers of `bits` bits, times 2^-frac. It rounds halves up."""
    return FixedType(bits, frac)


def format_of_sums(low: int, high: int, frac: int) -> ExactInteger:
    """The fixed-point format of exact sums `n * 2^-frac` for all integers n from low to high."""
    return format_of_bits(max(max(-low, high).bit_length() + 1, MIN_SUM_WIDTH), frac)


def binary_exponent(scale: float) -> int | None:
    """The integer n with scale = 2^-n; None if the scale is not a power of two, or if a fixed-point format cannot have
    n fractional bits.
    """
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
    "MAX_BITS",
    "ExactInteger",
    "binary_exponent",
    "format_of_bits",
    "format_of_range",
    "format_of_sums",
    "integer_format",
    "rounds_to_even",
]
