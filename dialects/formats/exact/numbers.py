"""The interface `ExactNumbers` of formats whose numbers are integers times a power of two, for accumulators and
proofs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from tinyml.dialects.formats.accumulator import Accumulator
    from tinyml.dialects.formats.groups import GroupsAttr
    from tinyml.dialects.formats.number_format import Factor, Product, Raws, Term

V = TypeVar("V")


class ExactNumbers(NumberFormat):
    """Numbers `integer * 2^-scale`. Raws are signed integers in the order of the numbers, and raw 0 represents zero."""

    INTEGERS: ClassVar[Callable[[int, int], ExactNumbers]]
    """A function that returns the format of a width and a scale whose raws are the integers themselves. That format is
    a subclass of this class, so its file, which `tinyml.dialects.formats` imports, sets the variable.
    """

    OF_SENSOR: ClassVar[Callable[[int, bool, int | None], ExactNumbers]]
    """A function that returns the format of a sensor's integers, from their width, whether they are signed, and their
    scale (None for numbers from -1 to 1). Set as `INTEGERS` is.
    """

    FAMILY = "exact"

    @property
    @abstractmethod
    def scale(self) -> int:
        """The scale s for which every number is a multiple of 2^-s."""

    @property
    @abstractmethod
    def raw_limits(self) -> tuple[int, int]:
        """The raws of the least and of the greatest number."""

    @property
    def integer_limits(self) -> tuple[int, int]:
        """The integers that the least and the greatest raw represent, in units of 2^-scale."""
        low, high = self.integers(np.array(self.raw_limits, self.dtype)).tolist()
        return low, high

    @property
    def element(self) -> ExactNumbers:
        """The format of a single element, without groups. Its unit is that of the finest group, if there are groups."""
        return self

    @property
    def stored_width(self) -> int:
        """The number of bits of a raw in memory."""
        return self.dtype.itemsize * 8

    @property
    def stored_limits(self) -> tuple[int, int]:
        """The least and the greatest raw that memory may contain. The least raw is NaR, if the format has NaR."""
        return self.raw_limits

    @property
    def has_nar(self) -> bool:
        """True if the format has NaR, whose raw is one less than the raw of the least number."""
        return self.stored_limits != self.raw_limits

    @property
    def undefined(self) -> int:
        """The raw that is the result of converting NaR to this format: that of the least number."""
        return int(self.encode(np.ldexp(np.array(float(self.integer_limits[0])), -self.scale)))

    @property
    def has_powers(self) -> bool:
        """True if the format represents every power of two from 1 to its greatest number."""
        return True

    def integers(self, raws: Raws, dtype: DTypeLike = "i8") -> NDArray[Any]:
        """The integers that raws represent, in units of 2^-scale, as an array of `dtype`. The caller ensures that
        `dtype` represents every integer.
        """
        return np.ldexp(self.decode(raws), self.scale).astype(dtype)

    def integers_in(self, groups: GroupsAttr | None, raws: Raws) -> NDArray[np.int64]:
        """The integers that raws in groups represent, in units of 2^-scale.

        groups: the groups of the raws; None for raws without groups.

        Raises `InputError` if an integer exceeds the range of int64.
        """
        integers = self.element.integers(raws)
        return integers if groups is None else groups.raised(integers)

    @abstractmethod
    def load(self, m: Machine[V], value: V) -> Int[V]:
        """The integer that a stored raw represents, in units of 2^-scale."""

    def own_sums(self, products: Sequence[Product], initial: Factor | None) -> Accumulator | None:
        """The accumulator that this format defines for sums with an operand of this format; None if an integer type
        represents the sums.
        """
        return None

    def combined_as(self, m: Machine[V], terms: Sequence[Term[V]], result: NumberFormat) -> V:
        """The sum of signed products, some with factors of this format, which has NaR. The sum is rounded to `result`;
        NaR becomes its `undefined`.
        """
        raise NotImplementedError

    def recoded_as(self, m: Machine[V], value: V, result: NumberFormat) -> V | None:
        """A number of this format, rounded to another format of the family.

        Returns None if the integer of every number fits in a register: the caller then loads the integer and rounds it
        itself.
        """
        return None

    def rounding(self, scale: int) -> int:
        """The greatest bias that rounding adds to an integer in units of 2^-`scale` before it shifts the integer right.

        An accumulator must be wide enough for a sum plus this bias.
        """
        return 0

    def half_up_shift(self, scale: int) -> int | None:
        """The right shift that converts an integer in units of 2^-`scale` to a raw, after half a unit of the result is
        added.

        Returns None if the format rounds by another method.
        """
        return None

    def stored(self, m: Machine[V], value: V) -> Int[V]:
        """A stored raw as an `Int` whose interval is that of the format's raws."""
        low, high = m.proven(value, *self.stored_limits)
        return Int(value, self.stored_width, low, high)


def integers_of(format: NumberFormat) -> ExactNumbers | None:
    """The format as `ExactNumbers` if its numbers are integers times a power of two with exact sums; None for any other
    format.
    """
    return format if isinstance(format, ExactNumbers) else None


def exact_numbers(format: NumberFormat) -> ExactNumbers:
    """The format as `ExactNumbers`. Raises `InputError` for any other format."""
    if not isinstance(format, ExactNumbers):
        raise InputError(f"{format.type} meets numbers that are integers times a power of two only after a tdsl.cast")
    return format
