"""Zero-skew integers as in TensorFlow Lite: `!zeroskew.q<width, scale, zero>` represents scale * (raw - zero).

The arithmetic follows Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
Inference" (2018), and the quantisation specification of TensorFlow Lite. Scales are arbitrary numbers of single
precision.

Sums of products are 32-bit integers, which `tm_requantize_s32`, a fixed-point multiplication, converts to the scale of
the result with two roundings. If a factor has 16 bits, sums are 64-bit integers, which `tm_requantize_s64` converts
with one rounding; only sums that start from 32-bit numbers remain 32-bit integers. For a sum of two numbers,
`tm_requantize_s32` converts the operands to a common scale, and the sum to the scale of the result. The conversion of
an operand may instead be a left shift. If all of these scales are equal, nothing is converted.

`!zeroskew.q<width, scale, zero, even>` has the same numbers. Its results are rounded once, halves to even, as in
PyTorch and ONNX, but in integers. A float is multiplied by the reciprocal of the scale, as in PyTorch, whereas
TensorFlow Lite and ONNX divide it by the scale.

`!zeroskew.q<8, [scale, scale, ...], 0>` is the format of weights with a scale per row. `!zeroskew.q<32, scale, 0>` is
the format of initial values of 32-bit sums, and `!zeroskew.q<64, scale, 0>` is that of 64-bit sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import ArrayAttr, FloatData, IntAttr, NoneAttr, UnitAttr, i32, i64
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats import read_floats
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import Bound, Factor, Function, NumberFormat, Product
from tinyml.dialects.formats.zeroskew import functions, softmax
from tinyml.dialects.formats.zeroskew.functions import interpolated
from tinyml.dialects.formats.zeroskew.numbers import (
    PRODUCT_LIMITS,
    START_LIMITS,
    USUAL_WIDTH,
    WIDTHS,
    EvenSkewSum,
    IntegerSkewSum,
    SkewedSum,
    ZeroSkewNumbers,
    ZeroSkewSum,
    multiplier_and_shift,
    requantised,
    single,
    skewed,
)
from tinyml.dialects.formats.zeroskew.single_precision import FloatSkewSum, FloatSkewType
from tinyml.dialects.formats.zeroskew.specification import Skewed
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine import gemmlowp
from tinyml.dialects.machine.machine import Int, Machine, limits, width_for
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.machine.real_functions import exactly

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws, Reals
    from tinyml.dialects.formats.zeroskew.specification import Skewed

V = TypeVar("V")

CANDIDATE_WIDTHS = (4, 6, 8)

MOST_INPUT_BITS = 16
"""The greatest width of inputs; wider numbers are sums, biases and results of a model file."""

LEAST_SCALE, GREATEST_SCALE = 2.0**-60, 2.0**60
SUM_SHIFT, WIDE_SUM_SHIFT = 20, 15
"""Extra bits of a sum's operands during the conversion to a common scale, for numbers of 8 bits and of 16."""


