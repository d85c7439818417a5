"""exp, tanh and sigmoid of fixed-point numbers by look-up tables, without a division.

The compiler makes the tables for the pair of formats at hand, and the argument is clamped into the domain before it
becomes an index, so that no input can read beside a table.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from tinyml.dialects.machine import Int, Machine, limits
from tinyml.dialects.number_format import Function

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tinyml.dialects.fixed import FixedType

V = TypeVar("V")

EXP_INDEX_BITS = 7
"""T of SeeDot 5.3.1: two tables of 2^T entries cover 2T bits of the argument. SeeDot takes 6; 7 costs 256 bytes more
and quarters the error."""

DIRECT_ENTRIES = 256
"""A domain of so few arguments is one table of results: exact to half a unit of the last place."""

SEGMENTS = 256
"""Greatest number of straight segments of an interpolated function."""


class TableFunction(ABC):
    """A function from one fixed-point format to another, as a program over a machine's integers."""

    @abstractmethod
    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]: ...


@lru_cache
def table_function(function: Function, source: FixedType, result: FixedType) -> TableFunction:
    """The scheme for a function between two formats."""
    if function == "exp":
        first, last = exp_domain(source, result)
        if last - first < DIRECT_ENTRIES:
            return DirectTable("exp", first, last, source, result)
        return TwoTableExp(first, last, source, result)
    return SymmetricInterpolation(function, source, result)


def exp_domain(source: FixedType, result: FixedType) -> tuple[int, int]:
    """Raw arguments beyond which exp rounds to zero or saturates: SeeDot's m and M, from the formats alone."""
    frac = result.frac.data
    lowest, highest = source.limits
    log_ulp = -frac * math.log(2)
    first = math.floor(math.ldexp(log_ulp - math.log(2), source.frac.data))
    last = math.ceil(math.ldexp(log_ulp + math.log(result.limits[1]), source.frac.data))
    return min(max(first, lowest), highest), min(max(last, lowest), highest)


def _evaluate(function: Function, x: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    if function == "exp":
        with np.errstate(over="ignore"):
            return np.exp(x)
    return np.tanh(x) if function == "tanh" else 0.5 + 0.5 * np.tanh(x / 2)


class DirectTable(TableFunction):
    """One entry for each argument of the domain."""

    def __init__(self, function: Function, first: int, last: int, source: FixedType, result: FixedType):
        import numpy as np

        self.name, self.first, self.last = function, first, last
        arguments = source.decode(np.arange(first, last + 1))
        self.table: NDArray[Any] = result.encode(_evaluate(function, arguments))

    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]:
        offset = m.sub(m.clamp(x, self.first, self.last), m.const(self.first))
        return m.entry(self.name, self.table, offset)


class TwoTableExp(TableFunction):
    """e^x as a product of two look-ups (SeeDot 5.3.1, procedure Exp of algorithm 2).

    x - m is rounded to 2T significant bits and cut in two halves a and b: e^x = f(a) * g(b), with e^m inside f.
    """

    def __init__(self, first: int, last: int, source: FixedType, result: FixedType):
        import numpy as np

        self.first, self.last, self.result = first, last, result
        self.dropped = max((last - first).bit_length() - 2 * EXP_INDEX_BITS, 0)
        steps = self._rounded(last - first)
        self.low_bits = min(EXP_INDEX_BITS, steps.bit_length())
        step = math.ldexp(1.0, self.dropped - source.frac.data)
        start = math.ldexp(first, -source.frac.data)
        high = np.exp(start + step * (np.arange((steps >> self.low_bits) + 1) << self.low_bits))
        low = np.exp(step * np.arange(1 << self.low_bits))
        width = max(16, result.stored_width)
        self.high, self.high_frac = _scaled(high, width)
        self.low, self.low_frac = _scaled(low, width)

    def _rounded(self, offset: int) -> int:
        return (offset + (1 << self.dropped >> 1)) >> self.dropped

    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]:
        offset = m.sub(m.clamp(x, self.first, self.last), m.const(self.first))
        steps = m.rescale(offset, self.dropped)
        f = m.entry("exp_high", self.high, m.shift_right(steps, self.low_bits))
        g = m.entry("exp_low", self.low, m.low_bits(steps, self.low_bits))
        right = self.high_frac + self.low_frac - self.result.frac.data
        return m.rescale_to(m.mul(f, g), right, *self.result.limits)


