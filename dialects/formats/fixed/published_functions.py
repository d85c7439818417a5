"""The schemes of SeeDot and Shiftry for exp, tanh and sigmoid; they round as the result's format does."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from tinyml.dialects.formats.fixed.domains import Domain, FixedFunction
from tinyml.dialects.formats.fixed.tables import TwoTableExp
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

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
