"""What a number representation has to offer: the interface that every other part of tinyml is written against.

A format is an element type that describes each of its operations once, over a `Machine`; the numpy machine (what the
evaluator and the searches run) and the emitting machine (what the device runs) then agree in every bit. An element
type that implements `NumberFormat` gets every pass, target and test without an edit elsewhere; types that this
project does not own (`f32`) are adapted by registering with `number_format`.

Formats of one `family` may be mixed freely as operands of an op; a change of family is an explicit `tdsl.cast`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar, cast

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.coding import Coding
from tinyml.dialects.formats.product import Bound, Factor, Product
from tinyml.dialects.machine.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.accumulator import Accumulator

Raws: TypeAlias = "NDArray[Any]"
Reals: TypeAlias = "NDArray[np.float64]"
V = TypeVar("V")
Function: TypeAlias = Literal["exp", "tanh", "sigmoid"]
FUNCTIONS: tuple[Function, ...] = ("exp", "tanh", "sigmoid")


class NumberFormat(ABC):
    """A set of representable reals, their raw bits, and the operations that round into it.

    Every operation is a method of the format of its *result*; operands come with their own formats, of the same
    family. Values `V` are what the machine holds for a stored element: an array of raws, or an SSA value.
    """

    FAMILY: ClassVar[str]
    """Formats that can be operands of one operation share a family."""

    AS_PUBLISHED: ClassVar[bool] = False
    """Is it an arithmetic of the literature, to be compared with? Passes then fuse no sums and change no scales, and
    results need be neither the nearest values nor saturate."""

    ROUNDS_ONCE: ClassVar[bool] = True
    """Is each result the number nearest to the exact one? Otherwise it may be rounded on its way, too."""

    SUMS_GO_ON: ClassVar[bool] = True
    """Can products of operands of any scales be added up in one sum?"""

    CONSTANTS_FROM: ClassVar[int | None] = None
    """Where it is for constants alone, of how many elements these are worth it; all else then has the usual format."""

    SCHEMES: ClassVar[Sequence[str]] = ()
    """Other ways to compute `function`, by name: those of the literature, to be compared with."""

    @property
    @abstractmethod
    def type(self) -> Attribute:
        """The element type that stands for the format in the IR."""

    @property
    @abstractmethod
    def storage(self) -> Attribute:
        """The builtin type that one element occupies in memory."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of raws; its itemsize is what an element occupies in memory."""

    @property
    @abstractmethod
    def bits(self) -> int:
        """The width of an element as `of_width` counts it."""

    @property
    def candidates(self) -> Sequence[NumberFormat]:
        """What a search may try for a tensor instead of this format, from few bits to many, whatever their scale."""
        return (self,)

    @property
    def variants(self) -> Sequence[NumberFormat]:
        """What accuracy chooses between where only the width is given: `for_range` of each keeps what is its own."""
        return (self,)

    @property
    def coding(self) -> Coding | None:
        """How kernels get integers from raws; None where only `Accumulator.mac` does."""
        return None

    def without_offset(self) -> tuple[NumberFormat, int]:
        """The format of the same raws as integers, and by what they are greater than what products are made of."""
        return self, 0

    @abstractmethod
    def encode(self, reals: Reals) -> Raws:
        """Round reals into the format."""

    def encode_away(self, reals: Reals) -> Raws:
        """The representable numbers next to reals on the other side than `encode` gives; the same ones without any."""
        return self.encode(reals)

    @abstractmethod
    def decode(self, raws: Raws) -> Reals:
        """The exact reals that raws stand for."""

    def verify_raws(self, raws: Raws) -> None:
        """Raise `VerifyException` for raws that rounding never gives: proofs do not count on them, nor on a NaN."""
        wrong = raws[self.encode(self.decode(raws)) != raws]
        if wrong.size:
            raise VerifyException(f"{wrong[0]} is not the raw value of any {self.type}")

    @classmethod
    @abstractmethod
    def of_width(cls, width: int | None) -> NumberFormat:
        """Any format of the family with this width, or of its usual width; raises `InputError` for a wrong one."""

    @abstractmethod
    def for_range(self, low: float, high: float) -> NumberFormat:
        """The format of the same family and width whose parameters suit values between low and high."""

    def fitted_to(self, constant: Reals, importance: Reals | None, *, rows: bool) -> NumberFormat:
        """The format for a constant, where its numbers say more than their range, which this format was chosen for.

        importance: the mean square of what each number is multiplied by, broadcast to the constant; None if unknown.
        rows: is it a matrix whose rows may have parameters of their own?
        """
        return self

    def useful_range(self, function: Function, low: float, high: float) -> tuple[float, float]:
        """The part of [low, high] outside which a function's result, in this format, does not change any more."""
        return low, high

    def result_range(self, function: Function, low: float, high: float) -> tuple[float, float]:
        """What the scale of a function's results is chosen for, where they were seen to lie in [low, high]."""
        return low, high

    def of_sum(self, lhs: NumberFormat, rhs: NumberFormat) -> NumberFormat:
        """Its part that sums of numbers of other formats can fill; itself, unless the literature has no finer scale."""
        return self

    def of_product(self, lhs: NumberFormat, rhs: NumberFormat) -> NumberFormat:
        """As `of_sum`, for products."""
        return self

    def in_register(self) -> NumberFormat:
        """The format of the same range for a value that is never stored: its width is no part of what was asked for."""
        return self

    @abstractmethod
    def narrowed(self, bits: int) -> NumberFormat:
        """The format of the same range with fewer bits of precision; itself where precision is not a parameter."""

    def addend(self, other: NumberFormat, result: NumberFormat) -> NumberFormat:
        """For a constant that is only added to values of another format: coarser, where the result is."""
        return self

    def difference(self, rhs: NumberFormat) -> NumberFormat | None:
        """A format that holds every lhs - rhs exactly, for integer raws as their difference; None without one."""
        return None

    def distance_bound(self, length: int, rhs: NumberFormat, vectors: Raws | None) -> Bound | None:
        """A proven bound on every partial sum of squares of `length` differences between this format and another.

        vectors: constants (n, length) of the other format, of which one is meant. In units of the last place of a
        product of two `difference`s; None where sums need no bound.
        """
        return None

    @abstractmethod
    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> Accumulator:
        """The narrowest accumulator for sums of products of lhs and rhs elements that are rounded into this format.

        bound: what `sum_bound` gives. Raises `InputError` where no accumulator is wide enough.
        """

    def accumulator_for(self, product: Product, bound: Bound | None) -> Accumulator:
        """The accumulator for a product of matrices: `accumulator`, unless it depends on the length of the sums."""
        lhs, rhs = (cast(NumberFormat, factor.format) for factor in (product.lhs, product.rhs))
        return self.accumulator(lhs, rhs, bound)

    @abstractmethod
    def sum_bound(self, products: Sequence[Product], initial: Factor | None = None) -> Bound | None:
        """Between what every partial sum of some products lies, in units of the finest one, for `accumulator`.

        initial: what is known of the numbers that sums start from. None where sums need no bound.
        """

    @abstractmethod
    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        """Round a finished sum, which lies within the bound, into the format."""

    @abstractmethod
    def constant(self, m: Machine[V], real: float) -> V: ...

    @abstractmethod
    def add(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V: ...

    @abstractmethod
    def sub(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V: ...

    @abstractmethod
    def mul(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V: ...

    @abstractmethod
    def neg(self, m: Machine[V], value: V, value_format: NumberFormat) -> V: ...

    @abstractmethod
    def recode(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        """Round a value of another format of the family."""

    @abstractmethod
    def from_f32(self, m: Machine[V], value: V) -> V:
        """Round a float into the format."""

    @abstractmethod
    def to_f32(self, m: Machine[V], value: V) -> V:
        """The float nearest to a value of this format."""

    def ranked(self, m: Machine[V], value: V) -> tuple[Int[V], Raws] | None:
        """The place of a value among all raws of the format, and these in order; None where they are many."""
        return None

    def convert(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        """Round a value of any format; between families by a table where it is short, or else by way of a float."""
        if value_format.FAMILY == self.FAMILY:
            return self.recode(m, value, value_format)
        ranked = value_format.ranked(m, value)
        if ranked is None or self.dtype.kind != "i" or self.dtype.itemsize > 2:
            return self.from_f32(m, value_format.to_f32(m, value))
        place, raws = ranked
        entry = m.entry("conversion", self.encode(value_format.decode(raws)), place)
        return m.settle(entry, 8 * self.dtype.itemsize)

    @abstractmethod
    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        """A value of this format limited to [low, high] (relu: low 0, no high; relu6: high 6)."""

    @abstractmethod
    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        """A function of a value, by one of the format's `SCHEMES` or (None) as suits the formats best.

        Results lie in the function's range as it is encoded: exp from 0, tanh from -1 to 1, sigmoid from 0 to 1.
        """

    @abstractmethod
    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        """A truth value: is a value of this format >= the threshold, compared as reals?"""

    @abstractmethod
    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        """A truth value: is lhs > rhs, both of this format? Raws must compare likewise."""


@singledispatch
def number_format(type: object) -> NumberFormat | None:
    """The format that an element type stands for, or None.

    Types that are formats themselves answer for themselves; an adapter for a type of somebody else registers here.
    """
    return type if isinstance(type, NumberFormat) else None


def element_format(type: Attribute) -> NumberFormat:
    """The format of a scalar type, or of the elements of a tensor or memref type that is known to have one."""
    return cast(NumberFormat, number_format(getattr(type, "element_type", type)))
