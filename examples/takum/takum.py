"""Linear takums (L. Hunhold, "Beating Posits at Their Own Game", CoNGA 2024): `!takum.t<n, low, high>`, with n bits.

A takum has a sign S, a direction D, three bits R of a regime, a characteristic of r bits and the bits of a fraction f.
With r = R if D is 1, and 7 - R otherwise, the characteristic c is 2^r - 1 or 1 - 2^(r + 1) plus these r bits, and a
positive takum is (1 + f) * 2^c. Bits beyond the n-th are zero. Takums are ordered like integers in two's complement,
and the negative of a takum is that of this integer, so that a raw is the bit pattern.

The type contains zero and the takums from 2^low to below 2^high with both signs, which must be integers of at most 29
bits in one unit. Sums of products are then exact. A result is the nearest of these numbers, ties to the even pattern,
and saturates; NaR does not occur.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.formats import InputError, IntegerParameters, TabulatedFormat

WIDTHS = range(5, 9)
EXPONENTS = range(-40, 41)
LEAST = -20
"""The exponent of the least magnitude to which a type is adapted."""
INTEGER_BITS, FAST_BITS = 29, 15
"""Limits on the bits of integers: of any type, and of those that `for_range` returns, which kernels multiply."""


def number(pattern: int, n: int) -> Fraction:
    """The number of a positive pattern of n bits, from 1 to 2^(n - 1) - 1."""
    extended = pattern << 12
    bits = n + 12
    direction, regime = extended >> bits - 2 & 1, extended >> bits - 5 & 7
    r = regime if direction else 7 - regime
    below = bits - 5 - r
    characteristic = (extended >> below & (1 << r) - 1) + ((1 << r) - 1 if direction else 1 - (1 << r + 1))
    fraction = Fraction(extended & (1 << below) - 1, 1 << below)
    return (1 + fraction) * Fraction(2) ** characteristic


@lru_cache
def _window(n: int, low: int, high: int) -> dict[int, Fraction]:
    """The positive numbers from 2^low to below 2^high, by their patterns."""
    numbers = ((pattern, number(pattern, n)) for pattern in range(1, 1 << n - 1))
    return {pattern: real for pattern, real in numbers if Fraction(2) ** low <= real < Fraction(2) ** high}


def _octave(real: Fraction) -> int:
    """The exponent of the greatest power of two that is at most a positive number of few bits."""
    return math.frexp(float(real))[1] - 1


@lru_cache
def _scale(n: int, low: int, high: int) -> int:
    """The least s for which all numbers of a type are integers times 2^-s."""
    numbers = _window(n, low, high).values()
    return max(-_octave(Fraction(real.numerator & -real.numerator, real.denominator)) for real in numbers)


@lru_cache
def _numbers(n: int, low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    window, unit = _window(n, low, high), Fraction(2) ** _scale(n, low, high)
    raws = np.array([*window])
    integers = np.array([int(real * unit) for real in window.values()])
    return np.concatenate([-raws[::-1], [0], raws]), np.concatenate([-integers[::-1], [0], integers])


def _bits(n: int, low: int, high: int) -> int:
    """The bits of the greatest integer of a type; 0 for a type without positive numbers."""
    window = _window(n, low, high)
    return _octave(max(window.values())) + _scale(n, low, high) + 1 if window else 0


@irdl_attr_definition
class TakumType(IntegerParameters, TabulatedFormat):
    name = "takum.t"
    GOOD_FOR = "numbers of 5 to 8 bits that are most precise near 1, as posits, with a regime of fixed length"
    n: IntAttr
    low: IntAttr
    high: IntAttr

    def __init__(self, n: int, low: int, high: int):
        super().__init__(IntAttr(n), IntAttr(low), IntAttr(high))

    def verify(self) -> None:
        n, low, high = self._key
        if n not in WIDTHS or low not in EXPONENTS or high not in EXPONENTS:
            raise VerifyException(f"{self} needs 5 to 8 bits and exponents in [-40, 40]")
        if not 1 <= _bits(*self._key) <= INTEGER_BITS:
            raise VerifyException(f"{self} needs takums that are integers of at most {INTEGER_BITS} bits in one unit")

    @property
    def _key(self) -> tuple[int, int, int]:
        return self.n.data, self.low.data, self.high.data

    @property
    def type(self) -> Attribute:
        return self

    @property
    def bits(self) -> int:
        return self.n.data

    @property
    def candidates(self) -> list[TakumType]:
        return [TakumType.of_width(width) for width in WIDTHS]

    @property
    def scale(self) -> int:
        return _scale(*self._key)

    @property
    def numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _numbers(*self._key)

    @classmethod
    def of_width(cls, width: int | None) -> TakumType:
        if width not in (None, *WIDTHS):
            raise InputError(f"takums have widths from 5 to 8, got {width}")
        return _below(width or WIDTHS[-1], 1)

    def for_range(self, low: float, high: float) -> TakumType:
        """The type whose greatest numbers lie in the octave of the takum that is nearest to the greatest magnitude."""
        magnitude = min(max(abs(low), abs(high), 2.0**LEAST), 2.0 ** EXPONENTS[-1] - 1)
        takums = _window(self.bits, EXPONENTS[0], EXPONENTS[-1]).values()
        return _below(self.bits, _octave(min(takums, key=lambda takum: abs(takum - Fraction(magnitude)))) + 1)

    def narrowed(self, bits: int) -> TakumType:
        """The type without the least numbers, whose integers have `bits` bits less, or as many as the range needs."""
        n, low, high = self._key
        wanted = _bits(n, low, high) - bits
        lows = [least for least in range(low, high) if _bits(n, least, high)]
        return TakumType(n, next((least for least in lows if _bits(n, least, high) <= wanted), lows[-1]), high)


@lru_cache
def _below(n: int, high: int) -> TakumType:
    """The type with numbers below 2^high and with as many of them as are integers of `FAST_BITS` bits."""
    lows = [low for low in range(EXPONENTS[0], high) if 1 <= _bits(n, low, high) <= FAST_BITS]
    return TakumType(n, lows[0], high)


UNIVERSE = Universe(all_dialects={"takum": lambda: Dialect("takum", [], [TakumType])})
