"""The common part of fixed point that is signed and symmetric, signed with every raw, or unsigned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from xdsl.dialects.builtin import IntAttr

from tinyml.dialects.formats.coding import INTEGER_CODING, Coding
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.formats.scaled_integer import ScaledInteger
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws, Reals


class ExactInteger(ScaledInteger, ExactFormat):
    """Numbers `raw * 2^-frac` whose raws are the integers of the family 'exact' themselves."""

    @property
    def raw_limits(self) -> tuple[int, int]:
        return self.limits

    @property
    def integer_limits(self) -> tuple[int, int]:
        return self.limits

    @property
    def scale(self) -> int:
        return self.frac.data

    def narrowed(self, bits: int) -> Self:
        bits = min(bits, self.width.data - self.WIDTHS[0])
        return self.new([IntAttr(self.width.data - bits), IntAttr(max(self.frac.data - bits, FRACS[0]))])

    def integers(self, raws: Raws) -> NDArray[np.int64]:
        return raws.astype(np.int64)

    @property
    def coding(self) -> Coding | None:
        return INTEGER_CODING

    def encode(self, reals: Reals) -> Raws:
        scaled = self.rounded(np.ldexp(np.asarray(reals, np.float64), self.frac.data))
        return np.clip(scaled, *self.limits).astype(self.dtype)

    def encode_away(self, reals: Reals) -> Raws:
        nearest = self.encode(reals)
        away = nearest + np.sign(np.asarray(reals, np.float64) - self.decode(nearest))
        return np.clip(away, *self.limits).astype(self.dtype)
