"""Fixed point: `!fixed.q<width, frac>` stands for raw * 2^-frac, with raw a signed integer of the width.

Results are rounded to nearest (half up: add half, shift arithmetically) and saturate, at the same magnitude on both
sides. Sums of products run in `!fixed.acc<width, frac>`, which is exact: it must be proven wide enough, and never
rounds. `!fixed.u<width, frac>` is unsigned and rounds halves to even (`unsigned_type.py`); `!fixed.s<width, frac>` is
signed and has the least integer, too, as sensors do (`signed_type.py`), and `!fixed.byte<8, frac>` a camera's bytes
(`byte_type.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.exact.numbers import ExactNumbers, exact
from tinyml.dialects.formats.fixed.byte_type import ByteType
from tinyml.dialects.formats.fixed.exact_integer import ExactInteger
from tinyml.dialects.formats.fixed.sensor_format import sensor_format
from tinyml.dialects.formats.fixed.signed_type import SignedType
from tinyml.dialects.formats.fixed.unsigned_type import UnsignedType
from tinyml.dialects.formats.number_format import Function, NumberFormat
from tinyml.dialects.formats.parameters import FRACS, WIDTHS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals

V = TypeVar("V")

CANDIDATE_WIDTHS = (4, 6, 8, 9, 10, 12, 16)
BYTE = 8
REGISTER_WIDTH = 16


@irdl_attr_definition
class FixedType(ExactInteger):
    """`!fixed.q<width, frac>`: 2 to 32 bits, stored in the next of 8, 16 and 32.

    A width below that of the storage is a guarantee about values, kept by saturation, that proofs build on.
    """

    name = "fixed.q"
    GOOD_FOR = "fixed point: the fastest and smallest on chips without an FPU"
    width: IntAttr
    frac: IntAttr
    SCHEMES: ClassVar[Sequence[str]] = ("seedot", "shiftry")
    WIDTHS: ClassVar[Sequence[int]] = WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = f"from {WIDTHS[0]} to {WIDTHS[-1]}"

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest raw: symmetric, so that negation and magnitudes never overflow."""
        greatest = (1 << (self.width.data - 1)) - 1
        return -greatest, greatest

    @property
    def candidates(self) -> Sequence[FixedType]:
        return [FixedType.of_width(width) for width in CANDIDATE_WIDTHS]

    def adds_raws_of(self, sums: NumberFormat) -> bool:
        if not isinstance(sums, FixedType) or sums.scale > self.scale:
            return False
        return sums.limits[1] << self.scale - sums.scale <= self.limits[1]

    def rounded(self, reals: Reals) -> NDArray[np.float64]:
        return np.floor(np.asarray(reals, np.float64) + 0.5)

    def rescaled(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return m.rescale(x, right)

    def fitted(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return m.rescale_to(x, right, *self.limits)

    def product(self, m: Machine[V], a: Int[V], b: Int[V], right: int) -> Int[V]:
        return m.product_to(a, b, right, *self.limits)

    @classmethod
    def of_width(cls, width: int | None) -> FixedType:
        width = 16 if width is None else width
        if width not in WIDTHS:
            raise InputError(f"fixed point has widths from {WIDTHS[0]} to {WIDTHS[-1]}, got {width}")
        return FixedType(width, width - 1)

    def for_range(self, low: float, high: float) -> FixedType:
        """GetScale of Shiftry 6.1, algorithm 10: frac = (width - 1) - floor(log2(magnitude) + 1).

        One more if a magnitude that rounds to a power of two only just saturates: this loses a unit, as rounding at the
        coarser scale may.
        """
        magnitude = max(abs(low), abs(high))
        exponent = math.frexp(magnitude)[1] if magnitude else 0
        frac = self.width.data - 1 - exponent
        if magnitude and math.floor(math.ldexp(magnitude, frac + 1) + 0.5) <= self.limits[1] + 1:
            frac += 1
        return FixedType(self.width.data, min(max(frac, FRACS[0]), FRACS[-1]))

    def in_register(self) -> FixedType:
        """The format of at least 16 bits, which products of 8-bit numbers have anyway."""
        more = max(REGISTER_WIDTH - self.width.data, 0)
        return FixedType(self.width.data + more, min(self.frac.data + more, FRACS[-1]))

    def addend(self, other: NumberFormat, result: NumberFormat) -> FixedType:
        frac = max(exact(other).scale, exact(result).scale)
        coarser = min(self.frac.data, max(frac, FRACS[0]))
        # The same range needs fewer bits at a coarser scale; one is kept for rounding up.
        needed = self.width.data - max(self.frac.data - coarser - 1, 0)
        return FixedType(max(needed, min(self.width.data, BYTE)), coarser)

    def difference(self, rhs: NumberFormat) -> NumberFormat | None:
        # Only of equal scales, so that the kernels subtract raws.
        return None if isinstance(rhs, FixedType) and rhs.frac != self.frac else super().difference(rhs)

    def rounding(self, scale: int) -> int:
        """Half a unit in the last place."""
        return 1 << max(scale - self.frac.data - 1, 0)

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        return m.settle(self.fitted(m, x, scale - self.frac.data), self.stored_width)

    def store_sum(self, m: Machine[V], x: Int[V], left: int, y: Int[V], scale: int) -> V:
        return m.settle(m.sum_to(x, left, y, scale - self.frac.data, *self.limits), self.stored_width)

    def store_product(self, m: Machine[V], x: Int[V], y: Int[V], scale: int) -> V:
        return m.settle(self.product(m, x, y, scale - self.frac.data), self.stored_width)

    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        from tinyml.dialects.formats.fixed.functions import fixed_function, is_in_integers

        if not isinstance(value_format, FixedType) or not is_in_integers(function, self):
            return super().function(m, function, value, value_format, scheme)
        x = fixed_function(function, value_format, self, scheme).apply(m, value_format.load(m, value))
        return m.settle(x, self.stored_width)


ExactNumbers.INTEGERS = FixedType
ExactNumbers.OF_SENSOR = sensor_format

FIXED = Dialect("fixed", [], [FixedType, UnsignedType, SignedType, ByteType, AccumulatorType])
