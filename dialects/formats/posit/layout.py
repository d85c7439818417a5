"""The layout of a quire in memory: one integer, or several integers (bins) whose units increase by a constant factor.

The type `!posit.quire` specifies the layout. The ops on quires and the host's computation of sums use this layout.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntegerType, MemRefType

if TYPE_CHECKING:
    from tinyml.dialects.formats.posit.parts import Parts

ONE_INTEGER = 0
"""The value of `step` for a sum that is a single integer."""

ROUNDING_BITS = {32: 30, 64: 60}
"""The number of bits of a sum that rounding requires, by the width of the register that contains them."""

UNSPLIT_BITS = {32: 20, 64: 47}
"""The maximum width of a shifted number that one bin of 32 or of 64 bits accepts; wider numbers are split."""

MOVED_WIDTH = 32
"""The maximum width of a significand that is shifted before the multiplication, for bins of 32 bits."""


@dataclass(frozen=True)
class Layout:
    """The layout of a sum that has `width` bits, is counted in units of 2^-frac, and is stored in integers of `bin`
    bits.

    The units of consecutive integers (bins) differ by a factor of 2^step. If `step` is 0, the sum is a single
    integer.
    """

    width: int
    frac: int
    bin: int
    step: int

    @property
    def is_single(self) -> bool:
        return self.step == ONE_INTEGER

    @property
    def part(self) -> int:
        """The number of bits of each part, if a number is split into parts that are added to several bins."""
        return self.bin // 2

    @property
    def count(self) -> int:
        """The number of bins. It is rounded up so that the steps of all bins together span whole digits."""
        if self.is_single:
            return 1
        return -(-self.width // self.digit) * (self.digit // self.step)

    @property
    def digit(self) -> int:
        """The number of bits of each digit into which the bins are converted after the last product: the step, but at
        least 8.
        """
        return max(8, self.step)

    @property
    def storage(self) -> MemRefType[IntegerType]:
        return MemRefType(IntegerType(self.bin), [self.count])

    def parts(self, bits: int, *, moved: bool) -> int:
        """The number of parts into which a number of `bits` bits is split before it is added.

        moved: true if the number is already shifted to its position in a bin.
        """
        left = 0 if moved or self.is_single else self.step - 1
        return 1 if self.is_single or bits + left <= UNSPLIT_BITS[self.bin] else -(-bits // self.part)

    def holds(self, bits: int, length: int = 1, *, moved: bool = False) -> bool:
        """True if a bin can represent the sum of `length` numbers of `bits` bits, or of parts of these numbers, at any
        position in the bin.

        If the layout has only one integer, its width is already proved for the whole sum. The result is then true if
        the integer can represent one number.

        moved: true if the numbers are already shifted to their positions.
        """
        if self.is_single:
            return bits < self.bin
        left = 0 if moved else self.step - 1
        largest = bits if self.parts(bits, moved=moved) == 1 else self.part
        return largest + left + length.bit_length() < self.bin

    def unit(self, lhs: Parts, rhs: Parts) -> int:
        """The difference of the exponents of adjacent places, for two factors of a product: 1, or the step of the bins.

        If both significands are shifted before the multiplication, places count steps of the bins. Otherwise places are
        exponents, and the product is shifted.
        """
        if self.is_single or self.bin == 64:
            return 1
        # The units of integers may differ from the quire's by an amount that is not a multiple of the step.
        if all(factor.is_placed and factor.unpacked is None for factor in (lhs, rhs)):
            return 1
        # Constants that were unpacked in advance determine the unit.
        if known := [factor.unpacked for factor in (lhs, rhs) if factor.unpacked is not None]:
            return known[0]
        narrow = all(factor.width_at(self.step) <= MOVED_WIDTH for factor in (lhs, rhs))
        return self.step if narrow else 1

    def sums(self, lhs: Parts, rhs: Parts, length: int = 1) -> bool:
        return self.holds(self.product_bits(lhs, rhs), length, moved=self.unit(lhs, rhs) > 1)

    def product_bits(self, lhs: Parts, rhs: Parts) -> int:
        """The width in bits of the greatest magnitude that a product of these factors can have, including the
        shifts that precede the multiplication.
        """
        unit = self.unit(lhs, rhs)
        return lhs.bits_at(unit) + rhs.bits_at(unit)

    def product_parts(self, lhs: Parts, rhs: Parts) -> int:
        return self.parts(self.product_bits(lhs, rhs), moved=self.unit(lhs, rhs) > 1)

    def leasts(self, lhs: Parts, rhs: Parts) -> tuple[int, int]:
        """The exponents at which the places of the left and of the right factor begin.

        The two exponents add up to -frac, the exponent of the quire's unit. If this unit is finer than that of the
        products, the exponent of the left factor is reduced or, if the format of the left factor determines it, that of
        the right factor.
        """
        if lhs.is_placed:
            return lhs.least, -self.frac - lhs.least
        return -self.frac - rhs.least, rhs.least


class LaidOut(ABC):
    """A type that specifies the layout of a quire."""

    @property
    @abstractmethod
    def layout(self) -> Layout: ...
