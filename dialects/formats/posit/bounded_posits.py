"""Bounded posits: those that are multiples of 2^low and less than 2^high in magnitude, for bounds (low, high).

`PositType` proposes bounds, among which `transforms/formats/assignment/format_assignment.py` chooses; its docstring
lists the four choices.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from tinyml.dialects.formats.posit.arithmetic import Posit, of_reals, to_reals
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.exact.numbers import ExactNumbers
    from tinyml.dialects.formats.number_format import Raws
    from tinyml.dialects.formats.posit.arithmetic import Posit

V = TypeVar("V")


@lru_cache
def posit_of(n: int, es: int, bounds: tuple[int, int] | None) -> Posit:
    """The parameters of the posit format of n bits and es exponent bits, limited to the bounds (low, high); None for no
    limits.
    """
    if bounds is None:
        return Posit(n, es)
    low, high = bounds
    all = Posit(n, es, low)
    raw = int(of_reals(np.array(math.ldexp(1.0, high)), all))
    # The greatest multiple of 2^low below 2^high that is a posit.
    while float(to_reals(np.array(raw), all)) >= math.ldexp(1.0, high):
        raw = int(of_reals(np.array(min(math.ldexp(1.0, high) - math.ldexp(1.0, low), _below(raw, all))), all))
    return Posit(n, es, low, raw)


def _below(raw: int, posit: Posit) -> float:
    return float(to_reals(np.array(raw - 1), posit))


@lru_cache(maxsize=1024)
def power(n: int, es: int, exponent: int) -> float:
    """The posit nearest to 2^exponent, as a float."""
    posit = Posit(n, es)
    return float(to_reals(of_reals(np.array(math.ldexp(1.0, exponent)), posit), posit))


@lru_cache
def lowest(n: int, es: int, least: int) -> int:
    """The least exponent e >= `least` for which 2^e is a posit of n bits."""
    while power(n, es, least) != math.ldexp(1.0, least):
        least += 1
    return least


def stretched(m: Machine[V], raws: Int[V], n: int, high: int) -> Int[V]:
    """The integers that posits of n bits with es 0 and magnitudes below 2^high represent, in units of the least
    positive posit.

    For magnitudes up to 1, the integers are equal to the raws. Above 1, the distance between consecutive integers is 2;
    it increases to 8, 32 and so on at each power of two.
    """
    x = raws
    for j in range(1, high + 1):
        if (bend := (1 << j) - 1 << n - 1 - j) >= max(raws.high, -raws.low):
            break
        before = m.clamp(raws, -bend, bend)
        value = m.subi(raws.value, m.held(before, raws.width))
        beyond = Int(value, raws.width, raws.low - before.low, raws.high - before.high)
        x = m.add(x, m.mul(beyond, m.const(1 if j == 1 else 6 << 2 * j - 4)))
    return x


@lru_cache
def integer_limits_of(format: ExactNumbers) -> tuple[int, int]:
    """The least and the greatest integer that a raw of the format represents, in units of 2^-scale."""
    greatest = math.ldexp(float(format.decode(_array(format.raw_limits[1], format))), format.scale)
    return -int(greatest), int(greatest)


def _array(raw: int, format: ExactNumbers) -> Raws:
    return np.array(raw, format.dtype)


@lru_cache
def decoding_of(format: ExactNumbers) -> NDArray[np.signedinteger[Any]]:
    """The integers that all raws represent, in the order of the raws and in units of 2^-scale."""
    first, last = format.raw_limits
    greatest = format.integer_limits[1]
    raws = np.arange(first, last + 1)
    # No raw represents a number that is not a multiple of the least one.
    integers = np.trunc(np.ldexp(format.decode(raws), format.scale))
    return integers.astype(np.int16 if greatest <= limits(16)[1] else np.int32)


@lru_cache
def legal_of(format: ExactNumbers) -> NDArray[np.int64]:
    """All raws that rounding to `format` can return, in ascending order."""
    low, high = format.raw_limits
    raws = np.arange(low, high + 1)
    return raws[format.encode(format.decode(raws)) == raws]


@lru_cache
def segments_of(format: ExactNumbers) -> tuple[NDArray[np.signedinteger[Any]], int]:
    """The table and the number of additional fraction bits that `Coding.segments` defines, for a posit format.

    Between two raws at which the regime or the exponent changes, the number of a posit is a linear function of its raw.
    """
    finer = range(32 - format.integer_limits[1].bit_length())
    return max(
        ((_lines(format, extra), extra) for extra in finer),
        key=lambda candidate: (int((candidate[0] != 0).sum()), -candidate[1]),
    )


def _lines(format: ExactNumbers, extra: int) -> NDArray[np.signedinteger[Any]]:
    """The table of linear segments, with `extra` additional fraction bits.

    A segment consists of 256 raws. Its entry is 0 if the integers are not a linear function of these raws, if an
    integer does not fit in 32 bits, or if the offset does not fit in 16 bits. The integers are in units of 2^-(scale +
    extra).
    """
    raws = np.arange(-(1 << 15), 1 << 15).reshape(256, 256)
    numbers = np.ldexp(format.decode(np.maximum(raws, -limits(16)[1])), format.scale + extra)
    shifts = np.log2(np.maximum(numbers[:, 2] - numbers[:, 1], 1)).astype(np.int64)
    offsets = np.trunc(np.ldexp(numbers[:, 1], -shifts)).astype(np.int64) - raws[:, 1]
    lines = np.ldexp((raws + offsets[:, None]).astype(np.float64), shifts[:, None])
    linear = (lines == numbers).all(1) & (np.abs(numbers) < 2.0**31).all(1) & (np.abs(offsets) < 1 << 15)
    return np.where(linear, (offsets << 16) + 256 + shifts, 0).astype(np.int32)
