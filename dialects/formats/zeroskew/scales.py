"""Scales of zero-skew integers: their spelling in types, and multiplication by them as in TensorFlow Lite."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from xdsl.dialects.builtin import ArrayAttr, FloatData
from xdsl.parser import AttrParser

from tinyml.dialects.machine.machine import Int, Machine

V = TypeVar("V")

PRECISION = 31
"""Fraction bits of a multiplier."""

LEAST_SHIFT, GREATEST_SHIFT, GREATEST_WIDE_SHIFT = -31, 30, 7


def single(real: float) -> float:
    """The nearest number of single precision."""
    return struct.unpack("f", struct.pack("f", real))[0]


def multiplier_and_shift(factor: float) -> tuple[int, int]:
    """A positive factor as multiplier * 2^(shift - 31): TensorFlow Lite's QuantizeMultiplier.

    The multiplier lies in [2^30, 2^31); factors below 2^-32 become 0, and those beyond 2^30 the greatest one.
    """
    fraction, shift = math.frexp(factor)
    multiplier = math.floor(math.ldexp(fraction, PRECISION) + 0.5)
    if multiplier == 1 << PRECISION:
        multiplier, shift = multiplier >> 1, shift + 1
    if shift < LEAST_SHIFT:
        return 0, 0
    return ((1 << PRECISION) - 1, GREATEST_SHIFT) if shift > GREATEST_SHIFT else (multiplier, shift)


def requantisation(width: int, factor: float) -> tuple[int, int]:
    """The arguments by which `tm_requantize_sWIDTH` multiplies by a positive factor.

    For 64 bits the multiplier has 16 bits, one of which is the sign, and the shift still counts from 31.
    """
    multiplier, shift = multiplier_and_shift(factor)
    if width == 32:
        return multiplier, shift
    return (multiplier + (1 << 15) >> 16 if multiplier < 0x7FFF0000 else 0x7FFF), min(shift, GREATEST_WIDE_SHIFT)


Scales: TypeAlias = ArrayAttr[FloatData] | FloatData
"""One scale for all rows, or a list with one for each."""


def parse_scales(parser: AttrParser, rounded: Callable[[float], float] = float) -> Scales:
    """Parse a number, or a list of them in brackets."""
    delimiter = parser.Delimiter.SQUARE

    def number() -> FloatData:
        return FloatData(rounded(float(parser.parse_number(allow_boolean=False))))

    several = parser.parse_optional_comma_separated_list(delimiter, number)
    return number() if several is None else ArrayAttr(several)


def spell_scales(scales: Scales, rounded: Callable[[float], float] = float) -> str:
    """The inverse of `parse_scales`: the shortest texts from which `rounded` gives the same numbers."""
    if isinstance(scales, FloatData):
        return _spelled(scales.data, rounded)
    return f"[{', '.join(_spelled(scale.data, rounded) for scale in scales)}]"


def _spelled(scale: float, rounded: Callable[[float], float]) -> str:
    texts = (f"{scale:.{digits}g}" for digits in range(1, 18))
    text = next(text for text in texts if rounded(float(text)) == scale)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else f'{mantissa}.0'}{e}{exponent}"


def requantised(m: Machine[V], x: Int[V], factor: float, width: int = 32) -> Int[V]:
    """x * factor, by TensorFlow Lite's MultiplyByQuantizedMultiplier for numbers of 32 or 64 bits."""
    if factor == 1.0 and width == 32:
        return x
    multiplier, shift = requantisation(width, factor)
    factors = m.int_constant(multiplier, 32), m.int_constant(shift, 8)
    return m.whole(m.call(f"tm_requantize_s{width}", m.held(x, width), *factors))
