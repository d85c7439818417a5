"""Sums of products as formats see them: the factors and proven bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Raws

Bound: TypeAlias = tuple[int, int]
"""The least and the greatest value of any partial sum, in units in the last place of an accumulator."""

Interval: TypeAlias = tuple[float, float]
"""Reals that bound the elements of a tensor for any input."""

ANYTHING: Interval = (-math.inf, math.inf)


@dataclass(frozen=True)
class Factor:
    """An operand. raws: of a constant, shape (..., summed index). interval: of an operand that is not constant."""

    format: NumberFormat
    raws: Raws | None = None
    interval: Interval = ANYTHING


@dataclass(frozen=True)
class Product:
    """Sums of `length` products of elements of two factors.

    square: both factors of a product are the same number. sparse: only products of stored entries are added.
    """

    length: int
    lhs: Factor
    rhs: Factor
    square: bool = False
    sparse: bool = False
