"""Zero-skew integers as in TensorFlow Lite: `!zeroskew.q<width, scale, zero>` stands for scale * (raw - zero).

Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference" (2018), and
the quantisation specification of TensorFlow Lite. Scales are any reals of single precision; sums of products run in
32-bit integers; a result is brought to its scale by a fixed-point multiplication, `tm_requantize_s32`, which rounds
twice. So does the sum of two numbers, whose operands are first brought to a common scale.

`!zeroskew.q<8, [scale, scale, ...], 0>` are weights with a scale per row of a matrix (per channel);
`!zeroskew.q<32, scale, 0>` is the format of numbers from which sums start.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from xdsl.dialects.builtin import ArrayAttr, FloatData, IntAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import Function, NumberFormat
from tinyml.dialects.formats.product import Bound, Factor, Product
from tinyml.dialects.formats.zeroskew.accumulator import ZeroSkewSum
from tinyml.dialects.formats.zeroskew.numbers import START_LIMIT, START_WIDTH, WIDTHS, ZeroSkewNumbers, skewed
from tinyml.dialects.formats.zeroskew.scales import multiplier_and_shift, single
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, limits

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws, Reals

V = TypeVar("V")

CANDIDATE_WIDTHS = (4, 6, 8)

LEAST_SCALE, GREATEST_SCALE = 2.0**-60, 2.0**60
SUM_SHIFT = 20
"""Extra bits of the operands of a sum while they are brought to a common scale."""


@irdl_attr_definition
class ZeroSkewType(ZeroSkewNumbers):
    """`!zeroskew.q<width, scale, zero>`; see the module. Widths are 2 to 8, stored in 8 bits, and 32."""

    name = "zeroskew.q"
    width: IntAttr
    scales: ArrayAttr[FloatData]
    zero_point: IntAttr
    ROUNDS_ONCE: ClassVar[bool] = False
    SUMS_GO_ON: ClassVar[bool] = False

    def __init__(self, width: int, scales: float | Sequence[float], zero_point: int = 0):
        listed = [scales] if isinstance(scales, float | int) else scales
        super().__init__(IntAttr(width), ArrayAttr(FloatData(single(scale)) for scale in listed), IntAttr(zero_point))

    @classmethod
    def of_width(cls, width: int | None) -> ZeroSkewType:
        width = WIDTHS[-1] if width is None else width
        if width not in WIDTHS:
            raise InputError(f"zero-skew integers have widths from {WIDTHS[0]} to {WIDTHS[-1]}, got {width}")
        return ZeroSkewType(width, math.ldexp(1.0, 1 - width))

    @property
    def candidates(self) -> Sequence[ZeroSkewType]:
        return [ZeroSkewType.of_width(width) for width in CANDIDATE_WIDTHS]

    def without_offset(self) -> tuple[ZeroSkewType, int]:
        return ZeroSkewType(self.bits, self.scale_values), self.zero_point.data

    def for_range(self, low: float, high: float) -> ZeroSkewType:
        """All raws cover the range, extended to include zero, which is represented exactly."""
        low, high = min(low, 0.0), max(high, 0.0)
        least, greatest = limits(self.bits)
        scale = single(min(max((high - low) / (greatest - least), LEAST_SCALE), GREATEST_SCALE))
        return ZeroSkewType(self.bits, scale, min(max(round(least - low / scale), least), greatest))

    def fitted_to(self, constant: Reals, importance: Reals | None, *, rows: bool) -> ZeroSkewType:
        """Symmetric, with zero point 0, and a scale per row if there may be several."""
        magnitudes = np.abs(constant).reshape(len(constant) if rows else 1, -1).max(1, initial=0)
        greatest = limits(self.bits)[1]
        most = float(magnitudes.max(initial=0)) or LEAST_SCALE
        return ZeroSkewType(self.bits, [float(magnitude or most) / greatest for magnitude in magnitudes])

    def narrowed(self, bits: int) -> ZeroSkewType:
        return self

    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> Accumulator:
        return ZeroSkewSum.of_products(lhs, rhs)

    def accumulator_for(self, product: Product, bound: Bound | None) -> Accumulator:
        lhs, rhs = skewed(product.lhs.format), skewed(product.rhs.format)
        greatest = (1 << lhs.bits) * (1 << rhs.bits) * product.length
        if greatest > START_LIMIT:
            raise InputError(f"a sum of {product.length} products can leave 32 bits")
        return self.accumulator(lhs, rhs, bound)

    def sum_bound(self, products: Sequence[Product], initial: Factor | None = None) -> Bound | None:
        return None

    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        assert isinstance(accumulator, ZeroSkewSum)
        return self._requantised(m, m.whole(sum), accumulator.scale / self.scale)

    def _requantised(self, m: Machine[V], x: Int[V], factor: float) -> V:
        """x * factor, stored in this format."""
        return self._stored(m, requantised(m, x, factor))

    def _stored(self, m: Machine[V], x: Int[V]) -> V:
        """Clamps and stores a number in units of this format."""
        zero, (low, high) = self.zero_point.data, self.raw_limits
        limited = m.clamp(x, low - zero, high - zero)
        return m.settle(m.add(limited, m.const(zero)), 8 * self.dtype.itemsize)

    def constant(self, m: Machine[V], real: float) -> V:
        return m.settle(m.const(int(self.encode(np.array(real)))), 8 * self.dtype.itemsize)

    def add(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self._stored(m, self._sum(m, lhs, skewed(lhs_format), rhs, skewed(rhs_format), m.add))

    def sub(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self._stored(m, self._sum(m, lhs, skewed(lhs_format), rhs, skewed(rhs_format), m.sub))

    def _sum(
        self, m: Machine[V], lhs: V, lhs_format: ZeroSkewNumbers, rhs: V, rhs_format: ZeroSkewNumbers, join: Any
    ) -> Int[V]:
        """TensorFlow Lite's ADD and SUB: both operands in units of twice the greater scale, 20 bits finer."""
        unit = 2 * max(lhs_format.scale, rhs_format.scale)

        def finer(value: V, format: ZeroSkewNumbers) -> Int[V]:
            left = 0 if format.bits == START_WIDTH else SUM_SHIFT
            loaded, factor = format.load(m, value), math.ldexp(format.scale, SUM_SHIFT - left) / unit
            fraction, exponent = math.frexp(factor)
            if fraction == 0.5 and 0 < left + exponent <= left:
                # A power of two that loses nothing: always the case for the operand with the greater scale.
                return m.shift_left(loaded, left + exponent - 1)
            return requantised(m, m.shift_left(loaded, left), factor)

        a, b = finer(lhs, lhs_format), finer(rhs, rhs_format)
        low, high = -(1 << 30), 1 << 30
        halves = (m.bounded(m.held(x, 32), max(x.low, low), min(x.high, high - 1)) for x in (a, b))
        return requantised(m, join(*halves), unit / math.ldexp(self.scale, SUM_SHIFT))

    def mul(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a, b = skewed(lhs_format), skewed(rhs_format)
        product = m.mul(a.load(m, lhs), b.load(m, rhs))
        return self._requantised(m, product, single(single(a.scale * b.scale) / self.scale))

    def neg(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        source = skewed(value_format)
        return self._requantised(m, m.sub(m.const(0), source.load(m, value)), source.scale / self.scale)

    def recode(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        source = skewed(value_format)
        return value if source == self else self._requantised(m, source.load(m, value), source.scale / self.scale)

    def ranked(self, m: Machine[V], value: V) -> tuple[Int[V], Raws] | None:
        first, last = self.raw_limits
        if self.bits == START_WIDTH:
            return None
        return m.sub(self.raw(m, value), m.const(first)), np.arange(first, last + 1).astype(self.dtype)

    def from_f32(self, m: Machine[V], value: V) -> V:
        """Rounds to nearest, halves upwards."""
        zero, (low, high) = self.zero_point.data, self.raw_limits
        scaled = m.mulf(value, m.float_constant(single(1 / self.scale)))
        ends = m.int_constant(low - zero, 32), m.int_constant(high - zero, 32)
        return self._stored(m, Int(m.call("tm_f32_to_int", scaled, *ends), 32, low - zero, high - zero))

    def to_f32(self, m: Machine[V], value: V) -> V:
        wide = m.held(self.load(m, value), 32)
        return m.mulf(m.call("tm_int_to_f32", wide), m.float_constant(self.scale))

    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        ends = [int(self.encode(np.array(end))) for end in (low, math.inf if high is None else high)]
        return m.settle(m.clamp(self.raw(m, value), ends[0], ends[1]), 8 * self.dtype.itemsize)

    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        """A table of results."""
        from tinyml.dialects.machine.real_functions import exactly

        ranked = skewed(value_format).ranked(m, value)
        assert ranked is not None
        index, raws = ranked
        entry = m.entry(function, self.encode(exactly(function, value_format.decode(raws))), index)
        return m.settle(entry, 8 * self.dtype.itemsize)

    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        least = int(nearest := self.encode(np.array(threshold)))
        if self.decode(nearest) < threshold:
            least += 1
        return m.at_least(self.raw(m, value), least)

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)


def requantised(m: Machine[V], x: Int[V], factor: float) -> Int[V]:
    """x * factor, by TensorFlow Lite's MultiplyByQuantizedMultiplier."""
    if factor == 1.0:
        return x
    multiplier, shift = multiplier_and_shift(factor)
    product = m.call("tm_requantize_s32", m.held(x, 32), m.int_constant(multiplier, 32), m.int_constant(shift, 8))
    return m.whole(product)


ZeroSkewSum.NUMBERS = ZeroSkewType

ZEROSKEW = Dialect("zeroskew", [], [ZeroSkewType, ZeroSkewSum])
