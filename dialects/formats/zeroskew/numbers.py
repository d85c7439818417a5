"""Zero-skew integers: their syntax in the IR, their rounding in numpy, their scales, and the types of sums of products.

As in TensorFlow Lite, a number is an integer times a scale. `!zeroskew.acc<width, scale>` is a sum of 32 or 64 bits, in
units of `scale`. `!zeroskew.acc<width, [scale, scale, ...]>` has a separate scale for each row of weights.
`!zeroskew.even_acc<32, scale>` is a sum that is rounded once, halves to even. `type.py` and `single_precision.py`
define operations with two different ways of rounding results.
"""

from __future__ import annotations

import math
import struct
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar

from xdsl.dialects.builtin import ArrayAttr, FloatData, IntAttr, IntegerType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator, Requantisation
from tinyml.dialects.formats.number_format import INTEGER_CODING, Bound, Coding, Factor, NumberFormat, Product
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, limits
from tinyml.dialects.machine.numpy_machine import stacked_matmul

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws, Reals


V = TypeVar("V")

WIDTHS = (*range(2, 9), 16)

USUAL_WIDTH = 8

START_LIMITS = {32: 3 << 29, 64: 3 << 45}
"""The greatest initial raw of a sum, by the width of the sum."""

PRODUCT_LIMITS = {32: (1 << 29) - 1, 64: (1 << 45) - 1}
"""The greatest sum of products that, with an initial value, fits 32 bits, or the 48 bits that requantisation
supports.
"""


