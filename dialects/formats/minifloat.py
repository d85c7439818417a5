"""Floats of few bits: `!minifloat.f<e, m>` has a sign, e exponent bits and m fraction bits.

The 8-bit kinds are e4m3, e5m2 and e3m4. e4m3 and e5m2 are the fp8 formats of the Open Compute Project (OFP8, 2023). In
e3m4 and e5m2, the greatest exponent is reserved for infinities and NaNs, as in IEEE 754. The 6-bit and 4-bit kinds are
the element formats of the Open Compute Project's MX formats.

The raw of a negative number is the negated raw of its magnitude. Raws are therefore in the order of their numbers, and
zero has a single raw. Results saturate and are never infinite.

Devices store numbers as `!minifloat.f<e, m, shift>`: each number is multiplied by 2^-shift. The smallest magnitudes are
excluded, so that all numbers are integers of at most 15 bits and a sign in one unit. A real below the least remaining
magnitude is rounded to this magnitude or to zero. Devices multiply the integers and sum the products exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import IntAttr, NoneAttr
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.specification import Listed, nearest_of
from tinyml.dialects.formats.tabulated import TabulatedFormat
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals

KINDS = {8: ((3, 4), (4, 3), (5, 2)), 6: ((2, 3), (3, 2)), 4: ((2, 1),)}
"""Pairs (e, m) by width, those with the most fraction bits first; `of_width` selects the first pair."""

RESERVED_PATTERNS = {(3, 4): 1 << 4, (4, 3): 1, (5, 2): 1 << 2}
"""The number of greatest bit patterns that are not numbers: e3m4 and e5m2 have IEEE's infinities and NaNs, e4m3 a
NaN.
"""

KNOWN_KINDS = {kind for kinds in KINDS.values() for kind in kinds}
INTEGER_BITS, UNLIMITED = 15, 64
SHIFTS = range(-40, 61)


@irdl_attr_definition
class MinifloatType(ParametrizedAttribute, TypeAttribute, TabulatedFormat):
    """`!minifloat.f<e, m>`: floats with a sign, e exponent bits and m fraction bits.

    `!minifloat.f<e, m, shift>`: the same floats times 2^-shift, as devices store them.
    """

    name = "minifloat.f"
    WEIGHS_NUMBERS: ClassVar[bool] = True
    GOOD_FOR = "floats of 4 to 8 bits: wide ranges in few bits, slower than integers"
    e: IntAttr
    m: IntAttr
    shift: IntAttr | NoneAttr

    def __init__(self, e: int, m: int, shift: int | None = None):
        super().__init__(IntAttr(e), IntAttr(m), NoneAttr() if shift is None else IntAttr(shift))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            e = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_punctuation(",")
            m = parser.parse_integer(allow_boolean=False, allow_negative=False)
            shifted = parser.parse_optional_punctuation(",") is not None
            shift = IntAttr(parser.parse_integer(allow_boolean=False)) if shifted else NoneAttr()
        return [IntAttr(e), IntAttr(m), shift]

    def print_parameters(self, printer: Printer) -> None:
        shift = f", {self.shift.data}" if isinstance(self.shift, IntAttr) else ""
        with printer.in_angle_brackets():
            printer.print_string(f"{self.e.data}, {self.m.data}{shift}")

    def verify(self) -> None:
        if (self.e.data, self.m.data) not in KNOWN_KINDS:
            known = ", ".join(f"<{e}, {m}>" for e, m in sorted(KNOWN_KINDS))
            raise VerifyException(f"minifloat.f is one of {known}, got <{self.e.data}, {self.m.data}>")
        if isinstance(self.shift, IntAttr) and self.shift.data not in SHIFTS:
            raise VerifyException(f"minifloat.f shift must lie in [{SHIFTS[0]}, {SHIFTS[-1]}], got {self.shift.data}")

    @property
    def type(self) -> Attribute:
        return self

    @property
    def bits(self) -> int:
        return 1 + self.e.data + self.m.data

    @property
    def candidates(self) -> Sequence[MinifloatType]:
        return [MinifloatType(*KINDS[width][0]) for width in sorted(KINDS)]

    @property
    def scale(self) -> int:
        shift = self.shift.data if isinstance(self.shift, IntAttr) else 0
        return _unit(self.e.data, self.m.data, self._integer_bits) + shift

    @property
    def numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _numbers(self.e.data, self.m.data, self._integer_bits)

    @property
    def _integer_bits(self) -> int:
        return INTEGER_BITS if isinstance(self.shift, IntAttr) else UNLIMITED

    @property
    def specification(self) -> Listed:
        shift = self.shift.data if isinstance(self.shift, IntAttr) else 0
        return small_floats(self.e.data, self.m.data, shift, self._integer_bits)

    @classmethod
    def of_width(cls, width: int | None) -> MinifloatType:
        if (kinds := KINDS.get(8 if width is None else width)) is None:
            raise InputError(f"small floats have {', '.join(map(str, sorted(KINDS)))} bits, got {width}")
        return MinifloatType(*kinds[0])

    def for_range(self, low: float, high: float) -> MinifloatType:
        """The format of the same kind with the greatest supported shift at which the greatest number is at least the
        greatest magnitude of [low, high], or with the least supported shift if there is none. The shift is 0 if low
        and high are 0.
        """
        magnitude = max(abs(low), abs(high))
        greatest = _magnitude(_greatest(self.e.data, self.m.data), self.e.data, self.m.data)
        shift = math.floor(math.log2(greatest) - math.log2(magnitude)) if magnitude else 0
        return MinifloatType(self.e.data, self.m.data, min(max(shift, SHIFTS[0]), SHIFTS[-1]))

    def fitted_to(self, constant: Reals, importance: Reals | None, *, rows: bool) -> MinifloatType:
        """The format with the least weighted squared error over `constant`. The candidates are this format and, for
        each supported division of its width into exponent and fraction bits, the format that `for_range` returns for
        the constant.
        """
        reach = float(np.abs(constant).max(initial=0))
        kinds = [MinifloatType(*kind).for_range(-reach, reach) for kind in KINDS[self.bits]]
        return min((self, *kinds), key=lambda format: format.squared_error(constant, importance))

    def narrowed(self, bits: int) -> MinifloatType:
        return self


def _greatest(e: int, m: int) -> int:
    """The bit pattern of the greatest finite magnitude of a float with e exponent and m fraction bits."""
    return (1 << (e + m)) - 1 - RESERVED_PATTERNS.get((e, m), 0)


def _magnitude(bits: int, e: int, m: int) -> float:
    exponent, fraction = bits >> m, bits & ((1 << m) - 1)
    least = 2 - (1 << (e - 1))
    significand = fraction if exponent == 0 else fraction + (1 << m)
    return math.ldexp(significand, least + max(exponent - 1, 0) - m)


def _unit(e: int, m: int, integer_bits: int) -> int:
    """The exponent u for which all numbers of the format are integers in units of 2^-u.

    The unit is the least positive number of the float. If integers in this unit exceed `integer_bits` bits, the unit is
    the least power of two for which they do not.
    """
    reach = math.frexp(_magnitude(_greatest(e, m), e, m))[1]
    return min((1 << (e - 1)) - 2 + m, integer_bits - reach)


@lru_cache
def _numbers(e: int, m: int, integer_bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    unit, greatest = _unit(e, m, integer_bits), _greatest(e, m)
    integers = np.array([math.ldexp(_magnitude(bits, e, m), unit) for bits in range(greatest + 1)])
    last_broken = int(np.flatnonzero(integers != np.floor(integers)).max(initial=0))
    raws = np.arange(last_broken + 1, greatest + 1)
    positive = integers[raws].astype(np.int64)
    return np.concatenate([-raws[::-1], [0], raws]), np.concatenate([-positive[::-1], [0], positive])


@lru_cache
def small_floats(e: int, m: int, shift: int, most_bits: int) -> Listed:
    """The specification of the floats with e exponent bits and m fraction bits (OFP8; OCP MX 1.0, section 5.3), times
    2^-shift.

    The smallest magnitudes are excluded until all remaining numbers are integers of at most `most_bits` bits in one
    unit.
    """
    bias = 2 ** (e - 1) - 1
    subnormal = [Fraction(fraction, 2**m) * Fraction(2) ** (1 - bias) for fraction in range(2**m)]
    normal = [
        (1 + Fraction(fraction, 2**m)) * Fraction(2) ** (exponent - bias)
        for exponent in range(1, 2**e)
        for fraction in range(2**m)
    ]
    magnitudes = [*subnormal, *normal]
    # e4m3 has a NaN; e5m2 and e3m4 reserve the greatest exponent for infinity and NaNs, as IEEE 754 does.
    del magnitudes[len(magnitudes) - {(4, 3): 1, (5, 2): 4, (3, 4): 16}.get((e, m), 0) :]
    scale = bias - 1 + m
    while magnitudes[-1] * Fraction(2) ** scale >= 2**most_bits:
        scale -= 1
    scaled = [magnitude * Fraction(2) ** scale for magnitude in magnitudes]
    least = max((raw + 1 for raw, number in enumerate(scaled) if number.denominator > 1), default=1)
    positive = {raw: int(number) for raw, number in enumerate(scaled) if raw >= least}
    return nearest_of(scale + shift, {-raw: -number for raw, number in positive.items()} | {0: 0} | positive)


MINIFLOAT = Dialect("minifloat", [], [MinifloatType])
