"""Functions of fixed-point numbers by look-up tables. The formats of the argument and of the result determine the sizes
of the tables.

If the argument has few possible raws, a table contains the result for each of them. Otherwise, the function is
interpolated linearly in the smallest table that is accurate enough. There are two exceptions. An exp with a result of
more than 16 bits uses the two tables of SeeDot's method, with more entries than in SeeDot. The logarithm of a number is
the logarithm of a power of two plus the logarithm of a number between 1 and 2. No function divides on the device.

The methods of SeeDot and Shiftry for exp, tanh and sigmoid are included for comparison. Their results are rounded by
the rule of the result's format.

A table covers the domain of a function. The rounded result is constant for raws outside the domain.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from tinyml.dialects.formats.number_format import Function
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, limits
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.machine.real_functions import REAL_FUNCTIONS, RealFunction, exactly
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.scaled_integer import ScaledInteger


V = TypeVar("V")


DIRECT_ENTRIES = 256
"""Functions on domains of at most this many arguments are replaced by a table of results."""


SHARE_OF_RESULT = 1 / 16
"""The maximum error that interpolation adds to the rounding of the result, in units in its last place."""


SHARE_OF_ARGUMENT = 1 / 32
"""The alternative limit, if greater: a share of the change of the function over one unit in the last place of the
argument.
"""


ENTRY_UNITS = 1.5
"""The other alternative limit: units in the last place of the table's entries, whose rounding costs half a unit
twice.
"""


EXP_INDEX_BITS = 7
"""T, the number of index bits of both tables; with SeeDot's 6, the error is four times as great."""


def is_in_integers(function: Function, result: ScaledInteger) -> bool:
    """True if a function whose result has this format is computed in integers, without floating point."""
    if function == "log":
        return result.stored_width <= ENTRY_BITS and result.frac.data <= LOG_FRAC
    return result.stored_width <= REAL_FUNCTIONS[function].widest


@lru_cache
def fixed_function(
    function: Function, source: ScaledInteger, result: ScaledInteger, scheme: str | None
) -> FixedFunction:
    """The implementation of a function from the format `source` to the format `result`.

    scheme: the name of a published method; None selects the most suitable method.
    """
    domain = Domain(function, source, result)
    if scheme is not None and function in PUBLISHED:
        return SCHEMES[scheme](domain)
    if domain.size <= DIRECT_ENTRIES:
        return DirectTable(domain)
    if function == "log":
        return Logarithm(domain)
    if function == "exp" and result.stored_width > ENTRY_BITS:
        return TwoTableExp(domain, EXP_INDEX_BITS)
    return _smallest_interpolation(domain)


def _smallest_interpolation(domain: Domain) -> Interpolation:
    """The interpolation with the least scale whose error is within a limit, found by bisection. If the error exceeds
    the limit at every scale, the result is the interpolation with the greatest scale. A greater scale means more
    segments and a lower error.

    The limit depends on the steepness of the function and on the unit of the table's entries.
    """
    frac = domain.result.frac.data
    argument = math.ldexp(domain.steepest, frac - domain.source.frac.data)
    entry = math.ldexp(1.0, frac - Interpolation(domain, 1).frac)
    wanted = 0.5 + max(SHARE_OF_RESULT, SHARE_OF_ARGUMENT * argument, ENTRY_UNITS * entry)
    low, high = 1, Interpolation.greatest_scale(domain)
    while low < high:
        middle = (low + high) // 2
        if _greatest_error(Interpolation(domain, middle), domain) <= wanted:
            high = middle
        else:
            low = middle + 1
    return Interpolation(domain, low)


def _greatest_error(function: FixedFunction, domain: Domain) -> float:
    """The greatest error of an implementation over the domain, in units in the last place of the result.

    The error is the difference from the exact result, which is clamped to the range of the result's format.
    """
    x = domain.arguments().astype(domain.source.dtype)
    raws = function.apply(NumpyMachine(), Int(x, domain.source.stored_width, domain.first, domain.last)).value
    exact = np.ldexp(exactly(domain.function, domain.source.decode(x)), domain.result.frac.data)
    return float(np.abs(raws - np.clip(exact, *domain.result.limits)).max())


