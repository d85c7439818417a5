"""Posits: `!posit.p<n, es>`, and `!posit.p<n, es, low, high, shift>` for storage on devices.

`!posit.p<n, es>` is the standard's format, including NaR: n is 2 to 16 or 32 bits, es is 0 to 3. Sums of products use a
quire (`quire.py`), and single products and conversions need none (`one_product.py`). Sums and products of one type are
emulated as in SoftPosit.

`!posit.p<n, es, low, high, shift>` contains the posits that are multiples of 2^low and less than 2^high in magnitude,
times 2^-shift. These numbers are integers of few bits in one unit. A table or a short routine decodes them to integers,
which are then multiplied. Sums of products are exact. The limits low and high and the bounds on the weights determine
the width of the accumulator. A result is rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr, NoneAttr
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.exact.numbers import ExactNumbers, exact_numbers
from tinyml.dialects.formats.number_format import (
    BY_SCORES,
    REGIME,
    TABLE,
    Bound,
    Coding,
    Factor,
    Function,
    NumberFormat,
    Product,
    ScaleBy,
)
from tinyml.dialects.formats.posit import final_ops, ops
from tinyml.dialects.formats.posit.bounded_posits import (
    legal_of,
    lowest,
    power,
    segments_of,
    stretched,
)
from tinyml.dialects.formats.posit.numbers import PositNumbers
from tinyml.dialects.formats.posit.one_product import OneProduct, ProductToOdd, RoundProduct
from tinyml.dialects.formats.posit.parts import (
    EXPONENTS,
    TABLE_BITS,
    WIDTHS,
    Parts,
    parts_of,
    parts_of_posit,
    verify_standard,
)
from tinyml.dialects.formats.posit.quire import QuireType, SignedProduct, combined, quire_for
from tinyml.dialects.formats.posit.quire_steps import Round, rounded_odd
from tinyml.dialects.formats.posit.specification import posits
from tinyml.dialects.formats.posit.unpacked import UnpackedType
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, limits

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws, Reals
    from tinyml.dialects.formats.specification import Specification

V = TypeVar("V")

CANDIDATE_WIDTHS = (6, 8, 9, 10, 12, 16)
STANDARD = 2
"""The es of the 2022 standard."""

SHORT_BITS, SHORT_INTEGER, LONG_INTEGER = 12, 15, 29
"""Integers that store posits: 15 bits and a sign represent posits of up to 12 bits with negligible loss, 29 bits those
of 16.
"""

TOPS = range(1, 5)
"""Exponents of the power of two above a constant's greatest magnitude, after its shift."""

REACHED = (1, 2, 3, 0, 4, 5, 6)
"""The corresponding exponents for tensors that are not constant, in order of preference among equally accurate ones."""

FINER = 3
"""The number of bits by which integers may exceed fixed point of the same width; more bits change no score."""

LOST_BY_WINDOWS, RANGE_GAIN = 1e-4, 0.5
"""The share of the weighted squares of a constant's numbers that the error of windows must exceed, and the share of
this error that a type of the standard may leave, so that a quire is worthwhile.
"""

PIECES = range(1, 8)
"""The upper bounds with es 0 for which raws are decoded piecewise, with one piece above each power of two."""

SHIFTS = range(-60, 61)

REGISTER_BITS = 16

REGISTER = 31
"""The number of magnitude bits of a 32-bit register."""