class ZeroSkewNumbers(ParametrizedAttribute, TypeAttribute, NumberFormat):
    """Formats `<width, scale, zero>` of the numbers scale * (raw - zero), and `<width, [scale, scale, ...], 0>` with a
    scale for each row.

    `<width, [scale], 0>` is the format of a matrix with one row. It differs from `<width, scale, 0>` in that the scale
    of its products is computed in double precision.
    """

    # Declared for the type checker; the final class repeats all fields, or these would not take part in equality.
    width: IntAttr
    scales: ArrayAttr[FloatData] | FloatData
    zero_point: IntAttr
    FAMILY = "zeroskew"
    ROUNDS_ONCE: ClassVar[bool] = False
    SUMS_GO_ON: ClassVar[bool] = False

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return cls.parse_inside(parser)

    @classmethod
    def parse_inside(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse the width, the scales and the zero point, and return them."""
        width = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_punctuation(",")
        scales = parse_scales(parser, single)
        parser.parse_punctuation(",")
        return [IntAttr(width), scales, IntAttr(parser.parse_integer(allow_boolean=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            text = f"{self.bits}, {spell_scales(self.scales, single)}, {self.zero_point.data}"
            printer.print_string(f"{text}{', even' if self.halves_to_even else ''}")

    @property
    def halves_to_even(self) -> bool:
        return False

    @property
    @abstractmethod
    def sums(self) -> type[SkewedSum]:
        """The class of accumulators whose sums are rounded to this format."""

    def verify(self) -> None:
        if self.bits not in WIDTHS and not self.is_start:
            raise VerifyException(f"{self.name} width must be from 2 to 8, 16, 32 or 64, got {self.bits}")
        if not self.scale_values or not all(0 < scale < math.inf for scale in self.scale_values):
            raise VerifyException(f"{self.name} scales must be positive and finite")
        low, high = self.raw_limits
        if not low <= self.zero_point.data <= high:
            raise VerifyException(f"{self.name} zero point must lie in [{low}, {high}], got {self.zero_point.data}")
        if self.zero_point.data and (self.per_channel or self.bits > 8):
            raise VerifyException(f"{self.name} has the zero point 0 with several scales, and with more than 8 bits")

    @property
    def is_start(self) -> bool:
        """True for a format in which initial values of sums of products are stored."""
        return self.bits in START_LIMITS

    @property
    def scale_values(self) -> tuple[float, ...]:
        scales = [self.scales] if isinstance(self.scales, FloatData) else self.scales
        return tuple(scale.data for scale in scales)

    @property
    def per_channel(self) -> bool:
        return not isinstance(self.scales, FloatData)

    @property
    def scale(self) -> float:
        """The single scale of the format. Raises `InputError` for separate scales of rows."""
        if self.per_channel:
            raise InputError(
                f"{self.type} has a scale for each row, as only the left factor of a product and its start may have"
            )
        [scale] = self.scale_values
        return scale

    @property
    def raw_limits(self) -> tuple[int, int]:
        return (-START_LIMITS[self.bits], START_LIMITS[self.bits]) if self.is_start else limits(self.bits)

    @property
    def stored_limits(self) -> tuple[int, int]:
        return self.raw_limits

    @property
    def type(self) -> Attribute:
        return self

    @property
    def storage(self) -> Attribute:
        return IntegerType(8 * self.dtype.itemsize)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(f"i{-(-self.bits // 8)}")

    @property
    def bits(self) -> int:
        return self.width.data

    @property
    def coding(self) -> Coding | None:
        return INTEGER_CODING if self.zero_point.data == 0 else None

    def _units(self, rank: int) -> NDArray[np.float64]:
        """The scale, or the scales of the rows, as an array of `rank` axes. Rows are along the first axis."""
        return np.array(self.scale_values).reshape(-1, *(1,) * (rank - 1)) if self.per_channel else np.array(self.scale)

    def encode(self, reals: Reals) -> Raws:
        """Round reals to nearest and return the raws. Halves are rounded to even in an `even` format, and otherwise
        away from zero.

        Reals outside the range saturate. NaN becomes the raw of 0.
        """
        scaled = np.asarray(np.asarray(reals, np.float64) / self._units(np.ndim(reals)))
        if self.halves_to_even:
            np.rint(scaled, out=scaled)
        else:
            scaled += np.copysign(0.5, scaled)
            np.trunc(scaled, out=scaled)
        scaled[np.isnan(scaled)] = 0.0
        scaled += self.zero_point.data
        # A scalar yields a scalar, as for other operations of numpy.
        return np.clip(scaled, *self.raw_limits, out=scaled).astype(self.dtype)[()]

    def encode_away(self, reals: Reals) -> Raws:
        nearest = self.encode(reals)
        side = np.sign(np.asarray(reals, np.float64) - self.decode(nearest))
        return np.clip(nearest + side, *self.raw_limits).astype(self.dtype)

    def decode(self, raws: Raws) -> Reals:
        return (np.asarray(raws).astype(np.float64) - self.zero_point.data) * self._units(np.ndim(raws))

    def verify_raws(self, raws: Raws) -> None:
        # Sums that wrap around start from any number.
        low, high = limits(self.bits) if self.bits == 32 else self.raw_limits
        wrong = raws[(raws < low) | (raws > high)]
        if wrong.size:
            raise VerifyException(f"{wrong[0]} is not the raw value of any {self.type}")

    def raw(self, m: Machine[V], value: V) -> Int[V]:
        """A stored raw as an `Int` whose interval is that of the format's raws."""
        low, high = m.proven(value, *self.raw_limits)
        return Int(value, 8 * self.dtype.itemsize, low, high)

    def load(self, m: Machine[V], value: V) -> Int[V]:
        """raw - zero, which is the number in units of the scale."""
        return m.sub(self.raw(m, value), m.const(self.zero_point.data))

    def narrowed(self, bits: int) -> ZeroSkewNumbers:
        return self

    def sum_bound(self, products: Sequence[Product], initial: Factor | None = None) -> Bound | None:
        return None

    def ranked(self, m: Machine[V], value: V) -> tuple[Int[V], Raws] | None:
        first, last = self.raw_limits
        if self.bits > USUAL_WIDTH:
            return None
        return m.sub(self.raw(m, value), m.const(first)), np.arange(first, last + 1).astype(self.dtype)

    def _ends(self, m: Machine[V]) -> tuple[V, V]:
        """The limits of numbers in units of the scale, as 32-bit constants."""
        low, high = self._limits
        return m.int_constant(low, 32), m.int_constant(high, 32)

    def _raw(self, m: Machine[V], value: V) -> V:
        """The raw of a number. The number is in units of the scale, and must lie within the range of the format."""
        return self._stored(m, Int(value, 32, *self._limits))

    @property
    def _limits(self) -> tuple[int, int]:
        """The least and the greatest number in units of the scale: the limits of raws, minus the zero point."""
        zero, (low, high) = self.zero_point.data, self.raw_limits
        return low - zero, high - zero

    def _stored(self, m: Machine[V], x: Int[V]) -> V:
        limited = m.clamp(x, *self._limits)
        return m.settle(m.add(limited, m.const(self.zero_point.data)), 8 * self.dtype.itemsize)

    def to_f32(self, m: Machine[V], value: V) -> V:
        wide = m.held(self.load(m, value), 32)
        return m.mulf(m.call("tm_int_to_f32", wide), m.float_constant(self.scale))

    def constant(self, m: Machine[V], real: float) -> V:
        return m.settle(m.const(int(self.encode(np.array(real)))), 8 * self.dtype.itemsize)

    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        least = int(nearest := self.encode(np.array(threshold)))
        if self.decode(nearest) < threshold:
            least += 1
        return m.at_least(self.raw(m, value), least)

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)


