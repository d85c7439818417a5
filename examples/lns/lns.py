"""Logarithmic numbers: `!lns.l<width, top>` is zero and plus or minus 2^(top - k / 2^(width - 4)), k = 0, 1, 2, ...

Their relative precision is constant. With 8 bits it is a sixteenth of an octave, over eight octaves below 2^top. With 4
bits the numbers are powers of two.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.formats import InputError, IntegerParameters, SymmetricFormat

WIDTHS = range(4, 9)
OCTAVES = 8
TOPS = range(-20, 21)


@irdl_attr_definition
class LogarithmicType(IntegerParameters, SymmetricFormat):
    name = "lns.l"
    width: IntAttr
    top: IntAttr

    def __init__(self, width: int, top: int):
        super().__init__(IntAttr(width), IntAttr(top))

    def verify(self) -> None:
        if self.bits not in WIDTHS or self.top.data not in TOPS:
            raise VerifyException(f"{self} needs a width in [4, 8] and a top in [-20, 20]")

    @property
    def bits(self) -> int:
        return self.width.data

    @property
    def scale(self) -> int:
        return OCTAVES + self.bits - 3 - self.top.data

    @property
    def magnitudes(self) -> NDArray[np.int64]:
        below_top = np.arange((1 << (self.bits - 1)) - 2, -1, -1) / (1 << (self.bits - 4))
        return np.rint(2.0 ** (self.top.data + self.scale - below_top)).astype(np.int64)

    @classmethod
    def of_width(cls, width: int | None) -> LogarithmicType:
        if width not in (None, *WIDTHS):
            raise InputError(f"logarithmic numbers have widths from 4 to 8, got {width}")
        return LogarithmicType(width or WIDTHS[-1], 0)

    def for_range(self, low: float, high: float) -> LogarithmicType:
        magnitude = max(abs(low), abs(high), 2.0 ** TOPS[0])
        top = math.ceil(math.log2(magnitude))
        return LogarithmicType(self.bits, min(top, TOPS[-1]))

    def narrowed(self, bits: int) -> LogarithmicType:
        return LogarithmicType(max(self.bits - bits, WIDTHS[0]), self.top.data)


LNS = Universe(all_dialects={"lns": lambda: Dialect("lns", [], [LogarithmicType])})
