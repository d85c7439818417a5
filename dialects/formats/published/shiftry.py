"""Shiftry's arithmetic (OOPSLA 2020, figure 5): `!shiftry.q<width, frac>`, of 8 and 16 bits in one program.

Division by powers of two is an arithmetic shift, as in the figures of its section 3. Products are twice as wide as
the wider operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.formats.number_format import Product
from tinyml.dialects.formats.published.published_format import PublishedFixedPoint, PublishedSum, published
from tinyml.dialects.machine.machine import Int, Machine

V = TypeVar("V")


@irdl_attr_definition
class ShiftryType(PublishedFixedPoint):
    """`!shiftry.q<width, frac>` of 8 or 16 bits."""

    name = "shiftry.q"
    GOOD_FOR = "the arithmetic of Shiftry, to compare with"
    width: IntAttr
    frac: IntAttr
    FAMILY = "shiftry"
    FUNCTION_SCHEME = "shiftry"
    WIDTHS: ClassVar[Sequence[int]] = (8, 16)
    WIDTHS_IN_WORDS: ClassVar[str] = "8 or 16"

    @classmethod
    def divided(cls, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        x = m.narrowed(x)
        return m.shift_right(x, min(right, x.width - 1))

    def product(self, m: Machine[V], a: Int[V], b: Int[V], right: int) -> Int[V]:
        return self.fitted(m, m.mul(a, b), right)

    def sum_of(self, product: Product, levels: int) -> ShiftrySum:
        """Rule C-MatMul: the tree halves as many levels as the result is coarser than the products; the rest of the
        shift follows at the end.
        """
        lhs, rhs = published(product.lhs.format), published(product.rhs.format)
        width = 2 * max(lhs.width.data, rhs.width.data)
        scale = lhs.frac.data + rhs.frac.data
        halved = min(max(scale - self.frac.data, 0), levels)
        product_shift, level = (halved, 0) if product.sparse else (0, halved)
        return ShiftrySum.of_level(width, scale - halved, (0, 0, product_shift), level)


@irdl_attr_definition
class ShiftrySum(PublishedSum):
    """`!shiftry.acc<width, frac, [0, 0, product], level>`."""

    name = "shiftry.acc"
    width: IntAttr
    frac: IntAttr
    lhs: IntAttr
    rhs: IntAttr
    product: IntAttr
    level: IntAttr
    FAMILY = "shiftry"
    WIDTHS: ClassVar[Sequence[int]] = (16, 32)

    @classmethod
    def number(cls) -> type[PublishedFixedPoint]:
        return ShiftryType


SHIFTRY = Dialect("shiftry", [], [ShiftryType, ShiftrySum])
