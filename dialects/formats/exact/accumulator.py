"""`!fixed.acc<width, frac>`: exact sums of products whose factors are integers times a power of two.

For posits, such a sum is the quire. Bounds on the operands determine the least sufficient width.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from xdsl.dialects.builtin import IntAttr, IntegerType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition

from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.exact.numbers import ExactNumbers, exact_numbers
from tinyml.dialects.formats.number_format import Bound, NumberFormat
from tinyml.dialects.formats.parameters import FRACS, WIDTHS, WidthAndFrac
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Machine, limits
from tinyml.dialects.machine.numpy_machine import stacked_matmul

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws

V = TypeVar("V")

ACCUMULATOR_WIDTHS = (16, 24, 32, 64)

EXACT_FLOAT32, EXACT_FLOAT64 = 1 << 24, 1 << 53
"""Integers up to these magnitudes are exact in float32 and in float64."""


@irdl_attr_definition
class AccumulatorType(WidthAndFrac, Accumulator):
    """`!fixed.acc<width, frac>`: an exact sum of products in 16, 24, 32 or 64 bits, in units of 2^-frac. Sums of 24
    bits exist only in registers.
    """

    name = "fixed.acc"
    INTEGER: ClassVar[bool] = True
    width: IntAttr
    frac: IntAttr
    FAMILY = "exact"
    WIDTHS: ClassVar[Sequence[int]] = ACCUMULATOR_WIDTHS
    WIDTHS_IN_WORDS: ClassVar[str] = "16, 24, 32 or 64"
    FRACS: ClassVar[Sequence[int]] = range(2 * FRACS[0], 2 * FRACS[-1] + 1)

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @property
    def storage(self) -> Attribute:
        return IntegerType(self.width.data)

    @property
    def bits(self) -> int:
        return self.width.data

    @property
    def sum_unit(self) -> int:
        return self.frac.data

    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> AccumulatorType:
        return AccumulatorType(self.width.data, exact_numbers(lhs_format).scale + exact_numbers(rhs_format).scale)

    def follows(self, other: Accumulator) -> bool:
        return isinstance(other, AccumulatorType) and other.frac.data <= self.frac.data

    def align(self, m: Machine[V], sum: V, other: Accumulator) -> V:
        assert isinstance(other, AccumulatorType)
        left = self.frac.data - other.frac.data
        low, high = self._limits_before(left)
        return m.held(m.rescale(m.bounded(sum, low, high), -left), self.width.data)

    def starts(self, format: NumberFormat) -> bool:
        return format.FAMILY == self.FAMILY and exact_numbers(format).scale <= self.frac.data

    def start_format(self, format: NumberFormat) -> NumberFormat:
        start = exact_numbers(format)
        width = max(map(abs, start.integer_limits)).bit_length() + 1 + self.frac.data - start.scale
        return ExactNumbers.INTEGERS(width, self.frac.data) if width in WIDTHS else start

    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        loaded = exact_numbers(format).load(m, value)
        left = self.frac.data - exact_numbers(format).scale
        low, high = self._limits_before(left)
        fitting = m.bounded(loaded.value, max(loaded.low, low), min(loaded.high, high))
        return m.held(m.rescale(fitting, -left), self.width.data)

    def _limits_before(self, left: int) -> tuple[int, int]:
        """The least and the greatest sum that can be shifted left by `left` bits without overflow. Both are 0 if `left`
        is at least the width of the sum.
        """
        low, high = limits(self.width.data)
        return -(-low >> left), high >> left

    def widened(self, bits: int) -> AccumulatorType:
        width = next((width for width in ACCUMULATOR_WIDTHS if width >= max(bits, self.width.data)), None)
        return self if width is None else AccumulatorType(width, self.frac.data)

    @property
    def in_memory(self) -> AccumulatorType:
        return self.widened(32) if self.width.data == 24 else self

    def shift(self, result: NumberFormat) -> int | None:
        return exact_numbers(result).half_up_shift(self.frac.data)

    def holds(self, bound: Bound, result: NumberFormat) -> bool:
        low, high = limits(self.width.data)
        return low <= bound[0] and bound[1] + exact_numbers(result).rounding(self.frac.data) <= high

    def sums(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> bool:
        if not self.FAMILY == lhs_format.FAMILY == rhs_format.FAMILY:
            return False
        lhs, rhs = exact_numbers(lhs_format), exact_numbers(rhs_format)
        return (
            self.frac.data == lhs.scale + rhs.scale
            and _greatest_product(lhs.element, rhs.element) <= limits(self.width.data)[1]
        )

    def zero(self, m: Machine[V]) -> V:
        return m.int_constant(0, self.width.data)

    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        product = m.mul(exact_numbers(lhs_format).load(m, lhs), exact_numbers(rhs_format).load(m, rhs))
        return m.addi(sum, m.held(product, self.width.data))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)

    def matmul(
        self, lhs: Raws, lhs_format: NumberFormat, rhs: Raws, rhs_format: NumberFormat, start: Raws | None = None
    ) -> Raws:
        """Sums of products for two stacks of matrices. The order of the additions does not matter, because the sums are
        exact.

        BLAS computes the sums in the narrowest floating-point type that represents every partial sum exactly. If there
        is no such type, the sums are computed in 64-bit integers.
        """
        of_lhs, of_rhs = exact_numbers(lhs_format), exact_numbers(rhs_format)
        dtype = _dtype_of_sums(lhs.shape[-1] * _greatest_product(of_lhs, of_rhs))
        return self._exact_sums(of_lhs.integers(lhs, dtype), of_rhs.integers(rhs, dtype), start)

    def matmul_aligned(self, lhs: Raws, rhs: Raws, rhs_format: NumberFormat, start: Raws | None = None) -> Raws:
        format = exact_numbers(rhs_format)
        most = int(np.abs(lhs).max(initial=0)) * max(map(abs, format.integer_limits))
        dtype = _dtype_of_sums(lhs.shape[-1] * most)
        return self._exact_sums(lhs.astype(dtype), format.integers(rhs, dtype), start)

    def _exact_sums(self, lhs: NDArray[Any], rhs: NDArray[Any], start: Raws | None) -> Raws:
        sums, dtype = stacked_matmul(lhs, rhs), np.int32 if self.width.data <= 32 else np.int64
        # A sum in float32 fits in 32 bits; others wrap around.
        sums = sums.astype(np.int64 if sums.dtype != np.float32 else dtype, copy=False).astype(dtype, copy=False)
        return sums if start is None else sums + start.astype(dtype, copy=False)

    def squared_distances(self, lhs: Raws, lhs_format: NumberFormat, rhs: Raws, rhs_format: NumberFormat) -> Raws:
        """The squared distances, computed as a^2 + b^2 - 2 a b, where a matrix product computes a b. The result is
        exact.
        """
        formats = exact_numbers(lhs_format), exact_numbers(rhs_format)
        scale = max(format.scale for format in formats)
        units = [1 << scale - format.scale for format in formats]
        most = sum(unit * max(map(abs, format.integer_limits)) for unit, format in zip(units, formats, strict=True))
        dtype = _dtype_of_sums(lhs.shape[-1] * most**2)
        a, b = (
            format.integers(raws, dtype) * dtype(unit)
            for format, raws, unit in zip(formats, (lhs, rhs), units, strict=True)
        )
        sums = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * (a @ b.T)
        return sums.astype(np.int64)


def _dtype_of_sums(greatest: int) -> type[np.float32 | np.float64 | np.int64]:
    """The dtype that computes sums of products exactly in the least time, if the magnitude of every partial sum is at
    most `greatest`.
    """
    return np.float32 if greatest < EXACT_FLOAT32 else np.float64 if greatest < EXACT_FLOAT64 else np.int64


def _greatest_product(lhs: ExactNumbers, rhs: ExactNumbers) -> int:
    return max(map(abs, lhs.integer_limits)) * max(map(abs, rhs.integer_limits))
