"""The family of fixed point: numbers `raw * 2^-frac`, which saturate.

`!fixed.q<width, frac>` has signed raws with the same greatest magnitude for both signs. It rounds half up: it adds half
a unit and shifts arithmetically. Sums of products have the type `!fixed.acc<width, frac>`. This accumulator is exact
and never rounds, and must be proven wide enough. Three formats are related to `!fixed.q`:

* `!fixed.s<width, frac>` represents the integers of sensors and includes every raw of two's complement. A sensor at its
  limit emits the least integer, so proofs of sums need a format that includes this integer. `!fixed.q` excludes it, so
  that negation never overflows.
* `!fixed.u<width, frac>` has raws from 0 to 2^width - 1 and rounds halves to even. It represents the result of a
  quantised relu in a framework that rounds with IEEE 754's default, as Keras and numpy do (Gural and Murmann,
  "Memory-Optimal Direct Convolutions for Maximizing Classification Accuracy in Embedded Applications", 2019). Negative
  numbers become 0, so relu needs no instruction.
* `!fixed.byte<8, frac>` represents the bytes of cameras: (byte - 128) * 2^-frac for bytes from 0 to 255. Kernels
  multiply signed integers, so bytes are cast to `!fixed.s<8, frac>`. The cast flips the highest bit and changes no
  number.

`!fixed.q<width, frac, even>` and `!fixed.s<width, frac, even>` round halves to even, as PyTorch, ONNX and IEEE 754 do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from xdsl.dialects.builtin import IntAttr, NoneAttr, UnitAttr
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.exact.numbers import ExactNumbers, exact_numbers
from tinyml.dialects.formats.fixed.functions import PUBLISHED, fixed_function, is_in_integers
from tinyml.dialects.formats.number_format import INTEGER_CODING, Coding, Function, NumberFormat
from tinyml.dialects.formats.parameters import FRACS, WIDTHS
from tinyml.dialects.formats.read_floats import multiplied
from tinyml.dialects.formats.scaled_integer import STORAGE_WIDTHS, ScaledInteger
from tinyml.dialects.formats.specification import Flipped, Multiples
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Number, half_even, half_up
from tinyml.dialects.machine.machine import Int, Machine, limits

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from tinyml.dialects.formats.number_format import Raws, Reals
    from tinyml.dialects.formats.specification import Flipped, Multiples


V = TypeVar("V")

CANDIDATE_WIDTHS = (4, 6, 8, 9, 10, 12, 16)
UNSIGNED_WIDTHS = range(1, 16)
USUAL_WIDTH = 16
USUAL_UNSIGNED_WIDTH = 4
BYTE = 8
REGISTER_WIDTH = 16
FLIP = -128
"""The number whose addition modulo 256 converts a byte to its signed integer, and the integer to the byte."""


class ExactInteger(ScaledInteger, ExactFormat):
    """Numbers `raw * 2^-frac` whose sums and products are exact. The integer of a number is its raw."""

    @property
    def raw_limits(self) -> tuple[int, int]:
        return self.limits

    @property
    def integer_limits(self) -> tuple[int, int]:
        return self.limits

    @property
    def scale(self) -> int:
        return self.frac.data

    def narrowed(self, bits: int) -> Self:
        bits = min(bits, self.width.data - self.WIDTHS[0])
        return self.new([IntAttr(self.width.data - bits), IntAttr(max(self.frac.data - bits, FRACS[0]))])

    def integers(self, raws: Raws, dtype: DTypeLike = "i8") -> NDArray[Any]:
        return raws.astype(dtype)

    @property
    def coding(self) -> Coding | None:
        return INTEGER_CODING

    def encode(self, reals: Reals) -> Raws:
        scaled = self.rounded(np.ldexp(np.asarray(reals, np.float64), self.frac.data))
        return np.clip(scaled, *self.limits).astype(self.dtype)

    def encode_away(self, reals: Reals) -> Raws:
        nearest = self.encode(reals)
        away = nearest + np.sign(np.asarray(reals, np.float64) - self.decode(nearest))
        return np.clip(away, *self.limits).astype(self.dtype)

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        return m.settle(self.fitted(m, x, scale - self.frac.data), self.stored_width)


class RoundedInteger(ExactInteger):
    """A format of integers times 2^-frac that rounds to nearest and saturates. Halves are rounded up or to even."""

    @property
    def halves_to_even(self) -> bool:
        return False

    def rounded(self, reals: Reals) -> NDArray[np.float64]:
        wide = np.asarray(reals, np.float64)
        return np.rint(wide) if self.halves_to_even else np.floor(wide + 0.5)

    def rounding(self, scale: int) -> int:
        """The rounding bias: half a unit in the last place of the result, in units of 2^-`scale`, but at least 1."""
        return 1 << max(scale - self.frac.data - 1, 0)

    def half_up_shift(self, scale: int) -> int | None:
        right = scale - self.frac.data
        return right if right > 0 and not self.halves_to_even else None

    def rescaled(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return m.rescale_to_even(x, right) if self.halves_to_even else m.rescale(x, right)

    def fitted(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        low, high = self.limits
        if not self.halves_to_even:
            return m.rescale_to(x, right, low, high)
        # The interval of numbers between the limits is narrow; rounding stays within it.
        inside = m.clamp(x, low << max(right, 0), high << max(right, 0))
        return m.clamp(m.rescale_to_even(m.narrowed(inside), right), low, high)

    def product(self, m: Machine[V], a: Int[V], b: Int[V], right: int) -> Int[V]:
        if self.halves_to_even:
            return self.fitted(m, m.mul(a, b), right)
        return m.product_to(a, b, right, *self.limits)

    def from_f32(self, m: Machine[V], value: V) -> V:
        """The raw of a float, rounded to nearest by the rule of the format, and saturated."""
        if not self.halves_to_even:
            return super().from_f32(m, value)
        return m.settle(multiplied(m, value, math.ldexp(1.0, self.frac.data), *self.limits), self.stored_width)

    def quotient(self, m: Machine[V], x: Int[V], divisor: int) -> Int[V]:
        return m.quotient_to_even(x, divisor) if self.halves_to_even else m.nearest_quotient(x, divisor)


class StatedRounding(RoundedInteger):
    """A mixin for types whose parameters state the rounding of halves: `<width, frac>` rounds them up, `<width, frac,
    even>` to even.
    """

    # Declared for the type checker; final classes repeat the field.
    even: UnitAttr | NoneAttr

    @property
    def halves_to_even(self) -> bool:
        return isinstance(self.even, UnitAttr)

    def resized(self, width: int, frac: int) -> Self:
        return self.new([IntAttr(width), IntAttr(frac), self.even])

    def rounding_within(self, low: float, high: float) -> object:
        least, most = self.rounded(np.ldexp(np.array([low, high]), self.frac.data))
        fits = self.limits[0] <= least and most <= self.limits[1]
        return (self.frac.data, self.halves_to_even) if fits else self.type

    def narrowed(self, bits: int) -> Self:
        bits = min(bits, self.width.data - self.WIDTHS[0])
        return self.resized(self.width.data - bits, max(self.frac.data - bits, FRACS[0]))

    @property
    def ties(self) -> Callable[[Number, int], Number]:
        """The rule by which the specification rounds halves, as a function of a number and the number of bits that
        rounding removes.
        """
        return half_even if self.halves_to_even else half_up

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        start = parser.pos
        with parser.in_angle_brackets():
            numbers: list[int] = [parser.parse_integer(allow_boolean=False)]
            even = False
            while not even and parser.parse_optional_punctuation(","):
                even = parser.parse_optional_keyword("even") is not None
                numbers += [] if even else [parser.parse_integer(allow_boolean=False)]
        if len(numbers) != 2:
            parser.raise_error(f"{cls.name} has 2 parameters, got {len(numbers)}", start, parser.pos)
        return [*map(IntAttr, numbers), UnitAttr() if even else NoneAttr()]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.width.data}, {self.frac.data}{', even' if self.halves_to_even else ''}")


MATH = "math"
"""The scheme of functions that are computed in floats by `math.h` and then converted."""


@irdl_attr_definition
class FixedType(StatedRounding):
    """`!fixed.q<width, frac>`: signed numbers of 2 to 32 bits, stored in the narrowest of 8, 16 and 32 bits that is
    sufficient.

    Halves are rounded up. `!fixed.q<width, frac, even>` rounds them to even.

    If the width is less than the storage width, raws beyond the width do not occur: results saturate at the limits of
    the width. Proofs of accumulators rely on this restriction.
    """

    name = "fixed.q"
    GOOD_FOR = "fixed point: the fastest and smallest on chips without an FPU"
    width: IntAttr
    frac: IntAttr
    even: UnitAttr | NoneAttr
    SCHEMES: ClassVar[Sequence[str]] = ("seedot", "shiftry", MATH)
    WIDTHS: ClassVar[Sequence[int]] = WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = f"from {WIDTHS[0]} to {WIDTHS[-1]}"

    def __init__(self, width: int, frac: int, *, to_even: bool = False):
        super().__init__(IntAttr(width), IntAttr(frac), UnitAttr() if to_even else NoneAttr())

    @property
    def specification(self) -> Multiples:
        most = 2 ** (self.width.data - 1) - 1
        return Multiples(self.frac.data, -most, most, self.ties)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest raw. Their magnitudes are equal, so that negation and absolute values never
        overflow.
        """
        greatest = (1 << (self.width.data - 1)) - 1
        return -greatest, greatest

    @property
    def candidates(self) -> Sequence[FixedType]:
        return [self.resized(width, width - 1) for width in CANDIDATE_WIDTHS]

    def adds_raws_of(self, sums: NumberFormat) -> bool:
        if not isinstance(sums, FixedType) or sums.scale > self.scale:
            return False
        return sums.limits[1] << self.scale - sums.scale <= self.limits[1]

    @classmethod
    def of_width(cls, width: int | None) -> FixedType:
        width = USUAL_WIDTH if width is None else width
        if width not in WIDTHS:
            raise InputError(f"fixed point has widths from {WIDTHS[0]} to {WIDTHS[-1]}, got {width}")
        return FixedType(width, width - 1)

    def for_range(self, low: float, high: float) -> FixedType:
        """The format for numbers from low to high, as GetScale computes it (Shiftry, section 6.1, algorithm 10).

        frac = (width - 1) - floor(log2(magnitude) + 1), where magnitude is the greater of |low| and |high|, and frac =
        width - 1 if the magnitude is 0. Exception: frac is one greater if, at this finer scale, the magnitude rounds to
        at most 2^(width - 1), which exceeds the greatest raw by one. The magnitude then saturates and loses one unit,
        which rounding at the coarser scale may also lose. An unsupported frac is replaced by the nearest supported one.
        """
        magnitude = max(abs(low), abs(high))
        exponent = math.frexp(magnitude)[1] if magnitude else 0
        frac = self.width.data - 1 - exponent
        if magnitude and math.floor(math.ldexp(magnitude, frac + 1) + 0.5) <= self.limits[1] + 1:
            frac += 1
        return self.resized(self.width.data, min(max(frac, FRACS[0]), FRACS[-1]))

    def in_register(self) -> FixedType:
        """The format of the same range with at least 16 bits. It needs no additional instructions, because products of
        8-bit numbers already have 16 bits.
        """
        more = max(REGISTER_WIDTH - self.width.data, 0)
        return self.resized(self.width.data + more, min(self.frac.data + more, FRACS[-1]))

    def addend(self, other: NumberFormat, result: NumberFormat) -> FixedType:
        frac = max(exact_numbers(other).scale, exact_numbers(result).scale)
        coarser = min(self.frac.data, max(frac, FRACS[0]))
        # The same range needs fewer bits at a coarser scale; one bit is a reserve for rounding up.
        needed = self.width.data - max(self.frac.data - coarser - 1, 0)
        return self.resized(max(needed, min(self.width.data, BYTE)), coarser)

    def store_sum(self, m: Machine[V], x: Int[V], left: int, y: Int[V], scale: int) -> V:
        if self.halves_to_even:
            return super().store_sum(m, x, left, y, scale)
        return m.settle(m.sum_to(x, left, y, scale - self.frac.data, *self.limits), self.stored_width)

    def store_product(self, m: Machine[V], x: Int[V], y: Int[V], scale: int) -> V:
        return m.settle(self.product(m, x, y, scale - self.frac.data), self.stored_width)

    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        if scheme == MATH and function in PUBLISHED:
            return self.from_f32(m, m.call(f"tm_{function}f", value_format.to_f32(m, value)))
        if not isinstance(value_format, FixedType) or not is_in_integers(function, self):
            return super().function(m, function, value, value_format, scheme)
        x = fixed_function(function, value_format, self, scheme).apply(m, value_format.load(m, value))
        return m.settle(x, self.stored_width)


