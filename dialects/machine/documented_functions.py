"""The specified results of integer runtime functions, as functions of exact integers.

`tinyml prove` checks the integer programs and numpy references of runtime functions against these specifications.
Shifts, widths and tables are Python integers and sequences.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.dialects.machine.exact_integers import Number, clamped, count_reached, half_away, half_even, half_up

_BITS = 31


def _symmetric(bits: int) -> tuple[int, int]:
    return 1 - (1 << bits - 1), (1 << bits - 1) - 1


def limited(x: Number, right: int, bits: int) -> Number:
    """x / 2^right, rounded down, then clamped to [1 - 2^(bits - 1), 2^(bits - 1) - 1]."""
    return clamped(x // (1 << right), *_symmetric(bits))


def multiplied(a: Number, b: Number, right: int) -> Number:
    """a * b / 2^right, rounded to nearest, halves upwards."""
    return half_up(a * b, 1 << right)


def added(a: Number, b: Number, left: int, right: int, bits: int) -> Number:
    """(a * 2^left + b) / 2^right, rounded down, then clamped as by `limited`."""
    return limited(a * (1 << left) + b, right, bits)


def ranked(table: Sequence[int], x: Number, length: int) -> Number:
    """The number of entries that are at most x, among the first `length` entries, which are ascending."""
    return count_reached(table[:length], x)


def requantised(x: Number, multiplier: int, shift: int) -> Number:
    """gemmlowp's MultiplyByQuantizedMultiplier: x * multiplier * 2^(shift - 31), with a left shift that saturates and
    two roundings.

    The first rounding, SaturatingRoundingDoublingHighMul, is x * multiplier / 2^31, rounded to nearest, halves upwards.
    The second, RoundingDivideByPOT, rounds halves away from zero.
    """
    left, right = max(shift, 0), max(-shift, 0)
    least, most = -(1 << _BITS) >> left, (1 << _BITS) - 1 >> left
    high = half_up(clamped(x, least, most) * (multiplier << left), 1 << _BITS)
    return half_away(high, 1 << right)


def requantised_to_even(x: Number, multiplier: int, shift: int) -> Number:
    """x * multiplier / 2^(31 - shift), rounded once, halves to even, then clamped to 32 bits."""
    return clamped(half_even(x * multiplier, 1 << _BITS - shift), -(1 << _BITS), (1 << _BITS) - 1)


def requantised_once(x: Number, multiplier: int, shift: int) -> Number:
    """MultiplyByQuantizedMultiplier of TensorFlow Lite for 64 bits: x * multiplier / 2^(15 - shift), rounded to
    nearest, halves upwards.
    """
    return half_up(x * multiplier, 1 << 15 - shift)
