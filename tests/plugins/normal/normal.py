"""Numbers of 4 bits in groups: `!normal.t<scale>` and `!normal.t<scale, length of run, [shift, ...]>`.

The numbers are zero and seven magnitudes of either sign, spaced like quantiles of a normal distribution, which weights
often have. Other small formats differ only in the list of `magnitudes`. The 16 elements of a group share a power of
two.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntAttr, NoneAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.formats import GroupedFormat, GroupsAttr, InputError, SymmetricFormat

BITS, LENGTH = 4, 16
SCALES = range(-20, 61)
MAGNITUDES = 10, 21, 32, 45, 60, 80, 120


@irdl_attr_definition
class NormalType(GroupedFormat, SymmetricFormat):
    name = "normal.t"
    GOOD_FOR: ClassVar[str] = "weights of 4 bits with a scale for each 16, as --weights normal:4"
    SCALES = SCALES
    exponent: IntAttr
    shared: GroupsAttr | NoneAttr

    def __init__(self, scale: int, groups: GroupsAttr | None = None):
        super().__init__(IntAttr(scale), NoneAttr() if groups is None else groups)

    def verify(self) -> None:
        if self.scale not in SCALES:
            raise VerifyException(f"normal.t has a scale in [-20, 60], got {self.scale}")

    @property
    def bits(self) -> int:
        return BITS

    @property
    def scale(self) -> int:
        """The scale s. In a group with a shift of 0, every number is an integer times 2^-s."""
        return self.exponent.data

    @property
    def magnitudes(self) -> NDArray[np.int64]:
        """The integers that the raws 1, 2, 3 and so on represent. A negative raw represents the negative integer."""
        return np.array(MAGNITUDES)

    def with_groups(self, scale: int, groups: GroupsAttr | None) -> NormalType:
        return NormalType(min(max(scale, SCALES[0]), SCALES[-1]), groups)

    def group_length(self, run: int) -> int:
        return min(LENGTH, run)

    @classmethod
    def of_width(cls, width: int | None) -> NormalType:
        """The format for `--format normal`. A width of None stands for 4 bits, the only width."""
        if width not in (None, BITS):
            raise InputError(f"normal has {BITS} bits, got {width}")
        return NormalType(0)

    def for_range(self, low: float, high: float) -> NormalType:
        """The format without groups whose scale suits values between `low` and `high`."""
        magnitude = max(abs(low), abs(high), 2.0 ** -SCALES[-1])
        return self.with_groups(math.floor(math.log2(MAGNITUDES[-1] / magnitude)), None)


UNIVERSE = Universe(all_dialects={"normal": lambda: Dialect("normal", [], [NormalType])})
