"""The formats binary8 of IEEE P3109, `!p3109.b<p>` with a precision of p bits: the signed binary8p1 to binary8p7 with
infinities.

The pattern of a number is a sign, 8 - p bits of exponent and p - 1 of fraction. 0x00 is the only zero, 0x80 the only
NaN, 0x7f and 0xff are the infinities. Magnitudes below the normal ones are subnormal. Raws are in the order of their
numbers: that of a positive number is its pattern, that of a negative number the negated pattern of its magnitude, and
that of NaN is -128. `patterns` and `raws`, and functions of the same names in `p3109.h`, convert between both.

Operations and sums are computed in single precision, in which every number of these formats is exact. A result is
rounded once, to nearest, ties to even, with the standard's mode SatPropagate: a finite result beyond the range becomes
the greatest finite number of its sign, and infinities and NaN are kept. The conversions are C functions of `p3109.h`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntAttr, f32, i8
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.formats import F32, RUNTIME_FUNCTIONS, InputError, IntegerParameters, Machine, RuntimeFunction

V = TypeVar("V")

PRECISIONS = range(1, 8)
DEFAULT = 4

NAN, INFINITY = 0x80, 0x7F
"""The patterns of NaN and of the positive infinity."""

GREATEST = 0x7E
"""The pattern of the greatest finite number."""


def magnitude(code: int, p: int) -> Fraction:
    """The number of the pattern `code`, from 0 to `GREATEST`."""
    bias, t = 1 << (7 - p), p - 1
    exponent, fraction = code >> t, code & ((1 << t) - 1)
    significand = fraction if exponent == 0 else fraction + (1 << t)
    return significand * Fraction(2) ** (max(exponent, 1) - bias - t)


@lru_cache
def _numbers(p: int) -> NDArray[np.float64]:
    """The number of each pattern from 0 to 255."""
    positive = [*(float(magnitude(code, p)) for code in range(INFINITY)), np.inf]
    return np.array([*positive, np.nan, *(-number for number in positive[1:])])


def patterns(raws: NDArray[np.int8]) -> NDArray[np.uint8]:
    """The bit patterns of raws."""
    below = 0x80 | (-np.asarray(raws, np.int16) & 0x7F)
    return np.where(np.less(raws, 0), below, raws).astype(np.uint8)


def raws(patterns: NDArray[np.uint8]) -> NDArray[np.int8]:
    """The raws of bit patterns."""
    codes = np.asarray(patterns, np.int16)
    return np.where(codes > NAN, NAN - codes, np.where(codes == NAN, -NAN, codes)).astype(np.int8)


def decoded(raws: NDArray[np.int8], p: NDArray[np.int8]) -> NDArray[np.float32]:
    """The numbers that `p3109_to_f32` computes from raws."""
    return _numbers(int(np.ravel(p)[0]))[patterns(raws)].astype(np.float32)


def encoded(x: NDArray[np.float32], p: NDArray[np.int8]) -> NDArray[np.int8]:
    """The raws that `p3109_from_f32` computes."""
    return _encoded(np.asarray(x, np.float32).astype(np.float64), int(np.ravel(p)[0]))


def _encoded(reals: NDArray[np.float64], p: int) -> NDArray[np.int8]:
    numbers = _numbers(p)[:INFINITY]
    sizes = np.abs(reals)
    below = np.searchsorted(numbers, np.minimum(sizes, numbers[-1]), side="right") - 1
    above = np.minimum(below + 1, GREATEST)
    middles = (numbers[below] + numbers[above]) / 2
    up = (sizes > middles) | ((sizes == middles) & (below % 2 == 1))
    codes = np.where(np.isinf(reals), INFINITY, np.where(up, above, below))
    return np.where(np.isnan(reals), -NAN, np.where(reals < 0, -codes, codes)).astype(np.int8)


HEADER = Path(__file__).parent / "p3109.h"
RUNTIME_FUNCTIONS.update(
    p3109_from_f32=RuntimeFunction((f32, i8), i8, encoded, header=HEADER),
    p3109_to_f32=RuntimeFunction((i8, i8), f32, decoded, header=HEADER),
)


@irdl_attr_definition
class Binary8Type(IntegerParameters, F32):
    name = "p3109.b"
    GOOD_FOR = "floats of 8 bits of the IEEE draft P3109, which are computed in single precision"
    precision: IntAttr

    def __init__(self, precision: int):
        super().__init__(IntAttr(precision))

    def verify(self) -> None:
        if self.p not in PRECISIONS:
            raise VerifyException(f"{self} needs a precision in [1, 7]")

    @property
    def p(self) -> int:
        """The bits of a normal significand, with the one that is not stored."""
        return self.precision.data

    @property
    def type(self) -> Attribute:
        return self

    @property
    def storage(self) -> Attribute:
        return i8

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int8)

    @property
    def bits(self) -> int:
        return 8

    @property
    def greatest(self) -> float:
        return float(magnitude(GREATEST, self.p))

    def encode(self, reals: NDArray[Any]) -> NDArray[Any]:
        with np.errstate(over="ignore"):
            return _encoded(np.asarray(reals, np.float64).astype(np.float32).astype(np.float64), self.p)

    def encode_clipped(self, reals: NDArray[Any]) -> NDArray[Any]:
        return self.encode(np.clip(reals, -self.greatest, self.greatest))

    def decode(self, raws: NDArray[Any]) -> NDArray[np.float64]:
        return _numbers(self.p)[patterns(raws)]

    @classmethod
    def of_width(cls, width: int | None) -> Binary8Type:
        if width not in (None, 8):
            raise InputError(f"p3109 has 8 bits, got {width}")
        return Binary8Type(DEFAULT)

    def for_range(self, low: float, high: float) -> Binary8Type:
        """The format with the greatest precision that contains numbers of this magnitude, at most this precision."""
        fitting = [p for p in PRECISIONS if p <= self.p and Binary8Type(p).greatest >= max(abs(low), abs(high))]
        return Binary8Type(max(fitting, default=PRECISIONS[0]))

    def constant(self, m: Machine[V], real: float) -> V:
        return m.int_constant(int(self.encode(np.array(real))), 8)

    def from_f32(self, m: Machine[V], value: V) -> V:
        return m.call("p3109_from_f32", value, m.int_constant(self.p, 8))

    def to_f32(self, m: Machine[V], value: V) -> V:
        return m.call("p3109_to_f32", value, m.int_constant(self.p, 8))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)


UNIVERSE = Universe(all_dialects={"p3109": lambda: Dialect("p3109", [], [Binary8Type])})
