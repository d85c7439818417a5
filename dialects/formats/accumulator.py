"""What sums of products run in: the interface of accumulators, beside that of number formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import singledispatch
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import Attribute

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.product import Bound
from tinyml.dialects.machine.machine import Machine

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Raws

V = TypeVar("V")


class Accumulator(ABC):
    """The type that a sum of products is held in while it runs; it belongs to one family of formats."""

    INTEGER: ClassVar[bool] = False
    """Is `mac` the sum and product of the raws as integers? Then the integer kernels of a target can do it."""

    FAMILY: ClassVar[str]
    """The family of the formats whose products it sums, and of the formats that a sum is rounded into."""

    @property
    @abstractmethod
    def type(self) -> Attribute:
        """The type that stands for the accumulator in the IR."""

    @property
    @abstractmethod
    def storage(self) -> Attribute:
        """The builtin type of the register that holds it."""

    @property
    def bits(self) -> int:
        """The width of that register."""
        return cast(FixedBitwidthType, self.storage).bitwidth

    def widened(self, bits: int) -> Accumulator:
        """The same sum in the narrowest register of at least this many bits; itself where there is no such."""
        return self

    @property
    def in_memory(self) -> Accumulator:
        """The narrowest accumulator, at least as wide, that memory holds one after the other."""
        return self

    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> Accumulator:
        """The same register for products of elements of these formats."""
        return self

    @property
    def exchanged(self) -> Accumulator:
        """The same sum of products whose factors have changed places."""
        return self

    def follows(self, other: Accumulator) -> bool:
        """Can a sum that has begun in another accumulator of this family go on in this one, exactly?"""
        return True

    def align(self, m: Machine[V], sum: V, other: Accumulator) -> V:
        """A sum of an accumulator that this one follows; it fits."""
        return sum

    def starts(self, format: NumberFormat) -> bool:
        """Can a sum start from a number of this format, exactly?"""
        return self.FAMILY == format.FAMILY

    def start_format(self, format: NumberFormat) -> NumberFormat:
        """The format in which constants of another one are kept so that a sum starts from them at the least cost."""
        return format

    def start_constant(self, format: NumberFormat) -> NumberFormat:
        """The format for a constant that sums start from and that was to have another one."""
        return format

    @abstractmethod
    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        """A number of a format as a sum; it fits."""

    def levelled(self, result: NumberFormat) -> Accumulator:
        """The accumulator of whole sums that are to be rounded into a format, where rows had scales of their own."""
        return self

    def level_row(self, m: Machine[V], sum: V, row: V, levelled: Accumulator) -> V:
        """The whole sum of a row, by its number, in an accumulator that `levelled` gives."""
        return sum

    def holds(self, bound: Bound, result: NumberFormat) -> bool:
        """Can it hold sums within a bound, also while they are rounded into the result?"""
        return True

    def sums(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> bool:
        """Can it hold a product of elements of these formats, at their scales?"""
        return self.FAMILY == lhs_format.FAMILY == rhs_format.FAMILY

    @abstractmethod
    def zero(self, m: Machine[V]) -> V: ...

    @abstractmethod
    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        """sum + lhs * rhs."""

    @abstractmethod
    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        """A truth value: is lhs > rhs, both such sums? Raws must compare likewise."""

    @property
    def below(self) -> Accumulator | None:
        """The accumulator of the two sums that make up one sum of this one, in a tree; None where products do.

        Without products enough for a whole tree, those that are missing count as zeros.
        """
        return None

    def join(self, m: Machine[V], sum: V, part: V, part_accumulator: Accumulator) -> V:
        """sum + part; the part in this accumulator, or in the one `below`, where both are whole trees."""
        raise InputError(f"{self.type} is not summed as a tree")

    def shifted(self, m: Machine[V], sum: V, places: V) -> V:
        """sum / 2^places, rounded down: a later rounding to fewer places gives what it gives for the exact quotient.

        places: 8-bit integers. Raises `InputError` for sums that are no integers.
        """
        if not self.INTEGER:
            raise InputError(f"sums in {self.type} are not shifted: per-row scales are for formats that have a scale")
        return m.shrsi(sum, m.resize(places, m.width_of(sum)))

    def matmul(
        self, lhs: Raws, lhs_format: NumberFormat, rhs: Raws, rhs_format: NumberFormat, start: Raws | None = None
    ) -> Raws:
        """Sums of products of matrices stacked along the first axis: (n or 1, i, k) times (n or 1, k, j).

        Products are added in the order of the summed index, from zero or from `start`: where additions round, the
        order is part of the meaning. A family whose sums are exact does it faster.
        """
        from tinyml.dialects.machine.numpy_machine import sum_of_products

        return sum_of_products(cast(Any, self), (lhs, rhs), cast(Any, (lhs_format, rhs_format)), start)


@singledispatch
def accumulator_of(type: object) -> Accumulator | None:
    """The accumulator that a type stands for, or None."""
    return type if isinstance(type, Accumulator) else None
