"""Multiplication of integers by real factors, as in TensorFlow Lite."""

from __future__ import annotations

from typing import TypeVar

from tinyml.dialects.formats.zeroskew.scales import requantisation
from tinyml.dialects.machine.machine import Int, Machine

V = TypeVar("V")


def requantised(m: Machine[V], x: Int[V], factor: float, width: int = 32) -> Int[V]:
    """x * factor, by TensorFlow Lite's MultiplyByQuantizedMultiplier for numbers of 32 or 64 bits."""
    if factor == 1.0 and width == 32:
        return x
    multiplier, shift = requantisation(width, factor)
    factors = m.int_constant(multiplier, 32), m.int_constant(shift, 8)
    return m.whole(m.call(f"tm_requantize_s{width}", m.held(x, width), *factors))
