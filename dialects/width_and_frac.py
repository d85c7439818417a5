"""The two parameters of fixed point: how many bits a raw has, and how many of them are behind the point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.integer_parameters import IntegerParameters

WIDTHS = range(2, 33)
FRACS = range(-31, 63)
"""Scales beyond these are of no use to a raw value of at most 32 bits."""


class WidthAndFrac(IntegerParameters):
    """A type `<width, frac>`, for raws that stand for `raw * 2^-frac`."""

    # Annotated here for the type checker; the final classes repeat both, or they would not take part in equality.
    width: IntAttr
    frac: IntAttr
    WIDTHS: ClassVar[Sequence[int]]
    WIDTHS_IN_WORDS: ClassVar[str]
    FRACS: ClassVar[Sequence[int]]

    def verify(self) -> None:
        if self.width.data not in self.WIDTHS:
            raise VerifyException(f"{self.name} width must be {self.WIDTHS_IN_WORDS}, got {self.width.data}")
        if self.frac.data not in self.FRACS:
            low, high = self.FRACS[0], self.FRACS[-1]
            raise VerifyException(f"{self.name} frac must lie in [{low}, {high}], got {self.frac.data}")
