"""Floats as integers: a float is divided by a scale, or multiplied by a factor, and rounded.

A processor without floating-point instructions divides or multiplies floats in hundreds of instructions. Instead, the
functions `tm_divide_...` and `tm_multiply_...` of the runtime multiply the upper bits of the mantissa by an integer,
which this module computes. They compare exact products only if the fraction of this product is so close to a half that
the result of single precision may lie on the other side. They always return the integer to which that result is
rounded.
"""

from __future__ import annotations

import math
from typing import TypeVar

from tinyml.dialects.machine.machine import Int, Machine

V = TypeVar("V")

LEAST_SCALE, GREATEST_SCALE = 2.0**-100, 2.0**100
"""The scales and factors that the C functions accept. They round every subnormal float to zero, and infinities exceed
the limits.
"""

_SMALL = 255
"""The greatest limit of the functions for 9 bits."""

_MANTISSA_BITS = 24


def divided(m: Machine[V], value: V, scale: float, low: int, high: int, *, to_even: bool = False) -> Int[V]:
    """value / scale, computed in single precision, rounded to the nearest integer and clamped to [low, high].

    low, high: limits of at most 16 bits between which 0 lies.
    to_even: if true, halves are rounded to even, otherwise away from zero.
    """
    size = _size(low, high)
    if not LEAST_SCALE <= scale <= GREATEST_SCALE or (to_even and size == 16):
        quotient = m.call("tm_dividef", value, m.float_constant(scale))
        return _rounded(m, quotient, low, high, to_even=to_even)
    name = f"tm_divide_to_{'even' if to_even else 'nearest'}_s{size}"
    bits = _factor_bits(size)
    reciprocal = _limited(2.0 ** (bits - 1) / math.frexp(scale)[0], bits)
    return _called(m, name, value, scale, reciprocal, low, high)


def multiplied(m: Machine[V], value: V, factor: float, low: int, high: int) -> Int[V]:
    """value * factor, computed in single precision, rounded to the nearest integer (halves to even) and clamped to
    [low, high], between which 0 lies.
    """
    size = _size(low, high)
    if not LEAST_SCALE <= factor <= GREATEST_SCALE or size == 16:
        return _rounded(m, m.mulf(value, m.float_constant(factor)), low, high, to_even=True)
    upper = _limited(math.ldexp(math.frexp(factor)[0], _factor_bits(size)), _factor_bits(size))
    return _called(m, "tm_multiply_to_even_s9", value, factor, upper, low, high)


def _size(low: int, high: int) -> int:
    return 9 if max(-low, high) <= _SMALL else 16


def _factor_bits(size: int) -> int:
    """The bits of the integer that replaces a reciprocal."""
    return 16 if size == 9 else _MANTISSA_BITS


def _limited(factor: float, bits: int) -> int:
    """The integer of the given width that is nearest to a factor from 2^(bits - 1) to 2^bits."""
    return min(math.floor(factor + 0.5), (1 << bits) - 1)


def _called(m: Machine[V], name: str, value: V, unit: float, reciprocal: int, low: int, high: int) -> Int[V]:
    limits = m.int_constant(low, 16), m.int_constant(high, 16)
    raw = m.call(name, value, m.float_constant(unit), m.int_constant(reciprocal, 32), *limits)
    return Int(raw, 16, low, high)


def _rounded(m: Machine[V], value: V, low: int, high: int, *, to_even: bool) -> Int[V]:
    name = "tm_f32_to_even" if to_even else "tm_f32_to_nearest"
    return Int(m.call(name, value, m.int_constant(low, 32), m.int_constant(high, 32)), 32, low, high)