def skewed(format: Any) -> ZeroSkewNumbers:
    """The format as `ZeroSkewNumbers`. Raises `InputError` for a format of another family."""
    if not isinstance(format, ZeroSkewNumbers):
        raise InputError(f"{format.type} cannot be used as a zero-skew integer without a tdsl.cast")
    return format


_PRECISION = 31
"""Fraction bits of a multiplier."""

LEAST_SHIFT, GREATEST_SHIFT, GREATEST_WIDE_SHIFT = -31, 30, 7


def single(real: float) -> float:
    """The number of single precision nearest to a real, as a Python float."""
    return struct.unpack("f", struct.pack("f", real))[0]


def multiplier_and_shift(factor: float) -> tuple[int, int]:
    """The multiplier and the shift of a positive factor: factor = multiplier * 2^(shift - 31).

    This is TensorFlow Lite's QuantizeMultiplier. The multiplier lies in [2^30, 2^31). For factors below 2^-32, both
    results are 0. Factors of 2^30 and above become the greatest representable factor.
    """
    fraction, shift = math.frexp(factor)
    multiplier = math.floor(math.ldexp(fraction, _PRECISION) + 0.5)
    if multiplier == 1 << _PRECISION:
        multiplier, shift = multiplier >> 1, shift + 1
    if shift < LEAST_SHIFT:
        return 0, 0
    return ((1 << _PRECISION) - 1, GREATEST_SHIFT) if shift > GREATEST_SHIFT else (multiplier, shift)


def requantisation(width: int, factor: float) -> tuple[int, int]:
    """The multiplier and the shift by which `tm_requantize_sWIDTH` multiplies by a positive factor.

    width: the width of the sum, 32 or 64 bits.

    For 64 bits, the multiplier has 16 bits including the sign. The shift is still relative to 31.
    """
    multiplier, shift = multiplier_and_shift(factor)
    if width == 32:
        return multiplier, shift
    return (multiplier + (1 << 15) >> 16 if multiplier < 0x7FFF0000 else 0x7FFF), min(shift, GREATEST_WIDE_SHIFT)


Scales: TypeAlias = ArrayAttr[FloatData] | FloatData
"""One scale for all rows, or a list with a scale for each row."""


def parse_scales(parser: AttrParser, rounded: Callable[[float], float] = float) -> Scales:
    """Parse one number, or several numbers in brackets, and return them. Each number is rounded by `rounded`."""
    delimiter = parser.Delimiter.SQUARE

    def number() -> FloatData:
        return FloatData(rounded(float(parser.parse_number(allow_boolean=False))))

    several = parser.parse_optional_comma_separated_list(delimiter, number)
    return number() if several is None else ArrayAttr(several)


def spell_scales(scales: Scales, rounded: Callable[[float], float] = float) -> str:
    """The text from which `parse_scales` parses these scales. Each number is printed with the fewest digits that
    preserve its value.
    """
    if isinstance(scales, FloatData):
        return _spelled(scales.data, rounded)
    return f"[{', '.join(_spelled(scale.data, rounded) for scale in scales)}]"


