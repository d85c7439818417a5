"""Sums of products as formats see them: what the factors are and what is proven of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Raws

Bound: TypeAlias = tuple[int, int]
"""The least and the greatest that every partial sum is proven to be, in units of an accumulator's last place."""

Interval: TypeAlias = tuple[float, float]
"""Reals between which the elements of a tensor lie, whatever the input is."""

ANYTHING: Interval = (-math.inf, math.inf)


@dataclass(frozen=True)
class Factor:
    """One operand. raws: those of a constant, shape (..., summed index); interval: of what is not constant."""

    format: NumberFormat
    raws: Raws | None = None
    interval: Interval = ANYTHING


@dataclass(frozen=True)
class Product:
    """`length` products of elements of two factors for each sum.

    square: both factors are the same number. sparse: only the products of stored entries are added.
    """

    length: int
    lhs: Factor
    rhs: Factor
    square: bool = False
    sparse: bool = False
