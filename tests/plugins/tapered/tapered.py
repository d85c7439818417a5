"""Tapered numbers `!tapered.t<width, top>`, with magnitudes up to about 2^top.

The spacing of the numbers grows with their magnitude. Near zero it is that of fixed point; at larger magnitudes it is 4
and then 16 times as wide. Ten operations convert a raw to its integer: for each of the two changes of spacing (bends),
a minimum, a maximum, a difference, a product and a sum.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntAttr, IntegerType
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.formats import ExactFormat, InputError, Int, IntegerParameters, Machine

V = TypeVar("V")
WIDTHS = range(9, 13)
TOPS = range(-20, 21)


@irdl_attr_definition
class TaperedType(IntegerParameters, ExactFormat):
    name = "tapered.t"
    width: IntAttr
    top: IntAttr

    def __init__(self, width: int, top: int):
        super().__init__(IntAttr(width), IntAttr(top))

    def verify(self) -> None:
        if self.bits not in WIDTHS or self.top.data not in TOPS:
            raise VerifyException(f"{self} needs a width in [9, 12] and a top in [-20, 20]")

    @property
    def storage(self) -> Attribute:
        return IntegerType(16)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int16)

    @property
    def bits(self) -> int:
        return self.width.data

    @property
    def scale(self) -> int:
        return self.bits + 1 - self.top.data

    @property
    def raw_limits(self) -> tuple[int, int]:
        return 1 - (1 << self.bits - 1), (1 << self.bits - 1) - 1

    @property
    def bends(self) -> tuple[int, int]:
        """The raws beyond which adjacent numbers are 4 units and 16 units apart."""
        return 1 << self.bits - 2, 3 << self.bits - 3

    def load(self, m: Machine[V], value: V) -> Int[V]:
        raws = x = self.stored(m, value)
        for bend, factor in zip(self.bends, (3, 12), strict=True):
            before = m.clamp(raws, -bend, bend)
            beyond = m.subi(raws.value, m.held(before, raws.width))
            rest = Int(beyond, raws.width, raws.low - before.low, raws.high - before.high)
            x = m.add(x, m.mul(rest, m.const(factor)))
        return x

    def decode(self, raws: NDArray[Any]) -> NDArray[np.float64]:
        raws = np.asarray(raws, np.int64)
        beyond = [raws - np.clip(raws, -bend, bend) for bend in self.bends]
        return np.ldexp((raws + 3 * beyond[0] + 12 * beyond[1]).astype(np.float64), -self.scale)

    @property
    def _ends(self) -> tuple[int, int, int]:
        """The integers of both bends and of the greatest raw, in half units."""
        first, second = self.bends
        return 2 * first, 2 * (first + 4 * (second - first)), 2 * self.integer_limits[1]

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        right = scale - self.scale - 1
        halves = m.shift_right(x, right) if right > 0 else m.rescale(x, right)
        raw, before = m.const(0), m.const(0)
        for end, places in zip(self._ends, (1, 3, 5), strict=True):
            upto = m.clamp(halves, -end, end)
            raw, before = m.add(raw, m.rescale(m.sub(upto, before), places)), upto
        narrow = m.clamp(raw, *self.raw_limits)
        return m.settle(narrow, 16)

    def encode(self, reals: NDArray[Any]) -> NDArray[Any]:
        halves = np.floor(np.ldexp(np.clip(np.nan_to_num(np.asarray(reals, np.float64)), -1e30, 1e30), self.scale + 1))
        raws, before = np.zeros(halves.shape), np.zeros(halves.shape)
        for end, places in zip(self._ends, (1, 3, 5), strict=True):
            upto = np.clip(halves, -end, end)
            raws, before = raws + np.floor((upto - before + 2 ** (places - 1)) / 2**places), upto
        return raws.astype(self.dtype)

    @classmethod
    def of_width(cls, width: int | None) -> TaperedType:
        if width not in (None, *WIDTHS):
            raise InputError(f"tapered numbers have widths from 9 to 12, got {width}")
        return TaperedType(width or WIDTHS[-1], 0)

    def for_range(self, low: float, high: float) -> TaperedType:
        top = math.frexp(max(abs(low), abs(high), 2.0 ** TOPS[0]))[1]
        return TaperedType(self.bits, min(top, TOPS[-1]))

    def narrowed(self, bits: int) -> TaperedType:
        return TaperedType(max(self.bits - bits, WIDTHS[0]), self.top.data)


TAPERED = Universe(all_dialects={"tapered": lambda: Dialect("tapered", [], [TaperedType])})
