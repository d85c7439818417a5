"""The interface of accumulators for sums of products."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import Attribute

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import Bound
from tinyml.dialects.machine.machine import Machine

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Factor, NumberFormat, Product, Raws

V = TypeVar("V")

_SUMS = "(documentation: Adding a format, Sums)"
"""The documentation section on the requirements of a family's sums, for messages to authors of formats."""


@dataclass(frozen=True)
class Requantisation:
    """The arguments of `tm_requantize_s32` that convert the sums of rows to raws of the result.

    * multipliers: int32.
    * shifts: int8.
    * zero: the raw of 0, added last.
    * low, high: the limits of raws.
    * to_even: true for the arguments of `tm_requantize_even_s32`, which rounds once, halves to even.
    """

    multipliers: Raws
    shifts: Raws
    zero: int
    low: int
    high: int
    to_even: bool = False


GREATEST_BITS = 32
"""Sums of L1 take no wider accumulators: they cost more memory and time than the rounding that they save is worth."""


class Accumulator(ABC):
    """The type of a running sum of products, specific to one family of formats."""

    INTEGER: ClassVar[bool] = False
    """True if `mac` is the integer sum and product of the raws, so that the integer kernels of a target compute it."""

    FAMILY: ClassVar[str]
    """The family of the formats whose products are summed, and of the formats that a sum is rounded to."""

    IN_REGISTER: ClassVar[bool] = True
    """True if a register holds a sum; otherwise it is an array, which ops update."""

    SCALE_FREE: ClassVar[bool] = False
    """True if all products of the family have one unit, as for floats; otherwise `of` determines the unit."""

    @property
    @abstractmethod
    def type(self) -> Attribute:
        """The accumulator's type in the IR."""

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
        """The unit of sums in specifications; None if undocumented.

        For exact sums, the result is the number s of the unit 2^-s. For other sums, the result is the unit.
        """
        return None

    def widened(self, bits: int) -> Accumulator:
        """The same kind of sum in the narrowest register of at least `bits` bits; unchanged if there is no such
        register.
        """
        return self

    @property
    def in_memory(self) -> Accumulator:
        """The narrowest accumulator that is at least as wide as this one and can be the element type of an array."""
        return self

    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> Accumulator:
        """An accumulator in the same register, for products of elements of two formats.

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
        """The accumulator for products with swapped factors."""
        return self

    def follows(self, other: Accumulator) -> bool:
        """True if a sum begun in `other` can continue in this accumulator without error."""
        return self == other

    def align(self, m: Machine[V], sum: V, other: Accumulator) -> V:
        """A sum of the accumulator `other`, converted to this accumulator, which `follows` `other`. No overflow occurs.

        Raises `InputError` if the class does not define a conversion from `other`.
        """
        if self != other:
            raise InputError(
                f"{type(self).__name__} has no method `align`, by which a sum in {other.type} continues in {self.type} "
                f"{_SUMS}"
            )
        return sum

    def starts(self, format: NumberFormat) -> bool:
        """True if a sum can start from a number of this format without error."""
        return self.FAMILY == format.FAMILY

    def rounds_into(self, result: NumberFormat) -> bool:
        """True if a complete sum can be rounded to a format."""
        return self.FAMILY == result.FAMILY

    def start_format(self, format: NumberFormat) -> NumberFormat:
        """The format that replaces `format` for initial values of sums: the one that is cheapest to convert."""
        return format

    def start_constant(self, format: NumberFormat) -> NumberFormat:
        """The format that replaces `format` for initial values of sums if the initial values are constant."""
        return format

    @abstractmethod
    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        """A number of a format as a sum. The sum does not overflow."""

    def levelled(self, result: NumberFormat) -> Accumulator:
        """The accumulator of complete sums before they are rounded to `result`.

        If rows have separate scales, it is the accumulator after the sums of all rows are converted to one scale.
        """
        return self

    @property
    def has_row_scales(self) -> bool:
        """True if rows have separate scales, which `level_row` converts to a common scale."""
        return False

    def level_row(self, m: Machine[V], sum: V, row: V, levelled: Accumulator) -> V:
        """Convert the complete sum of a row to the accumulator that `levelled` returns.

        row: the index of the row.
        """
        return sum

    def requantisation(self, result: NumberFormat, rows: int) -> Requantisation | None:
        """The requantisation of complete sums of rows to a format; None if the format rounds by another method."""
        return None

    def shift(self, result: NumberFormat) -> int | None:
        """The right shift that converts complete sums to raws of a format, before the clamp; None if there is no such
        shift.

        The shift rounds to nearest, halves upwards. None means that the format rounds by another method.
        """
        return None

    def holds(self, bound: Bound, result: NumberFormat) -> bool:
        """True if sums within a bound do not overflow the accumulator, even while they are rounded to the result."""
        return True

    def lacks(self, products: Sequence[Product], initial: Factor | None) -> str | None:
        """The reason why sums of these products and an initial value may overflow the accumulator; None if they
        cannot.
        """
        return None

    def unpacked(self, factors: tuple[NumberFormat, NumberFormat], which: int, raws: Raws) -> NumberFormat | None:
        """The format in which constant factors are stored unpacked, so that `mac` need not unpack them.

        which: the position of the factor in a product.
        raws: the raws of the constant.

        Returns None if unpacking saves nothing, or if a raw has no unpacked form.
        """
        return None

    def sums(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> bool:
        """True if the accumulator represents products of elements of these formats, at the scales of the formats."""
        return self.FAMILY == lhs_format.FAMILY == rhs_format.FAMILY and self == self.of(lhs_format, rhs_format)

    @abstractmethod
    def zero(self, m: Machine[V]) -> V: ...

    @abstractmethod
    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        """sum + lhs * rhs."""

    @abstractmethod
    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        """Whether lhs > rhs for two sums, as an i1 value. The raws of sums must compare in the same order."""

    def finished(self, m: Machine[V], sum: V, result: NumberFormat) -> V | None:
        """A complete sum rounded to a format of the family; None if the format itself implements the rounding."""
        return None

    @property
    def below(self) -> Accumulator | None:
        """The accumulator of the two partial sums that an addition tree adds; None without a tree or at level 0.

        Products missing from a complete tree count as zeros.
        """
        return None

    def join(self, m: Machine[V], sum: V, part: V, part_accumulator: Accumulator) -> V:
        """The sum of `sum` and the partial sum `part`.

        part_accumulator: the accumulator of `part`. It is the accumulator that `below` returns if both sums are
        complete trees, otherwise this accumulator.
        """
        raise InputError(f"{self.type} is not summed as a tree")

    def shifted(self, m: Machine[V], sum: V, right: V) -> V:
        """sum / 2^right, rounded down.

        If the result is rounded to fewer bits, the rounded number is the same as for the exact quotient.

        right: an 8-bit integer.

        Raises `InputError` for sums that are not integers.
        """
        if not self.INTEGER:
            raise InputError(f"sums in {self.type} are not shifted: per-row scales are for formats that have a scale")
        return m.shrsi(sum, m.resize(right, m.width_of(sum)))

    def add_shifted(self, m: Machine[V], sum: V, part: V, left: V) -> V:
        """sum + part * 2^left. The caller must have proved that neither summand overflows.

        left: an 8-bit integer.

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
        """Sums of products of matrices stacked along the first axis: shapes (n or 1, i, k) times (n or 1, k, j).

        The result has the shape (n, i, j). Products are added in the order of the summed index k, from zero or from
        `start`. If additions round, this order is part of the definition of the result. Families with exact sums
        override this method by a faster one.
        """
        from tinyml.dialects.machine.numpy_machine import sum_of_products

        return sum_of_products(cast(Any, self), (lhs, rhs), cast(Any, (lhs_format, rhs_format)), start)

    def matmul_aligned(self, lhs: Raws, rhs: Raws, rhs_format: NumberFormat, start: Raws | None = None) -> Raws:
        """Like `matmul`, for weights with a scale per group.

        lhs: the weights as integers in the unit of the finest group.

        Raises `InputError` unless sums are exact integers.
        """
        raise InputError(f"sums in {self.type} have no weights that share scales in groups")

    def squared_distances(
        self, lhs: Raws, lhs_format: NumberFormat, rhs: Raws, rhs_format: NumberFormat
    ) -> Raws | None:
        """The sums of squared exact differences between each of n vectors and each of m vectors, of shape (n, m).

        lhs: shape (n, elements).
        rhs: shape (m, elements).

        Returns None if each pair of vectors must be subtracted separately.
        """
        return None


@singledispatch
def accumulator_of(type: object) -> Accumulator | None:
    """The accumulator that a type defines; None for any other type. Adapters for foreign types register here."""
    return type if isinstance(type, Accumulator) else None