@irdl_attr_definition
class PositType(ParametrizedAttribute, TypeAttribute, PositNumbers, ExactFormat):
    """`!posit.p<n, es>`: standard posits of n bits with es exponent bits.

    `!posit.p<n, es, low, high, shift>` contains only the posits that are multiples of 2^low and less than 2^high in
    magnitude, times 2^-shift. In `!posit.p<n, es, low, high>`, the shift is 0.
    """

    name = "posit.p"
    SCALED_BY: ClassVar[ScaleBy] = BY_SCORES
    WEIGHS_NUMBERS: ClassVar[bool] = True
    GOOD_FOR = "posits: precise near 1, slow; for models whose numbers differ much in magnitude"

    n: IntAttr
    es: IntAttr
    low: IntAttr | NoneAttr
    high: IntAttr | NoneAttr
    shift: IntAttr

    def __init__(self, n: int, es: int, low: int | None = None, high: int | None = None, shift: int = 0):
        bounds = [NoneAttr() if end is None else IntAttr(end) for end in (low, high)]
        super().__init__(IntAttr(n), IntAttr(es), *bounds, IntAttr(shift))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            numbers = [parser.parse_integer(allow_boolean=False)]
            while parser.parse_optional_punctuation(",") is not None:
                numbers.append(parser.parse_integer(allow_boolean=False))
            if len(numbers) not in (2, 4, 5):
                parser.raise_error("expected n and es of a posit, or n, es, low and high, or also a shift")
        shift = numbers[4] if len(numbers) == 5 else 0
        return [*map(IntAttr, numbers[:4]), *[NoneAttr()] * (4 - len(numbers)), IntAttr(shift)]

    def print_parameters(self, printer: Printer) -> None:
        numbers = [self.n.data, self.es.data, *(self.bounds or ()), *([self.scaling] if self.scaling else ())]
        with printer.in_angle_brackets():
            printer.print_string(", ".join(map(str, numbers)))

    def verify(self) -> None:
        n, es = self.n.data, self.es.data
        verify_standard(n, es)
        if (bounds := self.bounds) is None:
            return
        if self.scaling not in SHIFTS:
            raise VerifyException(f"posit.p shift must lie in [{SHIFTS[0]}, {SHIFTS[-1]}], got {self.scaling}")
        low, high = bounds
        reach = (n - 2) << es
        if not -reach <= low < high <= reach + 1:
            raise VerifyException(
                f"posit.p<{n}, {es}> has low and high from {-reach} to {reach + 1}, got {low}, {high}"
            )
        if high - low > REGISTER:
            raise VerifyException(f"posit.p has at most {REGISTER} bits between low and high, got {high - low}")
        if power(n, es, low) != 2.0**low:
            raise VerifyException(f"2^{low} is not a posit of {n} bits with es {es}")

    @property
    def specification(self) -> Specification | None:
        """The specification of a format of at most `SHORT_BITS` bits with bounds; None for a wider format and for the
        standard's type.

        The standard's type is tested against SoftPosit instead.
        """
        if self.bounds is None or self.n.data > SHORT_BITS:
            return None
        return posits(self.n.data, self.es.data, self.bounds, self.scaling)

    @property
    def coding(self) -> Coding | None:
        """The rule by which kernels decode raws; None if no kernel decodes the raws.

        16-bit formats with bounds have the rule `REGIME` if their unit permits it. Other formats have the rule
        `TABLE` if they are narrow enough for a table and all numbers are 16-bit integers.
        """
        n = self.n.data
        if n == REGISTER_BITS and self.bounds is not None and 0 <= self._unit <= REGISTER:
            return Coding(REGIME, parameters=(self.es.data, self._unit), segments=lambda: segments_of(self))
        if n > TABLE_BITS or self.integer_limits[1] > limits(16)[1]:
            return None
        return Coding(TABLE, self.table, -self.raw_limits[0])

    def as_integers(self, bits: int) -> NumberFormat | None:
        """The fixed-point format of `bits` bits that represents all numbers of this format; None for the standard's
        type, because fixed point has no NaR.
        """
        return None if self.bounds is None else super().as_integers(bits)

    @property
    def candidates(self) -> Sequence[PositType]:
        return [PositType.of_width(width) for width in CANDIDATE_WIDTHS]

    @property
    def variants(self) -> Sequence[PositType]:
        """The format for each es, for a tensor that is not constant. A search chooses among them; for constants,
        `fitted_to` chooses the es.
        """
        return [PositType(self.n.data, STANDARD), *(PositType(self.n.data, es, 0, 1) for es in EXPONENTS[1:])]

    def encode_clipped(self, reals: Reals) -> Raws:
        """Round reals to the format and return their raws.

        Infinities become the greatest posit, although the standard converts them to NaR.
        """
        return self.encode(np.nan_to_num(reals, nan=np.nan) if self.bounds is None else reals)

    def encode_away(self, reals: Reals) -> Raws:
        nearest = self.encode(reals)
        side = np.sign(np.asarray(reals, np.float64) - self.decode(nearest))
        # Formats with too many raws to list have no neighbour.
        if self.n.data > SHORT_BITS:
            return nearest
        legal = legal_of(self)
        at = np.searchsorted(legal, nearest) + side.astype(np.int64)
        return legal[np.clip(at, 0, len(legal) - 1)].astype(self.dtype)

    @classmethod
    def of_width(cls, width: int | None) -> PositType:
        width = 16 if width is None else width
        if width not in WIDTHS:
            raise InputError(f"posits have widths from {WIDTHS[0]} to {WIDTHS[-2]} and {WIDTHS[-1]}, got {width}")
        return PositType(width, STANDARD)

    def for_range(self, low: float, high: float) -> PositType:
        """The format whose shift scales the greatest magnitude of [low, high] to between 1 and 2.

        The format has es 0, unless this format is bounded and has another es. With es 0, the distance between numbers
        is 2^-(n - 2) below 1 and twice as much above 1. Fixed point of n bits with n - 2 fractional bits represents
        all these numbers and more.
        """
        magnitude = max(abs(low), abs(high))
        top = math.frexp(magnitude)[1] if magnitude else 0
        return self._for_top(0 if self.bounds is None else self.es.data, TOPS[0], top)

    def _for_top(self, es: int, high: int, top: int, most: int = REGISTER) -> PositType:
        """The posit format with the bounds (low, high) whose shift maps magnitudes below 2^top to posits below 2^high.

        `low` is the least exponent for which integers have at most `SHORT_INTEGER` or `LONG_INTEGER` bits, and at most
        `most` bits.
        """
        n = self.n.data
        reach = (n - 2) << es
        high = min(high, reach + 1)
        bits = min(SHORT_INTEGER if n <= SHORT_BITS else LONG_INTEGER, most)
        low = lowest(n, es, max(high - bits, -reach))
        return PositType(n, es, low, high, min(max(high - top, SHIFTS[0]), SHIFTS[-1]))

    def scalings(self, low: float, high: float) -> Sequence[PositType]:
        """Candidate formats whose shift scales the greatest magnitude of [low, high] to below 1, 2, 4 and so on.

        There are candidates for every es or, if this format is bounded, only for its es. The integers of a candidate
        have at most `FINER` bits more than those of fixed point of the same width.
        """
        exponents = EXPONENTS if self.bounds is None else (self.es.data,)
        return self._windows(low, high, exponents, FINER + self.n.data)

    def ranging(self, low: float, high: float) -> Sequence[PositType]:
        """The windows with an es of 1 or more whose integers have as many bits as `for_range` permits, and the
        standard's types. Bounds of this format restrict the es, as in `scalings`, and exclude the standard's types.
        """
        if self.bounds is not None:
            return self._windows(low, high, (self.es.data,), REGISTER) if self.es.data else ()
        standard = [PositType(self.n.data, es) for es in EXPONENTS]
        return [*self._windows(low, high, EXPONENTS[1:], REGISTER), *standard]

    def _windows(self, low: float, high: float, exponents: Sequence[int], bits: int) -> list[PositType]:
        """For each es and each of `REACHED`, the window whose shift scales the greatest magnitude of [low, high] to
        below this power of two.

        bits: the maximum width of the integers.
        """
        magnitude = max(abs(low), abs(high))
        top = math.frexp(magnitude)[1] if magnitude else 0
        # Numbers just below 1 are rounded to 1, even if that is above the greatest.
        return [
            self._for_top(es, max(high, 1), top + max(1 - high, 0), bits)
            for es in exponents
            for high in REACHED
            if high <= (self.n.data - 2) << es
        ]

    @property
    def effort(self) -> int:
        """The rank of the format by the time that decoding and rounding take, from 0 to 2.

        The rank is 0 if numbers up to 1 are equidistant and all numbers fit in 15-bit integers. It is 2 if sums need a
        quire.
        """
        if self.bounds is None:
            return 2
        return int(not (self._is_linear and self.bounds[1] - self.bounds[0] <= SHORT_INTEGER))

    @property
    def reaching(self) -> Sequence[PositType]:
        """The formats with greater upper bounds, up to the greatest posit, in descending order of range; none for the
        standard's type.

        Their integers have at most as many bits as this format's width permits, and their `effort` is at most that of
        this format.
        """
        if self.bounds is None:
            return ()
        n, es, (low, high) = self.n.data, self.es.data, self.bounds
        bits = SHORT_INTEGER if n <= SHORT_BITS else LONG_INTEGER
        furthest = min(((n - 2) << es) + 1, low + bits)
        further = [PositType(n, es, low, end, self.scaling) for end in range(furthest, high, -1)]
        return [format for format in further if format.effort <= self.effort]

    def fitted_to(self, constant: Reals, importance: Reals | None, *, rows: bool) -> PositType:
        """The format of this width with the least weighted squared error over the constant: this format, or one with
        another es, other bounds and another shift for the same range. The standard's type is returned unchanged.

        The result is a type of the standard if all windows lose more than `LOST_BY_WINDOWS`, and its error is less than
        `RANGE_GAIN` times theirs, as for a matrix with factors of pascals and of volts.
        """
        if self.bounds is None:
            return self

        def error(format: PositType) -> float:
            return format.squared_error(constant, importance)

        top = self.bounds[1] - self.scaling
        window = min((self, *(self._for_top(es, high, top) for es in EXPONENTS for high in TOPS)), key=error)
        sizes = constant**2 if importance is None else importance * constant**2
        if error(window) <= LOST_BY_WINDOWS * float(np.sum(sizes)):
            return window
        standard = min((PositType(self.n.data, es) for es in EXPONENTS), key=error)
        return standard if error(standard) < RANGE_GAIN * error(window) else window

    def in_register(self) -> PositType:
        """The 16-bit posit format of the same range. A format without bounds, or of at least 16 bits, is returned
        unchanged.
        """
        if self.bounds is None or self.n.data >= REGISTER_BITS:
            return self
        reach = math.ldexp(1.0, self.bounds[1] - 1 - self.scaling)
        return PositType(REGISTER_BITS, self.es.data).for_range(-reach, reach)

    def narrowed(self, bits: int) -> PositType:
        if self.bounds is None:
            return self
        low, high = self.bounds
        n, es = self.n.data, self.es.data
        coarser = lowest(n, es, min(low + bits, high - 1))
        # Few powers of two are posits of few bits with a great es: there may be none between the coarser unit and high.
        if coarser >= high:
            coarser = next(e for e in range(high - 1, low - 1, -1) if power(n, es, e) == math.ldexp(1.0, e))
        return PositType(n, es, coarser, high, self.scaling)

    def own_sums(self, products: Sequence[Product], initial: Factor | None) -> Accumulator | None:
        """A quire for sums with an operand of the standard's type; None for a bounded format.

        Standard posits may be NaR, and as integers they would have too many bits.
        """
        return quire_for(products, initial) if self.bounds is None else None

    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        if isinstance(accumulator, QuireType):
            return m.perform(Round(accumulator, self), sum)
        return super().finish(m, sum, accumulator, bound)

    def load(self, m: Machine[V], value: V) -> Int[V]:
        return m.decode(self, m.clamp(self.stored(m, value), *self.raw_limits))

    def to_integer(self, m: Machine[V], raws: Int[V]) -> Int[V]:
        n = self.n.data
        low, high = self.integers(np.array([raws.low, raws.high], self.dtype)).tolist()
        if max(-low, high) >= 1 << REGISTER:
            raise InputError(f"{self} has numbers that exceed all registers as integers: add a low and a high bound")
        if n > TABLE_BITS and self._is_piecewise:
            x = m.shift_right(stretched(m, raws, n, PIECES[-1]), n - 2 - self._unit)
            return Int(x.value, x.width, low, high)
        if n > TABLE_BITS:
            parameters = m.int_constant(self._unit, 16), m.int_constant(n, 8), m.int_constant(self.es.data, 8)
            return Int(m.call("tm_posit_to_s32", m.held(raws, 32), *parameters), 32, low, high)
        entry = m.entry("decoding", self.table, m.sub(raws, m.const(self.raw_limits[0])))
        return Int(entry.value, entry.width, low, high)

    @property
    def _is_piecewise(self) -> bool:
        """True if `stretched` can compute the integers of this format: it is bounded, es is 0, and the upper bound is
        one of `PIECES`.
        """
        return self.bounds is not None and self.es.data == 0 and self.bounds[1] in PIECES

    @property
    def _is_linear(self) -> bool:
        """True if the distance between numbers up to 1 is 2^-(n-2), and every number has at most 16 bits in this
        unit.
        """
        if self.bounds is None or self.es.data or self.n.data > REGISTER_BITS:
            return False
        low, high = self.bounds
        return low == 2 - self.n.data and high - low <= REGISTER_BITS

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        return m.settle(m.encode(self, x, scale), self.stored_width)

    def from_integer(self, m: Machine[V], x: Int[V], scale: int) -> Int[V]:
        low, high = self.raw_limits
        right = scale - self.scaling - (self.n.data - 2)
        if self._is_linear and right < 64 and (raw := m.rescale(x, min(right, 0))).width <= 32:
            x, right = raw, max(right, 0)
            parameters = m.int_constant(right, 8), m.int_constant(self.n.data, 8), m.int_constant(high, 16)
            return Int(m.call("tm_posit_linear_s32", m.held(x, 32), *parameters), 16, low, high)
        width = 32 if x.width <= 32 else 64
        scaling = m.int_constant(scale - self.scaling, 16)
        raw = m.call(f"tm_posit_of_s{width}", m.held(x, width), scaling, *self.runtime_parameters(m))
        return Int(raw, 32, low, high)

    def _emulated(self, m: Machine[V], function: str, *operands: tuple[V, NumberFormat]) -> V | None:
        """The result of a runtime function that emulates an operation of the standard's type.

        Returns None unless the result and all operands have the same standard type.
        """
        if self.bounds is not None or any(format != self for _, format in operands):
            return None
        wide = [m.resize(value, 32) if self.stored_width < 32 else value for value, _ in operands]
        parameters = self.runtime_parameters(m)
        return self.stored_raw(m, m.call(function, *wide, *parameters[:2]))

    def add(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        sum = self._emulated(m, "tm_posit_add", (lhs, lhs_format), (rhs, rhs_format))
        return super().add(m, lhs, lhs_format, rhs, rhs_format) if sum is None else sum

    def sub(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        difference = self._emulated(m, "tm_posit_sub", (lhs, lhs_format), (rhs, rhs_format))
        return super().sub(m, lhs, lhs_format, rhs, rhs_format) if difference is None else difference

    def mul(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        product = self._emulated(m, "tm_posit_mul", (lhs, lhs_format), (rhs, rhs_format))
        return super().mul(m, lhs, lhs_format, rhs, rhs_format) if product is None else product

    def combined_as(self, m: Machine[V], terms: Sequence[SignedProduct[V]], result: NumberFormat) -> V:
        if len(terms) == 1 and len(terms[0][1]) <= 2:
            [(sign, factors)] = terms
            product = OneProduct(tuple(parts_of(format) for _, format in factors), sign < 0)
            values = [value for value, _ in factors]
            if isinstance(result, PositType):
                return m.perform(RoundProduct(product, result), *values)
            return rounded_odd(m, partial(ProductToOdd, product), values, result)
        return combined(m, terms, result)

    def neg(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        if value_format == self:
            negated = m.subi(m.int_constant(0, self.stored_width), value)
            # The least integer of a stored width is its own negative, like NaR.
            if self.n.data == self.stored_width:
                return negated
            low, high = self.raw_limits
            return self._unless_nar(m, self.stored(m, value), Int(negated, self.stored_width, low, high))
        return super().neg(m, value, value_format)

    def function_by_lines(self, m: Machine[V], function: Function, value: V, source: ExactNumbers) -> V | None:
        """The result of a function for a value of the format `source`, by linear interpolation in a table.

        Returns None for the standard's type, whose functions are computed in floating point.
        """
        return None if self.bounds is None else super().function_by_lines(m, function, value, source)

    def recode(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        return value if value_format == self else super().recode(m, value, value_format)

    def recoded_as(self, m: Machine[V], value: V, result: NumberFormat) -> V | None:
        """A number of the standard's type, rounded to `result`; None for a bounded format.

        Posits of at most 8 bits become numbers of at most 16 bits by a table.
        """
        if self.bounds is not None:
            return None
        exact = exact_numbers(result)
        if self.n.data > TABLE_BITS or exact.stored_width > 16:
            return self.combined_as(m, [(1, [(value, self)])], result)
        first, last = self.stored_limits
        numbers = self.decode(np.arange(first, last + 1).astype(self.dtype))
        table = np.where(np.isnan(numbers), exact.undefined, exact.encode(np.nan_to_num(numbers)))
        entry = m.entry("conversion", table.astype(exact.dtype), m.sub(self.stored(m, value), m.const(first)))
        return m.settle(entry, exact.stored_width)

    def from_f32(self, m: Machine[V], value: V) -> V:
        if self.scaling:
            value = m.mulf(value, m.float_constant(math.ldexp(1.0, self.scaling)))
        return self.stored_raw(m, m.call("tm_posit_of_f32", value, *self.runtime_parameters(m)))

    def to_f32(self, m: Machine[V], value: V) -> V:
        wide = m.resize(value, 32) if self.stored_width < 32 else value
        real = m.call("tm_posit_to_f32", wide, m.int_constant(self.n.data, 8), m.int_constant(self.es.data, 8))
        return m.mulf(real, m.float_constant(math.ldexp(1.0, -self.scaling))) if self.scaling else real


@parts_of.register
def _(format: PositType) -> Parts:
    if format.bounds is not None:
        return parts_of.dispatch(NumberFormat)(format)
    return parts_of_posit(format, format.posit)


POSIT = Dialect("posit", [*ops.OPS, *final_ops.OPS], [PositType, QuireType, UnpackedType])
