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
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.fixed_bounds import sum_bound
from tinyml.dialects.machine import Int, Machine, limits
from tinyml.dialects.number_format import Accumulator, Function, NumberFormat
from tinyml.dialects.products import Bound, Factor, Product

if TYPE_CHECKING:
    import numpy as np

    from tinyml.dialects.number_format import Raws, Reals

V = TypeVar("V")

STORAGE_WIDTHS = (8, 16, 32)
WIDTHS = range(2, 33)
CANDIDATE_WIDTHS = (4, 6, 8, 9, 10, 12, 16)
REGISTER_WIDTH = 16
ACCUMULATOR_WIDTHS = (16, 24, 32, 64)
FRACS = range(-31, 63)
"""Scales beyond these are of no use to a raw value of at most 32 bits."""

EXACT_FLOAT = 1 << 53
"""Integers up to this magnitude are exact in float64."""


class _WidthAndFrac(ParametrizedAttribute, TypeAttribute):
    # Annotated here for the type checker; the final classes repeat both, or they would not take part in equality.
    width: IntAttr
    frac: IntAttr
    WIDTHS: ClassVar[Sequence[int]]
    WIDTHS_IN_WORDS: ClassVar[str]
    FRACS: ClassVar[Sequence[int]]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            width = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_punctuation(",")
            frac = parser.parse_integer(allow_boolean=False)
        return (IntAttr(width), IntAttr(frac))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.width.data}, {self.frac.data}")

    def verify(self) -> None:
        if self.width.data not in self.WIDTHS:
            raise VerifyException(f"{self.name} width must be {self.WIDTHS_IN_WORDS}, got {self.width.data}")
        if self.frac.data not in self.FRACS:
            low, high = self.FRACS[0], self.FRACS[-1]
            raise VerifyException(f"{self.name} frac must lie in [{low}, {high}], got {self.frac.data}")

    @property
    def type(self) -> Attribute:
        return self


