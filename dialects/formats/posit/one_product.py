"""One exact number, or the product of two exact numbers, rounded once without a quire.

Standard posits are converted, negated and multiplied by numbers of other formats in this way: the significands are
multiplied as integers, and the exponents are added.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects.formats.posit.final_ops import WORD, RoundOp, ToOddOp
from tinyml.dialects.formats.posit.numbers import PositNumbers
from tinyml.dialects.formats.posit.ops import DecodeOp
from tinyml.dialects.formats.posit.parts import Parts
from tinyml.dialects.formats.posit.quire_sums import integers, odd_integers, rounded
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.posit.quire_sums import Objects
    from tinyml.dialects.machine.emitter import Emitter


@dataclass(frozen=True)
class OneProduct:
    """A product of one or two numbers, at least one of them a standard posit.

    factors: the properties of the significand and the exponent of each factor.
    negative: whether the sign of the product is changed.
    """

    factors: tuple[Parts, ...]
    negative: bool

    @property
    def bits(self) -> int:
        return sum(parts.bits for parts in self.factors)

    @property
    def least(self) -> int:
        """The exponent of the unit of all products."""
        return sum(parts.least for parts in self.factors)

    def computed(self, raws: tuple[NDArray[Any], ...]) -> Objects:
        """The products of numbers as Python integers in units of 2^least; NaN if a number is NaR."""
        numbers = [integers(parts, raw, parts.least) for parts, raw in zip(self.factors, raws, strict=True)]
        product = reduce(np.multiply, numbers)
        return -product if self.negative else product

    def emitted(self, e: Emitter, raws: tuple[SSAValue, ...]) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Emit the product as an integer of 32 or 64 bits. Return the integer, its scale, and whether it is NaR."""
        significands, undefined = list[Int[SSAValue]](), list[SSAValue]()
        scale = e.int_constant(-self.least, 16)
        for parts, raw in zip(self.factors, raws, strict=True):
            if parts.posit is None:
                significands.append(parts.format.load(e, raw))
                continue
            decode = DecodeOp(raw, parts, parts.least, 1)
            e.put(decode)
            significand, place = decode.integers()
            significands.append(significand)
            undefined.append(e.cmp_sgt(e.int_constant(0, place.width), place.value))
            scale = e.subi(scale, e.held(place, 16))
        product = reduce(e.mul, significands)
        if self.negative:
            product = e.sub(e.const(0), product)
        width = WORD if self.bits < WORD else 2 * WORD
        return e.held(product, width), scale, reduce(lambda a, b: e.insert(arith.OrIOp(a, b)), undefined)


@dataclass(frozen=True)
class RoundProduct:
    """The step that rounds a product to the nearest posit of the type `format`."""

    product: OneProduct
    format: PositNumbers

    def computed(self, *operands: NDArray[Any]) -> NDArray[Any]:
        scale = -self.product.least - self.format.scaling
        return rounded(self.product.computed(operands), scale, self.format.posit).astype(self.format.dtype)

    def emitted(self, emitter: Emitter, *operands: SSAValue) -> SSAValue:
        return emitter.insert(RoundOp(*self.product.emitted(emitter, operands), self.format))


@dataclass(frozen=True)
class ProductToOdd:
    """The step that converts a product to an integer in units of 2^-scale, as `ToOdd` converts a sum in a quire."""

    product: OneProduct
    scale: int
    low: int
    high: int

    def computed(self, *operands: NDArray[Any]) -> NDArray[Any]:
        return odd_integers(self.product.computed(operands), self.scale + self.product.least, self.low, self.high)

    def emitted(self, emitter: Emitter, *operands: SSAValue) -> SSAValue:
        parts = self.product.emitted(emitter, operands)
        return emitter.insert(ToOddOp(*parts, self.scale, self.low, self.high))
