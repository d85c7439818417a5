"""Zero-skew integers with ONNX Runtime's arithmetic: `!zeroskew.f<8, scale, zero>` represents scale * (raw - zero).

The arithmetic follows the specification of QuantizeLinear in ONNX, and ONNX Runtime's QLinearConv. A result is computed
in single precision, divided by the scale, rounded to nearest (halves to even) and clamped. Sums of products and totals
of averages are integers, which are multiplied by one factor of single precision. Weights and initial values of sums
have the formats of `type.py`.

`!zeroskew.facc<32, scale>` is the type of the sums.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import ArrayAttr, FloatData, IntAttr, i32
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats import read_floats
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import Bound, Function, NumberFormat
from tinyml.dialects.formats.zeroskew.numbers import SkewedSum, ZeroSkewNumbers, single, skewed
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, limits
from tinyml.dialects.machine.real_functions import exactly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws, Reals

V = TypeVar("V")

WIDTH = 8

_TERM_BITS = 30
"""Fractional bits of the exponentials of a softmax."""

_SAME = 2.0**-22
"""The relative error within which the reciprocal of a rounded scale 1 / n is n."""

_CLAMP_BOUND = 1 << 20
"""A bound that exceeds all raws. Rows in the units of a result are clamped to it before they are clamped to raws."""


@irdl_attr_definition
class FloatSkewSum(SkewedSum):
    """Sums that are converted to the scale of a result by a multiplication in single precision."""

    name = "zeroskew.facc"
    width: IntAttr
    scales: ArrayAttr[FloatData]

    def level_row(self, m: Machine[V], sum: V, row: V, levelled: Accumulator) -> V:
        assert isinstance(levelled, FloatSkewSum)
        factors = np.array([_factor(scale.data, levelled.scale) for scale in self.scales], np.float32)
        bits = m.lookup("factors", factors.view(np.int32), row)
        return m.call(
            "tm_scale_to_even", sum, bits, m.int_constant(-_CLAMP_BOUND, 32), m.int_constant(_CLAMP_BOUND, 32)
        )


@irdl_attr_definition
class FloatSkewType(ZeroSkewNumbers):
    """`!zeroskew.f<8, scale, zero>`: integers that represent scale * (raw - zero), with ONNX Runtime's arithmetic."""

    name = "zeroskew.f"
    width: IntAttr
    scales: ArrayAttr[FloatData] | FloatData
    zero_point: IntAttr

    def __init__(self, scale: float, zero_point: int = 0):
        super().__init__(IntAttr(WIDTH), FloatData(single(scale)), IntAttr(zero_point))

    @classmethod
    def of_width(cls, width: int | None) -> FloatSkewType:
        if width not in (None, WIDTH):
            raise InputError(f"zero-skew integers of single precision have {WIDTH} bits, got {width}")
        return cls(2.0 ** (1 - WIDTH))

    def verify(self) -> None:
        super().verify()
        if self.bits != WIDTH or self.per_channel:
            raise VerifyException(f"zeroskew.f has {WIDTH} bits and one scale")

    def without_offset(self) -> tuple[FloatSkewType, int]:
        return FloatSkewType(self.scale), self.zero_point.data

    def for_range(self, low: float, high: float) -> FloatSkewType:
        low, high = min(low, 0.0), max(high, 0.0)
        least, greatest = limits(WIDTH)
        scale = single((high - low) / (greatest - least)) or self.scale
        return FloatSkewType(scale, min(max(round(least - low / scale), least), greatest))

    def encode(self, reals: Reals) -> Raws:
        """Divide reals by the scale in single precision, round the quotients to nearest, halves to even, and return the
        raws.
        """
        with np.errstate(over="ignore", under="ignore"):
            scaled = np.asarray(reals).astype(np.float32) / np.float32(self.scale)
        return np.clip(np.nan_to_num(np.rint(scaled)) + self.zero_point.data, *self.raw_limits).astype(self.dtype)

    @property
    def sums(self) -> type[FloatSkewSum]:
        return FloatSkewSum

    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> Accumulator:
        return FloatSkewSum.of_products(lhs, rhs)

    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        assert isinstance(accumulator, FloatSkewSum)
        if (factor := _factor(accumulator.scale, self.scale)) == 1.0:
            return self._stored(m, m.whole(sum))
        return self._raw(m, m.call("tm_scale_to_even", sum, m.int_constant(_bits_of(factor), 32), *self._ends(m)))

    def from_f32(self, m: Machine[V], value: V) -> V:
        return self._stored(m, read_floats.divided(m, value, self.scale, *self._limits, to_even=True))

    def add(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self._joined(m, m.addf, lhs, lhs_format, rhs, rhs_format)

    def sub(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self._joined(m, m.subf, lhs, lhs_format, rhs, rhs_format)

    def mul(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self._joined(m, m.mulf, lhs, lhs_format, rhs, rhs_format)

    def _joined(
        self,
        m: Machine[V],
        join: Callable[[V, V], V],
        lhs: V,
        lhs_format: NumberFormat,
        rhs: V,
        rhs_format: NumberFormat,
    ) -> V:
        return self.from_f32(m, join(lhs_format.to_f32(m, lhs), rhs_format.to_f32(m, rhs)))

    def neg(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        return self.from_f32(m, m.subf(m.float_constant(0.0), value_format.to_f32(m, value)))

    def recode(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        return value if value_format.type == self else self.from_f32(m, value_format.to_f32(m, value))

    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        ends = self.encode(np.array([low, np.inf if high is None else high]))
        return m.settle(m.clamp(self.raw(m, value), int(ends[0]), int(ends[1])), 8 * self.dtype.itemsize)

    def total(self, count: int) -> Attribute:
        """The type of totals in units of the scale: i32, which is sufficient for up to 2^23 numbers."""
        return i32

    def tally(self, m: Machine[V], total: V, value: V) -> V:
        return m.addi(total, m.held(self.load(m, value), 32))

    def total_to_f32(self, m: Machine[V], total: V) -> V:
        return m.mulf(m.call("tm_int_to_f32", total), m.float_constant(self.scale))

    def average(self, m: Machine[V], total: V, count: int, value_format: NumberFormat) -> V:
        """The average, computed like ONNX Runtime's QLinearAveragePool.

        The zero point is added before the result is rounded, so that ties are rounded to even raws.
        """
        factor = _average_factor(skewed(value_format).scale, self.scale, count)
        scaled = m.mulf(m.call("tm_int_to_f32", total), m.float_constant(factor))
        low, high = self.raw_limits
        raw = m.call(
            "tm_f32_to_even",
            m.addf(scaled, m.float_constant(self.zero_point.data)),
            m.int_constant(low, 32),
            m.int_constant(high, 32),
        )
        return m.settle(Int(raw, 32, low, high), 8 * self.dtype.itemsize)

    def mean(self, m: Machine[V], total: V, count: int, value_format: NumberFormat) -> V:
        """The mean, computed like ONNX Runtime's QLinearGlobalAveragePool. It is rounded before the zero point is
        added.
        """
        factor = _average_factor(skewed(value_format).scale, self.scale, count)
        return self._raw(m, m.call("tm_scale_to_even", total, m.int_constant(_bits_of(factor), 32), *self._ends(m)))

    def leaky_relu(self, m: Machine[V], value: V, value_format: NumberFormat, slope: float) -> V:
        factor = np.float32(slope)

        def compute(x: NDArray[np.float32]) -> NDArray[np.float32]:
            return np.where(x < 0, factor * x, x)

        return self._tabulated(m, "leaky_relu", value, value_format, compute)

    def hard_swish(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        sixth, half = np.float32(1 / 6), np.float32(0.5)
        return self._tabulated(m, "hard_swish", value, value_format, lambda x: x * np.clip(sixth * x + half, 0, 1))

    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        if skewed(value_format).ranked(m, value) is None:
            return self.from_f32(m, m.call(f"tm_{function}f", value_format.to_f32(m, value)))
        return self._tabulated(m, function, value, value_format, lambda x: exactly(function, x.astype(np.float64)))

    def softmax_term(self, m: Machine[V], value: V, greatest: V, value_format: NumberFormat) -> V:
        """The exponential of the difference between a value and the greatest value, in units of 2^-30. A table of ONNX
        Runtime's QLinearSoftmax contains the exponentials of all differences of 8-bit raws.
        """
        if not isinstance(value_format, ZeroSkewNumbers) or value_format.ranked(m, value) is None:
            return super().softmax_term(m, value, greatest, value_format)
        below = m.sub(value_format.raw(m, greatest), value_format.raw(m, value))
        differences = np.arange(below.high + 1, dtype=np.float64)
        table = np.rint(np.ldexp(np.exp(differences * -value_format.scale), _TERM_BITS)).astype(np.int32)
        table = table[: np.count_nonzero(table) + 1]
        return m.call("tm_int_to_f32", m.held(m.entry("softmax", table, m.clamp(below, 0, len(table) - 1)), 32))

    def softmax_share(self, m: Machine[V], term: V, total: V) -> V:
        """A term divided by the total, computed like ONNX Runtime's QLinearSoftmax. For the scale 1 / n, the term is
        multiplied by exactly n.
        """
        factor = single(1 / self.scale)
        if math.isclose(factor, nearest := round(factor), rel_tol=_SAME):
            factor = float(nearest)
        scaled = m.mulf(term, m.float_constant(factor))
        return self._raw(m, m.call("tm_f32_to_even", m.call("tm_dividef", scaled, total), *self._ends(m)))

    def _tabulated(
        self, m: Machine[V], name: str, value: V, value_format: NumberFormat, compute: Callable[[Any], Any]
    ) -> V:
        """The result of a function of a value, looked up in a table with an entry for each raw of `value_format`.

        name: the name of the table.
        compute: a function that maps an array of reals to the array of results.

        Raises `InputError` for a format with too many raws for a table.
        """
        ranked = skewed(value_format).ranked(m, value)
        if ranked is None:
            raise InputError(f"{name} of numbers of {value_format.bits} bits has no table")
        index, raws = ranked
        table = self.encode(compute(value_format.decode(raws).astype(np.float32)))
        return m.settle(m.entry(name, table, index), 8 * self.dtype.itemsize)


def _factor(products: float, result: float) -> float:
    return single(single(products) / result)


def _average_factor(scale: float, result: float, count: int) -> float:
    return single(scale / single(result * count))


def _bits_of(factor: float) -> int:
    [bits] = struct.unpack("i", struct.pack("f", factor))
    return bits