@irdl_attr_definition
class SignedType(StatedRounding):
    """`!fixed.s<width, frac>`: numbers in two's complement of 2 to 32 bits, stored in the narrowest of 8, 16 and 32
    bits that is sufficient.

    Halves are rounded up. `!fixed.s<width, frac, even>` rounds them to even.
    """

    name = "fixed.s"
    width: IntAttr
    frac: IntAttr
    even: UnitAttr | NoneAttr
    WIDTHS: ClassVar[Sequence[int]] = WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = f"from {WIDTHS[0]} to {WIDTHS[-1]}"

    def __init__(self, width: int, frac: int, *, to_even: bool = False):
        super().__init__(IntAttr(width), IntAttr(frac), UnitAttr() if to_even else NoneAttr())

    @property
    def specification(self) -> Multiples:
        most = 2 ** (self.width.data - 1) - 1
        return Multiples(self.frac.data, -most - 1, most, self.ties)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest raw."""
        return limits(self.width.data)

    @classmethod
    def of_width(cls, width: int | None) -> SignedType:
        width = USUAL_WIDTH if width is None else width
        if width not in WIDTHS:
            raise InputError(f"signed integers have widths {cls.WIDTHS_IN_WORDS}, got {width}")
        return SignedType(width, width - 1)

    def for_range(self, low: float, high: float) -> SignedType:
        """The format with the finest supported scale at which the magnitude of every number from low to high is less
        than 2^(width - 1) units, or with the coarsest supported scale if there is none. If low and high are 0, the
        format has width - 1 fractional bits.
        """
        magnitude = max(abs(low), abs(high))
        frac = self.width.data - 1 - (math.frexp(magnitude)[1] if magnitude else 0)
        return self.resized(self.width.data, min(max(frac, FRACS[0]), FRACS[-1]))


@irdl_attr_definition
class UnsignedType(RoundedInteger):
    """`!fixed.u<width, frac>`: unsigned numbers of 1 to 15 bits, stored in a signed integer of 8 or 16 bits."""

    name = "fixed.u"
    width: IntAttr
    frac: IntAttr
    WIDTHS: ClassVar[Sequence[int]] = UNSIGNED_WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = f"from {UNSIGNED_WIDTHS[0]} to {UNSIGNED_WIDTHS[-1]}"

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @property
    def specification(self) -> Multiples:
        return Multiples(self.frac.data, 0, 2**self.width.data - 1, half_even)

    @property
    def stored_width(self) -> int:
        return next(width for width in STORAGE_WIDTHS if self.width.data < width)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest raw."""
        return 0, (1 << self.width.data) - 1

    @property
    def halves_to_even(self) -> bool:
        return True

    @classmethod
    def of_width(cls, width: int | None) -> UnsignedType:
        width = USUAL_UNSIGNED_WIDTH if width is None else width
        if width not in UNSIGNED_WIDTHS:
            raise InputError(f"unsigned fixed point has widths {cls.WIDTHS_IN_WORDS}, got {width}")
        return UnsignedType(width, width)

    def for_range(self, low: float, high: float) -> UnsignedType:
        """The format with the finest supported scale at which the number `high` is less than 2^width units, or with the
        coarsest supported scale if there is none. Saturation then changes `high` by less than one unit, except at
        the coarsest scale. If `high` is not positive, the format has `width` fractional bits.

        low: ignored, because negative numbers become 0.
        """
        frac = self.width.data - (math.frexp(high)[1] if high > 0 else 0)
        return UnsignedType(self.width.data, min(max(frac, FRACS[0]), FRACS[-1]))


