"""TensorFlow Lite's SOFTMAX in 16 bits: exponentials and reciprocals are interpolated in tables of 513 entries."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from tinyml.dialects.formats.zeroskew.numbers import requantised
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F32 = NDArray[np.float32]
    F64 = NDArray[np.float64]

V = TypeVar("V")

INT16_MAX = (1 << 15) - 1
_SEGMENTS, _UNITS = 512, 1 << 7
"""Segments of a table, and units of the argument in a segment."""

_SPAN = 10.0
"""Arguments of the exponential lie in [-10, 0]; smaller arguments are replaced by -10."""


def term(m: Machine[V], below: Int[V], scale: float) -> Int[V]:
    """exp(below * scale) in units of 2^-15.

    below: a difference of raws that is less than or equal to 0.
    """
    scaled = requantised(m, below, scale / (_SPAN / 65535))
    argument = m.add(m.bounded(m.held(scaled, 32), -(1 << 30), 0), m.const(INT16_MAX))
    return _looked_up(m, "exp", _exponentials(), m.clamp(argument, -INT16_MAX - 1, INT16_MAX))


def reciprocal(m: Machine[V], total: V, zeros: Int[V]) -> Int[V]:
    """2^46 / (total * 2^zeros), interpolated in a table: in units of 2^-15, the reciprocal of the total scaled to [1,
    2).

    zeros: the left shift that moves the highest set bit of the total to bit 31.
    """
    wide = m.shift_left(m.bounded(total, 0, (1 << 31) - 1), 3)
    factors = m.int_constant(1, 32), m.held(m.sub(zeros, m.const(3)), 8)
    normal = m.whole(m.call("tm_requantize_s64", m.held(wide, 64), *factors))
    argument = m.clamp(m.sub(m.bounded(normal.value, 0, 1 << 18), m.const(3 << 15)), -INT16_MAX - 1, INT16_MAX)
    return _looked_up(m, "reciprocal", _reciprocals(), argument)


def share(m: Machine[V], term: V, reciprocal: Int[V], zeros: Int[V]) -> Int[V]:
    """term / total, in units of 2^-15.

    reciprocal: the result of the function `reciprocal` for the total.
    zeros: the argument `zeros` of this call.
    """
    product = m.mul(m.bounded(term, 0, INT16_MAX), m.bounded(m.held(reciprocal, 32), 0, INT16_MAX))
    shift = m.held(m.sub(zeros, m.const(16)), 8)
    quotient = m.whole(m.call("tm_requantize_s64", m.held(product, 64), m.int_constant(1, 32), shift))
    return m.clamp(quotient, 0, INT16_MAX)


def _looked_up(m: Machine[V], name: str, table: NDArray[np.int16], argument: Int[V]) -> Int[V]:
    from_least = m.add(argument, m.const(INT16_MAX + 1))
    segment = m.shift_right(from_least, 7)
    start = m.entry(name, table, segment)
    rise = m.sub(m.entry(name, table, m.add(segment, m.const(1))), start)
    inside = m.rescale(m.mul(rise, m.low_bits(from_least, 7)), 7)
    return m.add(start, inside)


@cache
def _exponentials() -> NDArray[np.int16]:
    return _table(-np.float32(_SPAN) / np.float32(65535) * np.float32(65535), np.float32(0), np.exp)


@cache
def _reciprocals() -> NDArray[np.int16]:
    return _table(np.float32(0), np.float32(1) / np.float32(65535) * np.float32(65535), lambda x: 1 / (1 + x))


def _table(low: np.float32, high: np.float32, function: Callable[[F64], F64]) -> NDArray[np.int16]:
    """The table of a function between the arguments `low` and `high`, computed in single precision as in TensorFlow
    Lite.

    Each entry is offset by half of the chord's deviation in the middle of a segment.
    """
    unit = np.float32(2) / np.float32(65535)
    scale = np.float32(65536) / (unit * np.float32(INT16_MAX) - unit * np.float32(-INT16_MAX - 1))

    def values(x: F32) -> F32:
        return function(x.astype(np.float64)).astype(np.float32)

    step = (high - low) / np.float32(_SEGMENTS)
    number = np.arange(_SEGMENTS, dtype=np.float32)
    sample = _rounded(values(low + number * step) * scale)
    middle = _rounded(values(low + number * step + step / np.float32(2)) * scale)
    chord = _rounded((values(low + (number + np.float32(1)) * step) * scale + sample) / np.float32(2))
    entries = sample - _rounded((chord - middle) / np.float32(2))
    last = _rounded(values(np.array([high])) * scale)
    return np.clip(np.concatenate([entries, last]), -INT16_MAX - 1, INT16_MAX).astype(np.int16)


def _rounded(x: F32) -> F32:
    """The integers nearest to reals, halves rounded away from zero."""
    return np.trunc(x + np.copysign(np.float32(0.5), x))