@irdl_attr_definition
class FixedType(_WidthAndFrac, NumberFormat):
    """`!fixed.q<width, frac>`: 2 to 32 bits, stored in the next of 8, 16 and 32; frac may be anything sensible.

    A width below that of the storage is a promise about values (saturation keeps it) that proofs can build on.
    """

    name = "fixed.q"
    width: IntAttr
    frac: IntAttr
    FAMILY = "fixed"
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
        frac = max(_fixed(other).frac.data, _fixed(result).frac.data)
        return FixedType(self.width.data, min(self.frac.data, frac))

    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> Accumulator:
        frac = _fixed(lhs).frac.data + _fixed(rhs).frac.data
        if bound is None:
            return AccumulatorType(ACCUMULATOR_WIDTHS[-1], frac)
        for width in ACCUMULATOR_WIDTHS:
            found = AccumulatorType(width, frac)
            if found.sums(lhs, rhs) and found.holds(bound, self):
                return found
        raise InputError(f"a sum of products can reach {max(map(abs, bound))} * 2^-{frac}, which no accumulator holds")

    def sum_bound(self, products: Sequence[Product], initial: Factor | None = None) -> Bound | None:
        return sum_bound(products, initial)

    def difference(self, rhs: NumberFormat) -> FixedType | None:
        other = _fixed(rhs)
        width = (self.limits[1] + other.limits[1]).bit_length() + 1
        return FixedType(width, self.frac.data) if other.frac == self.frac and width in WIDTHS else None

    def distance_bound(self, length: int, rhs: NumberFormat, vectors: Raws | None) -> Bound | None:
        import numpy as np

        most = self.limits[1]
        if vectors is None:
            return 0, length * (most + _fixed(rhs).limits[1]) ** 2
        greatest = (np.abs(vectors.astype(np.int64)) + most).astype(object)
        return 0, int((greatest * greatest).sum(-1).max(initial=0))

    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        assert isinstance(accumulator, AccumulatorType)
        if bound is None:
            # An accumulator has been chosen with room for the rounding.
            low, high = limits(accumulator.width.data)
            bound = low, high - self.rounding(accumulator.frac.data)
        return self._store(m, m.bounded(sum, *bound), accumulator.frac.data)

    def rounding(self, frac: int) -> int:
        """What is added to a sum of scale `frac` before it is shifted: half of the format's last place."""
        return 1 << max(frac - self.frac.data - 1, 0)

    def _store(self, m: Machine[V], x: Int[V], frac: int) -> V:
        """Round an exact value of scale `frac` into the format."""
        return m.settle(m.rescale_to(x, frac - self.frac.data, *self.limits), self.stored_width)

    def constant(self, m: Machine[V], real: float) -> V:
        import numpy as np

        return m.settle(m.const(int(self.encode(np.array(real)))), self.stored_width)

    def load(self, m: Machine[V], value: V) -> Int[V]:
        """A stored raw with the interval that the format promises."""
        low, high = m.known(value) or self.limits
        return Int(value, self.stored_width, low, high)

    def _aligned(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat):
        formats = _fixed(lhs_format), _fixed(rhs_format)
        common = max(format.frac.data for format in formats)
        a, b = (
            m.rescale(format.load(m, value), format.frac.data - common)
            for format, value in zip(formats, (lhs, rhs), strict=True)
        )
        return a, b, common

    def add(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a, b, frac = self._aligned(m, lhs, lhs_format, rhs, rhs_format)
        return self._store(m, m.add(a, b), frac)

    def sub(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a, b, frac = self._aligned(m, lhs, lhs_format, rhs, rhs_format)
        return self._store(m, m.sub(a, b), frac)

    def mul(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a, b = _fixed(lhs_format), _fixed(rhs_format)
        return self._store(m, m.mul(a.load(m, lhs), b.load(m, rhs)), a.frac.data + b.frac.data)

    def neg(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        source = _fixed(value_format)
        return self._store(m, m.sub(m.const(0), source.load(m, value)), source.frac.data)

    def recode(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        source = _fixed(value_format)
        return self._store(m, source.load(m, value), source.frac.data)

    def from_f32(self, m: Machine[V], value: V) -> V:
        scaled = m.mulf(value, m.float_constant(math.ldexp(1.0, self.frac.data)))
        low, high = self.limits
        rounded = m.call("tm_f32_to_int", scaled, m.int_constant(low, 32), m.int_constant(high, 32))
        return m.settle(Int(rounded, 32, low, high), self.stored_width)

    def to_f32(self, m: Machine[V], value: V) -> V:
        wide = m.held(self.load(m, value), 32)
        return m.mulf(m.call("tm_int_to_f32", wide), m.float_constant(math.ldexp(1.0, -self.frac.data)))

    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        import numpy as np

        raw_low = int(self.encode(np.array(low)))
        raw_high = self.limits[1] if high is None else int(self.encode(np.array(high)))
        return m.settle(m.clamp(self.load(m, value), raw_low, raw_high), self.stored_width)

    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        from tinyml.dialects.fixed_functions import fixed_function

        source = _fixed(value_format)
        x = fixed_function(function, source, self, scheme).apply(m, source.load(m, value))
        return m.settle(x, self.stored_width)

    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        low, high = self.limits
        exact = math.ceil(math.ldexp(threshold, self.frac.data))
        return m.at_least(self.load(m, value), min(max(exact, low), high + 1))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)


@irdl_attr_definition
class AccumulatorType(_WidthAndFrac, Accumulator):
    """`!fixed.acc<width, frac>`: an exact sum of products, 16, 24, 32 or 64 bits wide; of 24 bits only in registers."""

    name = "fixed.acc"
    INTEGER: ClassVar[bool] = True
    width: IntAttr
    frac: IntAttr
    FAMILY = "fixed"
    WIDTHS: ClassVar[Sequence[int]] = ACCUMULATOR_WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = "16, 24, 32 or 64"
    FRACS: ClassVar[Sequence[int]] = range(2 * FRACS[0], 2 * FRACS[-1] + 1)

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @property
    def storage(self) -> Attribute:
        return IntegerType(self.width.data)

    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> AccumulatorType:
        return AccumulatorType(self.width.data, _fixed(lhs_format).frac.data + _fixed(rhs_format).frac.data)

    def follows(self, other: Accumulator) -> bool:
        return isinstance(other, AccumulatorType) and other.frac.data <= self.frac.data

    def align(self, m: Machine[V], sum: V, other: Accumulator) -> V:
        assert isinstance(other, AccumulatorType)
        low, high = limits(self.width.data)
        left = self.frac.data - other.frac.data
        return m.held(m.rescale(m.bounded(sum, low >> left, high >> left), -left), self.width.data)

    def starts(self, format: NumberFormat) -> bool:
        return isinstance(format, FixedType) and format.frac.data <= self.frac.data

    def start_format(self, format: NumberFormat) -> FixedType:
        start = _fixed(format)
        width = start.width.data + self.frac.data - start.frac.data
        return FixedType(width, self.frac.data) if width in WIDTHS else start

    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        loaded = _fixed(format).load(m, value)
        left = self.frac.data - _fixed(format).frac.data
        low, high = limits(self.width.data)
        fitting = m.bounded(loaded.value, max(loaded.low, low >> left), min(loaded.high, high >> left))
        return m.held(m.rescale(fitting, -left), self.width.data)

    def widened(self, bits: int) -> AccumulatorType:
        width = next((width for width in ACCUMULATOR_WIDTHS if width >= max(bits, self.width.data)), None)
        return self if width is None else AccumulatorType(width, self.frac.data)

    @property
    def in_memory(self) -> AccumulatorType:
        return self.widened(32) if self.width.data == 24 else self

    def holds(self, bound: Bound, result: NumberFormat) -> bool:
        low, high = limits(self.width.data)
        return low <= bound[0] and bound[1] + _fixed(result).rounding(self.frac.data) <= high

    def sums(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> bool:
        if not (isinstance(lhs_format, FixedType) and isinstance(rhs_format, FixedType)):
            return False
        scale = lhs_format.frac.data + rhs_format.frac.data
        return self.frac.data == scale and lhs_format.limits[1] * rhs_format.limits[1] <= limits(self.width.data)[1]

    def zero(self, m: Machine[V]) -> V:
        return m.int_constant(0, self.width.data)

    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        product = m.mul(_fixed(lhs_format).load(m, lhs), _fixed(rhs_format).load(m, rhs))
        return m.addi(sum, m.held(product, self.width.data))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)

    def matmul(
        self, lhs: Raws, lhs_format: NumberFormat, rhs: Raws, rhs_format: NumberFormat, start: Raws | None = None
    ) -> Raws:
        """Exact in any order: float64 BLAS while every partial sum stays below 2^53, else 64-bit integers."""
        import numpy as np

        from tinyml.dialects.numpy_machine import stacked_matmul

        bits = _fixed(lhs_format).width.data + _fixed(rhs_format).width.data - 2
        exact = np.float64 if lhs.shape[-1] << bits < EXACT_FLOAT else np.int64
        sums = stacked_matmul(lhs.astype(exact), rhs.astype(exact))
        sums = sums.astype(np.int64)
        return sums if start is None else sums + start


def _fixed(format: NumberFormat) -> FixedType:
    if not isinstance(format, FixedType):
        raise InputError(f"{format.type} cannot be used as fixed point without a tdsl.cast")
    return format


FIXED = Dialect("fixed", [], [FixedType, AccumulatorType])
