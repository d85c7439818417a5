"""Dot products of posits in a quire, computed exactly in Python integers and rounded once."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.formats.posit.arithmetic import HIDDEN_BIT, STICKY_DISTANCE, Posit, pack, unpack


def quire_dot(a: NDArray[Any], b: NDArray[Any], posit: Posit) -> int:
    """The raw of the dot product of two vectors of posits, exact as in a quire of unbounded width and rounded once."""
    if (np.asarray(a) == posit.nar).any() or (np.asarray(b) == posit.nar).any():
        return posit.nar
    (x, ex), (y, ey) = unpack(a, posit), unpack(b, posit)
    unit = -2 * (posit.reach + HIDDEN_BIT)
    total = sum(int(p) << int(e) - unit for p, e in zip(x * y, ex + ey, strict=True))
    return nearest(total, unit, posit)


def nearest(total: int, unit: int, posit: Posit) -> int:
    """The raw of the posit nearest to total * 2^unit."""
    spare = max(abs(total).bit_length() - STICKY_DISTANCE + 2, 0)
    kept = abs(total) >> spare
    sticky = kept << spare != abs(total)
    size = np.array(kept | sticky, np.int64)
    return int(pack(np.where(total < 0, -size, size), np.array(unit + spare), posit))


def nearest_sum(numbers: Iterable[Fraction | None], posit: Posit) -> int:
    """The raw of the posit nearest to the exact sum of numbers, of which None stands for NaR."""
    given = list(numbers)
    if None in given:
        return posit.nar
    total = sum((number for number in given if number is not None), Fraction())
    unit = 1 - total.denominator.bit_length()
    assert total.denominator == 1 << -unit
    return nearest(total.numerator, unit, posit)
