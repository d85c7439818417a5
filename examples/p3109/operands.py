"""Reals whose roundings tell binary8p1 to binary8p7 apart from other formats and from other roundings."""

from __future__ import annotations

import math


def operands(p: int) -> list[float]:
    """Finite numbers of single precision in ascending order: the numbers of the format with precision `p` and the
    halves between them, each with the floats beside it, and numbers beyond both ends of the range.
    """
    bias = 1 << (7 - p)
    found = {0.0}
    for exponent in range(-bias - p - 1, bias + 2):
        for significand in range(1 << p + 1, 1 << p + 2):
            middle = math.ldexp(significand, exponent - p - 1)
            step = math.ldexp(1, exponent - 23)
            found |= {middle, middle - step, middle + step}
    return sorted({sign * real for real in found for sign in (-1, 1)})
