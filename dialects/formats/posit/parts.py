"""Numbers in two parts: an integer significand and an exponent.

Standard posits are added to a quire in this form, because as integers in units of the least posit they would have
hundreds of bits. Numbers of other exact formats have this form with one exponent for all significands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.posit.arithmetic import HIDDEN_BIT, unpack
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import width_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.posit.arithmetic import Posit

REGISTERS = (8, 16, 32, 64)

TABLE_BITS = 8
"""The maximum width of posits whose significands and exponents are looked up in a table."""

WIDTHS = (*range(2, 17), 32)
EXPONENTS = range(4)
"""The values of es of the supported posits."""


def verify_standard(n: int, es: int) -> None:
    """Raise `VerifyException` unless posits of n bits with es exponent bits are supported."""
    if n not in WIDTHS or es not in EXPONENTS:
        raise VerifyException(f"posit.p has n from 2 to 16 or 32 and es from 0 to 3, got {n} and {es}")


@dataclass(frozen=True)
class Parts:
    """The significands and exponents of a format's numbers, `significand * 2^exponent`.

    * format: the number format.
    * bits: the width in bits of the greatest magnitude that a significand has.
    * least, greatest: the range of the exponents.
    * posit: the standard posit format of the raws; None for integers, which have one exponent, and for posits stored in
      parts.
    * unpacked: for posits stored in parts, the step by which stored exponents are counted; otherwise None. Exponents
      are multiples of this step, and significands are shifted left accordingly.
    """

    format: ExactNumbers
    bits: int
    least: int
    greatest: int
    posit: Posit | None = None
    unpacked: int | None = None

    @property
    def is_placed(self) -> bool:
        """True if the format fixes the exponent `least` from which places are counted, as for integers and posits
        stored in parts.
        """
        return self.posit is None

    def bits_at(self, step: int) -> int:
        """The number of bits of the greatest significand after all exponents are reduced to multiples of `step`.

        To reduce an exponent, the significand is shifted left.
        """
        return self.bits if self.is_placed else self.bits + step - 1

    def width_at(self, step: int) -> int:
        """The width in bits of the narrowest register for significands whose exponents are reduced to multiples of
        `step`.
        """
        if self.is_placed and self.unpacked is None:
            return width_for(*self.format.integer_limits, REGISTERS)
        return next(width for width in REGISTERS if self.bits_at(step) < width)

    def split(self, raws: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The significands and the exponents of raws, and an array that is true where a raw is NaR.

        NaR has significand 0. Zero and NaR have the least exponent. Posits stored in parts include no NaR.
        """
        raws = np.asarray(raws)
        if self.unpacked is not None:
            half = self.format.stored_width // 2
            places = raws.astype(np.int64) & ((1 << half) - 1)
            return raws.astype(np.int64) >> half, self.least + self.unpacked * places, np.zeros(raws.shape, bool)
        if self.posit is None:
            return self.format.integers(raws), np.full(raws.shape, self.least), np.zeros(raws.shape, bool)
        significands, exponents = unpack(raws, self.posit)
        spare = HIDDEN_BIT + 1 - self.bits
        return significands >> spare, np.where(significands == 0, self.least, exponents + spare), raws == self.posit.nar

    def greatest_place(self, step: int, least: int) -> int:
        return (self.greatest - least) // step

    def half_at(self, step: int, least: int) -> int:
        """The number of bits of each half of a register that contains a significand above a place.

        It is the width of the narrowest register for significands. It is 16 instead of 8 if a place exceeds 7 bits, or
        if the numbers are standard posits of more than 8 bits.
        """
        width = self.width_at(step)
        by_table = self.posit is None or self.posit.n <= TABLE_BITS
        return width if width > 8 or (by_table and self.greatest_place(step, least) < 1 << 7) else 16

    def packed(self, raws: NDArray[Any], half: int, step: int, least: int) -> NDArray[np.signedinteger[Any]]:
        """For each raw, an integer with the significand in its upper `half` bits and the place in its lower `half`
        bits.

        Exponents are counted from `least` in steps, and significands are shifted left by the remainder. The result is
        unspecified for numbers with exponents below `least`. The place of NaR is the least integer of 8 or of 16 bits.
        """
        significands, exponents, undefined = self.split(raws)
        counted = np.where(significands == 0, 0, np.maximum(exponents - least, 0))
        places = np.where(undefined, 1 << min(half, 16) - 1, counted // step)
        return ((significands << counted % step) << half | places).astype(f"i{half // 4}")

    def least_of(self, raws: NDArray[Any]) -> int:
        """The least exponent of the nonzero numbers among the raws; `greatest` if all are zero."""
        significands, exponents, _ = self.split(raws)
        nonzero = significands != 0
        return int(exponents[nonzero].min()) if nonzero.any() else self.greatest


def parts_of_posit(format: ExactNumbers, posit: Posit) -> Parts:
    """The parts of standard posits. All significands have as many bits as those of posits near 1, which have the
    longest fractions.
    """
    fraction = max(posit.n - 3 - posit.es, 0)
    return Parts(format, fraction + 1, -posit.reach - fraction, posit.reach - fraction, posit)


@singledispatch
def parts_of(format: NumberFormat) -> Parts:
    """The significands and exponents of the numbers of an exact format."""
    assert isinstance(format, ExactNumbers)
    most = max(map(abs, format.integer_limits))
    return Parts(format, most.bit_length(), -format.scale, -format.scale)
