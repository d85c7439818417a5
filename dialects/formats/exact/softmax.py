"""Softmax of numbers that are integers times a power of two. Tables contain exponentials, and each row needs one
division.

A term exp(x - greatest) is an integer in units of 2^-14 for results of 8 bits, and of 2^-18 for wider results. The
greatest term is exactly 1. A table has an entry for each distance greatest - x. If there are too many distances, the
table has an entry for each 2^b distances, and a second table contains 1 - exp(-r) for each remainder r. From the
distance on at which a term is less than half a unit, all distances are replaced by the least such distance.

A share, the result for one x, is its term times the reciprocal of the total of all terms. For n numbers of scale s and
a result of unit r, the error of a share is at most r / 2 + (n + 2) u + 2^-16 + v / 4. The summand r / 2 is due to the
rounding of the result, and u is the unit of terms. For results of 8 bits, v is 2^-9 if s is above 9. For wider results,
v is 2^-16 if s is above 16. Otherwise v is 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.exact.numbers import ExactNumbers

V = TypeVar("V")

DIRECT_ENTRIES = 256
"""The maximum length of a table with an entry for each distance."""

REST_BITS = 16
"""Fractional bits of the entries 1 - exp(-r)."""

NARROW_BITS, WIDE_BITS = 15, 28
"""The fractional bits of reciprocals of totals, for narrow and for wide terms."""

WIDE_DROPPED = 16
"""The number of low bits of a product of a term and a reciprocal that do not affect any result."""


@dataclass(frozen=True)
class Softmax:
    """The precision in which a softmax is computed.

    unit: the number of fractional bits of terms.
    finest: the greatest number of fractional bits to which distances are rounded.
    """

    unit: int
    finest: int

    @property
    def longest(self) -> int:
        """The greatest number of terms for which the total fits in 32 bits."""
        return (1 << 31 - self.unit) - 1

    def term(self, m: Machine[V], value: V, greatest: V, source: ExactNumbers) -> V:
        """exp(value - greatest) for numbers of the format `source`, as an integer with `unit` fractional bits."""
        distance = m.sub(source.load(m, greatest), source.load(m, value))
        distance = Int(distance.value, distance.width, 0, max(distance.high, 0))
        scale = min(source.scale, self.finest)
        last = math.ceil(math.ldexp((self.unit + 1) * math.log(2), scale))
        more = source.scale - scale
        # Limited before it is rounded, so that few bytes are shifted.
        steps = m.rescale(m.narrowed(m.clamp(distance, 0, last << more)), more)
        tables = _tables(self.unit, scale, steps.high)
        entry = m.entry("exp", tables.high, m.shift_right(steps, tables.bits))
        if tables.low is None:
            return m.held(entry, 32)
        rest = m.entry("exp_rest", tables.low, m.low_bits(steps, tables.bits))
        less = m.product_to(entry, rest, REST_BITS, *limits(32))
        return m.held(m.sub(entry, less), 32)

    def share(self, m: Machine[V], term: V, total: V) -> tuple[Int[V], Int[V], int]:
        """Two integers (a, b) and a scale s such that term / total is approximately a * b * 2^-s."""
        one, sum = 1 << self.unit, m.bounded(total, 1 << self.unit, limits(32)[1])
        x = m.bounded(term, 0, one)
        if self.unit < 16:
            quotient = m.divide(m.const(1 << self.unit + NARROW_BITS), sum)
            return x, m.narrowed(m.clamp(quotient, 0, (1 << NARROW_BITS) - 1)), self.unit + NARROW_BITS
        product = m.mul(x, _wide_reciprocal(m, sum))
        return m.narrowed(m.shift_right(product, WIDE_DROPPED)), m.const(1), self.unit + WIDE_BITS - WIDE_DROPPED


def _wide_reciprocal(m: Machine[V], total: Int[V]) -> Int[V]:
    """The reciprocal of a total in units of 2^-18, as an integer with 28 fractional bits. Its relative error is from
    -2^-15 to 0.

    The first approximation is 2^30 divided by the total without its 9 low bits. Its relative error is 2^-9 for small
    totals and 2^-8 for the greatest total. One step of Newton's method squares this error and avoids a 64-bit division.
    """
    guess = m.divide(m.const(1 << 30), m.shift_right(total, 9))
    error = m.sub(m.const(1 << 39), m.mul(total, guess))
    short = m.shift_right(Int(error.value, error.width, -(1 << 30), (1 << 31) - 1), 8)
    step = m.narrowed(m.shift_right(m.mul(guess, short), 24))
    reciprocal = m.add(m.shift_left(guess, 7), step)
    return Int(reciprocal.value, reciprocal.width, 0, 1 << WIDE_BITS)


NARROW = Softmax(unit=14, finest=9)
WIDE = Softmax(unit=18, finest=16)

NARROW_SCALE = 12
"""The finest scale of results of 8 bits for which narrow terms are accurate."""


def softmax_of(result: ExactNumbers) -> Softmax:
    """The precision in which a softmax with results of the format `result` is computed."""
    return NARROW if result.stored_width <= 8 and result.scale <= NARROW_SCALE else WIDE


@dataclass(frozen=True)
class _Tables:
    """The look-up tables of a softmax.

    high: the terms, indexed by the distance without its `bits` low bits.
    low: 1 - exp(-r), indexed by the remainder r, which consists of the `bits` low bits; None if `bits` is 0.
    """

    high: NDArray[np.signedinteger[Any]]
    low: NDArray[np.int16] | None
    bits: int


@lru_cache
def _tables(unit: int, scale: int, last: int) -> _Tables:
    """The smallest tables for distances from 0 to `last` whose entries have products of at most 32 bits.

    unit: the number of fractional bits of terms.
    scale: the number of fractional bits of distances.
    """
    size = 2 if unit < 16 else 4
    # 1 - exp(-r) fits both 16 bits and the product with a term.
    most = -math.log1p(-(2.0 ** (min(31 - unit, 15) - REST_BITS)))
    splits = [bits for bits in range(1, 16) if math.ldexp((1 << bits) - 1, -scale) < most]
    direct = last < DIRECT_ENTRIES or not splits
    bits = 0 if direct else min(splits, key=lambda bits: size * (last >> bits) + (2 << bits))
    distances = np.arange((last >> bits) + 1 << bits, dtype=np.float64).reshape(-1, 1 << bits)
    exact = np.exp(-np.ldexp(distances, -scale))
    rests = _nearest(1 - exact[0], REST_BITS)
    terms = _nearest(exact[:, 0], unit)
    if not direct:
        # Terms of a few units do not fall between entries: the lower entry has the smaller error where it is so on
        # average, since errors add up in the total. The first entry is 1.
        wanted, lower = np.ldexp(exact, unit).mean(1), np.maximum(terms - 1, 0)
        upper_error, lower_error = (np.abs(_by_rest(each, rests).mean(1) - wanted) for each in (terms, lower))
        terms[1:] = np.where(lower_error < upper_error, lower, terms)[1:]
    dtype = np.int16 if unit < 16 else np.int32
    return _Tables(terms.astype(dtype), None if direct else rests.astype(np.int16), bits)


def _by_rest(terms: NDArray[np.float64], rests: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each term and each remainder r, the product of the term and exp(-r), rounded as on the device.

    rests: 1 - exp(-r) for each remainder r.

    The result has the shape (terms, remainders).
    """
    return terms[:, None] - _nearest(np.ldexp(np.outer(terms, rests), -REST_BITS), 0)


def _nearest(reals: NDArray[np.float64], frac: int) -> NDArray[np.float64]:
    return np.floor(np.ldexp(reals, frac) + 0.5)
