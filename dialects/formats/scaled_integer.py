"""The base class of formats in which a raw represents raw * 2^-frac, for any rounding mode."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.parameters import FRACS, WidthAndFrac
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, width_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws, Reals

TOTAL_WIDTHS = (32, 64)

V = TypeVar("V")

STORAGE_WIDTHS = (8, 16, 32)
STORAGE = {width: IntegerType(width) for width in STORAGE_WIDTHS}


class ScaledInteger(WidthAndFrac, NumberFormat, ABC):
    """A format `<width, frac>`, stored in the narrowest of 8, 16 and 32 bits that is sufficient.

    A subclass defines rounding (`encode`, `rescaled`), overflow (`fitted`) and multiplication (`product`). The
    implementations of functions use only these methods.
    """

    FRACS: ClassVar[Sequence[int]] = FRACS

    @property
    @abstractmethod
    def limits(self) -> tuple[int, int]:
        """The least and the greatest raw."""

    @abstractmethod
    def rounded(self, reals: Reals) -> NDArray[np.float64]:
        """Reals rounded to integers in units of 2^-frac by the rounding mode of the format, without saturation."""

    @abstractmethod
    def rescaled(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        """x / 2^right in the rounding mode of the format; exactly x * 2^-right if right is negative."""

    @abstractmethod
    def fitted(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        """x / 2^right, rounded and then saturated or wrapped to the format."""

    @abstractmethod
    def product(self, m: Machine[V], a: Int[V], b: Int[V], right: int) -> Int[V]:
        """a * b / 2^right, rounded and then saturated or wrapped to the format."""

    @property
    def stored_width(self) -> int:
        return next(width for width in STORAGE_WIDTHS if width >= self.width.data)

    @property
    def storage(self) -> Attribute:
        return STORAGE[self.stored_width]

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(f"i{self.stored_width // 8}")

    @property
    def bits(self) -> int:
        return self.width.data

    def decode(self, raws: Raws) -> Reals:
        return np.ldexp(raws.astype(np.float64), -self.frac.data)

    def load(self, m: Machine[V], value: V) -> Int[V]:
        """A stored raw as an `Int` whose interval is that of the format's raws."""
        low, high = m.proven(value, *self.limits)
        return Int(value, self.stored_width, low, high)

    def constant(self, m: Machine[V], real: float) -> V:
        return m.settle(m.const(int(self.encode_clipped(np.array(real)))), self.stored_width)

    def from_f32(self, m: Machine[V], value: V) -> V:
        """The raw of a float, rounded to nearest and saturated. The rounding mode of the format does not matter."""
        low, high = self.limits
        width = self.stored_width
        limits = (m.int_constant(limit, width) for limit in (low, high))
        rounded = m.call(f"tm_f32_to_s{width}", value, m.int_constant(self.frac.data, 8), *limits)
        return m.settle(Int(rounded, width, low, high), width)

    def to_f32(self, m: Machine[V], value: V) -> V:
        wide = m.held(self.load(m, value), 32)
        return m.mulf(m.call("tm_int_to_f32", wide), m.float_constant(math.ldexp(1.0, -self.frac.data)))

    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        raw_high = self.limits[1] if high is None else self._nearest_raw(high)
        return m.settle(m.clamp(self.load(m, value), self._nearest_raw(low), raw_high), self.stored_width)

    def _nearest_raw(self, real: float) -> int:
        least, greatest = (math.ldexp(raw, -self.frac.data) for raw in self.limits)
        return int(self.encode(np.array(min(max(real, least), greatest))))

    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        low, high = self.limits
        exact = math.ceil(math.ldexp(threshold, self.frac.data))
        return m.at_least(self.load(m, value), min(max(exact, low), high + 1))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)

    def total(self, count: int) -> Attribute:
        low, high = self.limits
        return IntegerType(width_for(count * low, count * high, TOTAL_WIDTHS))

    def tally(self, m: Machine[V], total: V, value: V) -> V:
        return m.addi(total, m.held(self.load(m, value), m.width_of(total)))

    def total_to_f32(self, m: Machine[V], total: V) -> V:
        scale = m.float_constant(math.ldexp(1.0, -self.frac.data))
        if m.width_of(total) == 32:
            return m.mulf(m.call("tm_int_to_f32", total), scale)
        # 64 bits hold sums of fewer than 2^15 numbers of 32.
        x = m.bounded(total, -(1 << 46), 1 << 46)
        parts = (m.call("tm_int_to_f32", m.held(part, 32)) for part in (m.shift_right(x, 16), m.low_bits(x, 16)))
        upper, lower = parts
        return m.mulf(m.addf(m.mulf(upper, m.float_constant(65536.0)), lower), scale)

    def quotient(self, m: Machine[V], x: Int[V], divisor: int) -> Int[V]:
        """x / divisor for a positive constant divisor, rounded to nearest, halves upwards. The rounding mode of the
        format does not matter.
        """
        return m.nearest_quotient(x, divisor)

    def average(self, m: Machine[V], total: V, count: int, value_format: NumberFormat) -> V:
        """The total divided by `count`, rounded by `quotient` and saturated.

        For elements of any other kind of format, the base class computes the average.
        """
        if not isinstance(value_format, ScaledInteger):
            return super().average(m, total, count, value_format)
        low, high = (count * limit for limit in value_format.limits)
        finer = self.frac.data - value_format.frac.data
        scaled = m.shift_left(m.bounded(total, low, high), max(finer, 0))
        quotient = self.quotient(m, scaled, count << max(-finer, 0))
        return m.settle(m.clamp(quotient, *self.limits), self.stored_width)
