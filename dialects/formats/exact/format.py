"""Arithmetic of formats whose numbers are integers times a power of two, so that sums and products are exact.

Operands in different formats of the family need no cast. They are converted to integers, the operation is computed
exactly, and the result is rounded once to its format. A format therefore defines only how its numbers are stored.
Proven bounds on sums of products determine the width of accumulators.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Attribute

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.exact.accumulator import ACCUMULATOR_WIDTHS, AccumulatorType
from tinyml.dialects.formats.exact.numbers import ExactNumbers, exact_numbers
from tinyml.dialects.formats.exact.softmax import softmax_of
from tinyml.dialects.formats.number_format import INTEGER_CODING, Bound, Factor, Function, NumberFormat, Product, Term
from tinyml.dialects.formats.parameters import FRACS, WIDTHS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, limits, width_for
from tinyml.dialects.machine.real_functions import REAL_FUNCTIONS, exactly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws


def _own_sums(products: Sequence[Product], initial: Factor | None) -> Accumulator | None:
    """The accumulator that a format of a factor or of the initial value defines for these sums; None if an integer type
    represents the sums.
    """
    factors = [factor for product in products for factor in (product.lhs, product.rhs)]
    exact = [one.format for one in (*factors, initial) if one is not None and isinstance(one.format, ExactNumbers)]
    return next((own for format in exact if (own := format.own_sums(products, initial)) is not None), None)


def _sum_bound(products: Sequence[Product], initial: Factor | None) -> Bound:
    """A bound on every partial sum of `products`, in units in the last place of the finest product.

    The bound holds for any order of the terms of a `Product`.

    initial: the factor that contains the initial values of the sums; None for zeros.
    """
    scales = [_format(product.lhs).scale + _format(product.rhs).scale for product in products]
    bounds = [(_product_bound(product), scale) for product, scale in zip(products, scales, strict=True)]
    if initial is not None:
        bounds.append((_interval(initial), _format(initial).scale))
    finest = max(scale for _, scale in bounds)
    lows, highs = zip(*((low << finest - scale, high << finest - scale) for (low, high), scale in bounds), strict=True)
    parts = [i for i, product in enumerate(products) if product.lhs.groups is not None]
    return min([sum(lows), *(lows[i] for i in parts)]), max([sum(highs), *(highs[i] for i in parts)])


def _format(factor: Factor) -> ExactNumbers:
    return cast(ExactNumbers, factor.format)


def _product_bound(product: Product) -> Bound:
    """A bound on every partial sum of the terms of one `Product`, in units in the last place of a term. The bound is
    tight if a factor is constant.

    For a constant factor, the positive and the negative terms of each row are bounded separately. The result is the
    greatest bound of a row.
    """
    lhs, rhs = _interval(product.lhs), _interval(product.rhs)
    corners = [a * b for a in lhs for b in rhs]
    low = 0 if product.square else min(0, *corners)
    bounds = [(product.length * low, product.length * max(0, *corners))]
    bounds += [
        _of_rows(integers, other)
        for factor, other in ((product.lhs, rhs), (product.rhs, lhs))
        if (integers := _integers(factor)) is not None
    ]
    return max(low for low, _ in bounds), min(high for _, high in bounds)


def _interval(factor: Factor) -> tuple[int, int]:
    """The least and the greatest integer that a factor may contain, in the unit of its finest group."""
    if (integers := _integers(factor)) is not None and integers.size:
        return int(integers.min()), int(integers.max())
    format, groups = _format(factor), factor.groups
    most = 0 if groups is None else max(groups.shifts.get_values())
    low, high = (limit << most for limit in format.element.integer_limits)
    start, end = (
        int(format.integers(format.encode(np.array(x)))) if math.isfinite(x) else None for x in factor.interval
    )
    return low if start is None else start << most, high if end is None else end << most


def _integers(factor: Factor) -> NDArray[np.int64] | None:
    """The integers of a constant factor, in the unit of its finest group; None for a factor that is not constant."""
    return None if factor.raws is None else _format(factor).integers_in(factor.groups, factor.raws)


def _of_rows(constant: NDArray[np.int64], other: tuple[int, int]) -> Bound:
    """A bound on the partial sums of products of each row of `constant` and any numbers in the interval `other`. One
    bound holds for all rows.
    """
    positive, negative = (np.maximum(side, 0).sum(-1).ravel().tolist() for side in (constant, -constant))
    least, greatest = min(other[0], 0), max(other[1], 0)
    rows = list(zip(positive, negative, strict=True))
    lows = [p * least - n * greatest for p, n in rows]
    highs = [p * greatest - n * least for p, n in rows]
    return min(lows, default=0), max(highs, default=0)


V = TypeVar("V")

TABLE_ARGUMENTS = 256
"""Functions with fewer possible arguments than this number are replaced by tables of their results."""

GREATEST_RESULT = 2.0**900
"""The limit on results of functions: no format represents a greater one, and scaled results stay below infinity."""

TOTAL_WIDTHS = (32, 64)
TOTALS = (8, 16, 32)
"""The widths of the formats of sums, in bits."""
ROOT_BITS = 31
"""The number of fractional bits of the result of `tm_inverse_root_s32`."""

ROTATION_BITS = 16
"""The width of cosines and sines in bits."""

STICKY_BITS = 2
"""Guard bits below the last place: a real truncated there, with a sticky last bit, rounds correctly."""


class ExactFormat(ExactNumbers):
    """The arithmetic of formats whose numbers are integers times a power of two.

    A format defines two methods: `load` maps a raw to an integer, and `store` rounds an integer to a raw. All other
    operations use these two.
    """

    def as_integers(self, bits: int) -> NumberFormat | None:
        (low, high), (least, most) = self.integer_limits, limits(bits)
        return ExactNumbers.INTEGERS(bits, self.scale) if least < low and high <= most and self.scale in FRACS else None

    @abstractmethod
    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        """Round the exact number x * 2^-scale to the format and return the raw."""

    def store_sum(self, m: Machine[V], x: Int[V], left: int, y: Int[V], scale: int) -> V:
        """Round the exact sum (x * 2^left + y) * 2^-scale to the format and return the raw."""
        return self.store(m, m.add(m.rescale(x, -left), y), scale)

    def store_product(self, m: Machine[V], x: Int[V], y: Int[V], scale: int) -> V:
        """Round the exact product x * y * 2^-scale to the format and return the raw."""
        return self.store(m, m.mul(x, y), scale)

    def useful_range(self, function: Function, low: float, high: float) -> tuple[float, float]:
        """The subinterval of [low, high], as a pair (low, high), outside which the function is nearly constant.

        There, the function differs from its limit by at most half of the least positive number of this format. The
        result is [low, high] itself for a function that is not computed from a table, and for a format whose least
        positive number exceeds all such differences.
        """
        real, half = REAL_FUNCTIONS[function], (self.scale + 1) * math.log(2)
        reach = half if real.flat is None else real.flat(max(half + math.log(real.tail), 0.0))
        if reach <= 0 or not real.widest:
            return low, high
        most = high if real.flat is None else reach
        return max(min(low, most), -reach), min(max(high, -reach), most)

    def difference(self, rhs: NumberFormat) -> NumberFormat | None:
        formats = self, exact_numbers(rhs)
        if any(format.has_nar for format in formats):
            return None
        # Kernels subtract the raws of integers, which therefore need a common scale.
        if all(format.coding is INTEGER_CODING for format in formats) and len({each.scale for each in formats}) > 1:
            return None
        scale = max(format.scale for format in formats)
        greatest = sum(max(map(abs, format.integer_limits)) << scale - format.scale for format in formats)
        width = greatest.bit_length() + 1
        return ExactNumbers.INTEGERS(width, scale) if width in WIDTHS and scale in FRACS else None

    def format_of_sums(self, low: float, high: float) -> NumberFormat | None:
        greatest = math.ceil(math.ldexp(max(abs(low), abs(high)), self.scale))
        width = next((width for width in TOTALS if greatest >> width - 1 == 0), None)
        return None if width is None or self.scale not in FRACS else ExactNumbers.INTEGERS(width, self.scale)

    def distance_bound(self, length: int, rhs: NumberFormat, vectors: Raws | None) -> Bound | None:
        other = exact_numbers(rhs)
        scale = max(self.scale, other.scale)
        most = max(map(abs, self.integer_limits)) << scale - self.scale
        left = scale - other.scale
        if vectors is None:
            return 0, length * (most + (max(map(abs, other.integer_limits)) << left)) ** 2
        greatest = (np.abs(other.integers(vectors)) << left).astype(object) + most
        return 0, int((greatest * greatest).sum(-1).max(initial=0))

    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> Accumulator:
        if (own := _own_sums([Product(1, Factor(lhs), Factor(rhs))], None)) is not None:
            return own
        scale = exact_numbers(lhs).scale + exact_numbers(rhs).scale
        if bound is None:
            return AccumulatorType(ACCUMULATOR_WIDTHS[-1], scale)
        for width in ACCUMULATOR_WIDTHS:
            candidate = AccumulatorType(width, scale)
            if candidate.sums(lhs, rhs) and candidate.holds(bound, self):
                return candidate
        raise InputError(f"a sum of products can reach {max(map(abs, bound))} * 2^-{scale}, beyond all accumulators")

    def accumulator_of_sum(
        self, products: Sequence[Product], initial: Factor | None, bound: Bound | None
    ) -> Accumulator:
        own = _own_sums(products, initial)
        return super().accumulator_of_sum(products, initial, bound) if own is None else own

    def sum_bound(self, products: Sequence[Product], initial: Factor | None = None) -> Bound | None:
        """A bound on every partial sum of several products.

        Returns None if a format of the factors defines the accumulator (`ExactNumbers.own_sums`), because no integer
        type represents the sums. This accumulator derives its width itself.
        """
        return None if _own_sums(products, initial) is not None else _sum_bound(products, initial)

    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        if (finished := accumulator.finished(m, sum, self)) is not None:
            return finished
        assert isinstance(accumulator, AccumulatorType)
        scale = accumulator.frac.data
        if bound is None:
            # The accumulator was chosen with a reserve for the rounding.
            low, high = limits(accumulator.width.data)
            bound = low, high - self.rounding(scale)
        return self.store(m, m.bounded(sum, *bound), scale)

    def constant(self, m: Machine[V], real: float) -> V:
        return m.settle(m.const(int(self.encode(np.array(real)))), self.stored_width)

    def add(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a, b = exact_numbers(lhs_format), exact_numbers(rhs_format)
        if a.has_nar or b.has_nar:
            return self.combined(m, [(1, [(lhs, a)]), (1, [(rhs, b)])])
        x, y, left = a.load(m, lhs), b.load(m, rhs), b.scale - a.scale
        if left < 0:
            x, y, left = y, x, -left
        return self.store_sum(m, x, left, y, max(a.scale, b.scale))

    def sub(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a, b = exact_numbers(lhs_format), exact_numbers(rhs_format)
        if a.has_nar or b.has_nar:
            return self.combined(m, [(1, [(lhs, a)]), (-1, [(rhs, b)])])
        scale = max(a.scale, b.scale)
        x, y = m.rescale(a.load(m, lhs), a.scale - scale), m.rescale(b.load(m, rhs), b.scale - scale)
        return self.store(m, m.sub(x, y), scale)

    def mul(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a, b = exact_numbers(lhs_format), exact_numbers(rhs_format)
        if a.has_nar or b.has_nar:
            return self.combined(m, [(1, [(lhs, a), (rhs, b)])])
        x, y, scale = a.load(m, lhs), b.load(m, rhs), a.scale + b.scale
        for factor, other in ((x, y), (y, x)):
            if (exponent := factor.exponent) is not None:
                # Only the scale changes; there is no multiplication.
                return self.store(m, other, scale - exponent)
        return self.store_product(m, x, y, scale)

    def scaled(self, m: Machine[V], value: V, value_format: NumberFormat, factor: V, factor_format: NumberFormat) -> V:
        """The product of a value and a factor.

        The product is computed in the storage width of this format if the value has this format, if the factor's format
        has powers of two of at least 1, and if the integers of both fit in this width. The width is then sufficient,
        because the caller ensures that the product lies within the range of the format. In all other cases, the base
        class computes the product.
        """
        power, width = exact_numbers(factor_format), self.stored_width
        times = m.shift_right(power.load(m, factor), max(power.scale, 0))
        fits = all(width_for(*ends) <= width for ends in (self.integer_limits, (times.low, times.high)))
        if exact_numbers(value_format) != self or power.scale < 0 or not fits or not power.has_powers:
            return super().scaled(m, value, value_format, factor, factor_format)
        x = self.load(m, value)
        product = m.muli(m.held(x, width), m.held(times, width))
        return self.store(m, m.bounded(product, *self.integer_limits), self.scale)

    @property
    def of_rotations(self) -> NumberFormat:
        """A 16-bit format whose least integer represents -1, for the cosines and sines of rotations. A sum of two
        products then has at most 32 bits.
        """
        return ExactNumbers.OF_SENSOR(ROTATION_BITS, True, None)

    def combined(self, m: Machine[V], terms: Sequence[Term[V]]) -> V:
        formats = [exact_numbers(format) for _, factors in terms for _, format in factors]
        if (nar := next((format for format in formats if format.has_nar), None)) is not None:
            return nar.combined_as(m, terms, self)
        known: list[tuple[int, Int[V], int]] = []
        for sign, factors in terms:
            (value, format), *others = factors
            x, scale = exact_numbers(format).load(m, value), exact_numbers(format).scale
            for other, of_other in others:
                # Constant powers of two only change the scale, so that the sum of such products needs fewer bits.
                y, exponent = m.odd_part(exact_numbers(of_other).load(m, other))
                x, scale = m.mul(x, y), scale + exact_numbers(of_other).scale - exponent
            known.append((sign, x, scale))
        # Terms of one scale are added before alignment to the next scale.
        known.sort(key=lambda term: term[2])
        total, common = m.const(0), known[0][2]
        for sign, x, scale in known:
            total, common = m.rescale(total, common - scale), scale
            total = m.sub(total, x) if sign < 0 else m.add(total, x)
        return self.store(m, total, common)

    def neg(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        source = exact_numbers(value_format)
        if source.has_nar:
            return self.combined(m, [(-1, [(value, source)])])
        return self.store(m, m.sub(m.const(0), source.load(m, value)), source.scale)

    def recode(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        source = exact_numbers(value_format)
        if (recoded := source.recoded_as(m, value, self)) is not None:
            return recoded
        return self.store(m, source.load(m, value), source.scale)

    def ranked(self, m: Machine[V], value: V) -> tuple[Int[V], Raws] | None:
        stored = self.stored(m, value)
        if self.stored_width > 8:
            return None
        # NaR becomes the least number.
        stored = m.clamp(stored, *self.raw_limits)
        return m.sub(stored, m.const(stored.low)), np.arange(stored.low, stored.high + 1).astype(self.dtype)

    def from_f32(self, m: Machine[V], value: V) -> V:
        scale = self.scale + STICKY_BITS
        low, high = (end << STICKY_BITS for end in self.integer_limits)
        scaled = m.mulf(value, m.float_constant(math.ldexp(1.0, scale)))
        cut = m.call("tm_f32_to_odd", scaled, m.int_constant(low, 32), m.int_constant(high, 32))
        return self.store(m, Int(cut, 32, low, high), scale)

    def to_f32(self, m: Machine[V], value: V) -> V:
        wide = m.held(self.load(m, value), 32)
        return m.mulf(m.call("tm_int_to_f32", wide), m.float_constant(math.ldexp(1.0, -self.scale)))

    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        raw_low = int(self.encode(np.array(low)))
        raw_high = self.raw_limits[1] if high is None else int(self.encode(np.array(high)))
        stored = self.stored(m, value)
        return self._unless_nar(m, stored, m.clamp(stored, raw_low, raw_high))

    def _unless_nar(self, m: Machine[V], stored: Int[V], result: Int[V]) -> V:
        if stored.low >= self.raw_limits[0]:
            return m.settle(result, self.stored_width)
        is_number = m.at_least(stored, self.raw_limits[0])
        chosen = m.select(is_number, m.held(result, self.stored_width), m.int_constant(stored.low, self.stored_width))
        return m.settle(Int(chosen, self.stored_width, stored.low, result.high), self.stored_width)

    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        """The result of a function, rounded to this format.

        If the format of the argument has few raws, the result is looked up in a table. Otherwise the function is
        computed in fixed point or, as in MinUn (7.1), in floating point.
        """
        source = exact_numbers(value_format)
        first, last = source.stored_limits
        stored = source.stored(m, value)
        if last - first >= TABLE_ARGUMENTS:
            result = self.function_by_lines(m, function, value, source)
            if result is None:
                result = self.from_f32(m, m.call(f"tm_{function}f", source.to_f32(m, value)))
            if stored.low >= source.raw_limits[0]:
                return result
            is_number = m.at_least(stored, source.raw_limits[0])
            return m.select(is_number, result, m.int_constant(self.undefined, self.stored_width))
        numbers = source.decode(np.arange(first, last + 1).astype(source.dtype))
        table = self.encode(np.clip(exactly(function, np.nan_to_num(numbers)), -GREATEST_RESULT, GREATEST_RESULT))
        table = np.where(np.isnan(numbers), self.undefined, table).astype(self.dtype)
        entry = m.entry(function, table, m.sub(stored, m.const(first)))
        return m.settle(entry, self.stored_width)

    def function_by_lines(self, m: Machine[V], function: Function, value: V, source: ExactNumbers) -> V | None:
        """The result of a function for a value of the format `source`, interpolated as in fixed-point formats.

        Returns None for a function that is not interpolated, and unless the integers of the argument and of the result
        have at most 16 bits and their scales are scales of fixed point.
        """
        if not REAL_FUNCTIONS[function].widest:
            return None
        low, high = limits(16)
        ends = (*source.integer_limits, *self.integer_limits)
        if not (low < min(ends) and max(ends) <= high and source.scale in FRACS and self.scale in FRACS):
            return None
        lines, argument = ExactNumbers.INTEGERS(16, self.scale), ExactNumbers.INTEGERS(16, source.scale)
        result = lines.function(m, function, m.settle(source.load(m, value), 16), argument)
        return self.store(m, lines.load(m, result), self.scale)

    @property
    def softmax_total(self) -> Attribute:
        """The type of the sum of exponentials: an integer type for numbers of at most 16 bits, otherwise f32.

        Standard posits use f32 for all widths.
        """
        return i32 if _is_short(self) else super().softmax_total

    @property
    def longest_softmax(self) -> int | None:
        if self.softmax_total != i32:
            return None
        return softmax_of(self).longest

    def softmax_term(self, m: Machine[V], value: V, greatest: V, value_format: NumberFormat) -> V:
        if self.softmax_total != i32:
            return super().softmax_term(m, value, greatest, value_format)
        units, source = softmax_of(self), exact_numbers(value_format)
        if _is_short(source):
            return units.term(m, value, greatest, source)
        real = super().softmax_term(m, value, greatest, value_format)
        one = m.int_constant(1 << units.unit, 32)
        return m.call("tm_f32_to_s32", real, m.int_constant(units.unit, 8), m.int_constant(0, 32), one)

    def softmax_add(self, m: Machine[V], total: V, term: V) -> V:
        return m.addi(total, term) if self.softmax_total == i32 else super().softmax_add(m, total, term)

    def softmax_share(self, m: Machine[V], term: V, total: V) -> V:
        if self.softmax_total != i32:
            return super().softmax_share(m, term, total)
        return self.store_product(m, *softmax_of(self).share(m, term, total))

    def square_total(self, count: int, value_format: NumberFormat) -> Attribute:
        """The integer type that represents a sum of `count` squares exactly; f32 if the integers of elements have more
        than 15 bits in addition to the sign.
        """
        source = exact_numbers(value_format)
        if _root_bits(source) is None:
            return super().square_total(count, value_format)
        return IntegerType(width_for(0, count * max(map(abs, source.integer_limits)) ** 2, TOTAL_WIDTHS))

    def add_square(self, m: Machine[V], total: V, value: V, value_format: NumberFormat) -> V:
        if _root_bits(source := exact_numbers(value_format)) is None:
            return super().add_square(m, total, value, value_format)
        x = source.load(m, value)
        return m.addi(total, m.held(m.mul(x, x), m.width_of(total)))

    def inverse_root(self, m: Machine[V], total: V, value_format: NumberFormat) -> V:
        """The integer nearest to 2^b / sqrt(total), for the number b of fractional bits that `_root_bits` returns.

        The computation does not depend on the scale of the elements. If `_root_bits` returns None, the result is that
        of the base class.
        """
        if (bits := _root_bits(exact_numbers(value_format))) is None:
            return super().inverse_root(m, total, value_format)
        root = m.bounded(m.call(f"tm_inverse_root_s{m.width_of(total)}", total), 0, limits(32)[1])
        return m.held(m.rescale(root, ROOT_BITS - bits), 32)

    def normalised(self, m: Machine[V], value: V, factor: V, total: V, value_format: NumberFormat) -> V:
        source = exact_numbers(value_format)
        if (bits := _root_bits(source)) is None:
            return super().normalised(m, value, factor, total, value_format)
        root = m.bounded(factor, 0, min(1 << bits, limits(32)[1]))
        return self.store_product(m, source.load(m, value), root, bits)

    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        least = int(nearest := self.encode(np.array(threshold)))
        if self.decode(nearest) < threshold:
            least += 1
        return m.at_least(self.stored(m, value), least)

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)


def _is_short(format: ExactNumbers) -> bool:
    """True for a format of at most 16 bits, without NaR, whose integers have at most 31 bits."""
    return format.stored_width <= 16 and not format.has_nar and max(map(abs, format.integer_limits)) < 1 << 30


def _root_bits(source: ExactNumbers) -> int | None:
    """The number of fractional bits of an inverse root, for elements of the format `source`. For integers of b bits, it
    is 2 b + 1, and the error of an inverse root is at most 2^-(b + 2).

    Returns None if the integers of `source` have more than 15 bits in addition to the sign: an inverse root would then
    exceed 32 bits.
    """
    bits = max(map(abs, source.integer_limits)).bit_length()
    return 2 * bits + 1 if 2 * bits + 1 <= ROOT_BITS else None
