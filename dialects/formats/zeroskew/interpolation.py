"""TensorFlow Lite's tanh and logistic function of 16-bit numbers: interpolation in a table of the logistic function."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Function
    from tinyml.dialects.formats.zeroskew.numbers import ZeroSkewNumbers

V = TypeVar("V")

SEGMENTS = 255
_OFFSET = 1 << 15
"""The offset subtracted from entries of 16 unsigned bits before they are stored."""


def _table() -> NDArray[np.int16]:
    """The logistic function of i / 24 with 16 fractional bits, raised by half of the deviation of a chord below it."""
    around = 65536 / (1 + np.exp(-np.arange(-1, SEGMENTS + 2) / 24))
    bend = around[2:] + around[:-2] - 2 * around[1:-1]
    entries = np.floor(around[1:-1] - bend / 16 + 0.5)
    entries[-1] = 65535
    return (entries - _OFFSET).astype(np.int16)


def interpolated(m: Machine[V], function: Function, source: ZeroSkewNumbers, value: V) -> Int[V]:
    """tanh or the logistic function in units of 2^-15.

    The argument is brought to a scale of 2^-12 / 3; a segment of the table then has 512 units for the logistic function
    and, since tanh(x) is twice the logistic function of 2 x, less 1, has 256 for tanh.
    """
    bits = 8 if function == "tanh" else 9
    multiplier, shift = _factor(source.scale, range(2 if function == "tanh" else 1))
    x = m.rescale(m.mul(source.load(m, value), m.const(multiplier)), shift)
    positive = m.at_least(x, 0)
    size = m.choose(positive, x, m.sub(m.const(0), x))
    size = m.bounded(m.held(size, 32), 0, max(-x.low, x.high))
    segment = m.shift_right(size, bits)
    index = m.clamp(segment, 0, SEGMENTS - 1)
    table = _table()
    start = m.entry("logistic", table, index)
    rise = m.sub(m.entry("logistic", table, m.add(index, m.const(1))), start)
    inside = m.add(
        m.shift_left(m.add(start, m.const(_OFFSET)), bits),
        m.mul(m.low_bits(size, bits), m.bounded(m.held(rise, 32), 0, int(np.diff(table.astype(np.int32)).max()))),
    )
    most = 0xFFFF << 8 if function == "tanh" else 0x7FFF << 10
    y = m.choose(m.at_least(segment, SEGMENTS), m.const(most), inside)
    if function == "tanh":
        half = m.const(1 << 23)
        signed = m.choose(positive, m.sub(y, half), m.sub(m.const((1 << 23) - 1), y))
        return m.clamp(m.shift_right(m.add(signed, m.const(128)), 8), -_OFFSET, _OFFSET - 1)
    signed = m.choose(positive, y, m.sub(m.const((1 << 25) - 1), y))
    return m.clamp(m.shift_right(m.add(signed, m.const(512)), 10), 0, _OFFSET - 1)


def _factor(scale: float, exact: range) -> tuple[int, int]:
    """The multiplier and the right shift that bring a scale to 2^-12 / 3.

    exact: exponents above -12 of scales that are powers of two which need no shift.
    """
    fraction, exponent = math.frexp(scale)
    if fraction == 0.5 and exponent - 1 + 12 in exact:
        return 3 << exponent - 1 + 12, 0
    factor, shift = scale * 4096 * 3, 0
    while factor <= 32767 / 2 and shift <= 30:
        factor, shift = factor * 2, shift + 1
    return int(factor), shift
