"""Fixed point: `!fixed.q<width, frac>` stands for raw * 2^-frac, with raw a signed integer of the width.

Results are rounded to nearest (half up: add half, shift arithmetically) and saturate, at the same magnitude on both
sides. Sums of products run in `!fixed.acc<width, frac>`, which is exact: it has to be proven wide enough, and never
rounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr, IntegerType
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.errors import InputError
from tinyml.dialects.exact import ExactFormat, exact
from tinyml.dialects.exact_sum import AccumulatorType
from tinyml.dialects.machine import Int, Machine
from tinyml.dialects.number_format import Function, NumberFormat
from tinyml.dialects.products import Bound
from tinyml.dialects.width_and_frac import FRACS, WIDTHS, WidthAndFrac

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tinyml.dialects.number_format import Raws, Reals

V = TypeVar("V")

STORAGE_WIDTHS = (8, 16, 32)
CANDIDATE_WIDTHS = (4, 6, 8, 9, 10, 12, 16)
REGISTER_WIDTH = 16


@irdl_attr_definition
class FixedType(WidthAndFrac, ExactFormat):
    """`!fixed.q<width, frac>`: 2 to 32 bits, stored in the next of 8, 16 and 32; frac may be anything sensible.

    A width below that of the storage is a promise about values (saturation keeps it) that proofs can build on.
    """

    name = "fixed.q"
    width: IntAttr
    frac: IntAttr
    SCHEMES: ClassVar[Sequence[str]] = ("seedot", "shiftry")
    WIDTHS: ClassVar[Sequence[int]] = WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = f"from {WIDTHS[0]} to {WIDTHS[-1]}"
    FRACS: ClassVar[Sequence[int]] = FRACS

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest raw value: symmetric, so that negation and magnitudes never overflow."""
        greatest = (1 << (self.width.data - 1)) - 1
        return -greatest, greatest

    @property
    def raw_limits(self) -> tuple[int, int]:
        return self.limits

    @property
    def integer_limits(self) -> tuple[int, int]:
        return self.limits

    @property
    def scale(self) -> int:
        return self.frac.data

    def integers(self, raws: Raws) -> NDArray[np.int64]:
        import numpy as np

        return raws.astype(np.int64)

    @property
    def stored_width(self) -> int:
        return next(width for width in STORAGE_WIDTHS if width >= self.width.data)

    @property
    def storage(self) -> Attribute:
        return IntegerType(self.stored_width)

    @property
    def dtype(self) -> np.dtype[Any]:
        import numpy as np

        return np.dtype(f"i{self.stored_width // 8}")

    @property
    def bits(self) -> int:
        return self.width.data

    @property
    def candidates(self) -> Sequence[FixedType]:
        return [FixedType.of_width(width) for width in CANDIDATE_WIDTHS]

    def encode(self, reals: Reals) -> Raws:
        import numpy as np

        low, high = self.limits
        scaled = np.floor(np.ldexp(np.asarray(reals, np.float64), self.frac.data) + 0.5)
        return np.clip(scaled, low, high).astype(self.dtype)

    def encode_away(self, reals: Reals) -> Raws:
        import numpy as np

        nearest = self.encode(reals)
        low, high = self.limits
        away = nearest + np.sign(np.asarray(reals, np.float64) - self.decode(nearest))
        return np.clip(away, low, high).astype(self.dtype)

    def decode(self, raws: Raws) -> Reals:
        import numpy as np

        return np.ldexp(raws.astype(np.float64), -self.frac.data)

    @classmethod
    def of_width(cls, width: int | None) -> FixedType:
        width = 16 if width is None else width
        if width not in WIDTHS:
            raise InputError(f"fixed point has widths from {WIDTHS[0]} to {WIDTHS[-1]}, got {width}")
        return FixedType(width, width - 1)

    def for_range(self, low: float, high: float) -> FixedType:
        """GetScale of Shiftry 6.1, algorithm 10: frac = (width - 1) - floor(log2(magnitude) + 1).

        One more where a magnitude that rounds to a power of two just saturates: that loses a unit, as rounding at the
        coarser scale may.
        """
        magnitude = max(abs(low), abs(high))
        exponent = math.frexp(magnitude)[1] if magnitude else 0
        frac = self.width.data - 1 - exponent
        if magnitude and math.floor(math.ldexp(magnitude, frac + 1) + 0.5) <= self.limits[1] + 1:
            frac += 1
        return FixedType(self.width.data, min(max(frac, FRACS[0]), FRACS[-1]))

    def useful_range(self, function: Function, low: float, high: float) -> tuple[float, float]:
        """Beyond, exp is below half a unit of the last place, tanh and sigmoid are as near to their limits."""
        half = (self.frac.data + 1) * math.log(2)
        reach = {"exp": half, "sigmoid": half, "tanh": (half + math.log(2)) / 2}[function]
        if reach <= 0:
            return low, high
        most = high if function == "exp" else reach
        return max(min(low, most), -reach), min(max(high, -reach), most)

    def in_register(self) -> FixedType:
        """Sixteen bits at least: the products of 8-bit numbers come in as many anyway."""
        more = max(REGISTER_WIDTH - self.width.data, 0)
        return FixedType(self.width.data + more, min(self.frac.data + more, FRACS[-1]))

    def narrowed(self, bits: int) -> FixedType:
        bits = min(bits, self.width.data - WIDTHS[0])
        return FixedType(self.width.data - bits, max(self.frac.data - bits, FRACS[0]))

    def addend(self, other: NumberFormat, result: NumberFormat) -> FixedType:
        frac = max(exact(other).scale, exact(result).scale)
        return FixedType(self.width.data, min(self.frac.data, max(frac, FRACS[0])))

    def difference(self, rhs: NumberFormat) -> FixedType | None:
        if not (isinstance(rhs, FixedType) and rhs.frac == self.frac):
            return None
        width = (self.limits[1] + rhs.limits[1]).bit_length() + 1
        return FixedType(width, self.frac.data) if width in WIDTHS else None

    def distance_bound(self, length: int, rhs: NumberFormat, vectors: Raws | None) -> Bound | None:
        import numpy as np

        most = self.limits[1]
        if vectors is None:
            return 0, length * (most + max(exact(rhs).integer_limits)) ** 2
        greatest = (np.abs(vectors.astype(np.int64)) + most).astype(object)
        return 0, int((greatest * greatest).sum(-1).max(initial=0))

    def rounding(self, scale: int) -> int:
        """Half of the last place."""
        return 1 << max(scale - self.frac.data - 1, 0)

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        return m.settle(m.rescale_to(x, scale - self.frac.data, *self.limits), self.stored_width)

    def load(self, m: Machine[V], value: V) -> Int[V]:
        return self.stored(m, value)

    def from_f32(self, m: Machine[V], value: V) -> V:
        scaled = m.mulf(value, m.float_constant(math.ldexp(1.0, self.frac.data)))
        low, high = self.limits
        rounded = m.call("tm_f32_to_int", scaled, m.int_constant(low, 32), m.int_constant(high, 32))
        return m.settle(Int(rounded, 32, low, high), self.stored_width)

    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        from tinyml.dialects.fixed_functions import fixed_function

        if not isinstance(value_format, FixedType):
            return super().function(m, function, value, value_format, scheme)
        x = fixed_function(function, value_format, self, scheme).apply(m, value_format.load(m, value))
        return m.settle(x, self.stored_width)

    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        low, high = self.limits
        exact = math.ceil(math.ldexp(threshold, self.frac.data))
        return m.at_least(self.load(m, value), min(max(exact, low), high + 1))


FIXED = Dialect("fixed", [], [FixedType, AccumulatorType])
