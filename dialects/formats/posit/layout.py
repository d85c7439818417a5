"""How a quire lies in memory: as one integer, or as bins of exponents.

The type `!posit.quire` states a layout; ops and steps of sums read it from there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntegerType, MemRefType

if TYPE_CHECKING:
    from tinyml.dialects.formats.posit.parts import Parts

SINGLE = 0
"""The step of a sum in one integer."""

SPLIT = 32
"""Bits of the lower part of a product that is added in two parts, since bins of 64 bits do not hold it."""

KEPT = 60
"""Bits of a sum that are rounded; the last one tells whether any below is set."""

ROOM = 15
"""The most bits by which a part of a product is shifted in bins of 64 bits."""


@dataclass(frozen=True)
class Layout:
    """A sum of `width` bits in units of 2^-frac, in integers of `bin` bits whose exponents are `step` apart."""

    width: int
    frac: int
    bin: int
    step: int

    @property
    def is_single(self) -> bool:
        """True for a sum in one integer."""
        return self.step == SINGLE

    @property
    def count(self) -> int:
        """The number of bins; the upper part of a product may lie `SPLIT` bits above its lower one."""
        if self.is_single:
            return 1
        return -(-self.width // self.step) + (SPLIT // self.step if self.bin == 64 else 0)

    @property
    def storage(self) -> MemRefType[IntegerType]:
        """The bins in memory."""
        return MemRefType(IntegerType(self.bin), [self.count])

    def splits(self, bits: int) -> bool:
        """True if products of so many bits are added in two parts."""
        return self.bin == 64 and not self.is_single and bits + self.step - 1 > SPLIT + ROOM

    def holds(self, bits: int, length: int = 1) -> bool:
        """True if a bin holds the sum of `length` products of so many bits, at any place in it."""
        if self.is_single:
            return bits < self.bin
        return (SPLIT if self.splits(bits) else bits) + self.step + length.bit_length() <= self.bin

    def leasts(self, lhs: Parts, rhs: Parts) -> tuple[int, int]:
        """The bases from which the exponents of both factors are counted, so that their sum is that of the product.

        If the unit of the sum is finer than that of products of these formats, the left factor, which constants are,
        makes up for it.
        """
        return -self.frac - rhs.least, rhs.least


class LaidOut(ABC):
    """A type that states a layout."""

    @property
    @abstractmethod
    def layout(self) -> Layout: ...
