"""Posits of 2 to 32 bits in numpy arrays: conversion, rounding, addition and multiplication.

The arithmetic follows Gustafson and Yonemoto, "Beating Floating Point at Its Own Game" (2017), and the Standard for
Posit Arithmetic (2022), for any es. The bit string of the exact result is rounded to nearest, ties to even. No result
overflows to NaR, and only zero is rounded to zero. Raws are signed integers of n bits. The least raw is NaR.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

TABULATED_BITS = 16
"""Posits of at most this many bits are decoded by a table."""

HIDDEN_BIT = 30
"""Significands are integers in [2^HIDDEN_BIT, 2^(HIDDEN_BIT + 1)), which suffices for posits of 32 bits."""

DOUBLE_FRACTION, DOUBLE_BIAS = 52, 1023
"""The number of fraction bits of a double, and the bias of its exponent."""

BLOCK = 8192
"""The numbers that are rounded at once, so that the intermediate results fit in the cache."""

LEAST_SHARE = 1 / 64
"""The least ratio of an array's size to the number of raws from which on numbers are rounded by a table. A program
rounds many arrays to each format.
"""

STICKY_DISTANCE = 62
"""The distance, in bits below a significand, from which on a number affects only the sticky bit."""


@dataclass(frozen=True)
class Posit:
    """A posit format of n bits with up to es exponent bits.

    low: all numbers are rounded to multiples of 2^low. If `low` is None, all posits are included, and a smaller
        positive number is rounded to the least positive posit.
    greatest: the raw at which results saturate; None for the greatest posit.
    """

    n: int
    es: int
    low: int | None = None
    greatest: int | None = None

    @property
    def nar(self) -> int:
        return -(1 << (self.n - 1))

    @property
    def maxpos(self) -> int:
        return (1 << (self.n - 1)) - 1

    @property
    def reach(self) -> int:
        """The binary logarithm of the greatest posit. The logarithm of the least positive posit is the negative of this
        number.
        """
        return (self.n - 2) << self.es


def unpack(raws: NDArray[Any], posit: Posit) -> tuple[Integers, Integers]:
    """The signed significands and the exponents of raws. A number is significand * 2^exponent. Zero and NaR have
    significand 0.
    """
    raws = np.asarray(raws).astype(np.int64)
    n, es = posit.n, posit.es
    special = (raws == 0) | (raws == posit.nar)
    magnitude = np.where(special, 1, np.abs(raws))
    body = magnitude << (63 - n)  # the regime starts at bit 61
    ones = (body >> 61) & 1 == 1
    inverted = np.where(ones, ~body & ((1 << 62) - 1), body)
    run = np.minimum(61 - log2(np.maximum(inverted, 1)), n - 1)
    regime = np.where(ones, run - 1, -run)
    rest = (body << np.minimum(run + 1, 62)) & ((1 << 62) - 1)
    exponent = (regime << es) + (rest >> (62 - es))
    fraction = ((rest << es) & ((1 << 62) - 1)) >> (62 - HIDDEN_BIT)
    significand = np.where(special, 0, (fraction | 1 << HIDDEN_BIT) * np.sign(raws))
    return significand, exponent - HIDDEN_BIT


def pack(significand: Integers, exponent: Integers, posit: Posit) -> Integers:
    """The raws of the posits nearest to significand * 2^exponent, where |significand| < 2^62.

    The last bit of a significand of more than 32 bits may be a sticky bit: it is set if any lower bit that the caller
    dropped was 1.
    """
    significand, exponent = (np.asarray(part, np.int64) for part in np.broadcast_arrays(significand, exponent))
    size, zero = np.abs(significand), significand == 0
    size = np.where(zero, 1, size)
    if posit.low is not None:
        size, exponent = _to_multiples(size, exponent, posit, posit.low)
        zero |= size == 0
        size = np.where(zero, 1, size)
    top = log2(size)
    e = top + exponent
    k, string, f = _fields(e, posit)
    dropped = top - f
    rounded = np.where(dropped > 0, to_even(size, dropped), size << np.clip(-dropped, 0, STICKY_DISTANCE))
    ample = (string << np.maximum(f, 0)) + rounded - (1 << np.maximum(f, 0))
    # The first bit of a fraction that does not fit, and whether any later bit is set.
    half = 1 << np.maximum(top - 1, 0)
    rest = np.where(top > 0, size - (1 << top), 0)
    cut = to_even(string << 2 | (rest >= half) << 1 | (rest & (half - 1) != 0), 2 - f)
    raws = np.where(f > 0, ample, cut)
    raws = np.where(k >= posit.n - 2, posit.maxpos, np.where(e < -posit.reach, 1, raws))
    greatest = posit.maxpos if posit.greatest is None else posit.greatest
    return np.where(zero, 0, np.minimum(raws, greatest)) * np.where(significand < 0, -1, 1)


def _fields(e: Integers, posit: Posit) -> tuple[Integers, Integers, Integers]:
    """For numbers with exponent e, a tuple: the regime k, the bit string of regime and exponent, and the number of
    fraction bits.

    The number of fraction bits is negative if not all exponent bits fit in the posit.
    """
    k = e >> posit.es
    inside = np.clip(k, -(posit.n - 1), posit.n - 2)
    regime = np.where(inside >= 0, ((1 << np.maximum(inside + 1, 0)) - 1) << 1, 1)
    length = np.where(inside >= 0, inside + 2, 1 - inside)
    return k, regime << posit.es | (e - (k << posit.es)), posit.n - 1 - length - posit.es


def _to_multiples(size: Integers, exponent: Integers, posit: Posit, low: int) -> tuple[Integers, Integers]:
    """The significands and exponents of the numbers size * 2^exponent, rounded to multiples of 2^low.

    Only numbers at which the distance between adjacent posits is less than 2^low are rounded.
    """
    e = log2(size) + exponent
    _, _, f = _fields(e, posit)
    dropped = low - exponent
    fine = ((e < low) | ((f >= 0) & (e - f < low))) & (dropped > 0)
    return np.where(fine, to_even(size, dropped), size), np.where(fine, low, exponent)


def to_even(size: Integers, dropped: Integers) -> Integers:
    """size / 2^dropped, rounded to nearest, ties to even. The result is `size` if `dropped` is not positive."""
    d = np.clip(dropped, 1, STICKY_DISTANCE)
    whole, rest, half = size >> d, size & ((1 << d) - 1), 1 << (d - 1)
    rounded = whole + ((rest > half) | ((rest == half) & (whole & 1 == 1)))
    return np.where(dropped <= 0, size, np.where(dropped > STICKY_DISTANCE, 0, rounded))


def log2(size: Integers) -> Integers:
    """floor(log2(size)) for positive integers below 2^62."""
    exponent = np.frexp(size.astype(np.float64))[1].astype(np.int64) - 1
    return exponent - (size >> np.maximum(exponent, 0) == 0)


def of_reals(reals: NDArray[Any], posit: Posit) -> Integers:
    """The raws of the posits nearest to reals; NaR for infinities and NaN."""
    reals = np.asarray(reals, np.float64)
    if posit.n <= TABULATED_BITS and reals.size >= (1 << posit.n) * LEAST_SHARE:
        flat, rounding = reals.ravel(), _roundings(posit)
        blocks = [rounding.nearest(flat[start : start + BLOCK]) for start in range(0, reals.size, BLOCK)]
        return np.where(np.isfinite(reals), np.concatenate(blocks).reshape(reals.shape), posit.nar)
    finite = np.isfinite(reals)
    mantissa, exponent = np.frexp(np.where(finite, reals, 0.0))
    raws = pack(np.ldexp(mantissa, 53).astype(np.int64), exponent.astype(np.int64) - 53, posit)
    return np.where(finite, raws, posit.nar)


@dataclass(frozen=True)
class _Roundings:
    """A table that rounds reals to posits.

    A real is first rounded to odd: the bits after the first bit that the posit drops are replaced by one bit, which is
    set if any of them is. This bit decides ties, so that the second rounding gives the posit nearest to the real.

    bounds: the least and the greatest magnitude, as bits of a double, that the table distinguishes.
    dropped: for each exponent, the number of bits of a double that are replaced by one bit.
    start: for each exponent, the difference between an index of `raws` and the bits of a double that remain.
    raws: the posits, in the order of the magnitudes of the reals rounded to odd.
    """

    bounds: tuple[int, int]
    dropped: Integers
    start: Integers
    raws: Integers

    def nearest(self, reals: NDArray[np.float64]) -> Integers:
        """The raws of the posits nearest to reals; any raws for infinities and NaN."""
        bits = np.abs(reals).view(np.int64)
        bounded = np.clip(bits, *self.bounds)
        exponent = (bounded >> DOUBLE_FRACTION) - (self.bounds[0] >> DOUBLE_FRACTION)
        dropped = self.dropped[exponent]
        kept = bounded >> dropped
        raws = self.raws[self.start[exponent] + 2 * kept + (kept << dropped != bounded)] * (bits != 0)
        negative = reals.view(np.int64) >> 63
        return (raws ^ negative) - negative


@lru_cache(maxsize=64)
def _roundings(posit: Posit) -> _Roundings:
    exponents = np.arange(-posit.reach - 2, posit.reach + 2)
    kept = np.maximum(_fields(exponents, posit)[2], 0) + 1
    odd = [
        pack(np.arange(2 << bits, 4 << bits, dtype=np.int64), exponent - bits - 1, posit)
        for exponent, bits in zip(exponents.tolist(), kept.tolist(), strict=True)
    ]
    biased = exponents + DOUBLE_BIAS
    bounds = int(biased[0]) << DOUBLE_FRACTION, (int(biased[-1]) + 1 << DOUBLE_FRACTION) - 1
    first = np.cumsum([0, *map(len, odd[:-1])])
    return _Roundings(bounds, DOUBLE_FRACTION - kept, first - (biased << kept + 1), np.concatenate(odd))


@lru_cache(maxsize=64)
def _table(n: int, es: int) -> NDArray[np.float64]:
    """The reals that all raws represent, in the order of the raws 0, 1, ..., -2, -1."""
    raws = np.arange(1 << n)
    return _decoded(np.where(raws >> (n - 1), raws - (1 << n), raws), Posit(n, es))


def _decoded(raws: Integers, posit: Posit) -> NDArray[np.float64]:
    significand, exponent = unpack(raws, posit)
    return np.where(raws == posit.nar, np.nan, np.ldexp(significand.astype(np.float64), exponent))


def to_reals(raws: NDArray[Any], posit: Posit) -> NDArray[np.float64]:
    """The exact reals that posits represent; NaN for NaR."""
    raws = np.asarray(raws).astype(np.int64)
    if posit.n > TABULATED_BITS:
        return _decoded(raws, posit)
    return _table(posit.n, posit.es)[raws & ((1 << posit.n) - 1)]


def add(a: NDArray[Any], b: NDArray[Any], posit: Posit) -> Integers:
    """The raws of the sums of the posits `a` and `b`, each rounded once; NaR if an operand is NaR."""
    (x, ex), (y, ey) = unpack(a, posit), unpack(b, posit)
    lower = (x == 0) | ((y != 0) & (ex < ey))
    x, ex, y, ey = np.where(lower, y, x), np.where(lower, ey, ex), np.where(lower, x, y), np.where(lower, ex, ey)
    guard = STICKY_DISTANCE - 2 - HIDDEN_BIT
    distance = np.clip(ex - ey, 0, STICKY_DISTANCE)
    aligned = np.abs(y) << guard
    kept = aligned >> distance
    sticky = kept << distance != aligned
    return _result((x << guard) + (kept | sticky) * np.sign(y), ex - guard, a, b, posit)


def multiply(a: NDArray[Any], b: NDArray[Any], posit: Posit) -> Integers:
    (x, ex), (y, ey) = unpack(a, posit), unpack(b, posit)
    return _result(x * y, ex + ey, a, b, posit)


def _result(significand: Integers, exponent: Integers, a: NDArray[Any], b: NDArray[Any], posit: Posit) -> Integers:
    undefined = (np.asarray(a) == posit.nar) | (np.asarray(b) == posit.nar)
    return np.where(undefined, posit.nar, pack(significand, exponent, posit))