@dataclass(frozen=True)
class Domain:
    """The domain of a function between two formats: the raws of arguments from `first` to `last`.

    function: the function.
    source, result: the formats of the argument and of the result.

    The function's rounded result is constant below `first`, and constant above `last`.
    """

    function: Function
    source: ScaledInteger
    result: ScaledInteger

    @cached_property
    def odd(self) -> bool:
        """True if the function minus a constant is odd, as for sigmoid. The domain is then symmetric.

        The result is False if saturation truncates the function on one side: at or below the constant, if this is not
        0.
        """
        return self.real.centre is not None and (self.real.centre == 0 or self._top > self.real.centre)

    @property
    def real(self) -> RealFunction:
        return REAL_FUNCTIONS[self.function]

    @property
    def centre(self) -> float:
        """The result at 0 if the function minus this result is odd; 0 for other functions."""
        return self.real.centre if self.odd and self.real.centre is not None else 0.0

    @property
    def _top(self) -> float:
        return math.ldexp(self.result.limits[1], -self.result.frac.data)

    @cached_property
    def first(self) -> int:
        if self.odd:
            return -self.last
        # SeeDot's m (5.3.1), which depends only on the formats: e^x, which bounds sigmoid and softplus, is half a unit
        # in the last place.
        return self._limited(math.floor(self._argument(-(self.result.frac.data + 1) * math.log(2))))

    @cached_property
    def last(self) -> int:
        if not self.odd:
            return self._limited(math.ceil(self._argument(self.real.inverse(self._top))))
        assert self.real.flat is not None
        # 1 - tanh(x) < 2 e^-2x and 1 - sigmoid(x) < e^-x: if they fall below 2^-(frac + 1), the result does not change,
        # nor does a 16-bit table entry.
        reach = self.real.flat((min(max(self.result.frac.data, 1), 16) + 2) * math.log(2))
        if self.real.centre == 0 and self._top < 1:
            reach = min(reach, self.real.inverse(self._top))
        return max(self._limited(math.ceil(self._argument(reach))), 1)

    def _argument(self, x: float) -> float:
        return math.ldexp(x, self.source.frac.data)

    def _limited(self, raw: int) -> int:
        low, high = self.source.limits
        return min(max(raw, low), high)

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    @property
    def steepest(self) -> float:
        """The greatest derivative of the function on reals within the domain."""
        return self.real.steepest(math.ldexp(self.last, -self.source.frac.data))

    def arguments(self, most: int = 1 << 16) -> NDArray[np.int64]:
        """The raws of the domain in ascending order: all of them, or `most` evenly spaced ones if there are more."""
        if self.size <= most:
            return np.arange(self.first, self.last + 1)
        return np.linspace(self.first, self.last, most).astype(np.int64)


class FixedFunction(ABC):
    """An increasing function between two fixed-point formats, implemented by operations of a `Machine` on integers."""

    @abstractmethod
    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]: ...


SEGMENTS = 384
"""The maximum number of linear segments: no table exceeds the 0.75 KB of Shiftry's exp (5.4)."""


MOST_OF_A_BYTE = 128
"""The minimum number of arguments of an 8-bit format for which the table contains all raws."""


SCALES = range(1, 128)


ENTRY_BITS = 16


LOG_FRAC = 15
"""The number of fractional bits of the logarithms that `tm_log_s32` returns."""


class DirectTable(FixedFunction):
    """A look-up table with an entry for each raw of the argument. Each result has an error of at most half a unit in
    the last place.

    The table covers the domain. If the domain includes most raws of an 8-bit format, the table covers all raws, so that
    arguments need not be clamped.
    """

    def __init__(self, domain: Domain):
        self.domain = domain
        self.first, self.last = domain.first, domain.last
        if domain.source.stored_width == 8 and domain.size >= MOST_OF_A_BYTE:
            self.first, self.last = domain.source.limits
        arguments = domain.source.decode(np.arange(self.first, self.last + 1))
        self.table: NDArray[Any] = domain.result.encode(exactly(domain.function, arguments))

    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]:
        index = m.sub(m.clamp(x, self.first, self.last), m.const(self.first))
        entry = m.entry(self.domain.function, self.table, index)
        # The function is increasing.
        return Int(entry.value, entry.width, int(self.table[index.low]), int(self.table[index.high]))


