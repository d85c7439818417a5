"""Functions of fixed-point numbers, by look-up tables sized for the pair of formats.

A small domain is a table of results; a large one is interpolated linearly in the smallest table that is accurate
enough; exp with a result of more than 16 bits takes SeeDot's two tables, at a larger size than SeeDot's; a logarithm is
that of a power of two plus one between 1 and 2. The device never divides. The schemes of SeeDot and Shiftry for exp,
tanh and sigmoid are there for comparison, and round as the result's format does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from tinyml.dialects.formats.fixed.tables import (
    ENTRY_BITS,
    LOG_FRAC,
    DirectTable,
    Domain,
    FixedFunction,
    Interpolation,
    Logarithm,
    TwoTableExp,
)
from tinyml.dialects.formats.number_format import Function
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine
from tinyml.dialects.machine.real_functions import REAL_FUNCTIONS, exactly

if TYPE_CHECKING:
    from tinyml.dialects.formats.scaled_integer import ScaledInteger


V = TypeVar("V")

SEEDOT_INDEX_BITS = 6

PUBLISHED = ("exp", "tanh", "sigmoid")
"""The functions of the papers."""


class HardLimiter(FixedFunction):
    """tanh(x) as x clamped to [-1, 1], sigmoid(x) as (x + 1) / 2 clamped to [0, 1].

    SeeDot's released code computes this (microsoft/EdgeML, tools/SeeDot: TanH and Sigmoid of library_fixed.h); the
    paper has neither function.
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
    """e^x for x <= 0 (Shiftry 5.4): 16 bits by tables of 2^8 and 2^7 entries, 8 bits by one of 2^7.

    Arguments are first brought to one scale, so that all uses share the tables, and results are brought back from
    another; for x > 0 the result is 1.
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
        """e^min(x, 0) at the scale of the tables."""
        result = self.domain.result
        scaled = result.rescaled(m, x, self.domain.source.frac.data - self.source_frac)
        size = m.sub(m.const(0), m.clamp(scaled, 1 - self.arguments, 0))
        f = m.entry("exp_high", self.high, m.shift_right(size, self.index_bits))
        if self.index_bits == 0:
            return f
        g = m.entry("exp_low", self.low, m.low_bits(size, self.index_bits))
        return result.rescaled(m, m.mul(f, g), self.frac)


class ShiftryQuotient(ShiftryExp):
    """tanh and sigmoid as quotients of sums with e^x for x <= 0 (Shiftry 5.4.1, libraries 8 and 9)."""

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


DIRECT_ENTRIES = 256
"""Domains of at most this many arguments are a table of results."""

SHARE_OF_RESULT = 1 / 16
"""Error that an interpolation may add to the rounding of the result, in units in the last place of the result..."""

SHARE_OF_ARGUMENT = 1 / 32
"""...or, if that is more, as a share of the change over one unit in the last place of the argument..."""

ENTRY_UNITS = 1.5
"""...or in units in the last place of its entries, whose own rounding takes half a unit twice."""

EXP_INDEX_BITS = 7
"""T of the two tables; SeeDot's 6 quadruples the error."""


def is_in_integers(function: Function, result: ScaledInteger) -> bool:
    """True if a function with a result of some format is computed without floats."""
    if function == "log":
        return result.stored_width <= ENTRY_BITS and result.frac.data <= LOG_FRAC
    return result.stored_width <= REAL_FUNCTIONS[function].widest


@lru_cache
def fixed_function(
    function: Function, source: ScaledInteger, result: ScaledInteger, scheme: str | None
) -> FixedFunction:
    """The program for a function between two formats, by a scheme of the literature or, for None, as suits them
    best."""
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
    """The interpolation with the least sufficient scale, found by bisection: more segments make a smaller error."""
    frac = domain.result.frac.data
    argument = math.ldexp(domain.steepest, frac - domain.source.frac.data)
    entry = math.ldexp(1.0, frac - Interpolation(domain, 1).frac)
    wanted = 0.5 + max(SHARE_OF_RESULT, SHARE_OF_ARGUMENT * argument, ENTRY_UNITS * entry)
    low, high = 1, Interpolation.greatest_scale(domain)
    while low < high:
        middle = (low + high) // 2
        if greatest_error(Interpolation(domain, middle), domain) <= wanted:
            high = middle
        else:
            low = middle + 1
    return Interpolation(domain, low)


def greatest_error(function: FixedFunction, domain: Domain) -> float:
    """The greatest error in units in the last place of the result, against the exact function clamped to its range."""
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

    x = domain.arguments().astype(domain.source.dtype)
    raws = function.apply(NumpyMachine(), Int(x, domain.source.stored_width, domain.first, domain.last)).value
    exact = np.ldexp(exactly(domain.function, domain.source.decode(x)), domain.result.frac.data)
    return float(np.abs(raws - np.clip(exact, *domain.result.limits)).max())