def _spelled(scale: float, rounded: Callable[[float], float]) -> str:
    texts = (f"{scale:.{digits}g}" for digits in range(1, 18))
    text = next(text for text in texts if rounded(float(text)) == scale)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else f'{mantissa}.0'}{e}{exponent}"


def requantised(m: Machine[V], x: Int[V], factor: float, width: int = 32, *, to_even: bool = False) -> Int[V]:
    """x * factor, by TensorFlow Lite's MultiplyByQuantizedMultiplier.

    width: the width of x, 32 or 64 bits.
    to_even: if true, round once, halves to even.
    """
    if factor == 1.0 and width == 32:
        return x
    if to_even:
        factors = (m.int_constant(*each) for each in zip(multiplier_and_shift(factor), (32, 8), strict=True))
        return m.whole(m.call("tm_requantize_even_s32", m.held(x, 32), *factors))
    multiplier, shift = requantisation(width, factor)
    factors = m.int_constant(multiplier, 32), m.int_constant(shift, 8)
    return m.whole(m.call(f"tm_requantize_s{width}", m.held(x, width), *factors))


class SkewedSum(ParametrizedAttribute, TypeAttribute, Accumulator):
    """Sums of products. The scale of a product is the product of the operands' scales, computed as in TensorFlow Lite.

    For one scale, this product is computed in single precision. For separate scales of channels, it is computed in
    double precision; if all of them are equal, the sum has one scale. Sums of products with a 16-bit factor have 64
    bits. If such sums start from 32-bit numbers, they have 32 bits and wrap around.
    """

    INTEGER: ClassVar[bool] = True
    FAMILY = "zeroskew"
    width: IntAttr
    scales: ArrayAttr[FloatData]
    NUMBERS: ClassVar[Callable[[int, float | Sequence[float]], NumberFormat]]
    """The format of a width and scales. `type.py` sets it, since it is defined after its accumulator."""

    def __init__(self, width: int, scales: Sequence[float]):
        super().__init__(IntAttr(width), ArrayAttr(map(FloatData, scales)))

    @classmethod
    def of_products(cls, lhs: NumberFormat, rhs: NumberFormat, width: int | None = None) -> Self:
        """The accumulator for products of elements of the formats `lhs` and `rhs`.

        width: the width in bits; by default, the width of sums that do not wrap around.
        """
        a, b = skewed(lhs), skewed(rhs)
        if a.per_channel:
            scales = [scale * b.scale for scale in a.scale_values]
            scales = scales[:1] if len(set(scales)) == 1 else scales
        else:
            scales = [single(a.scale * b.scale)]
        return cls(cls._bits_of(a, b) if width is None else width, scales)

    @staticmethod
    def _bits_of(a: ZeroSkewNumbers, b: ZeroSkewNumbers) -> int:
        return 32 if max(a.bits, b.bits) <= USUAL_WIDTH else 64

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            width = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_punctuation(",")
            scales = parse_scales(parser)
        return [IntAttr(width), ArrayAttr([scales]) if isinstance(scales, FloatData) else scales]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            scales = self.scales.data[0] if len(self.scales) == 1 else self.scales
            printer.print_string(f"{self.bits}, {spell_scales(scales)}")

    def verify(self) -> None:
        if self.bits not in START_LIMITS:
            raise VerifyException(f"{self.name} width must be 32 or 64, got {self.bits}")
        if not self.scales.data or not all(scale.data > 0 for scale in self.scales):
            raise VerifyException(f"{self.name} scales must be positive")

    @property
    def type(self) -> Attribute:
        return self

    @property
    def storage(self) -> Attribute:
        return IntegerType(self.bits)

    @property
    def bits(self) -> int:
        return self.width.data

    @property
    def has_row_scales(self) -> bool:
        return len(self.scales) > 1

    @property
    def scale(self) -> float:
        """The scale of the sums, for an accumulator whose rows have no separate scales."""
        [scale] = self.scales.data
        return scale.data

    @property
    def sum_unit(self) -> float | None:
        return None if self.has_row_scales else self.scale

    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> Self:
        return self.of_products(lhs_format, rhs_format, self.bits)

    def rounds_into(self, result: NumberFormat) -> bool:
        return super().rounds_into(result) and isinstance(self, skewed(result).sums)

    def starts(self, format: NumberFormat) -> bool:
        return format.type == self.start_format(format).type

    def start_format(self, format: NumberFormat) -> NumberFormat:
        scales = [scale.data for scale in self.scales]
        return SkewedSum.NUMBERS(self.bits, scales if len(scales) > 1 else scales[0])

    def start_constant(self, format: NumberFormat) -> NumberFormat:
        return self.start_format(format)

    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        return value

    def sums(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> bool:
        return super().sums(lhs_format, rhs_format) and not skewed(rhs_format).per_channel

    def zero(self, m: Machine[V]) -> V:
        return m.int_constant(0, self.bits)

    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a, b = skewed(lhs_format), skewed(rhs_format)
        product = m.mul(a.load(m, lhs), b.load(m, rhs))
        if self.bits < self._bits_of(a, b):
            return m.add_wrapped(m.whole(sum), product, self.bits).value
        return m.addi(sum, m.held(product, self.bits))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)

    def levelled(self, result: NumberFormat) -> Self:
        """The accumulator in units of the result's scale if rows have separate scales, otherwise this accumulator."""
        return self if len(self.scales) == 1 else type(self)(32, [skewed(result).scale])

    def matmul(
        self, lhs: Raws, lhs_format: NumberFormat, rhs: Raws, rhs_format: NumberFormat, start: Raws | None = None
    ) -> Raws:
        """Sums of products for two stacks of matrices, computed in double precision. The sums are exact, because every
        partial sum has less than 53 bits. Sums of 32 bits wrap around.
        """
        zeros = (skewed(format).zero_point.data for format in (lhs_format, rhs_format))
        factors = (raws.astype(np.float64) - zero for raws, zero in zip((lhs, rhs), zeros, strict=True))
        sums = stacked_matmul(*factors).astype(np.int64).astype(f"i{self.bits // 8}")
        return sums if start is None else sums + start