@irdl_attr_definition
class ByteType(ExactInteger):
    """`!fixed.byte<8, frac>`: the numbers (byte - 128) * 2^-frac. A raw is the byte, reinterpreted as a signed integer.

    Arithmetic uses the format `signed`, to which each operand is converted.
    """

    name = "fixed.byte"
    width: IntAttr
    frac: IntAttr
    WIDTHS: ClassVar[Sequence[int]] = (BYTE,)
    WIDTHS_IN_WORDS: ClassVar[str] = f"{BYTE}"

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @property
    def specification(self) -> Flipped:
        return Flipped(self.frac.data, -128, 127)

    @property
    def signed(self) -> SignedType:
        return SignedType(self.width.data, self.frac.data)

    @property
    def computed(self) -> SignedType:
        return self.signed

    def delivered(self, raws: Raws) -> Raws:
        return raws.view(np.uint8)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest integer that a byte represents. They are also the limits of raws."""
        return self.signed.limits

    @property
    def coding(self) -> None:
        """None, because no kernel decodes these bytes."""
        return None

    def integers(self, raws: Raws, dtype: DTypeLike = "i8") -> NDArray[Any]:
        return ((raws.astype(np.int64) & 255) + FLIP).astype(dtype)

    def encode(self, reals: Reals) -> Raws:
        return (self.signed.encode(reals).astype(np.int64) - FLIP).astype(np.uint8).view(np.int8)

    def encode_away(self, reals: Reals) -> Raws:
        return (self.signed.encode_away(reals).astype(np.int64) - FLIP).astype(np.uint8).view(np.int8)

    def decode(self, raws: Raws) -> Reals:
        return np.ldexp(self.integers(raws).astype(np.float64), -self.frac.data)

    @classmethod
    def of_width(cls, width: int | None) -> ByteType:
        if width not in (None, BYTE):
            raise InputError(f"bytes have {BYTE} bits, got {width}")
        return ByteType(BYTE, BYTE - 1)

    def for_range(self, low: float, high: float) -> ByteType:
        return ByteType(BYTE, self.signed.for_range(low, high).frac.data)

    def narrowed(self, bits: int) -> ByteType:
        return self

    def load(self, m: Machine[V], value: V) -> Int[V]:
        """The signed integer that a byte represents."""
        return self._flipped(m, self.stored(m, value))

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        return m.settle(self._flipped(m, self.fitted(m, x, scale - self.frac.data)), BYTE)

    def from_f32(self, m: Machine[V], value: V) -> V:
        return m.settle(self._flipped(m, self.signed.load(m, self.signed.from_f32(m, value))), BYTE)

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(*(m.settle(self.load(m, value), BYTE) for value in (lhs, rhs)))

    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        return self.signed.at_least(m, m.settle(self.load(m, value), BYTE), threshold)

    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        inner = self.signed.clamp(m, m.settle(self.load(m, value), BYTE), low, high)
        return m.settle(self._flipped(m, self.signed.load(m, inner)), BYTE)

    def average(self, m: Machine[V], total: V, count: int, value_format: NumberFormat) -> V:
        inner = self.signed.average(m, total, count, value_format)
        return m.settle(self._flipped(m, self.signed.load(m, inner)), BYTE)

    def rounded(self, reals: Reals) -> NDArray[np.float64]:
        return self.signed.rounded(reals)

    def rescaled(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return self.signed.rescaled(m, x, right)

    def fitted(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return self.signed.fitted(m, x, right)

    def product(self, m: Machine[V], a: Int[V], b: Int[V], right: int) -> Int[V]:
        return self.signed.product(m, a, b, right)

    @staticmethod
    def _flipped(m: Machine[V], x: Int[V]) -> Int[V]:
        return m.add_wrapped(x, m.const(FLIP), BYTE)


def sensor_format(bits: int, is_signed: bool, frac: int | None) -> SignedType | UnsignedType | ByteType:
    """The format of the integers of `bits` bits that a sensor emits, in units of 2^-frac. If `frac` is None, the
    numbers lie between -1 and 1.

    For unsigned bytes, `frac` is ignored: the numbers lie between -1 and 1, and the byte 128 represents 0. In all other
    formats, the integer 0 represents 0.
    """
    if not is_signed and bits == BYTE:
        return ByteType(BYTE, BYTE - 1)
    frac = bits - is_signed if frac is None else frac
    if is_signed:
        return SignedType(bits, frac)
    return UnsignedType(bits, frac) if bits in UNSIGNED_WIDTHS else SignedType(bits + 1, frac)


ExactNumbers.INTEGERS = FixedType
ExactNumbers.OF_SENSOR = sensor_format

FIXED = Dialect("fixed", [], [FixedType, UnsignedType, SignedType, ByteType, AccumulatorType])
