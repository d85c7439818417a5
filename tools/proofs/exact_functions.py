"""Transcendental functions rounded once to double precision, computed with Python's decimal numbers."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from tinyml.dialects.formats.number_format import Function

DIGITS = 40
"""The precision of the computation in decimal digits."""

CONSTANT_MAGNITUDE = Decimal(700)
"""The magnitude above which a function is constant in every format."""


@lru_cache(maxsize=1 << 14)
def exactly(function: Function, x: Fraction) -> Fraction:
    """The double nearest to a function's value. Arguments of log must be above 0.

    Entries of tables are rounded from these doubles. An entry counts as a tie if its distance from a tie is smaller
    than a double can resolve.
    """
    with localcontext() as digits:
        digits.prec = DIGITS
        real = Decimal(x.numerator) / Decimal(x.denominator)
        match function:
            case "exp":
                y = min(real, CONSTANT_MAGNITUDE).exp()
            case "tanh":
                y = 1 - 2 / ((2 * min(real, CONSTANT_MAGNITUDE)).exp() + 1)
            case "sigmoid":
                y = 1 / (1 + (-max(real, -CONSTANT_MAGNITUDE)).exp())
            case "softplus":
                y = max(real, Decimal(0)) + (1 + (-abs(real)).exp()).ln()
            case "log":
                y = real.ln() if real > 0 else -CONSTANT_MAGNITUDE
            case "erf":
                y = _erf(real)
        return Fraction(float(y))


def _erf(x: Decimal) -> Decimal:
    """The error function, computed by its alternating series. If the magnitude of x is at least 6, the result is 1 or
    -1, the double nearest to the exact value.
    """
    if abs(x) >= 6:
        return Decimal(1).copy_sign(x)
    term = total = x
    n = 0
    while abs(term) > Decimal(10) ** -DIGITS:
        n += 1
        term = -term * x * x / n
        total += term / (2 * n + 1)
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582")
    return 2 * total / pi.sqrt()
