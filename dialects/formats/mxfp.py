"""Floats that share scales in groups: `!mxfp.b<e, m, shift>` and `!mxfp.b<e, m, shift, length of run, [shift, ...]>`.

These are MXFP8, MXFP6 and MXFP4 of the Open Compute Project's Microscaling Formats specification 1.0 (2023), section
5.3. A number is a float of e exponent bits and m fraction bits, times the power of two of its group. All finite numbers
of the float are included; the greatest e4m3 number is 448. Results are rounded to nearest, ties to even. All numbers
are integers in the unit 2^-shift times the least positive float.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import IntAttr, NoneAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.grouped import GroupedFormat
from tinyml.dialects.formats.grouping import Grouping
from tinyml.dialects.formats.groups import GroupsAttr
from tinyml.dialects.formats.minifloat import UNLIMITED, MinifloatType, small_floats
from tinyml.dialects.formats.specification import Listed
from tinyml.dialects.formats.tabulated import TabulatedFormat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals

MX_KINDS = {8: ((4, 3), (5, 2)), 6: ((2, 3), (3, 2)), 4: ((2, 1),)}
"""Pairs (e, m) by width; `of_width` selects the first pair."""

MX_SHIFTS = range(-100, 101)


@irdl_attr_definition
class MxFpType(GroupedFormat, TabulatedFormat):
    """`!mxfp.b<e, m, shift>`: floats with e exponent bits and m fraction bits, times 2^-shift, with or without groups.

    The elements of a group share a power of two.
    """

    name = "mxfp.b"
    WEIGHS_NUMBERS: ClassVar[bool] = True
    GOOD_FOR = "small floats that share a scale in blocks of 32 weights, as --weights mxfp:4"
    e: IntAttr
    m: IntAttr
    shift: IntAttr
    shared: GroupsAttr | NoneAttr
    SCALES: ClassVar[Sequence[int]] = MX_SHIFTS

    def __init__(self, e: int, m: int, shift: int = 0, groups: GroupsAttr | None = None):
        super().__init__(IntAttr(e), IntAttr(m), IntAttr(shift), NoneAttr() if groups is None else groups)

    def verify(self) -> None:
        known = [kind for kinds in MX_KINDS.values() for kind in kinds]
        if (self.e.data, self.m.data) not in known:
            kinds = ", ".join(f"<{e}, {m}>" for e, m in sorted(known))
            raise VerifyException(f"mxfp.b is one of {kinds}, got <{self.e.data}, {self.m.data}>")
        if self.shift.data not in MX_SHIFTS:
            raise VerifyException(f"mxfp.b shift must lie in [{MX_SHIFTS[0]}, {MX_SHIFTS[-1]}], got {self.shift.data}")

    def with_groups(self, scale: int, groups: GroupsAttr | None) -> MxFpType:
        shift = min(max(scale - self._kind.scale, MX_SHIFTS[0]), MX_SHIFTS[-1])
        return MxFpType(self.e.data, self.m.data, shift, groups)

    @property
    def specification(self) -> Listed:
        """The exact numbers of the element format and their rounding, without the scales of groups."""
        return small_floats(self.e.data, self.m.data, self.shift.data, UNLIMITED)

    @property
    def _kind(self) -> MinifloatType:
        return MinifloatType(self.e.data, self.m.data)

    @property
    def bits(self) -> int:
        return 1 + self.e.data + self.m.data

    @property
    def candidates(self) -> Sequence[MxFpType]:
        return [MxFpType.of_width(width) for width in sorted(MX_KINDS)]

    @property
    def scale(self) -> int:
        return self._kind.scale + self.shift.data

    @property
    def numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return self._kind.numbers

    @classmethod
    def of_width(cls, width: int | None) -> MxFpType:
        if (kinds := MX_KINDS.get(8 if width is None else width)) is None:
            raise InputError(f"mxfp has {', '.join(map(str, sorted(MX_KINDS)))} bits, got {width}")
        return MxFpType(*kinds[0])

    def for_range(self, low: float, high: float) -> MinifloatType:
        return self._kind.for_range(low, high)

    def grouped(self, constant: Reals, importance: Reals | None, finest: Grouping) -> MxFpType:
        """The grouped format for a constant with the least weighted squared error.

        The candidates are the divisions of this format's width into exponent bits and fraction bits.
        """
        kinds = [MxFpType(*kind).divided(constant, importance, finest) for kind in MX_KINDS[self.bits]]
        return min(kinds, key=lambda format: format.squared_error(constant, importance))

    def narrowed(self, bits: int) -> MxFpType:
        return self if self.groups is None else super().narrowed(bits)


MXFP = Dialect("mxfp", [], [MxFpType])