class Interpolation(FixedFunction):
    """Linear interpolation between 16-bit entries, by `tm_interpolate_s16` or, for odd functions, by
    `tm_interpolate_odd_s16`, whose table covers |x|.

    Arguments are multiplied by the integer `scale`. In the product, a segment spans 256 units: the low byte is the
    position in the segment, and the remaining bits are the index of the segment. No shift is needed to extract them.
    Sigmoid is computed as one half plus an odd function.

    Each entry is offset from the function by half of the chord's deviation in the middle of the segment. This offset
    halves the greatest error. Arguments of more than 16 bits are rounded to 16 bits.
    """

    def __init__(self, domain: Domain, scale: int):
        self.domain, self.scale = domain, scale
        self.dropped = _dropped(domain)
        self.last = _rounded(domain.last, self.dropped)
        self.frac = self._entry_frac()
        self.middle = int(math.ldexp(domain.centre, self.frac))
        knots = np.arange(_segments(domain, scale) + 1) * 256 / scale
        unit = self.dropped - domain.source.frac.data
        x = np.ldexp(knots if domain.odd else self.last - knots, unit)
        length = math.ldexp(256 / scale, unit)
        f, before, after = (exactly(domain.function, x + offset) for offset in (0.0, -length, length))
        raws = np.floor(np.ldexp(f - (before - 2 * f + after) / 16, self.frac) + 0.5) - self.middle
        self.table: NDArray[np.int16] = np.clip(raws, 0, self._greatest() - self.middle).astype(np.int16)

    @staticmethod
    def greatest_scale(domain: Domain) -> int:
        """The greatest scale for which the table has no more segments than permitted, or the least scale if there is
        none.
        """
        return max((scale for scale in SCALES if _segments(domain, scale) <= SEGMENTS), default=SCALES[0])

    def _entry_frac(self) -> int:
        """The number of fractional bits of the table's entries.

        For a 16-bit result, it is that of the result, which saves a shift, if entries in this unit fit in 16 bits and
        need more than 8 of them. Otherwise it is the greatest number for which all entries fit in 16 bits.
        """
        domain, frac = self.domain, self.domain.result.frac.data
        if not domain.odd:
            most = float(exactly(domain.function, domain.source.decode(np.array(domain.last))))
        elif domain.centre == 0:
            # A segment may extend far beyond the argument at which the result saturates.
            most = min(math.ldexp(domain.result.limits[1] + 1, 1 - frac), 1.0)
        else:
            most = 1.0
        mantissa, exponent = math.frexp(most)
        finest = ENTRY_BITS - 1 - (exponent - (mantissa == 0.5))
        if domain.result.stored_width == ENTRY_BITS and finest - 8 < frac:
            return min(frac, finest)
        return finest

    def _greatest(self) -> int:
        greatest = (1 << (ENTRY_BITS - 1)) - 1
        return min(greatest, self.domain.result.limits[1]) if self.frac == self.domain.result.frac.data else greatest

    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]:
        domain = self.domain
        if not domain.odd or domain.source.stored_width > ENTRY_BITS:
            x = m.rescale(m.clamp(x, domain.first, domain.last), self.dropped)
        function = "tm_interpolate_odd_s16" if domain.odd else "tm_interpolate_s16"
        parameters = m.int_constant(self.last, ENTRY_BITS), m.int_constant(self.scale, 8)
        value = m.call_on_table(function, domain.function, self.table, m.held(x, ENTRY_BITS), *parameters)
        # The function is increasing, so its ends bound it.
        ends = np.array([x.low, x.high], np.int16)
        low, high = RUNTIME_FUNCTIONS[function].reference(self.table, ends, np.int16(self.last), np.int8(self.scale))
        y = m.add(Int(value, ENTRY_BITS, int(low), int(high)), m.const(self.middle))
        return m.rescale_to(y, self.frac - domain.result.frac.data, *domain.result.limits)


