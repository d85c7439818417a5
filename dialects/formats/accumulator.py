"""The interface of accumulators, the types of sums of products."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import Attribute

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import Bound
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Machine
from tinyml.dialects.machine.numpy_machine import NumpyMachine

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Factor, NumberFormat, Product, Raws

V = TypeVar("V")

_SUMS = "(documentation: Adding a format, Sums)"
"""The documentation section on the requirements of a family's sums, for messages to authors of formats."""


@dataclass(frozen=True)
class Requantisation:
    """The arguments of `tm_requantize_s32`, which converts the sum of each row to a raw of the result.

    * multipliers: the multiplier of each row, int32.
    * shifts: the shift of each row, int8.
    * zero: the raw of 0, which is added last.
    * low, high: the least and the greatest raw.
    * to_even: true if `tm_requantize_even_s32` is called instead, which rounds once, halves to even.
    """

    multipliers: Raws
    shifts: Raws
    zero: int
    low: int
    high: int
    to_even: bool = False


GREATEST_BITS = 32
"""The maximum width of sums at L1: wider sums cost more memory and time than the avoided rounding is worth."""


class Accumulator(ABC):
    """The type of a running sum of products. Each family of formats defines its own accumulators."""

    INTEGER: ClassVar[bool] = False
    """True if `mac` is the integer sum and product of the raws, so that the integer kernels of a target compute it."""

    FAMILY: ClassVar[str]
    """The family of the formats whose products are summed, and of the formats that a sum is rounded to."""

    IN_REGISTER: ClassVar[bool] = True
    """True if a register contains a sum; otherwise the sum is an array in memory, which ops update."""

    SCALE_FREE: ClassVar[bool] = False
    """True if all products of the family have one unit, as for floats; otherwise `of` determines the unit."""

    @property
    @abstractmethod
    def type(self) -> Attribute:
        """The IR type of the accumulator."""

    @property
    @abstractmethod
    def storage(self) -> Attribute:
        """The builtin type of the register that contains the sum."""

    @property
    def bits(self) -> int:
        """The width of the register in bits."""
        return cast(FixedBitwidthType, self.storage).bitwidth

    @property
    def sum_unit(self) -> float | None:
        """The unit of sums in the family's specification; None without a specification.

        If sums are exact, the result is the number s of the unit 2^-s. Otherwise the result is the unit itself.
        """
        return None

    def widened(self, bits: int) -> Accumulator:
        """An accumulator of the same kind in the narrowest register of at least `bits` bits; this accumulator if no
        such register exists.
        """
        return self

    @property
    def in_memory(self) -> Accumulator:
        """The narrowest accumulator of at least the width of this one whose register type can be an array element in
        memory.
        """
        return self

    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> Accumulator:
        """An accumulator of the same width, for products of elements of two formats.

        The scale of the sum follows from the scales of both formats. Raises `InputError` unless the class is
        `SCALE_FREE` or overrides this method.
        """
        if self.SCALE_FREE:
            return self
        raise InputError(
            f"{type(self).__name__} has no method `of` for products of another scale, and is not `SCALE_FREE` {_SUMS}"
        )

    @property
    def exchanged(self) -> Accumulator:
        """The accumulator for the same products with left and right factors exchanged."""
        return self

    def follows(self, other: Accumulator) -> bool:
        """True if this accumulator can continue every sum that was started in `other`, without a rounding error."""
        return self == other

    def align(self, m: Machine[V], sum: V, other: Accumulator) -> V:
        """A sum of the accumulator `other`, converted to this accumulator without overflow. `follows(other)` must be
        true.

        Raises `InputError` if the class does not define a conversion from `other`.
        """
        if self != other:
            raise InputError(
                f"{type(self).__name__} has no method `align`, by which a sum in {other.type} continues in {self.type} "
                f"{_SUMS}"
            )
        return sum

    def starts(self, format: NumberFormat) -> bool:
        """True if every number of this format can be the initial value of a sum, without a rounding error."""
        return self.FAMILY == format.FAMILY

    def rounds_into(self, result: NumberFormat) -> bool:
        """True if a complete sum can be rounded to the format `result`."""
        return self.FAMILY == result.FAMILY

    def start_format(self, format: NumberFormat) -> NumberFormat:
        """The format in which initial values of sums should be stored instead of `format`, because its conversion to a
        sum is cheapest.
        """
        return format

    def start_constant(self, format: NumberFormat) -> NumberFormat:
        """The format in which constant initial values of sums should be stored instead of `format`."""
        return format

    @abstractmethod
    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        """A number of a format, converted to the initial value of a sum. The conversion never overflows."""

    def levelled(self, result: NumberFormat) -> Accumulator:
        """The accumulator of complete sums after `level_row`, before they are rounded to `result`.

        It differs from this accumulator only if each row has its own scale: `level_row` then converts the sums of all
        rows to a common scale.
        """
        return self

    @property
    def has_row_scales(self) -> bool:
        """True if each row of weights has its own scale. `level_row` then converts the sums of rows to a common
        scale.
        """
        return False

    def level_row(self, m: Machine[V], sum: V, row: V, levelled: Accumulator) -> V:
        """The complete sum of a row, converted to `levelled`, the accumulator that the method `levelled` returns.

        row: the index of the row.
        """
        return sum

    def requantisation(self, result: NumberFormat, rows: int) -> Requantisation | None:
        """The arguments of the requantisation that rounds complete sums of `rows` rows to a format; None if the format
        rounds by another method.
        """
        return None

    def shift(self, result: NumberFormat) -> int | None:
        """The right shift that converts complete sums to raws of a format before they are clamped. The shift rounds to
        nearest, halves upwards.

        Returns None if the format rounds by another method.
        """
        return None

    def holds(self, bound: Bound, result: NumberFormat) -> bool:
        """True if no sum within a bound overflows the accumulator, neither as a sum nor while it is rounded to
        `result`.
        """
        return True

    def lacks(self, products: Sequence[Product], initial: Factor | None) -> str | None:
        """The reason why a sum of these products and an initial value may overflow the accumulator; None if no sum can
        overflow.
        """
        return None

    def omits_zeros(self, rhs_format: NumberFormat) -> bool:
        """True if a product of zero and any number of `rhs_format` may be left out of a sum, as sparse products do."""
        return True

    def unpacked(self, factors: tuple[NumberFormat, NumberFormat], which: int, raws: Raws) -> NumberFormat | None:
        """The format in which a constant factor is stored unpacked, so that `mac` need not unpack its elements.

        factors: the formats of the left and of the right factor.
        which: the position of the constant factor in a product, 0 or 1.
        raws: the raws of the constant.

        Returns None if unpacking saves no time, or if a raw cannot be stored unpacked.
        """
        return None

    def sums(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> bool:
        """True if `mac` can add products of elements of these formats to a sum without changing their scale."""
        return self.FAMILY == lhs_format.FAMILY == rhs_format.FAMILY and self == self.of(lhs_format, rhs_format)

    def refusal(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> str:
        """The message for products of these formats that `sums` refuses."""
        refused = f"{self.type} does not sum products of {lhs_format.type} and {rhs_format.type}"
        other = next((format for format in (lhs_format, rhs_format) if format.FAMILY != self.FAMILY), None)
        if other is None:
            return refused
        return f"{refused}: FAMILY of the accumulator is '{self.FAMILY}', that of {other.type} is '{other.FAMILY}'"

    @abstractmethod
    def zero(self, m: Machine[V]) -> V: ...

    @abstractmethod
    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        """sum + lhs * rhs, in this accumulator. The factors have the formats `lhs_format` and `rhs_format`."""

    @abstractmethod
    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        """Whether lhs > rhs for two sums, as an i1 value."""

    def finished(self, m: Machine[V], sum: V, result: NumberFormat) -> V | None:
        """A complete sum rounded to a format of the family; None if the format's own `finish` implements the
        rounding.
        """
        return None

    @property
    def below(self) -> Accumulator | None:
        """In an addition tree, the accumulator of the two partial sums whose sum this accumulator represents.

        Returns None at level 0 of the tree, whose sums consist of products, and for sums that are not computed by a
        tree. Products missing from a complete tree count as zeros.
        """
        return None

    def join(self, m: Machine[V], sum: V, part: V, part_accumulator: Accumulator) -> V:
        """The sum of `sum` and the partial sum `part`. Raises `InputError` if no tree computes the sums.

        part_accumulator: the accumulator of `part`. It is the result of `below` if both sums are complete trees,
            otherwise this accumulator.
        """
        raise InputError(f"{self.type} is not summed as a tree")

    def shifted(self, m: Machine[V], sum: V, right: V) -> V:
        """sum / 2^right, rounded down.

        If this quotient is later rounded to fewer bits, the result is the same as for the exact quotient.

        right: the number of bits by which the sum is shifted, as an 8-bit integer.

        Raises `InputError` for sums that are not integers.
        """
        if not self.INTEGER:
            raise InputError(f"sums in {self.type} are not shifted: per-row scales are for formats that have a scale")
        return m.shrsi(sum, m.resize(right, m.width_of(sum)))

    def add_shifted(self, m: Machine[V], sum: V, part: V, left: V) -> V:
        """sum + part * 2^left. The caller must have proved that neither summand overflows.

        left: the number of bits by which `part` is shifted, as an 8-bit integer.

        Raises `InputError` for sums that are not integers.
        """
        if not self.INTEGER:
            raise InputError(f"sums in {self.type} are not shifted: scales of groups are for formats that have a scale")
        width = m.width_of(sum)
        fitting = part if m.width_of(part) == width else m.resize(part, width)
        return m.addi(sum, m.shli(fitting, m.resize(left, width)))

    def matmul(
        self, lhs: Raws, lhs_format: NumberFormat, rhs: Raws, rhs_format: NumberFormat, start: Raws | None = None
    ) -> Raws:
        """Sums of products for two stacks of matrices: shape (n or 1, i, k) times (n or 1, k, j).

        The result has the shape (n, i, j). Products are added in ascending order of the summed index k, beginning with
        `start` or zero. If additions round, the result is defined by this order. Families with exact sums override this
        method by a faster one.
        """
        return _sum_of_products(self, (lhs, rhs), (lhs_format, rhs_format), start)

    def matmul_aligned(self, lhs: Raws, rhs: Raws, rhs_format: NumberFormat, start: Raws | None = None) -> Raws:
        """The sums of products that `matmul` computes, for weights in groups with separate scales.

        lhs: the weights as integers in the unit of the finest group.
        rhs: the raws of the right factors, in the format `rhs_format`.
        start: as in `matmul`.

        Raises `InputError` unless sums are exact integers.
        """
        raise InputError(f"sums in {self.type} have no weights that share scales in groups")

    def squared_distances(
        self, lhs: Raws, lhs_format: NumberFormat, rhs: Raws, rhs_format: NumberFormat
    ) -> Raws | None:
        """The sums of squared exact differences between each of n vectors and each of m vectors, shape (n, m).

        lhs: the raws of the n vectors in the format `lhs_format`, of shape (n, elements).
        rhs: the raws of the m vectors in the format `rhs_format`, of shape (m, elements).

        Returns None if the caller must subtract each pair of vectors separately.
        """
        return None


@singledispatch
def accumulator_of(type: object) -> Accumulator | None:
    """The accumulator that a type defines; None for any other type. Adapters for types of other packages are registered
    with this function.
    """
    return type if isinstance(type, Accumulator) else None


def _sum_of_products(
    accumulator: Accumulator,
    factors: tuple[Raws, Raws],
    formats: tuple[NumberFormat, NumberFormat],
    start: Raws | None,
) -> Raws:
    if accumulator.below is not None:
        return _sum_as_tree(accumulator, factors, formats, start)
    m, (lhs, rhs) = NumpyMachine(), factors
    shape = max(len(lhs), len(rhs)), lhs.shape[-2], rhs.shape[-1]
    sum: Raws = np.broadcast_to(accumulator.zero(m), shape) if start is None else start
    for k in range(lhs.shape[-1]):
        sum = accumulator.mac(m, sum, lhs[..., :, k, None], formats[0], rhs[..., k, None, :], formats[1])
    return sum


def _sum_as_tree(
    accumulator: Accumulator, factors: Sequence[Raws], formats: Sequence[NumberFormat], start: Raws | None
) -> Raws:
    m = NumpyMachine()
    levels = [accumulator]
    while (below := levels[-1].below) is not None:
        levels.append(below)
    lhs, rhs = factors[0][..., :, :, None], factors[1][..., None, :, :]
    sums = levels[-1].mac(m, levels[-1].zero(m), lhs, formats[0], rhs, formats[1])
    # The sums are a constant if the divisions leave nothing of any factor.
    sums = np.broadcast_to(sums, np.broadcast_shapes(lhs.shape, rhs.shape))
    for level, below in zip(reversed(levels[:-1]), reversed(levels), strict=False):
        if sums.shape[-2] % 2:
            sums = np.concatenate([sums, np.zeros_like(sums[..., :1, :])], axis=-2)
        left = level.join(m, level.zero(m), sums[..., 0::2, :], below)
        sums = np.broadcast_to(level.join(m, left, sums[..., 1::2, :], below), sums[..., 1::2, :].shape)
    total = np.broadcast_to(accumulator.zero(m), (*sums.shape[:-2], sums.shape[-1])) if start is None else start
    for k in range(sums.shape[-2]):
        total = np.broadcast_to(accumulator.join(m, total, sums[..., k, :], accumulator), total.shape)
    return total
