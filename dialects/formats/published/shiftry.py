"""Shiftry's arithmetic (OOPSLA 2020), with 8-bit and 16-bit values in one program.

Division by powers of two is an arithmetic shift, as in the figures of the paper's section 3. Two formats differ in the
width of the temporaries for sums of products:

* `!shiftry.q<width, frac>`: twice the width of the wider operand, as in the released code. If the result is coarser
  than the products, SeeDot's tree halves the sums.
* `!shiftry_printed.q<width, frac>`: the width of rule C-MatMul of figure 5. An exact sum of all products fits in this
  width, so no level is halved.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.formats.number_format import Product
from tinyml.dialects.formats.published.published_format import PublishedFixedPoint, PublishedSum, published
from tinyml.dialects.machine.machine import Int, Machine, limits

V = TypeVar("V")

MAX_WIDTH = 64


class ShiftryNumber(PublishedFixedPoint):
    """The common base class of both formats: `<width, frac>` of 8 or 16 bits."""

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

    @abstractmethod
    def sum_of(self, product: Product, levels: int) -> ShiftrySum: ...


@irdl_attr_definition
class ShiftryType(ShiftryNumber):
    """`!shiftry.q<width, frac>` of 8 or 16 bits. An addition tree halves sums of products whose scale is finer than
    that of the result.
    """

    name = "shiftry.q"
    GOOD_FOR = "the arithmetic of Shiftry, to compare with"
    width: IntAttr
    frac: IntAttr

    def sum_of(self, product: Product, levels: int) -> ShiftrySum:
        """The accumulator whose tree halves the sums of one level for each bit by which the result is coarser than the
        products.

        If the tree has fewer levels than bits to remove, the complete sum is shifted right by the remaining bits.
        Sparse rows are summed without a tree; instead, each of their products is shifted right.
        """
        lhs, rhs = published(product.lhs.format), published(product.rhs.format)
        width = 2 * max(lhs.width.data, rhs.width.data)
        scale = lhs.frac.data + rhs.frac.data
        halved = min(max(scale - self.frac.data, 0), levels)
        product_shift, level = (halved, 0) if product.sparse else (0, halved)
        return ShiftrySum.of_level(width, scale - halved, (0, 0, product_shift), level)


@irdl_attr_definition
class PrintedShiftryType(ShiftryNumber):
    """`!shiftry_printed.q<width, frac>` of 8 or 16 bits, with the widths of temporaries in figure 5 of the Shiftry
    paper.
    """

    name = "shiftry_printed.q"
    GOOD_FOR = "the arithmetic of Shiftry with the temporaries of its figure 5, to compare with"
    width: IntAttr
    frac: IntAttr

    def sum_of(self, product: Product, levels: int) -> ShiftrySum:
        """The accumulator of rule C-MatMul.

        A sum of n products has 2^ceil(log2(bx + by + ceil(log2 n) - 1)) bits and is shifted right once, after the last
        product. The rule subtracts ceil(log2 n) from this shift; the programs of section 3 do not. The result has the
        scale that the rule states only without the subtraction, which is therefore omitted.
        """
        lhs, rhs = published(product.lhs.format), published(product.rhs.format)
        width = 1 << (lhs.width.data + rhs.width.data + levels - 2).bit_length()
        return ShiftrySum.of_level(width, lhs.frac.data + rhs.frac.data, (0, 0, 0), 0)


@irdl_attr_definition
class ShiftrySum(PublishedSum):
    """`!shiftry.acc<width, frac, [0, 0, product], level>`: a sum of products with Shiftry's shifts. The sum has 16, 32
    or 64 bits.

    `PublishedSum` explains the parameters.
    """

    name = "shiftry.acc"
    width: IntAttr
    frac: IntAttr
    lhs: IntAttr
    rhs: IntAttr
    product: IntAttr
    level: IntAttr
    FAMILY = "shiftry"
    WIDTHS: ClassVar[Sequence[int]] = (16, 32, MAX_WIDTH)

    @classmethod
    def number(cls) -> type[PublishedFixedPoint]:
        return ShiftryNumber

    def _added(self, m: Machine[V], sum: V, term: Int[V]) -> V:
        """sum + term. Sums of 64 bits are exact, because up to 2^31 products of 16 bits need 62 bits."""
        if self.width.data < MAX_WIDTH:
            return super()._added(m, sum, term)
        return m.held(m.add(m.bounded(sum, *limits(MAX_WIDTH - 1)), term), MAX_WIDTH)


SHIFTRY = Dialect("shiftry", [], [ShiftryType, ShiftrySum])
SHIFTRY_PRINTED = Dialect("shiftry_printed", [], [PrintedShiftryType])
