"""Fixed-point functions of gemmlowp, on arrays of arguments.

The functions follow Jacob et al. (2018), appendix A, and gemmlowp's `fixedpoint.h`. Their arguments are 32-bit
fixed-point numbers with few integer bits. TensorFlow Lite uses these functions for tanh, the logistic function and the
exponentials of softmax.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Raws: TypeAlias = "NDArray[np.int64]"

INT32_MAX = (1 << 31) - 1
"""The greatest 32-bit integer, which represents 1 if there are no integer bits."""

_EXP_OF_EIGHTH, _THIRD = 1895147668, 715827883
"""exp(-1/8) and 1/3, without integer bits."""

_EXP_OF_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
"""exp(-2^k) for k from -2 to 4, without integer bits."""

RECIPROCAL_START, RECIPROCAL_SLOPE = 1515870810, -1010580540
"""48 / 17 and -32 / 17, with 2 integer bits."""

HALF_ROOT_OF_TWO = 1518500250
"""sqrt(2) / 2, without integer bits."""


def high_product(a: Raws, b: Raws | int) -> Raws:
    """a * b / 2^31, rounded to nearest, halves upwards."""
    return (a * b + (1 << 30)) >> 31


def halved(x: Raws, shift: int) -> Raws:
    """x / 2^shift, rounded to nearest, halves away from zero."""
    rest, half = x & ((1 << shift) - 1), ((1 << shift) - 1) >> 1
    return (x >> shift) + (rest > half + (x < 0))


def _doubled(x: Raws, shift: int) -> Raws:
    """x * 2^shift, saturated to 32 bits."""
    return np.clip(x << shift, -INT32_MAX - 1, INT32_MAX)


def exp_of_negative(x: Raws, integer_bits: int) -> Raws:
    """exp(x) as a 32-bit fixed-point number without integer bits.

    x: at most 0, with `integer_bits` integer bits.
    """
    fraction = 31 - integer_bits
    quarter = 1 << (fraction - 2)
    rest = (x & (quarter - 1)) - quarter
    y = _exp_above_quarter(_doubled(rest, integer_bits))
    remainder = rest - x
    for exponent, factor in enumerate(_EXP_OF_POWERS, -2):
        if exponent < integer_bits:
            y = np.where(remainder >> (fraction + exponent) & 1, high_product(y, factor), y)
    return np.where(x == 0, INT32_MAX, y)


def _exp_above_quarter(x: Raws) -> Raws:
    """exp(x) for x in [-1/4, 0), by a polynomial around -1/8."""
    a = x + (1 << 28)
    square = high_product(a, a)
    cube, fourth = high_product(square, a), high_product(square, square)
    tail = halved(high_product(halved(fourth, 2) + cube, _THIRD) + square, 1)
    return _EXP_OF_EIGHTH + high_product(a + tail, _EXP_OF_EIGHTH)


def _newton(x: Raws) -> Raws:
    """2 / (1 + x) with 2 integer bits, for x in [0, 1) without integer bits, by three steps of Newton's method."""
    half = (x + INT32_MAX + 1) >> 1
    y = RECIPROCAL_START + high_product(half, RECIPROCAL_SLOPE)
    for _ in range(3):
        error = (1 << 29) - high_product(half, y)
        y = y + _doubled(high_product(y, error), 2)
    return y


def reciprocal_above_one(x: Raws) -> Raws:
    """1 / (1 + x) for x in [0, 1); argument and result have no integer bits."""
    return _doubled(_newton(x), 1)


def logistic(x: Raws, integer_bits: int) -> Raws:
    """1 / (1 + exp(-x)) without integer bits, for x with `integer_bits` integer bits."""
    positive = reciprocal_above_one(exp_of_negative(-np.abs(x), integer_bits))
    return np.where(x == 0, 1 << 30, np.where(x > 0, positive, INT32_MAX - positive))


def tanh(x: Raws, integer_bits: int) -> Raws:
    """tanh(x) in Q0.31, for x in fixed point with `integer_bits` integer bits in 32 bits."""
    twice = exp_of_negative(-np.abs(x), integer_bits + 1)
    size = _doubled(_newton(twice) - (1 << 29), 2)
    return np.where(x == 0, 0, np.where(x > 0, size, -size))


def inverse_root(x: Raws) -> Raws:
    """2^45 / sqrt(x), approximately, for x in [2^27, 2^29).

    The result is computed by five steps of Newton's method, starting from 1, on numbers with 3 integer bits.
    """
    half = ((x >> 1) + 1) >> 1
    y = np.full_like(x, 1 << 28)
    for _ in range(5):
        cube = _doubled(high_product(high_product(y, y), y), 6)
        y = _doubled(high_product(y, 3 << 27) - high_product(half, cube), 3)
    return high_product(y, HALF_ROOT_OF_TWO)
