"""SeeDot's arithmetic (PLDI 2019, 5.3): `!seedot.q<width, frac>`. All integers of a program have one width.

Division by powers of two rounds towards zero, as in C. Operands are divided before they are multiplied, so that the
product fits in the width of the operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.formats.number_format import Product
from tinyml.dialects.formats.published.published_format import PublishedFixedPoint, PublishedSum, published
from tinyml.dialects.formats.scaled_integer import STORAGE_WIDTHS
from tinyml.dialects.machine.machine import Int, Machine

V = TypeVar("V")


@irdl_attr_definition
class SeedotType(PublishedFixedPoint):
    """`!seedot.q<width, frac>` of 8, 16 or 32 bits, with SeeDot's arithmetic."""

    name = "seedot.q"
    GOOD_FOR = "the arithmetic of SeeDot, to compare with"
    width: IntAttr
    frac: IntAttr
    FAMILY = "seedot"
    FUNCTION_SCHEME = "seedot"
    WIDTHS: ClassVar[Sequence[int]] = STORAGE_WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = "8, 16 or 32"

    @classmethod
    def divided(cls, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return m.quotient(x, right)

    def product(self, m: Machine[V], a: Int[V], b: Int[V], right: int) -> Int[V]:
        """The product of two scalars, as in MATMUL: each operand is shifted right by at most half of its width."""
        width = max(a.width, b.width, self.stored_width)
        lhs, rhs = _halves(min(max(right, 0), width))
        product = m.wrapped(m.mul(self.rescaled(m, a, lhs), self.rescaled(m, b, rhs)), width)
        return self.fitted(m, product, right - lhs - rhs)

    def sum_of(self, product: Product, levels: int) -> SeedotSum:
        """The accumulator of MULSCALE and TREESUMSCALE of algorithm 1, for a result of this scale.

        The products may have more fractional bits than the result. The operands are first shifted right until the
        products fit in the width (S_mul). The tree removes the remaining excess bits (S_add). The paper divides the
        excess in this way for every value of its parameter maxscale.

        Sparse rows are summed without a tree. Each of their products is divided by the power of two by which a tree
        would divide the sum.
        """
        lhs, rhs = published(product.lhs.format), published(product.rhs.format)
        width = max(lhs.width.data, rhs.width.data, self.width.data)
        scale = lhs.frac.data + rhs.frac.data
        right = max(scale - self.frac.data, 0)
        operands = _halves(min(right, width))
        halved = min(right - sum(operands), levels)
        product_shift, level = (halved, 0) if product.sparse else (0, halved)
        return SeedotSum.of_level(width, scale - sum(operands) - halved, (*operands, product_shift), level)


@irdl_attr_definition
class SeedotSum(PublishedSum):
    """`!seedot.acc<width, frac, [lhs, rhs, product], level>`: a sum of products with SeeDot's shifts.

    `PublishedSum` explains the parameters.
    """

    name = "seedot.acc"
    width: IntAttr
    frac: IntAttr
    lhs: IntAttr
    rhs: IntAttr
    product: IntAttr
    level: IntAttr
    FAMILY = "seedot"
    WIDTHS: ClassVar[Sequence[int]] = STORAGE_WIDTHS

    @classmethod
    def number(cls) -> type[PublishedFixedPoint]:
        return SeedotType


def _halves(right: int) -> tuple[int, int]:
    return (right + 1) // 2, right // 2


SEEDOT = Dialect("seedot", [], [SeedotType, SeedotSum])