def _scaled(values: NDArray[np.float64], width: int) -> tuple[NDArray[Any], int]:
    """Positive values as signed integers of a width, with the greatest scale at which all fit."""
    import numpy as np

    frac = width - 1 - math.frexp(float(values.max()))[1]
    raws = np.minimum(np.floor(np.ldexp(values, frac) + 0.5), limits(width)[1])
    return raws.astype(f"i{width // 8}"), frac


def _up_to_one(result: FixedType) -> FixedType:
    """The result's format, widened to hold everything below 1: saturated entries would bend segments and mirrors."""
    from tinyml.dialects.fixed import WIDTHS, FixedType

    frac = min(result.frac.data, WIDTHS[-1] - 1)
    return FixedType(max(result.width.data, frac + 1), frac)


class SymmetricInterpolation(TableFunction):
    """tanh and sigmoid: straight segments between table entries over |x|, the other half by symmetry.

    Segments are 2^shift arguments long, so that index and position within a segment are bit fields; beyond the last
    entry the function has reached its limit to within half a unit of the result's last place.
    """

    def __init__(self, function: Function, source: FixedType, result: FixedType):
        import numpy as np

        self.function: Function = function
        self.result = result
        highest = source.limits[1]
        # 1 - tanh(x) < 2 e^-2x and 1 - sigmoid(x) < e^-x: where they fall below 2^-(frac + 1) nothing changes.
        reach = (max(result.frac.data, 1) + 2) * math.log(2) / (2 if function == "tanh" else 1)
        last = min(max(math.ceil(math.ldexp(reach, source.frac.data)), 1), highest)
        self.shift = max((last // SEGMENTS).bit_length(), 0)
        segments = -(-last >> self.shift) if self.shift == 0 else (last >> self.shift) + 1
        self.last = min(segments << self.shift, highest)
        arguments = np.ldexp((np.arange(segments + 1) << self.shift).astype(np.float64), -source.frac.data)
        self.entries = _up_to_one(result)
        self.table: NDArray[Any] = self.entries.encode(_evaluate(function, arguments))

    def apply(self, m: Machine[V], x: Int[V]) -> Int[V]:
        limited = m.clamp(x, -self.last, self.last)
        negated = m.sub(m.const(0), limited)
        positive = m.at_least(limited, 0)
        size = m.choose(positive, limited, negated)
        magnitude = self._interpolate(m, Int(size.value, size.width, 0, self.last))
        if self.function == "tanh":
            mirrored = m.sub(m.const(0), magnitude)
        else:
            mirrored = m.sub(m.const(math.floor(math.ldexp(1.0, self.entries.frac.data))), magnitude)
        right = self.entries.frac.data - self.result.frac.data
        return m.rescale_to(m.choose(positive, magnitude, mirrored), right, *self.result.limits)

    def _interpolate(self, m: Machine[V], size: Int[V]) -> Int[V]:
        import numpy as np

        if self.shift == 0:
            return m.entry(self.function, self.table, size)
        rises = np.diff(self.table.astype(np.int64))
        segment = m.clamp(m.shift_right(size, self.shift), 0, len(rises) - 1)
        start = m.entry(self.function, self.table, segment)
        end = m.entry(self.function, self.table, m.add(segment, m.const(1)))
        difference = m.sub(end, start)
        rise = Int(difference.value, difference.width, int(rises.min()), int(rises.max()))
        # The position of size = last is a whole segment past the clamped segment's start.
        position = m.sub(size, m.mul(segment, m.const(1 << self.shift)))
        position = Int(position.value, position.width, 0, 1 << self.shift)
        step = m.rescale(m.mul(rise, position), self.shift)
        value = m.add(start, step)
        return Int(value.value, value.width, int(self.table.min()), int(self.table.max()))
