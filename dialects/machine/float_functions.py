"""Functions in single precision. They perform the same operations in the same order as the C runtime.

The C functions are in `f32.h` and `functions.h`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F32 = NDArray[np.float32]

EXP_LOW, EXP_HIGH = -87.0, 88.0
"""The arguments below which exp is 0 and above which it is exp(EXP_HIGH): no result is subnormal or infinite."""

GREATEST_FLOAT = (2.0 - 2.0**-23) * 2.0**127

LOG2_E = 1.44269504
LN2_HIGH, LN2_LOW = 0.693359375, -2.12194440e-4
"""ln 2 in two parts; the high part has so few bits that its product with the exponent is exact."""

EXP_COEFFICIENTS = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 0.5)
"""Minimax polynomial of (exp(r) - 1 - r) / r^2 on |r| <= ln(2)/2 (Cephes expf), highest power first."""


def exp(x: F32) -> F32:
    """tm_expf: exp(x) within 2 units in the last place on [EXP_LOW, EXP_HIGH]. Smaller arguments and NaN yield 0,
    greater arguments yield exp(EXP_HIGH).
    """
    x = np.asarray(x, np.float32)
    clamped = np.where(x >= np.float32(EXP_HIGH), np.float32(EXP_HIGH), x)
    clamped = np.where(clamped >= np.float32(EXP_LOW), clamped, np.float32(EXP_LOW))
    scaled = clamped * np.float32(LOG2_E)
    half = np.where(scaled >= np.float32(0), np.float32(0.5), np.float32(-0.5))
    exponent = np.trunc(scaled + half)
    r = clamped - exponent * np.float32(LN2_HIGH)
    r = r - exponent * np.float32(LN2_LOW)
    p = np.broadcast_to(np.float32(EXP_COEFFICIENTS[0]), r.shape)
    for coefficient in EXP_COEFFICIENTS[1:]:
        p = p * r + np.float32(coefficient)
    p = p * (r * r) + r + np.float32(1)
    power = (exponent.astype(np.int32) + np.int32(127)) << np.int32(23)
    return np.where(x >= np.float32(EXP_LOW), p * power.view(np.float32), np.float32(0))


def tanh(x: F32) -> F32:
    """tm_tanhf: 1 - 2 / (exp(2x) + 1), with an absolute error below 2^-22."""
    two, one = np.float32(2), np.float32(1)
    return one - two / (exp(x * two) + one)


def sigmoid(x: F32) -> F32:
    """tm_sigmoidf: 1 / (1 + exp(-x))."""
    one = np.float32(1)
    return one / (one + exp(-np.asarray(x, np.float32)))


LOG_COEFFICIENTS = (
    *(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1),
    *(-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1),
)
"""Minimax polynomial of (log(1 + r) - r + r^2 / 2) / r^3 between the roots of 1/2 and 2 (Cephes logf)."""

ERF_COEFFICIENTS = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
"""7.1.26 of Abramowitz and Stegun, highest power first."""

ERF_NEAR_0 = (-8.548327023e-4, 5.223977625e-3, -2.686617064e-2, 1.128379167e-1, -3.761263890e-1, 1.128379167)
"""Taylor polynomial of erf(x) / x in x^2, highest power first."""


def log(x: F32) -> F32:
    """tm_logf: log(x) within 2 units in the last place.

    Arguments below 2^-126 and NaN yield the logarithm of 2^-126. Infinity yields the logarithm of the greatest float.
    """
    most, least = np.float32(GREATEST_FLOAT), np.float32(2.0**-126)
    x = np.asarray(x, np.float32)
    bits = np.where(x >= most, most, np.where(x >= least, x, least)).view(np.int32)
    exponent = (bits >> 23) - 127
    m = ((bits & 0x7FFFFF) | 0x3F800000).view(np.float32)
    above = m >= np.float32(1.41421356)
    m = np.where(above, m * np.float32(0.5), m).astype(np.float32)
    exponent = (exponent + above).astype(np.float32)
    r = m - np.float32(1)
    p = np.broadcast_to(np.float32(LOG_COEFFICIENTS[0]), r.shape)
    for coefficient in LOG_COEFFICIENTS[1:]:
        p = p * r + np.float32(coefficient)
    square = r * r
    p = p * r * square + exponent * np.float32(LN2_LOW)
    y = r + (p - square * np.float32(0.5)) + exponent * np.float32(LN2_HIGH)
    return y.astype(np.float32)


def erf(x: F32) -> F32:
    """tm_erff: erf(x) with an absolute error below 2e-7; for |x| below 1/2 also with a relative error below 2e-7."""
    x, one = np.asarray(x, np.float32), np.float32(1)
    positive = x >= np.float32(0)
    size = np.where(positive, x, -x)
    t = one / (size * np.float32(0.3275911) + one)
    p = np.broadcast_to(np.float32(ERF_COEFFICIENTS[0]), t.shape)
    for coefficient in ERF_COEFFICIENTS[1:]:
        p = p * t + np.float32(coefficient)
    y = one - p * t * exp(-(size * size))
    z = x * x
    q = np.broadcast_to(np.float32(ERF_NEAR_0[0]), z.shape)
    for coefficient in ERF_NEAR_0[1:]:
        q = q * z + np.float32(coefficient)
    return np.where(size >= np.float32(0.5), np.where(positive, y, -y), x * q)


def softplus(x: F32) -> F32:
    """tm_softplusf: max(x, 0) + log(1 + exp(-|x|))."""
    x, half = np.asarray(x, np.float32), np.float32(0.5)
    positive = x >= np.float32(0)
    power = exp(np.where(positive, -x, x))
    more = np.where(power >= np.float32(2.0**-11), log(power + np.float32(1)), power - power * power * half)
    return np.where(positive, x + more, more).astype(np.float32)
