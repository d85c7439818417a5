"""Numbers in two parts: a significand, which is an integer, and an exponent.

Posits of the standard come so, since as integers in units of the least one they have hundreds of bits. Other exact
numbers are significands that share one exponent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.posit.arithmetic import Posit


@dataclass(frozen=True)
class Parts:
    """The parts of a format's numbers, `significand * 2^exponent`.

    bits: of the greatest magnitude of a significand. least, greatest: the exponents. posit: that of the standard whose
    raws these are; None for integers, which have one exponent.
    """

    format: ExactNumbers
    bits: int
    least: int
    greatest: int
    posit: Posit | None = None

    def split(self, raws: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Significands, 0 for NaR; exponents, the least one for zero and NaR; and which numbers are NaR."""
        raws = np.asarray(raws)
        if self.posit is None:
            return self.format.integers(raws), np.full(raws.shape, self.least), np.zeros(raws.shape, bool)
        from tinyml.dialects.formats.posit.arithmetic import HIDDEN, unpack

        significands, exponents = unpack(raws, self.posit)
        spare = HIDDEN + 1 - self.bits
        return significands >> spare, np.where(significands == 0, self.least, exponents + spare), raws == self.posit.nar

    def least_of(self, raws: NDArray[Any]) -> int:
        """The least exponent of the nonzero numbers among raws."""
        significands, exponents, _ = self.split(raws)
        nonzero = significands != 0
        return int(exponents[nonzero].min()) if nonzero.any() else self.greatest


@singledispatch
def parts_of(format: NumberFormat) -> Parts:
    """The parts of an exact format's numbers."""
    assert isinstance(format, ExactNumbers)
    most = max(map(abs, format.integer_limits))
    return Parts(format, most.bit_length(), -format.scale, -format.scale)
