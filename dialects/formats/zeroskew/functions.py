"""TensorFlow Lite's functions of zero-skew integers.

The results of functions of 8-bit integers are tabulated at compile time. tanh and the logistic function of 16-bit
integers are interpolated in a table of the logistic function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from tinyml.dialects.formats.zeroskew.numbers import multiplier_and_shift, single
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine import gemmlowp
from tinyml.dialects.machine.machine import Int, Machine
from tinyml.dialects.machine.runtime_functions import requantize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Function, Raws
    from tinyml.dialects.formats.zeroskew.numbers import ZeroSkewNumbers


V = TypeVar("V")

_INTEGER_BITS = 4
"""Integer bits of the arguments of tanh and the logistic function."""

RESULTS = {"sigmoid": (8, 2.0**-8, -128), "tanh": (8, 2.0**-7, 0)}
"""Width, scale and zero point of the results of TensorFlow Lite's functions."""


def _logistic(source: ZeroSkewNumbers, raws: Raws) -> Raws:
    return _of_scaled(source, raws, gemmlowp.logistic, 8) - 128


def _tanh(source: ZeroSkewNumbers, raws: Raws) -> Raws:
    return _of_scaled(source, raws, gemmlowp.tanh, 7)


FUNCTIONS: dict[str, Callable[[ZeroSkewNumbers, Raws], Raws]] = {"sigmoid": _logistic, "tanh": _tanh}
"""Functions from raws to raws by name; their results have the format of `RESULTS`."""


def _of_scaled(
    source: ZeroSkewNumbers, raws: Raws, function: Callable[[NDArray[np.int64], int], NDArray[np.int64]], bits: int
) -> Raws:
    """The results of a fixed-point function for raws of the format `source`, as integers with `bits` fractional bits.

    If an argument is outside the range of the fixed-point format, the result is the least one (below the range) or the
    greatest one (above the range).
    """
    factor = math.ldexp(source.scale, 31 - _INTEGER_BITS)
    multiplier, shift = multiplier_and_shift(factor)
    x = raws.astype(np.int64) - source.zero_point.data
    radius = input_radius(_INTEGER_BITS, factor)
    inner = np.clip(x, -radius, radius).astype(np.int32)
    scaled = requantize(inner, np.array(multiplier, np.int32), np.array(shift, np.int8)).astype(np.int64)
    low, high = (-128, 127) if function is gemmlowp.tanh else (0, 255)
    y = np.clip(gemmlowp.halved(function(scaled, _INTEGER_BITS), 31 - bits), low, high)
    return np.where(x <= -radius, low, np.where(x >= radius, high, y))


def input_radius(integer_bits: int, factor: float) -> int:
    """The greatest integer whose product with `factor` can be represented with the given number of integer bits.

    This is TensorFlow Lite's CalculateInputRadius. It uses only the exponent of the factor, so the result can be 0.
    Every argument, even 0, is then outside the range.
    """
    _, exponent = math.frexp(factor)
    return math.floor(((1 << integer_bits) - 1) * 2.0 ** (31 - integer_bits - exponent))


def hard_swish(source: ZeroSkewNumbers, result: ZeroSkewNumbers, raws: Raws) -> Raws:
    """The raws that TensorFlow Lite's HARD_SWISH returns for raws of `source`, computed in 16-bit integers."""
    fine = single(source.scale / 128)
    to_result, result_shift = _factor(single(fine / result.scale))
    to_gate, gate_shift = _factor(single(fine / single(3 / 32768)))
    x = (raws.astype(np.int64) - source.zero_point.data) << 7
    gate = _saturated(x << max(gate_shift - 1, 0))
    gate = _high_product(gate, to_gate)
    if gate_shift > 0:
        gate = _saturated(gate << 1)
    gate = gemmlowp.halved(gate, max(-gate_shift, 0))
    gate = (gate + (1 << 15)) >> 1
    product = gate * _high_product(x, to_result)
    towards_zero = np.sign(product) * (np.abs(product) >> 15)
    y = gemmlowp.halved(towards_zero, max(-result_shift, 0)) << max(result_shift, 0)
    return np.clip(y + result.zero_point.data, *result.raw_limits).astype(result.dtype)


def _factor(real: float) -> tuple[int, int]:
    """The 16-bit multiplier m and the shift s for which m * 2^(s - 15) approximates a real factor."""
    multiplier, shift = multiplier_and_shift(real)
    return min(multiplier + (1 << 15) >> 16, 0x7FFF), shift


def _high_product(x: Raws, factor: int) -> Raws:
    """x * factor / 2^15, rounded to nearest, halves upwards."""
    return (x * factor + (1 << 14)) >> 15


def _saturated(x: Raws) -> Raws:
    return np.clip(x, -(1 << 15), (1 << 15) - 1)


_SOFTMAX_BITS = 5
"""Integer bits of the arguments of softmax's exponentials."""


def softmax_terms(scale: float) -> NDArray[np.int32]:
    """The exponentials that TensorFlow Lite's SOFTMAX tabulates, indexed by the distance between a raw and the greatest
    raw.

    The last exponential is 0.
    """
    factor = min(math.ldexp(scale, 31 - _SOFTMAX_BITS), float(gemmlowp.INT32_MAX))
    multiplier, shift = multiplier_and_shift(factor)
    most = min(input_radius(_SOFTMAX_BITS, factor), 255)
    below = -np.arange(most + 1, dtype=np.int32)
    scaled = requantize(below, np.array(multiplier, np.int32), np.array(shift, np.int8)).astype(np.int64)
    terms = gemmlowp.exp_of_negative(scaled, _SOFTMAX_BITS).astype(np.int32)
    return np.append(terms[terms > 0], np.int32(0))


SEGMENTS = 255
_OFFSET = 1 << 15
"""The offset subtracted from unsigned 16-bit entries before they are stored."""


def _table() -> NDArray[np.int16]:
    """The logistic function of i / 24 for each index i, with 16 fractional bits.

    Each entry is corrected by half the greatest error of the linear interpolation near it.
    """
    around = 65536 / (1 + np.exp(-np.arange(-1, SEGMENTS + 2) / 24))
    bend = around[2:] + around[:-2] - 2 * around[1:-1]
    entries = np.floor(around[1:-1] - bend / 16 + 0.5)
    entries[-1] = 65535
    return (entries - _OFFSET).astype(np.int16)


def interpolated(m: Machine[V], function: Function, source: ZeroSkewNumbers, value: V) -> Int[V]:
    """tanh or the logistic function of a value of the format `source`, in units of 2^-15, interpolated in a table.

    The argument is converted to units of 2^-12 / 3. A segment of the table then has 512 units for the logistic
    function. For tanh, a segment has 256 units, because tanh(x) is twice the logistic function of 2 x, minus 1.
    """
    bits = 8 if function == "tanh" else 9
    multiplier, shift = _multiplier_and_shift(source.scale, range(2 if function == "tanh" else 1))
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


def _multiplier_and_shift(scale: float, exact: range) -> tuple[int, int]:
    """The multiplier and the right shift that convert integers in units of `scale` to units of 2^-12 / 3.

    exact: the exponents e of the scales 2^(e - 12) that are converted exactly, without a shift.
    """
    fraction, exponent = math.frexp(scale)
    if fraction == 0.5 and exponent - 1 + 12 in exact:
        return 3 << exponent - 1 + 12, 0
    factor, shift = scale * 4096 * 3, 0
    while factor <= 32767 / 2 and shift <= 30:
        factor, shift = factor * 2, shift + 1
    return int(factor), shift