class TwoTableExp(FixedFunction):
    """e^x as a product of two table entries, with a constant relative error (SeeDot 5.3.1, procedure Exp of algorithm
    2).

    m is the least argument. With T index bits, x - m is rounded to 2T significant bits and split into halves a and b.
    Then e^x = f(a) * g(b), where f includes e^m. Each table has up to 2^T entries.
    """

    def __init__(self, domain: Domain, index_bits: int):
        self.domain = domain
        span = domain.last - domain.first
        self.dropped = max(span.bit_length() - 2 * index_bits, 0)
        steps = _rounded(span, self.dropped)
        self.low_bits = min(index_bits, steps.bit_length())
        step = math.ldexp(1.0, self.dropped - domain.source.frac.data)
        start = math.ldexp(domain.first, -domain.source.frac.data)
        width = max(16, domain.result.stored_width)
        high = np.exp(start + step * (np.arange((steps >> self.low_bits) + 1) << self.low_bits))
        self.high, self.high_frac = _scaled(domain.result, high, width)
        self.low, self.low_frac = _scaled(domain.result, np.exp(step * np.arange(1 << self.low_bits)), width)

    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]:
        domain = self.domain
        offset = m.sub(m.clamp(x, domain.first, domain.last), m.const(domain.first))
        steps = domain.result.rescaled(m, offset, self.dropped)
        f = m.entry("exp_high", self.high, m.shift_right(steps, self.low_bits))
        g = m.entry("exp_low", self.low, m.low_bits(steps, self.low_bits))
        right = self.high_frac + self.low_frac - domain.result.frac.data
        return domain.result.product(m, f, g, right)


class Logarithm(FixedFunction):
    """Natural logarithms by `tm_log_s32`, in units of 2^-15, rounded to the result's format.

    For arguments less than or equal to 0, the result is the logarithm of the least positive float, as in the
    evaluator's real arithmetic. Entries are offset from the function as in `Interpolation`.
    """

    def __init__(self, domain: Domain):
        self.domain = domain
        x = 1 + np.arange(65) / 64
        chords = np.log(x - 1 / 64) - 2 * np.log(x) + np.log(x + 1 / 64)
        self.table: NDArray[np.int16] = np.rint(np.ldexp(np.log(x) - chords / 16, LOG_FRAC)).astype(np.int16)

    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]:
        domain, limits = self.domain, self.domain.result.limits
        least = float(exactly(domain.function, np.zeros(1))[0])
        lowest = max(limits[0], round(math.ldexp(least, domain.result.frac.data)))
        if x.high <= 0:
            return m.const(lowest)
        positive = m.clamp(x, 1, x.high)
        value = m.call_on_table("tm_log_s32", domain.function, self.table, m.held(positive, 32))
        ends = np.array([positive.low, positive.high], np.int32)
        low, high = RUNTIME_FUNCTIONS["tm_log_s32"].reference(self.table, ends)
        one = round(math.ldexp(domain.source.frac.data * math.log(2), LOG_FRAC))
        y = m.sub(Int(value, 32, int(low), int(high)), m.const(one))
        y = m.rescale_to(y, LOG_FRAC - domain.result.frac.data, *limits)
        if x.low > 0:
            return y
        width = max(y.width, domain.result.stored_width)
        is_positive = m.cmp_sgt(x.value, m.int_constant(0, x.width))
        chosen = m.select(is_positive, m.held(y, width), m.int_constant(lowest, width))
        return Int(chosen, width, min(lowest, y.low), y.high)


def _scaled(format: ScaledInteger, values: NDArray[np.float64], width: int) -> tuple[NDArray[Any], int]:
    """Positive values rounded to integers of `width` bits, and the greatest scale at which all integers fit in this
    width.
    """
    frac = width - 1 - math.frexp(float(values.max()))[1]
    raws = np.minimum(format.rounded(np.ldexp(values, frac)), limits(width)[1])
    return raws.astype(f"i{width // 8}"), frac


def _dropped(domain: Domain) -> int:
    """The number of low bits that must be removed from an argument of the domain so that it fits in 16 bits."""
    greatest = max(-domain.first, domain.last)
    return next(bits for bits in range(32) if _rounded(greatest, bits) < 1 << (ENTRY_BITS - 1))


def _rounded(raw: int, dropped: int) -> int:
    return (raw + (1 << dropped >> 1)) >> dropped


def _segments(domain: Domain, scale: int) -> int:
    """The number of segments that cover all 16-bit arguments at the scale `scale`, including arguments outside the
    format's range.
    """
    dropped = _dropped(domain)
    last, first = _rounded(domain.last, dropped), _rounded(domain.first, dropped)
    span = last if domain.odd else last - first + 1
    return (span * scale >> 8) + 1


