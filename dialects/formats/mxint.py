"""Integers that share scales in groups: `!mxint.b<width, frac, length of run, [shift, ...]>`, or `<width, frac>`
without groups.

The number of a raw is raw * 2^(shift - frac), with the shift of the raw's group. In groups of 32, 8-bit integers are
MXINT8 of the Open Compute Project's Microscaling Formats specification 1.0 (2023), section 5.3.4. Groups of integers of
other widths than 8 bits are block floating point (Wilkinson, "Rounding Errors in Algebraic Processes", 1963).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, NoneAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.type import FixedType, RoundedInteger
from tinyml.dialects.formats.grouped import GroupedFormat
from tinyml.dialects.formats.groups import GroupsAttr
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.formats.specification import Multiples

MX_WIDTHS = range(2, 17)
USUAL_WIDTH = 8


@irdl_attr_definition
class MxIntType(GroupedFormat, RoundedInteger):
    """`!mxint.b<width, frac>`: integers of 2 to 16 bits, times 2^-frac, with or without groups.

    The elements of a group share a power of two.
    """

    name = "mxint.b"
    WEIGHS_NUMBERS: ClassVar[bool] = True
    FOR_WEIGHTS: ClassVar[bool] = True
    GOOD_FOR = "integers that share a scale in blocks of 32 weights: 4 bits as accurate as 6, as --weights mxint:4"
    width: IntAttr
    frac: IntAttr
    shared: GroupsAttr | NoneAttr
    WIDTHS: ClassVar[Sequence[int]] = MX_WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = f"from {MX_WIDTHS[0]} to {MX_WIDTHS[-1]}"

    def __init__(self, width: int, frac: int, groups: GroupsAttr | None = None):
        super().__init__(IntAttr(width), IntAttr(frac), NoneAttr() if groups is None else groups)

    def with_groups(self, scale: int, groups: GroupsAttr | None) -> MxIntType:
        return MxIntType(self.width.data, min(max(scale, FRACS[0]), FRACS[-1]), groups)

    @property
    def element(self) -> FixedType:
        return FixedType(self.width.data, self.frac.data)

    @property
    def specification(self) -> Multiples:
        """The exact numbers of the element format and their rounding, without the scales of groups."""
        most = 2 ** (self.width.data - 1) - 1
        return Multiples(self.frac.data, -most, most)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest raw. Their magnitudes are equal, as the specification advises."""
        greatest = (1 << (self.width.data - 1)) - 1
        return -greatest, greatest

    @property
    def candidates(self) -> Sequence[MxIntType]:
        return [MxIntType.of_width(width) for width in (4, 8)]

    @classmethod
    def of_width(cls, width: int | None) -> MxIntType:
        width = USUAL_WIDTH if width is None else width
        if width not in MX_WIDTHS:
            raise InputError(f"mxint has widths {cls.WIDTHS_IN_WORDS}, got {width}")
        return MxIntType(width, width - 2)

    def narrowed(self, bits: int) -> MxIntType:
        if self.groups is not None:
            return super().narrowed(bits)
        bits = min(bits, self.width.data - MX_WIDTHS[0])
        return MxIntType(self.width.data - bits, max(self.frac.data - bits, FRACS[0]))

    def for_range(self, low: float, high: float) -> FixedType:
        return FixedType.of_width(self.width.data).for_range(low, high)


MXINT = Dialect("mxint", [], [MxIntType])
