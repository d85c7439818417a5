"""Codebooks: the type `!codebook.c<bits, scale, [integers]>` lists the numbers that one constant may contain (proposed
as future work in MinUn's paper).

An element is an index into the list, relative to the position of 0. Every list contains 0. A table look-up decodes an
element to an integer in units of 2^-scale.

The numbers are chosen to minimise the weighted squared error over the constant (`dialects/formats/least_squares.py`).
In a sum of products, the error of an element is multiplied by the other factor of the product. The weight of an
element's error is therefore the mean square of this factor. The pass `synthesise-format` chooses the numbers by another
method.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.least_squares import lloyd_max
from tinyml.dialects.formats.specification import Listed, nearest_of
from tinyml.dialects.formats.tabulated import TabulatedFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals

WIDTHS = range(2, 9)
USUAL_WIDTH = 4
FINER_BITS, GREATEST = 5, limits(16)[1]
"""The bits of a number beyond those of an index, so that rounding adds no noticeable error; the greatest integer."""

SCALES = range(-40, 61)


@irdl_attr_definition
class CodebookType(ParametrizedAttribute, TypeAttribute, TabulatedFormat):
    """`!codebook.c<bits, scale, [integers]>`: the numbers `integer * 2^-scale`. The integers are ascending, and one of
    them is 0.

    At most 2^(bits - 1) integers are negative, and fewer than 2^(bits - 1) are positive.
    """

    name = "codebook.c"
    WEIGHS_NUMBERS: ClassVar[bool] = True
    FOR_WEIGHTS: ClassVar[bool] = True
    GOOD_FOR = "a list of numbers for each constant: least flash, as --weights codebook:4"
    width: IntAttr
    exponent: IntAttr
    entries: ArrayAttr[IntAttr]
    CONSTANTS_FROM: ClassVar[int | None] = 64

    def __init__(self, width: int, scale: int, entries: Sequence[int]):
        super().__init__(IntAttr(width), IntAttr(scale), ArrayAttr(map(IntAttr, entries)))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def integer() -> int:
            return parser.parse_integer(allow_boolean=False)

        with parser.in_angle_brackets():
            width = integer()
            parser.parse_punctuation(",")
            scale = integer()
            parser.parse_punctuation(",")
            entries = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, integer)
        return [IntAttr(width), IntAttr(scale), ArrayAttr(map(IntAttr, entries))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.bits}, {self.scale}, {[entry.data for entry in self.entries]}")

    def verify(self) -> None:
        if self.bits not in WIDTHS or self.scale not in SCALES:
            raise VerifyException(
                f"codebook.c has from {WIDTHS[0]} to {WIDTHS[-1]} bits and a scale in [{SCALES[0]}, {SCALES[-1]}], "
                f"got {self.bits} and {self.scale}"
            )
        entries = [entry.data for entry in self.entries]
        if 0 not in entries or any(a >= b for a, b in pairwise(entries)):
            raise VerifyException("codebook.c lists integers in order, including 0")
        below, (low, high) = entries.index(0), limits(self.bits)
        if below > -low or len(entries) - 1 - below > high:
            raise VerifyException(f"codebook.c of {self.bits} bits has at most {-low} integers below 0, {high} above")
        if max(map(abs, entries)) > GREATEST or len(entries) < 2:
            raise VerifyException("codebook.c lists integers of 16 bits, one of them not 0")

    @property
    def type(self) -> Attribute:
        return self

    @property
    def bits(self) -> int:
        return self.width.data

    @property
    def candidates(self) -> Sequence[CodebookType]:
        return [CodebookType.of_width(width) for width in WIDTHS]

    @property
    def scale(self) -> int:
        return self.exponent.data

    @property
    def numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _numbers(tuple(entry.data for entry in self.entries))

    @property
    def shared_bits(self) -> int:
        """The size in bits of the list of numbers, which is stored once for all elements. Kernels read the list as
        16-bit integers.
        """
        return 16 * len(self.entries)

    @property
    def specification(self) -> Listed:
        integers = [entry.data for entry in self.entries]
        zero = integers.index(0)
        return nearest_of(self.scale, {place - zero: integer for place, integer in enumerate(integers)})

    @classmethod
    def of_width(cls, width: int | None) -> CodebookType:
        width = USUAL_WIDTH if width is None else width
        if width not in WIDTHS:
            raise InputError(f"codebooks have from {WIDTHS[0]} to {WIDTHS[-1]} bits, got {width}")
        most = limits(width)[1]
        return CodebookType(width, width - 1, range(-most, most + 1))

    @classmethod
    def of_integers(cls, width: int, scale: int, integers: Sequence[int]) -> CodebookType:
        if scale not in SCALES:
            return _rounded(width, np.ldexp(np.array(integers, np.float64), -scale))
        return CodebookType(width, scale, integers)

    def for_range(self, low: float, high: float) -> CodebookType:
        """A codebook of this width whose numbers are evenly spaced between -m and m.

        m is the greater of |low| and |high|, but at least 2^s for the least scale s of a codebook.
        """
        most = limits(self.bits)[1]
        reach = max(abs(low), abs(high), math.ldexp(1.0, SCALES[0]))
        return _rounded(self.bits, np.linspace(-reach, reach, 2 * most + 1))

    def fitted_to(self, constant: Reals, importance: Reals | None, *, rows: bool) -> CodebookType:
        if not constant.any():
            return self
        weights = np.ones(constant.shape) if importance is None else np.broadcast_to(importance, constant.shape)
        # Numbers that are never multiplied keep a small weight.
        weights = weights.ravel() + 1.0e-6 * float(weights.max(initial=0)) + 1.0e-30
        return _rounded(self.bits, lloyd_max(constant.ravel(), weights, self.bits))

    def narrowed(self, bits: int) -> CodebookType:
        _, integers = self.numbers
        scale = max(self.scale - bits, SCALES[0])
        fewer = np.unique(np.rint(np.ldexp(integers.astype(np.float64), scale - self.scale)).astype(int))
        return CodebookType(self.bits, scale, fewer.tolist()) if len(fewer) > 1 else self


def _rounded(bits: int, numbers: Reals) -> CodebookType:
    """A codebook of these numbers, rounded to integers whose magnitudes have at most `bits` + `FINER_BITS` bits, but no
    more than 15. The entry 0 is added if it is absent. If all integers are 0, the entry 1 is also added.
    """
    greatest = float(np.abs(numbers).max())
    scale = min(bits + FINER_BITS, 15) - math.frexp(greatest)[1]
    scale = min(max(scale, SCALES[0]), SCALES[-1])
    integers = np.clip(np.rint(np.ldexp(numbers, scale)), -GREATEST, GREATEST).astype(int)
    entries = np.unique(np.append(integers, 0))
    if len(entries) == 1:
        entries = np.array([0, 1])
    return CodebookType(bits, scale, entries.tolist())


@lru_cache
def _numbers(entries: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    zero = entries.index(0)
    return np.arange(-zero, len(entries) - zero), np.array(entries, np.int64)


CODEBOOK = Dialect("codebook", [], [CodebookType])