@irdl_attr_definition
class ZeroSkewType(ZeroSkewNumbers):
    """`!zeroskew.q<width, scale, zero>`: integers with a scale and a zero point, as in TensorFlow Lite.

    Widths of 2 to 8 bits are stored in 8 bits. Widths of 16, 32 and 64 bits are stored in as many bits.
    """

    name = "zeroskew.q"
    GOOD_FOR = (
        "integers with scale and zero as in TensorFlow Lite: 8 bits for skewed ranges, slower sums of two tensors"
    )
    width: IntAttr
    scales: ArrayAttr[FloatData] | FloatData
    zero_point: IntAttr
    even: UnitAttr | NoneAttr

    def __init__(self, width: int, scales: float | Sequence[float], zero_point: int = 0, *, to_even: bool = False):
        if isinstance(scales, float | int):
            rounded = FloatData(single(scales))
        else:
            rounded = ArrayAttr(FloatData(single(scale)) for scale in scales)
        super().__init__(IntAttr(width), rounded, IntAttr(zero_point), UnitAttr() if to_even else NoneAttr())

    @classmethod
    def parse_inside(cls, parser: AttrParser) -> Sequence[Attribute]:
        numbers, even = super().parse_inside(parser), parser.parse_optional_punctuation(",") is not None
        if even:
            parser.parse_keyword("even")
        return [*numbers, UnitAttr() if even else NoneAttr()]

    def verify(self) -> None:
        super().verify()
        if self.halves_to_even and self.bits > USUAL_WIDTH:
            raise VerifyException(f"{self.name} rounds halves to even with up to 8 bits, got {self.bits}")

    @property
    def halves_to_even(self) -> bool:
        return isinstance(self.even, UnitAttr)

    def _rescaled(self, scales: float | Sequence[float], zero_point: int = 0, width: int | None = None) -> ZeroSkewType:
        return ZeroSkewType(self.bits if width is None else width, scales, zero_point, to_even=self.halves_to_even)

    @classmethod
    def of_width(cls, width: int | None) -> ZeroSkewType:
        width = USUAL_WIDTH if width is None else width
        if width not in WIDTHS:
            raise InputError(f"zero-skew integers have widths from 2 to 8, or 16, got {width}")
        return ZeroSkewType(width, math.ldexp(1.0, 1 - width))

    @property
    def candidates(self) -> Sequence[ZeroSkewType]:
        return [self._rescaled(math.ldexp(1.0, 1 - width), width=width) for width in CANDIDATE_WIDTHS]

    @property
    def specification(self) -> Skewed | None:
        if self.per_channel or self.is_start:
            return None
        return Skewed(self.bits, self.scale, self.zero_point.data, self.halves_to_even)

    def without_offset(self) -> tuple[ZeroSkewType, int]:
        scales = self.scale_values if self.per_channel else self.scale
        return self._rescaled(scales), self.zero_point.data

    def for_range(self, low: float, high: float) -> ZeroSkewType:
        """The format whose raws cover [low, high] and represent zero exactly. 16-bit formats are symmetric."""
        low, high = min(low, 0.0), max(high, 0.0)
        least, greatest = limits(self.bits)
        if self.bits > USUAL_WIDTH:
            return self._rescaled(min(max(max(-low, high) / greatest, LEAST_SCALE), GREATEST_SCALE))
        scale = single(min(max((high - low) / (greatest - least), LEAST_SCALE), GREATEST_SCALE))
        return self._rescaled(scale, min(max(round(least - low / scale), least), greatest))

    def fitted_to(self, constant: Reals, importance: Reals | None, *, rows: bool) -> ZeroSkewType:
        """The format with the same rounding and zero point 0 whose scale covers the constant; if `rows` is true, the
        scale of each row covers this row.
        """
        magnitudes = np.abs(constant).reshape(len(constant) if rows else 1, -1).max(1, initial=0)
        greatest = limits(self.bits)[1]
        most = float(magnitudes.max(initial=0)) or LEAST_SCALE
        scales = [float(magnitude or most) / greatest for magnitude in magnitudes]
        return self._rescaled(scales if len(scales) > 1 else scales[0])

    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> Accumulator:
        return self.sums.of_products(lhs, rhs)

    @property
    def sums(self) -> type[IntegerSkewSum]:
        return EvenSkewSum if self.halves_to_even else ZeroSkewSum

    def accumulator_for(self, product: Product, bound: Bound | None) -> Accumulator:
        lhs, rhs = skewed(product.lhs.format), skewed(product.rhs.format)
        accumulator = self.sums.of_products(lhs, rhs)
        if _greatest_sum(product) > PRODUCT_LIMITS[accumulator.bits]:
            raise InputError(f"a sum of {product.length} products can leave {accumulator.bits} bits")
        return accumulator

    def accumulator_of_sum(
        self, products: Sequence[Product], initial: Factor | None, bound: Bound | None
    ) -> Accumulator:
        """The accumulator of `accumulator_for` or, for sums of 16-bit products that start from 32-bit numbers, an
        accumulator of 32 bits. Such sums wrap around, as those of TensorFlow Lite with 32-bit biases do.

        Raises `InputError` if a sum of 8-bit products that starts from a 32-bit number may exceed 32 bits.
        """
        lhs, rhs = skewed(products[-1].lhs.format), skewed(products[-1].rhs.format)
        if initial is not None and initial.format.bits == 32:
            if max(lhs.bits, rhs.bits) > USUAL_WIDTH:
                return ZeroSkewSum.of_products(lhs, rhs, 32)
            most = 0 if initial.raws is None else int(np.abs(initial.raws.astype(np.int64)).max(initial=0))
            if most > START_LIMITS[32] and most + sum(map(_greatest_sum, products)) > limits(32)[1]:
                raise InputError(f"a sum of products that starts from a number up to {most} can leave 32 bits")
        return super().accumulator_of_sum(products, initial, bound)

    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        assert isinstance(accumulator, self.sums)
        return self._stored(m, self._times(m, m.whole(sum), accumulator.scale / self.scale, accumulator.bits))

    def _times(self, m: Machine[V], x: Int[V], factor: float, width: int = 32) -> Int[V]:
        return requantised(m, x, factor, width, to_even=self.halves_to_even)

    def _requantised(self, m: Machine[V], x: Int[V], factor: float) -> V:
        """The raw of x * factor, where x * factor is in units of this format's scale."""
        return self._stored(m, self._times(m, x, factor))

    def add(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self._stored(m, self._sum(m, lhs, skewed(lhs_format), rhs, skewed(rhs_format), m.add))

    def sub(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self._stored(m, self._sum(m, lhs, skewed(lhs_format), rhs, skewed(rhs_format), m.sub))

    def _sum(
        self,
        m: Machine[V],
        lhs: V,
        lhs_format: ZeroSkewNumbers,
        rhs: V,
        rhs_format: ZeroSkewNumbers,
        join: Any,
    ) -> Int[V]:
        """The sum or difference of numbers in two formats, with guard bits, as in TensorFlow Lite's ADD and SUB.

        Both operands are converted to units of twice the greater scale before `join` combines them. If both scales are
        that of this format, `join` combines the numbers directly, because guard bits would not change the result.
        """
        if lhs_format.scale == rhs_format.scale == self.scale and not (lhs_format.is_start or rhs_format.is_start):
            # The guard bits would be shifted out again without an error.
            return join(lhs_format.load(m, lhs), rhs_format.load(m, rhs))
        unit = 2 * max(lhs_format.scale, rhs_format.scale)
        bits = [format.bits for format in (self, lhs_format, rhs_format) if not format.is_start]
        finer_by = SUM_SHIFT if max(bits) <= USUAL_WIDTH else WIDE_SUM_SHIFT

        def finer(value: V, format: ZeroSkewNumbers) -> Int[V]:
            left = 0 if format.is_start else finer_by
            loaded, factor = format.load(m, value), math.ldexp(format.scale / unit, finer_by - left)
            fraction, exponent = math.frexp(factor)
            if fraction == 0.5 and 0 < left + exponent <= left:
                # A power of two is exact: always the case for the operand with the greater scale.
                return m.shift_left(loaded, left + exponent - 1)
            return self._times(m, m.shift_left(loaded, left), factor)

        a, b = finer(lhs, lhs_format), finer(rhs, rhs_format)
        low, high = -(1 << 30), 1 << 30
        halves = (m.bounded(m.held(x, 32), max(x.low, low), min(x.high, high - 1)) for x in (a, b))
        return self._times(m, join(*halves), unit / math.ldexp(self.scale, finer_by))

    def mul(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a, b = skewed(lhs_format), skewed(rhs_format)
        product = m.mul(a.load(m, lhs), b.load(m, rhs))
        return self._requantised(m, product, a.scale * b.scale / self.scale)

    def neg(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        source = skewed(value_format)
        return self._requantised(m, m.sub(m.const(0), source.load(m, value)), source.scale / self.scale)

    def recode(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        source = skewed(value_format)
        return value if source == self else self._requantised(m, source.load(m, value), source.scale / self.scale)

    def convert(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        """Convert a number to this format and return the raw.

        By default, the conversion is a table look-up. If the table would be too long, a number of an exact format is
        requantised in integer arithmetic.
        """
        if isinstance(value_format, ExactNumbers) and value_format.ranked(m, value) is None:
            factor = math.ldexp(1.0, -value_format.scale) / self.scale
            return self._requantised(m, value_format.load(m, value), factor)
        return super().convert(m, value, value_format)

    def encode_clipped(self, reals: Reals) -> Raws:
        """The raws of reals in single precision, as `from_f32` computes them on a device; NaN becomes the raw of 0.

        Numbers of more than 16 bits and numbers with several scales, which are no inputs, are rounded as in `encode`.
        """
        if self.per_channel or self.bits > MOST_INPUT_BITS:
            return self.encode(reals)
        with np.errstate(over="ignore", under="ignore"):
            single = np.asarray(reals).astype(np.float32)
            raws = self.from_f32(NumpyMachine(), np.where(np.isnan(single), np.float32(0), single))
        return np.asarray(raws).astype(self.dtype)[()]

    def from_f32(self, m: Machine[V], value: V) -> V:
        """The raw of a float, by TensorFlow Lite's QUANTIZE or, for an `even` format, by PyTorch's quantize_per_tensor.

        In single precision, the float is divided by the scale, or multiplied by the reciprocal of the scale if halves
        are rounded to even. The result is rounded to nearest, halves away from zero or to even.
        """
        if self.halves_to_even:
            return self._stored(m, read_floats.multiplied(m, value, float(self._reciprocal), *self._limits))
        return self._stored(m, read_floats.divided(m, value, self.scale, *self._limits))

    @property
    def _reciprocal(self) -> np.float32:
        """The reciprocal of the scale in single precision, as PyTorch computes it."""
        return np.float32(1) / np.float32(self.scale)

    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        ends = self._clamped_raws(low, high)
        return m.settle(m.clamp(self.raw(m, value), *ends), 8 * self.dtype.itemsize)

    def _clamped_raws(self, low: float, high: float | None) -> tuple[int, int]:
        """The raws (low, high) of two limits, rounded in single precision, as in TensorFlow Lite.

        If `high` is None, the second raw is the greatest raw.
        """
        least, most = self.raw_limits

        def raw(real: float, otherwise: int) -> int:
            if not math.isfinite(real):
                return otherwise
            with np.errstate(over="ignore"):
                single = np.float32(real)
                scaled = single * self._reciprocal if self.halves_to_even else single / np.float32(self.scale)
            if np.isinf(scaled):
                return least if scaled < 0 else most
            wide = np.float64(scaled)
            nearest = np.rint(wide) if self.halves_to_even else np.trunc(wide + math.copysign(0.5, scaled))
            return int(nearest) + self.zero_point.data

        ends = raw(low, least), most if high is None else raw(high, most)
        return min(max(ends[0], least), most), max(min(ends[1], most), least)

    def binds(self, low: float, high: float | None) -> bool:
        return self.per_channel or self._clamped_raws(low, high) != self.raw_limits

    def leaky_relu(self, m: Machine[V], value: V, value_format: NumberFormat, slope: float) -> V:
        """TensorFlow Lite's LEAKY_RELU: positive and negative values are multiplied by different factors, which are
        computed in double precision.
        """
        source = skewed(value_format)
        factors = [source.scale * single(part) / self.scale for part in (1.0, slope)]

        def scaled(m: Machine[Any], value: Any) -> Any:
            x = source.load(m, value)
            positive = self._times(m, x, factors[0])
            negative = self._times(m, x, abs(factors[1])) if factors[1] else m.const(0)
            if factors[1] < 0:
                negative = m.sub(m.const(0), m.bounded(m.held(negative, 32), -(1 << 30), 1 << 30))
            return self._stored(m, m.choose(m.at_least(x, 0), positive, negative))

        return self._tabulated(m, "leaky_relu", value, source, scaled)

    def hard_swish(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        """TensorFlow Lite's HARD_SWISH for 8-bit integers, by a table.

        The result is that of the base class if this format has more than 8 bits or rounds halves to even, or if `value`
        has too many bits for a table.
        """
        source = skewed(value_format)
        ranked = source.ranked(m, value)
        if ranked is None or self.bits > USUAL_WIDTH or self.halves_to_even:
            return super().hard_swish(m, value, value_format)
        index, raws = ranked
        table = functions.hard_swish(source, self, raws)
        return m.settle(m.entry("hard_swish", table, index), 8 * self.dtype.itemsize)

    def _tabulated(
        self,
        m: Machine[V],
        name: str,
        value: V,
        source: ZeroSkewNumbers,
        compute: Callable[[Machine[Any], Any], Any],
    ) -> V:
        """The result of a function for one value in the format `source`. If `source` has few raws, the function is
        replaced by a table of its results.

        name: the name of the table.
        compute: the function, as a program for any machine.
        """
        ranked = source.ranked(m, value)
        if ranked is None:
            return compute(m, value)
        index, raws = ranked
        table = np.asarray(compute(NumpyMachine(), raws))
        return m.settle(
            m.entry(name, np.broadcast_to(table, raws.shape).astype(self.dtype), index), 8 * self.dtype.itemsize
        )

    def format_of_sums(self, low: float, high: float) -> NumberFormat | None:
        if self.per_channel or self.is_start:
            return None
        greatest = math.ceil(max(abs(low), abs(high)) / self.scale)
        return ZeroSkewType(16, self.scale) if greatest <= limits(16)[1] else None

    def total(self, count: int) -> Attribute:
        low, high = limits(self.bits)
        return i32 if width_for(count * low, count * high) <= 32 else i64

    def tally(self, m: Machine[V], total: V, value: V) -> V:
        """The total plus the raw of a value. The zero point is not subtracted from the raw."""
        return m.addi(total, m.held(self.raw(m, value), m.width_of(total)))

    def average(self, m: Machine[V], total: V, count: int, value_format: NumberFormat) -> V:
        """The average, by TensorFlow Lite's AVERAGE_POOL_2D, whose result has the format of the elements.

        It is the average of raws, rounded to nearest, halves away from zero, and then converted to this format. In an
        `even` format, it is instead the result of `_mean_to_even`.
        """
        source = skewed(value_format)
        if self.halves_to_even:
            return self._mean_to_even(m, total, count, source)
        sum = m.bounded(total, *(count * limit for limit in source.raw_limits))
        positive, half = m.at_least(sum, 0), m.const(count // 2)
        negated = m.sub(m.const(0), sum)
        size = m.choose(positive, sum, negated)
        size = m.bounded(m.held(size, m.width_of(total)), 0, max(sum.high, negated.high))
        quotient = m.divide(m.add(size, half), m.const(count))
        raw = m.clamp(m.choose(positive, quotient, m.sub(m.const(0), quotient)), *source.raw_limits)
        return self.recode(m, m.settle(raw, 8 * source.dtype.itemsize), source)

    def mean(self, m: Machine[V], total: V, count: int, value_format: NumberFormat) -> V:
        """The mean over whole axes, computed like TensorFlow Lite's MEAN. In an `even` format, it is rounded once
        (`_mean_to_even`).
        """
        source = skewed(value_format)
        if self.halves_to_even:
            return self._mean_to_even(m, total, count, source)
        multiplier, shift = self.mean_factor(count, source)
        sum = m.bounded(total, *(count * limit for limit in source.raw_limits))
        centred = m.held(m.sub(sum, m.const(count * source.zero_point.data)), 32)
        factors = m.int_constant(multiplier, 32), m.int_constant(shift, 8)
        return self._stored(m, m.whole(m.call("tm_requantize_s32", centred, *factors)))

    def _mean_to_even(self, m: Machine[V], total: V, count: int, source: ZeroSkewNumbers) -> V:
        """The mean of `count` elements of the format `source`, rounded once. If the scales of elements and result are
        equal, the total is divided exactly, so that every half is rounded to even.
        """
        sum = m.bounded(total, *(count * limit for limit in source.raw_limits))
        centred = m.sub(sum, m.const(count * source.zero_point.data))
        if source.scale == self.scale:
            return self._stored(m, m.quotient_to_even(centred, count))
        return self._requantised(m, centred, source.scale / (count * self.scale))

    def mean_factor(self, count: int, source: ZeroSkewNumbers) -> tuple[int, int]:
        """The multiplier and the shift of TensorFlow Lite's MEAN for `count` elements of the format `source`. The
        factor that they represent includes 1 / count.
        """
        multiplier, shift = multiplier_and_shift(source.scale / self.scale)
        more = min(count.bit_length() - 1, 32, 31 + shift)
        return (multiplier << more) // count, shift - more

    @property
    def softmax_total(self) -> Attribute:
        return i32

    def softmax_term(self, m: Machine[V], value: V, greatest: V, value_format: NumberFormat) -> V:
        """A term of TensorFlow Lite's SOFTMAX: the exponential of the difference between a value and the greatest
        value.

        For 8 bits, a table contains the exponentials as fractions without integer bits.
        """
        source = skewed(value_format)
        below = m.sub(source.raw(m, greatest), source.raw(m, value))
        if self.bits == 16:
            limits = m.bounded(m.held(m.sub(m.const(0), below), 32), -below.high, 0)
            return m.held(softmax.term(m, limits, source.scale), 32)
        coarser = max(source.bits - USUAL_WIDTH, 0)
        table = functions.softmax_terms(math.ldexp(source.scale, coarser))
        index = m.shift_right(m.clamp(below, 0, max(below.high, 0)), coarser)
        return m.held(m.entry("softmax", table, m.clamp(index, 0, len(table) - 1)), 32)

    def softmax_add(self, m: Machine[V], total: V, term: V) -> V:
        """The total plus a term. For 8-bit formats, the term is first rounded, half up, to a fixed-point number with 12
        integer bits.
        """
        if self.bits == 16:
            return m.addi(total, term)
        x = m.bounded(term, 0, gemmlowp.INT32_MAX)
        rounded = m.add(m.shift_right(x, 12), m.low_bits(m.shift_right(x, 11), 1))
        return m.addi(total, m.held(rounded, 32))

    def softmax_share(self, m: Machine[V], term: V, total: V) -> V:
        """A result of a softmax: `term` times the reciprocal of `total`.

        The result is first computed in units of 2^-15 for 16-bit formats, in units of 2^-8 for formats of this scale,
        and otherwise in units of 2^-16. It is then converted to the scale of the format. Results of 32 bits are
        unsigned numbers of 16 bits.
        """
        zeros = m.bounded(m.call("tm_leading_zeros_s32", total), 0, 31)
        if self.bits == 16:
            share = softmax.share(m, term, softmax.reciprocal(m, total, zeros), zeros)
            return self._requantised(m, share, math.ldexp(1.0, -15) / self.scale)
        bits = 8 if self.scale == 2.0**-8 else 16
        shift = m.held(m.sub(zeros, m.const(12 + 31 - bits)), 8)
        share = m.whole(m.call("tm_requantize_s32", term, m.call("tm_reciprocal_s32", total), shift))
        if self.is_start:
            share = m.clamp(share, 0, (1 << bits) - 1)
        return self._requantised(m, share, math.ldexp(1.0, -bits) / self.scale)

    def square_total(self, count: int, value_format: NumberFormat) -> Attribute:
        """The type of a sum of squares: i32 for elements of at most 8 bits, the type of the base class for wider
        elements.

        Raises `InputError` if a sum of `count` squares of elements of at most 8 bits may exceed 32 bits.
        """
        source = skewed(value_format)
        if source.bits > USUAL_WIDTH:
            return super().square_total(count, value_format)
        low, high = (limit - source.zero_point.data for limit in source.raw_limits)
        if count * max(-low, high) ** 2 > limits(32)[1]:
            raise InputError(f"a sum of {count} squares of {source.type} can leave 32 bits")
        return i32

    def add_square(self, m: Machine[V], total: V, value: V, value_format: NumberFormat) -> V:
        if (source := skewed(value_format)).bits > USUAL_WIDTH:
            return super().add_square(m, total, value, value_format)
        x = source.load(m, value)
        return m.addi(total, m.held(m.mul(x, x), 32))

    def inverse_root(self, m: Machine[V], total: V, value_format: NumberFormat) -> V:
        if skewed(value_format).bits > USUAL_WIDTH:
            return super().inverse_root(m, total, value_format)
        return m.call("tm_root_multiplier_s32", total)

    def normalised(self, m: Machine[V], value: V, factor: V, total: V, value_format: NumberFormat) -> V:
        """value * factor, by TensorFlow Lite's L2_NORMALIZATION for elements of at most 8 bits. For wider elements, it
        is the result of the base class.

        The intermediate result of L2_NORMALIZATION is in units of 2^-7 if that is the scale of this format, otherwise
        in units of 2^-15.
        """
        if (source := skewed(value_format)).bits > USUAL_WIDTH:
            return super().normalised(m, value, factor, total, value_format)
        finer = 0 if self.scale == 2.0**-7 else 8
        x = m.held(m.shift_left(source.load(m, value), finer), 32)
        shift = m.add(m.bounded(m.call("tm_root_shift_s32", total), -12, 0), m.const(7))
        scaled = m.whole(m.call("tm_requantize_s32", x, factor, m.held(shift, 8)))
        return self._requantised(m, scaled, math.ldexp(1.0, -7 - finer) / self.scale)

    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        """The result of `function` for a value. For 8 bits, a table contains the results. `scheme` is ignored.

        If the result has the format that TensorFlow Lite prescribes, the results are equal to those of TensorFlow Lite.
        """
        source = skewed(value_format)
        ranked = source.ranked(m, value)
        if ranked is None:
            return self._function_of_16_bits(m, function, value, source)
        index, raws = ranked
        of_result = self.bits, self.scale, self.zero_point.data
        if not self.halves_to_even and of_result == functions.RESULTS.get(function):
            table = functions.FUNCTIONS[function](source, raws).astype(self.dtype)
        else:
            table = self.encode(exactly(function, value_format.decode(raws)))
        return m.settle(m.entry(function, table, index), 8 * self.dtype.itemsize)

    def _function_of_16_bits(self, m: Machine[V], function: Function, value: V, source: ZeroSkewNumbers) -> V:
        """tanh or the logistic function of a value of the format `source`, in the format that TensorFlow Lite
        prescribes, by TensorFlow Lite's interpolation.

        Other functions are computed in floating point.
        """
        if function in ("tanh", "sigmoid") and self == ZeroSkewType(16, 2.0**-15):
            return m.settle(interpolated(m, function, source, value), 16)
        return self.from_f32(m, m.call(f"tm_{function}f", source.to_f32(m, value)))


def _greatest_sum(product: Product) -> int:
    """A bound on the magnitude of every partial sum of products, both with and without subtracted zero points."""
    sizes = [1 << skewed(factor.format).bits for factor in (product.lhs, product.rhs)]
    for factor, other in ((product.lhs, sizes[1]), (product.rhs, sizes[0])):
        if factor.raws is not None:
            weights = np.abs(factor.raws.astype(np.int64) - skewed(factor.format).zero_point.data)
            return int(weights.sum(-1).max(initial=0)) * other
    return sizes[0] * sizes[1] * product.length


SkewedSum.NUMBERS = ZeroSkewType

ZEROSKEW = Dialect("zeroskew", [], [ZeroSkewType, ZeroSkewSum, EvenSkewSum, FloatSkewType, FloatSkewSum])
