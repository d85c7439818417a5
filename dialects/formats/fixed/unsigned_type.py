"""Unsigned fixed point: `!fixed.u<width, frac>` stands for raw * 2^-frac, with raw from 0 to 2^width - 1.

Results are rounded to nearest, halves to even, and saturate: what a quantised relu computes where a framework rounds
with IEEE 754's default, as Keras and numpy do (Gural and Murmann, "Memory-Optimal Direct Convolutions for Maximizing
Classification Accuracy in Embedded Applications", 2019). Negative numbers become 0, so that relu costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.exact_integer import ExactInteger
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.formats.scaled_integer import STORAGE_WIDTHS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals

V = TypeVar("V")

UNSIGNED_WIDTHS = range(1, 16)
USUAL_WIDTH = 4


@irdl_attr_definition
class UnsignedType(ExactInteger):
    """`!fixed.u<width, frac>`: 1 to 15 bits, stored in a signed integer of 8 or 16 bits that holds them."""

    name = "fixed.u"
    width: IntAttr
    frac: IntAttr
    WIDTHS: ClassVar[Sequence[int]] = UNSIGNED_WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = f"from {UNSIGNED_WIDTHS[0]} to {UNSIGNED_WIDTHS[-1]}"

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @property
    def stored_width(self) -> int:
        return next(width for width in STORAGE_WIDTHS if self.width.data < width)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest raw."""
        return 0, (1 << self.width.data) - 1

    def from_f32(self, m: Machine[V], value: V) -> V:
        """The raw rounded to nearest, halves to even, and saturated."""
        scaled, (low, high) = m.mulf(value, m.float_constant(math.ldexp(1.0, self.frac.data))), self.limits
        rounded = m.call("tm_f32_to_even", scaled, m.int_constant(low, 32), m.int_constant(high, 32))
        return m.settle(Int(rounded, 32, low, high), self.stored_width)

    def rounded(self, reals: Reals) -> NDArray[np.float64]:
        return np.rint(np.asarray(reals, np.float64))

    @classmethod
    def of_width(cls, width: int | None) -> UnsignedType:
        width = USUAL_WIDTH if width is None else width
        if width not in UNSIGNED_WIDTHS:
            raise InputError(f"unsigned fixed point has widths {cls.WIDTHS_IN_WORDS}, got {width}")
        return UnsignedType(width, width)

    def for_range(self, low: float, high: float) -> UnsignedType:
        """The format with the finest scale at which the greatest number saturates by no more than it rounds."""
        frac = self.width.data - (math.frexp(high)[1] if high > 0 else 0)
        return UnsignedType(self.width.data, min(max(frac, FRACS[0]), FRACS[-1]))

    def rescaled(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        if right <= 0:
            return m.rescale(x, right)
        odd = m.low_bits(m.shift_right(x, right), 1)
        below = m.add(x, m.const((1 << right - 1) - 1))
        return m.shift_right(m.add(below, odd), right)

    def fitted(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        low, high = self.limits
        # Between the limits numbers are narrow; rounding does not leave them.
        inside = m.clamp(x, low << max(right, 0), high << max(right, 0))
        return m.clamp(self.rescaled(m, m.narrowed(inside), right), low, high)

    def product(self, m: Machine[V], a: Int[V], b: Int[V], right: int) -> Int[V]:
        return self.fitted(m, m.mul(a, b), right)

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        return m.settle(self.fitted(m, x, scale - self.frac.data), self.stored_width)