class IntegerSkewSum(SkewedSum):
    """Sums that are converted to the scale of a result by an integer multiplication and a shift."""

    TO_EVEN: ClassVar[bool] = False

    def level_row(self, m: Machine[V], sum: V, row: V, levelled: Accumulator) -> V:
        assert isinstance(levelled, IntegerSkewSum)
        multipliers, shifts = self.factors([scale.data for scale in self.scales], levelled.scale)
        multiplier = m.lookup("multipliers", multipliers, row)
        shift = m.lookup("shifts", shifts, row)
        return m.call(f"tm_requantize{'_even' if self.TO_EVEN else ''}_s{self.bits}", sum, multiplier, shift)

    def factors(self, scales: Sequence[float], unit: float) -> tuple[Raws, Raws]:
        """The multipliers and the shifts that convert sums from each unit in `scales` to the unit `unit`."""
        multipliers, shifts = zip(*(requantisation(self.bits, scale / unit) for scale in scales), strict=True)
        return np.array(multipliers, np.int32), np.array(shifts, np.int8)

    def requantisation(self, result: NumberFormat, rows: int) -> Requantisation | None:
        format, scales = skewed(result), [scale.data for scale in self.scales]
        if self.bits != 32 or scales == [format.scale]:
            return None
        multipliers, shifts = self.factors(scales * (rows // len(scales)), format.scale)
        return Requantisation(multipliers, shifts, format.zero_point.data, *format.raw_limits, self.TO_EVEN)


@irdl_attr_definition
class ZeroSkewSum(IntegerSkewSum):
    """Sums that are requantised with TensorFlow Lite's rounding."""

    name = "zeroskew.acc"
    width: IntAttr
    scales: ArrayAttr[FloatData]


@irdl_attr_definition
class EvenSkewSum(IntegerSkewSum):
    """Sums of 32 bits that are requantised with one rounding, halves to even."""

    name = "zeroskew.even_acc"
    width: IntAttr
    scales: ArrayAttr[FloatData]
    TO_EVEN: ClassVar[bool] = True

    def verify(self) -> None:
        super().verify()
        if self.bits != 32:
            raise VerifyException(f"{self.name} width must be 32, got {self.bits}")