SEEDOT_INDEX_BITS = 6


PUBLISHED = ("exp", "tanh", "sigmoid")
"""The functions of the published schemes."""


class HardLimiter(FixedFunction):
    """tanh(x) approximated by x clamped to [-1, 1], and sigmoid(x) by (x + 1) / 2 clamped to [0, 1].

    SeeDot's released code uses these approximations (microsoft/EdgeML, tools/SeeDot: TanH and Sigmoid of
    library_fixed.h). SeeDot's paper does not describe them.
    """

    def __init__(self, domain: Domain):
        self.domain = domain

    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]:
        source, result = self.domain.source.frac.data, self.domain.result.frac.data
        one = math.floor(math.ldexp(1.0, max(source, 0)))
        y = m.clamp(m.rescale(x, min(source, 0)), -one, one)
        halved = self.domain.function == "sigmoid"
        if halved:
            y = m.add(y, m.const(one))
        return self.domain.result.fitted(m, y, max(source, 0) + halved - result)


class ShiftryExp(FixedFunction):
    """e^x for x <= 0, and 1 for x > 0 (Shiftry 5.4), by tables with fixed scales.

    For 16-bit formats, the tables have 2^8 and 2^7 entries. For 8-bit formats, there is one table of 2^7 entries. The
    argument is first converted to the scale of the tables' arguments, and the result is converted from the scale of the
    tables' results. All uses of the function therefore share the same tables.
    """

    def __init__(self, domain: Domain):
        self.domain = domain
        wide = domain.source.stored_width > 8
        self.source_frac, self.frac = (11, 14) if wide else (4, 6)
        self.index_bits = 7 if wide else 0
        self.arguments = 1 << (15 if wide else 7)
        powers = np.exp(-np.ldexp(np.arange(self.arguments), -self.source_frac))
        raws = domain.result.rounded(np.ldexp(powers, self.frac)).astype("i2" if wide else "i1")
        self.high, self.low = raws[:: 1 << self.index_bits].copy(), raws[: 1 << self.index_bits].copy()

    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]:
        result = self.domain.result
        return result.fitted(m, self.power(m, x), self.frac - result.frac.data)

    def power(self, m: Machine[V], x: Int[V]) -> Int[V]:
        """e^min(x, 0), at the scale of the tables' results."""
        result = self.domain.result
        scaled = result.rescaled(m, x, self.domain.source.frac.data - self.source_frac)
        size = m.sub(m.const(0), m.clamp(scaled, 1 - self.arguments, 0))
        f = m.entry("exp_high", self.high, m.shift_right(size, self.index_bits))
        if self.index_bits == 0:
            return f
        g = m.entry("exp_low", self.low, m.low_bits(size, self.index_bits))
        return result.rescaled(m, m.mul(f, g), self.frac)


class ShiftryQuotient(ShiftryExp):
    """tanh and sigmoid as quotients whose numerator and denominator contain e^x for x <= 0 (Shiftry 5.4.1, libraries 8
    and 9).
    """

    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]:
        result, one = self.domain.result, m.const(1 << self.frac)
        positive = m.at_least(x, 0)
        negated = m.sub(m.const(0), x)
        below = m.clamp(m.choose(positive, negated, x), min(x.low, -x.high), 0)
        if self.domain.function == "sigmoid":
            power = self.power(m, below)
            y = m.divide(m.mul(one, m.choose(positive, one, power)), m.add(one, power))
        else:
            power = self.power(m, m.mul(below, m.const(2)))
            size = m.divide(m.mul(one, m.sub(one, power)), m.add(one, power))
            y = m.choose(positive, size, m.sub(m.const(0), size))
        return result.fitted(m, y, self.frac - result.frac.data)


def _seedot(domain: Domain) -> FixedFunction:
    return TwoTableExp(domain, SEEDOT_INDEX_BITS) if domain.function == "exp" else HardLimiter(domain)


def _shiftry(domain: Domain) -> FixedFunction:
    return ShiftryExp(domain) if domain.function == "exp" else ShiftryQuotient(domain)


SCHEMES: dict[str, Callable[[Domain], FixedFunction]] = {"seedot": _seedot, "shiftry": _shiftry}
