"""Integers of sensors: `!fixed.s<width, frac>` stands for raw * 2^-frac, with every raw of two's complement.

`!fixed.q` leaves out the least integer, so that negation never overflows; a sensor at its limit sends it. Proofs of
sums therefore need a format that has it. Results are rounded to nearest, halves upwards, and saturate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.exact_integer import ExactInteger
from tinyml.dialects.formats.parameters import FRACS, WIDTHS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals

V = TypeVar("V")

USUAL_WIDTH = 16


@irdl_attr_definition
class SignedType(ExactInteger):
    """`!fixed.s<width, frac>`: 2 to 32 bits, stored in the next of 8, 16 and 32."""

    name = "fixed.s"
    width: IntAttr
    frac: IntAttr
    WIDTHS: ClassVar[Sequence[int]] = WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = f"from {WIDTHS[0]} to {WIDTHS[-1]}"

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest raw."""
        return limits(self.width.data)

    def rounded(self, reals: Reals) -> NDArray[np.float64]:
        return np.floor(np.asarray(reals, np.float64) + 0.5)

    @classmethod
    def of_width(cls, width: int | None) -> SignedType:
        width = USUAL_WIDTH if width is None else width
        if width not in WIDTHS:
            raise InputError(f"signed integers have widths {cls.WIDTHS_IN_WORDS}, got {width}")
        return SignedType(width, width - 1)

    def for_range(self, low: float, high: float) -> SignedType:
        """The format with the finest scale at which the greatest magnitude does not saturate."""
        magnitude = max(abs(low), abs(high))
        frac = self.width.data - 1 - (math.frexp(magnitude)[1] if magnitude else 0)
        return SignedType(self.width.data, min(max(frac, FRACS[0]), FRACS[-1]))

    def rounding(self, scale: int) -> int:
        """Half a unit in the last place."""
        return 1 << max(scale - self.frac.data - 1, 0)

    def rescaled(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return m.rescale(x, right)

    def fitted(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return m.rescale_to(x, right, *self.limits)

    def product(self, m: Machine[V], a: Int[V], b: Int[V], right: int) -> Int[V]:
        return m.product_to(a, b, right, *self.limits)

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        return m.settle(self.fitted(m, x, scale - self.frac.data), self.stored_width)
