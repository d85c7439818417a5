"""Logarithmic numbers of 16 bits, `!gaussian.t<top>`: zero, and plus or minus 2^(top - k / 1024), k = 0, 1, 2, ...

A product is a sum of logarithms. A sum of products is a logarithm, too. Each addition adds a Gaussian logarithm, log2(1
+ 2^-d) or log2(1 - 2^-d), of the difference d of two logarithms, and rounds. Gaussian logarithms are in a table
(Swartzlander and Alexopoulos, "The Sign/Logarithm Number System", 1975).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntAttr, i16, i32
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.formats import (
    F32,
    Accumulator,
    Bound,
    Factor,
    InputError,
    Int,
    IntegerParameters,
    Machine,
    NumberFormat,
    Product,
)

V = TypeVar("V")

OCTAVE = 1024
"""The number of steps of a logarithm per octave."""

GREATEST = (1 << 15) - 1
"""The raw of 2^top; raw 1 is the least positive number, and the sign of a raw is that of the number."""

MIDDLE, LIMIT = 1 << 18, (1 << 19) - 1
"""The logarithm of a sum is its magnitude minus `MIDDLE`, in steps; magnitudes lie in [1, LIMIT]."""

TOPS = range(-40, 41)

NEAR, STEP, FAR = 256, 16, 13 * OCTAVE
"""A table has an entry for each difference below NEAR and for each multiple of STEP up to FAR, where it is zero."""


def _table(sign: int) -> NDArray[np.int16]:
    """The Gaussian logarithms log2(1 + sign * 2^-d) in steps, for the tabulated d; half a step replaces d = 0."""
    differences = np.concatenate([np.arange(NEAR), np.arange(0, FAR + 2 * STEP, STEP)])
    powers = np.exp2(-np.maximum(differences, 0.5) / OCTAVE)
    return np.rint(OCTAVE * np.log2(1 + sign * powers)).astype(np.int16)


TABLES = {"gaussian_same": _table(1), "gaussian_opposite": _table(-1)}

_PLACES = np.arange(32)
POWERS = {
    name: np.rint(np.exp2(exponents)).astype(np.int32)
    for name, exponents in {
        "gaussian_octaves": 15 - _PLACES // 2,
        "gaussian_more": 16 - (_PLACES + 1) // 2,
        "gaussian_parts": 30 - _PLACES / 32,
        "gaussian_steps": 30 - _PLACES / OCTAVE,
    }.items()
}
"""Tables of powers of two. The product of their entries is 2^91 for the raw GREATEST."""


@irdl_attr_definition
class GaussianSum(IntegerParameters, Accumulator):
    """A sum as a logarithm with a sign in 32 bits: plus or minus 2^(unit + (magnitude - MIDDLE) / 1024), or zero."""

    name = "gaussian.sum"
    FAMILY = "gaussian"
    unit: IntAttr

    def __init__(self, unit: int):
        super().__init__(IntAttr(unit))

    @property
    def storage(self) -> Attribute:
        return i32

    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> Accumulator:
        return GaussianSum(_top(lhs_format) + _top(rhs_format))

    def follows(self, other: Accumulator) -> bool:
        """Always True, because a change of the unit adds an integer to the logarithm, without rounding."""
        return isinstance(other, GaussianSum)

    def align(self, m: Machine[V], sum: V, other: Accumulator) -> V:
        assert isinstance(other, GaussianSum)
        return self._moved(m, _sum(m, sum), OCTAVE * (other.unit.data - self.unit.data))

    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        return self._moved(m, _number(m, value), MIDDLE - GREATEST + OCTAVE * (_top(format) - self.unit.data))

    @staticmethod
    def _moved(m: Machine[V], x: Int[V], places: int) -> V:
        return m.settle(_signed(m, x, m.clamp(m.add(_size(m, x), m.const(places)), 1, LIMIT)), 32)

    def zero(self, m: Machine[V]) -> V:
        return m.int_constant(0, 32)

    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        x, y = _number(m, lhs), _number(m, rhs)
        size = m.add(m.add(_size(m, x), _size(m, y)), m.const(MIDDLE - 2 * GREATEST))
        return m.settle(self._added(m, _sum(m, sum), _signed(m, m.mul(x, y), size)), 32)

    @staticmethod
    def _added(m: Machine[V], a: Int[V], b: Int[V]) -> Int[V]:
        """The sum of two numbers, each given as a logarithm with a sign."""
        first = m.at_least(m.sub(_size(m, a), _size(m, b)), 0)
        great, small = m.choose(first, a, b), m.choose(first, b, a)
        small = m.choose(m.at_least(great, 0), small, m.sub(m.const(0), small))
        size = _size(m, great)
        distance = m.clamp(m.sub(size, _size(m, small)), 0, FAR)
        same, opposite = (m.clamp(m.add(size, _gauss(m, name, distance)), 1, LIMIT) for name in TABLES)
        less = m.choose(m.at_least(distance, 1), opposite, m.const(0))
        total = m.choose(m.at_least(small, 1), same, m.choose(m.at_least(small, 0), size, less))
        return _signed(m, great, total)

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)


@irdl_attr_definition
class GaussianType(IntegerParameters, F32):
    """The number format. Methods of `F32` compute functions in floating point, through `to_f32` and `from_f32`."""

    name = "gaussian.t"
    FAMILY = "gaussian"
    GOOD_FOR = "16 bits of equal relative precision, with products that are additions"
    ROUNDS_ONCE = False
    top: IntAttr

    def __init__(self, top: int):
        super().__init__(IntAttr(top))

    def verify(self) -> None:
        if self.top.data not in TOPS:
            raise VerifyException(f"{self} needs a top in [{TOPS[0]}, {TOPS[-1]}]")

    @property
    def storage(self) -> Attribute:
        return i16

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int16)

    @property
    def bits(self) -> int:
        return 16

    @classmethod
    def of_width(cls, width: int | None) -> GaussianType:
        if width not in (None, 16):
            raise InputError(f"gaussian has 16 bits, got a width of {width}")
        return GaussianType(0)

    def for_range(self, low: float, high: float) -> GaussianType:
        top = math.ceil(math.log2(max(abs(low), abs(high), 2.0 ** TOPS[0])))
        return GaussianType(min(top, TOPS[-1]))

    def encode(self, reals: NDArray[Any]) -> NDArray[Any]:
        reals = np.nan_to_num(np.asarray(reals, np.float64))
        sizes = np.abs(np.where(reals == 0, 1.0, reals))
        raws = np.clip(np.rint(GREATEST + OCTAVE * (np.log2(sizes) - self.top.data)), 1, GREATEST)
        kept = np.abs(reals) >= 0.5 * self.decode(np.array(1))
        return np.where(kept, np.sign(reals) * raws, 0).astype(np.int16)

    def decode(self, raws: NDArray[Any]) -> NDArray[np.float64]:
        raws = np.asarray(raws, np.float64)
        return np.sign(raws) * np.exp2(self.top.data - (GREATEST - np.abs(raws)) / OCTAVE)

    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> Accumulator:
        return GaussianSum(_top(lhs) + _top(rhs))

    def sum_bound(self, products: Sequence[Product], initial: Factor | None = None) -> Bound | None:
        """Always None: sums reach 256 octaves beyond the greatest product, so that no bound is necessary."""
        return None

    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        assert isinstance(accumulator, GaussianSum)
        x, places = _sum(m, sum), GREATEST - MIDDLE + OCTAVE * (accumulator.unit.data - self.top.data)
        return self._limited(m, x, m.add(_size(m, x), m.const(places)))

    def _limited(self, m: Machine[V], sign: Int[V], raw: Int[V]) -> V:
        """A clamped raw with the given sign; zero for numbers below half of the least positive number."""
        kept = m.choose(m.at_least(raw, 1 - OCTAVE), m.clamp(raw, 1, GREATEST), m.const(0))
        return m.settle(_signed(m, sign, kept), 16)

    def constant(self, m: Machine[V], real: float) -> V:
        return m.int_constant(int(self.encode(np.array(real))), 16)

    def to_f32(self, m: Machine[V], value: V) -> V:
        """The float of a raw: the product of its powers of two, which tables contain for octaves, 32nds and steps."""
        raw = _number(m, value)
        steps = m.sub(m.const(GREATEST), _size(m, raw))
        octaves, rest = m.shift_right(steps, 10), m.low_bits(steps, 10)
        places = octaves, octaves, m.shift_right(rest, 5), m.low_bits(rest, 5)
        high, low, parts, step = (m.entry(name, POWERS[name], at) for name, at in zip(POWERS, places, strict=True))
        result = m.float_constant(2.0 ** (self.top.data - 61))
        for factor in (high, low, m.shift_right(m.mul(parts, step), 30), m.clamp(raw, -1, 1)):
            result = m.mulf(result, m.call("tm_int_to_f32", m.held(factor, 32)))
        return result

    def from_f32(self, m: Machine[V], value: V) -> V:
        zero, limit = m.float_constant(0.0), 1 << 18
        positive, negative = m.cmp_ogt(value, zero), m.cmp_ogt(zero, value)
        size = m.select(positive, value, m.subf(zero, value))
        steps = m.mulf(m.call("tm_logf", size), m.float_constant(OCTAVE / math.log(2)))
        rounded = m.call("tm_f32_to_even", steps, m.int_constant(-limit, 32), m.int_constant(limit, 32))
        raw = m.add(m.bounded(rounded, -limit, limit), m.const(GREATEST - OCTAVE * self.top.data))
        one, none = m.const(1), m.const(0)
        sign = m.choose(positive, one, m.choose(negative, m.sub(none, one), none))
        return self._limited(m, sign, raw)

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)


def _top(format: NumberFormat) -> int:
    assert isinstance(format, GaussianType)
    return format.top.data


def _number(m: Machine[V], raw: V) -> Int[V]:
    return m.bounded(raw, -GREATEST, GREATEST)


def _sum(m: Machine[V], sum: V) -> Int[V]:
    return m.bounded(sum, -LIMIT, LIMIT)


def _size(m: Machine[V], x: Int[V]) -> Int[V]:
    size = m.choose(m.at_least(x, 0), x, m.sub(m.const(0), x))
    return m.bounded(size.value, 0, size.high)


def _signed(m: Machine[V], sign: Int[V], size: Int[V]) -> Int[V]:
    """A magnitude with the sign of another integer; zero if that integer is zero."""
    negative = m.choose(m.at_least(sign, 0), m.const(0), m.sub(m.const(0), size))
    return m.choose(m.at_least(sign, 1), size, negative)


def _gauss(m: Machine[V], name: str, distance: Int[V]) -> Int[V]:
    """The Gaussian logarithm of a difference, interpolated where the table has no entry."""
    table, index = TABLES[name], m.add(m.shift_right(distance, 4), m.const(NEAR))
    left, right = (m.entry(name, table, each) for each in (index, m.add(index, m.const(1))))
    part = m.shift_right(m.mul(m.sub(right, left), m.low_bits(distance, 4)), 4)
    near = m.entry(name, table, m.clamp(distance, 0, NEAR - 1))
    return m.choose(m.at_least(distance, NEAR), m.add(left, part), near)


DIALECT = Dialect("gaussian", [], [GaussianType, GaussianSum])
GAUSSIAN = Universe(all_dialects={"gaussian": lambda: DIALECT})
