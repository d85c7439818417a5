"""Weights of 1 to 4 bits without a zero: `!midrise.q<bits, frac>` has the odd integers from 1 - 2^bits to 2^bits - 1.

An odd integer represents integer * 2^-frac. The integers are the levels of a mid-rise quantiser (Gersho and Gray,
"Vector Quantization and Signal Compression", 1992, 5.4). With one bit, they are -1 and 1 (Courbariaux, Bengio and
David, "BinaryConnect", 2015); with two bits, they are -3, -1, 1 and 3. The opposite of each level is also a level, so
that all 2^bits codes are used. Each integer is a sum of signed powers of two, so products with it are computed by
additions and subtractions. A raw is the odd integer itself, in one byte; the pass `pack-constants` reduces each raw to
`bits` bits. Ternary weights (-1, 0 and 1) have the format `!fixed.q<2, frac>`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.format import STICKY_BITS
from tinyml.dialects.formats.fixed.type import ExactInteger
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.formats.scaled_integer import ScaledInteger
from tinyml.dialects.formats.specification import OddMultiples
from tinyml.dialects.layouts.digits import ODD_WIDTHS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat, Raws, Reals

V = TypeVar("V")

MIDRISE_WIDTHS = ODD_WIDTHS
USUAL_WIDTH = 2

CANDIDATE_SCALES = 4
"""Candidate scales of a constant, from the one at which none of its numbers saturates; each is half of the previous
one.
"""


@irdl_attr_definition
class MidriseType(ExactInteger):
    """`!midrise.q<bits, frac>`: the odd integers from 1 - 2^bits to 2^bits - 1, times 2^-frac, for 1 to 4 bits.

    Results are rounded to the nearest odd integer and saturate. Even integers are rounded upwards.
    """

    name = "midrise.q"
    WEIGHS_NUMBERS: ClassVar[bool] = True
    GOOD_FOR = "weights trained for 1, 2 or 4 bits: least flash, and sums without products, as --weights midrise:2"
    CONSTANTS_FROM: ClassVar[int | None] = 64
    width: IntAttr
    frac: IntAttr
    WIDTHS: ClassVar[Sequence[int]] = MIDRISE_WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = f"from {MIDRISE_WIDTHS[0]} to {MIDRISE_WIDTHS[-1]}"

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @property
    def specification(self) -> OddMultiples:
        return OddMultiples(self.frac.data, *self.limits)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest raw."""
        greatest = (1 << self.width.data) - 1
        return -greatest, greatest

    @property
    def stored_width(self) -> int:
        return 8

    @property
    def candidates(self) -> Sequence[MidriseType]:
        return [MidriseType.of_width(width) for width in (1, 2, 4)]

    @classmethod
    def of_width(cls, width: int | None) -> MidriseType:
        width = USUAL_WIDTH if width is None else width
        if width not in MIDRISE_WIDTHS:
            raise InputError(f"mid-rise weights have widths {cls.WIDTHS_IN_WORDS}, got {width}")
        return MidriseType(width, width)

    def for_range(self, low: float, high: float) -> MidriseType:
        """The format with the finest scale at which the magnitude of no number from low to high exceeds the greatest
        level by more than half the distance between levels. If there is no such scale, it is the format with the
        coarsest scale.
        """
        greatest = max(abs(low), abs(high))
        fitting = (frac for frac in reversed(FRACS) if greatest <= np.ldexp(1.0, self.width.data - frac))
        return MidriseType(self.width.data, next(fitting, FRACS[0]))

    def fitted_to(self, constant: Reals, importance: Reals | None, *, rows: bool) -> MidriseType:
        """The format of this width with the least weighted squared error over the constant, among the scale of this
        format and the next `CANDIDATE_SCALES` - 1 finer scales.

        importance: the weights of the squared errors; None for equal weights.
        rows: ignored, because rows cannot have separate scales.
        """
        fracs = range(self.frac.data, min(self.frac.data + CANDIDATE_SCALES, FRACS[-1] + 1))
        return min(
            (MidriseType(self.width.data, frac) for frac in fracs),
            key=lambda format: format.squared_error(constant, importance),
        )

    def rounded(self, reals: Reals) -> NDArray[np.float64]:
        return 2 * np.floor(np.asarray(reals, np.float64) / 2) + 1

    def encode_away(self, reals: Reals) -> Raws:
        nearest = self.encode(reals)
        away = nearest + 2 * np.sign(np.asarray(reals, np.float64) - self.decode(nearest))
        return np.clip(away, *self.limits).astype(self.dtype)

    def rescaled(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return self._odd(m, self._half(m, x, right))

    def fitted(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        most = 1 << self.width.data - 1
        return self._odd(m, m.clamp(self._half(m, x, right), -most, most - 1))

    def product(self, m: Machine[V], a: Int[V], b: Int[V], right: int) -> Int[V]:
        return self.fitted(m, m.mul(a, b), right)

    def scaled(self, m: Machine[V], value: V, value_format: NumberFormat, factor: V, factor_format: NumberFormat) -> V:
        """value * factor, rounded to this format.

        The product is computed by a multiplication, not by a shift, because a power of two greater than 1 is no odd
        integer and therefore no raw of the format.
        """
        return self.mul(m, value, value_format, factor, factor_format)

    def from_f32(self, m: Machine[V], value: V) -> V:
        # The factor is at least one if that fits: numbers between two levels must not become zero.
        shift = min(max(STICKY_BITS, -self.scale), 31 - self.width.data)
        low, high = (end << shift for end in self.integer_limits)
        scaled = m.mulf(value, m.float_constant(math.ldexp(1.0, self.scale + shift)))
        cut = m.call("tm_f32_to_odd", scaled, m.int_constant(low, 32), m.int_constant(high, 32))
        return self.store(m, Int(cut, 32, low, high), self.scale + shift)

    def average(self, m: Machine[V], total: V, count: int, value_format: NumberFormat) -> V:
        if not isinstance(value_format, ScaledInteger):
            return super().average(m, total, count, value_format)
        low, high = (count * limit for limit in value_format.limits)
        finer, most = self.frac.data - value_format.frac.data, 1 << self.width.data - 1
        scaled, divisor = m.shift_left(m.bounded(total, low, high), max(finer, 0)), count << max(-finer, 0)
        if divisor.bit_count() == 1:
            half = self._half(m, scaled, divisor.bit_length() - 1)
        else:
            half = m.nearest_quotient(m.sub(scaled, m.const(divisor)), 2 * divisor)
        return m.settle(self._odd(m, m.clamp(half, -most, most - 1)), self.stored_width)

    @staticmethod
    def _odd(m: Machine[V], half: Int[V]) -> Int[V]:
        return m.add(m.mul(half, m.const(2)), m.const(1))

    @staticmethod
    def _half(m: Machine[V], x: Int[V], right: int) -> Int[V]:
        """floor(x / 2^(right + 1))."""
        if right < 0:
            return m.rescale(x, right + 1)
        # A larger shift also leaves only the sign.
        return m.shift_right(x, min(right + 1, max(x.high, ~x.low).bit_length()))


MIDRISE = Dialect("midrise", [], [MidriseType])
