"""The interface of number formats, which all other parts of tinyml use.

A format is an element type that defines each of its operations once, as a program for any `Machine`. The numpy machine
executes the program in the evaluator and in searches. The emitter translates the program to IR for a device. Both
results therefore agree in every bit. An element type that implements `NumberFormat` works with every pass, target and
test without other changes. Types of other packages, such as `f32`, are adapted by registering with `number_format`.

A `Product` describes sums of products to formats. A `Coding` describes raws to kernels. Formats with the same `FAMILY`
may be mixed as operands of one op. A conversion between families requires an explicit `tdsl.cast`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar, get_args

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.accumulator import Accumulator
    from tinyml.dialects.formats.grouping import Grouping
    from tinyml.dialects.formats.groups import GroupsAttr
    from tinyml.dialects.formats.specification import Specification


Raws: TypeAlias = "NDArray[Any]"
Reals: TypeAlias = "NDArray[np.float64]"
V = TypeVar("V")
Term: TypeAlias = "tuple[int, Sequence[tuple[V, NumberFormat]]]"
Function: TypeAlias = Literal["exp", "tanh", "sigmoid", "erf", "log", "softplus"]

ScaleBy: TypeAlias = Literal["greatest", "scores"]
"""The criterion for the scale of a tensor: its greatest magnitude, or the errors of scores that its errors cause."""

BY_GREATEST: ScaleBy = "greatest"
BY_SCORES: ScaleBy = "scores"
SCALING_RULES: tuple[ScaleBy, ...] = get_args(ScaleBy)

Bound: TypeAlias = tuple[int, int]
"""The least and the greatest value of any partial sum, in units in the last place of an accumulator."""

Interval: TypeAlias = tuple[float, float]
"""Reals that bound the elements of a tensor for any input."""

SCALINGS = 4
"""The number of candidate scales of a format for a range."""

UNBOUNDED_INTERVAL: Interval = (-math.inf, math.inf)


@dataclass(frozen=True)
class Factor:
    """One of the two operands whose products are added to a sum.

    * format: the number format of the elements.
    * raws: the raws of a constant operand, shape (..., summed index); None if the operand is not constant.
    * interval: reals that bound the elements of an operand that is not constant.
    * raised: groups that the op assigns to the elements in place of the format's groups.
    """

    format: NumberFormat
    raws: Raws | None = None
    interval: Interval = UNBOUNDED_INTERVAL
    raised: GroupsAttr | None = None

    @property
    def groups(self) -> GroupsAttr | None:
        """The groups of the operand's elements; None without groups. The products of a group are summed before the sums
        of the groups are added.
        """
        return self.format.groups if self.raised is None else self.raised


@dataclass(frozen=True)
class Product:
    """A description of sums of `length` products, each of an element of the factor `lhs` and an element of the factor
    `rhs`. Only `lhs` may have groups.

    square: true if both factors of a product are the same number.
    sparse: true if only products of stored entries are added.
    """

    length: int
    lhs: Factor
    rhs: Factor
    square: bool = False
    sparse: bool = False


INTEGER = "integer"
TABLE = "table"
REGIME = "regime"


@dataclass(frozen=True)
class Coding:
    """The rule by which kernels decode the raws of a format, identified by a name.

    * `INTEGER`: raws are the integers themselves.
    * `TABLE`: raws are bytes, and `table` lists a 16-bit integer for each raw in the order of the raws. The entry of
      raw 0 has the index `zero`.
    * `REGIME`: raws of 16 bits have a sign, a regime, an exponent and a fraction, as posits do. `parameters` are the
      number of exponent bits and the scale.

    segments: a function for kernels that decode piecewise linearly. It returns a table of 256 entries and the number of
        additional fraction bits of the decoded integers. Entry i represents the 16-bit raws whose upper byte is i -
        128. The entry is c * 2^16 + 2^8 + s if all of these raws represent (raw + c) * 2^s, and 0 otherwise.
    """

    name: str
    table: NDArray[np.signedinteger[Any]] | None = None
    zero: int = 0
    parameters: tuple[int, ...] = ()
    segments: Callable[[], tuple[NDArray[np.signedinteger[Any]], int]] | None = None


INTEGER_CODING = Coding(INTEGER)
"""The coding of formats whose raws are the integers that they represent."""


class NumberFormat(ABC):
    """A set of representable reals, the raw of each of them, and the operations that round to the format.

    Every operation is a method of the format of its *result*. The operands may have other formats of the same family. A
    value of type `V` is a stored element as the machine represents it: an array of raws, or an SSA value.
    """

    FAMILY: ClassVar[str]
    """The name of the family to which all operands of an operation must belong."""

    AS_PUBLISHED: ClassVar[bool] = False
    """True for published arithmetic: sums are not fused, scales do not change, and results may be rounded differently.
    """

    ROUNDS_ONCE: ClassVar[bool] = True
    """True if each result is the number nearest to the exact one; otherwise intermediate roundings may add to the
    error.
    """

    SCALED_BY: ClassVar[ScaleBy] = BY_GREATEST
    """The default rule for the scales of tensors that are not constant."""

    WEIGHS_NUMBERS: ClassVar[bool] = False
    """True if `fitted_to` reads the importance of a constant's numbers, which requires an evaluation of all data."""

    SUMS_GO_ON: ClassVar[bool] = True
    """True if one sum can add products of operands with different scales."""

    CONSTANTS_FROM: ClassVar[int | None] = None
    """The minimum number of elements of constants that use this format, if it is worthwhile only for constants; other
    tensors use the main format. None for other formats.
    """

    GOOD_FOR: ClassVar[str] = ""
    """Suitable models and chips in one line for help texts; "" for a format that is not recommended."""

    FOR_WEIGHTS: ClassVar[bool] = False
    """True if `search-weights` considers this format, because constants of few bits lose less accuracy in it."""

    FOR_AUTO: ClassVar[Sequence[int]] = ()
    """Widths at which `--format auto` considers a package's format, in addition to its own alternatives."""

    SCHEMES: ClassVar[Sequence[str]] = ()
    """Names of alternative implementations of `function`: published ones, for comparison."""

    @property
    @abstractmethod
    def type(self) -> Attribute:
        """The format's element type in the IR."""

    @property
    @abstractmethod
    def storage(self) -> Attribute:
        """The builtin type of an element in memory."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of raws; its itemsize is the size of an element in memory, in bytes."""

    @property
    @abstractmethod
    def bits(self) -> int:
        """The width of an element in bits; `of_width` of this width returns a format of this kind."""

    @property
    def candidates(self) -> Sequence[NumberFormat]:
        """The formats, in ascending order of bits, that a search may try for a tensor in place of this format.

        The scales of these formats are arbitrary: the search replaces them by `for_range`.
        """
        return (self,)

    @property
    def variants(self) -> Sequence[NumberFormat]:
        """The formats of the same width among which a search chooses by accuracy.

        The formats differ in parameters that `for_range` does not change.
        """
        return (self,)

    @property
    def specification(self) -> Specification | None:
        """The documented semantics, against which `tinyml prove` checks the arithmetic; None for a format without
        documented semantics.
        """
        return None

    @property
    def coding(self) -> Coding | None:
        """The rule by which kernels decode raws; None if no kernel decodes them, but only `Accumulator.mac`."""
        return None

    def as_integers(self, bits: int) -> NumberFormat | None:
        """The fixed-point format of `bits` bits that represents the numbers of this format; None if there is no such
        format.
        """
        return None

    @property
    def computed(self) -> NumberFormat:
        """The format to which ops convert numbers of this format before they compute. By default, it is this format."""
        return self

    def delivered(self, raws: Raws) -> Raws:
        """The integers with which a sensor or a data set would represent the numbers of these raws.

        The integers have the storage width and are signed or unsigned, depending on the format.
        """
        return raws

    def without_offset(self) -> tuple[NumberFormat, int]:
        """The format of the same raws with zero point 0, and the zero point that must be subtracted from raws of this
        format.
        """
        return self, 0

    @abstractmethod
    def encode(self, reals: Reals) -> Raws:
        """Round reals to the format and return their raws, in an array of the same shape."""

    def rounding_within(self, low: float, high: float) -> object:
        """A key, by default the type. Formats with equal keys round all reals from `low` to `high` equally."""
        return self.type

    def encode_clipped(self, reals: Reals) -> Raws:
        """Round reals to the format and return their raws. Reals outside the range saturate, even in formats whose
        `encode` wraps around.
        """
        return self.encode(reals)

    def ends(self, shape: Sequence[int] = ()) -> tuple[Raws, Raws]:
        """The raws of the least and of the greatest number, as two arrays of the shape `shape`.

        Within an array, the raws differ only if rows have separate scales.
        """
        low, high = (self.encode_clipped(np.full(shape, end)) for end in (-np.inf, np.inf))
        return low, high

    def encode_away(self, reals: Reals) -> Raws:
        """For each real, the raw of the adjacent number of the format that `encode` does not select: the number on the
        other side of the real.

        If there is no such number, the raw is that of `encode`. By default, every raw is that of `encode`.
        """
        return self.encode(reals)

    @abstractmethod
    def decode(self, raws: Raws) -> Reals:
        """The exact reals that raws represent, in an array of the same shape."""

    @property
    def stored_limits(self) -> tuple[int, int] | None:
        """The least and the greatest raw that memory may contain; None if memory may contain any element."""
        return None

    def verify_raws(self, raws: Raws) -> None:
        """Raise `VerifyException` for raws that rounding never returns, including NaN. Proofs assume that constants
        contain no such raws.
        """
        wrong = raws[self.encode(self.decode(raws)) != raws]
        if wrong.size:
            raise VerifyException(f"{wrong[0]} is not the raw value of any {self.type}")

    @classmethod
    @abstractmethod
    def of_width(cls, width: int | None) -> NumberFormat:
        """A format of the family with `width` bits; with the default width if `width` is None.

        Raises `InputError` if the family has no format of this width.
        """

    @classmethod
    def of_integers(cls, width: int, scale: int, integers: Sequence[int]) -> NumberFormat | None:
        """The format of `width` bits whose numbers are the given integers times 2^-scale.

        integers: the integers in ascending order, including 0.

        Returns None for a family whose types do not list their numbers.
        """
        return None

    @abstractmethod
    def for_range(self, low: float, high: float) -> NumberFormat:
        """The format of the same family and width whose scale is chosen for numbers between low and high."""

    def scalings(self, low: float, high: float) -> Sequence[NumberFormat]:
        """Candidate formats of the same family and width for numbers between low and high. A search chooses one by its
        errors.

        By default, the candidates are the formats for this range and for ranges that are 2, 4 and 8 times narrower.
        Numbers outside a narrower range saturate.
        """
        return [self.for_range(math.ldexp(low, -zoom), math.ldexp(high, -zoom)) for zoom in range(SCALINGS)]

    def ranging(self, low: float, high: float) -> Sequence[NumberFormat]:
        """Candidate formats of the same family and width for numbers between low and high whose magnitudes differ more
        than those of `scalings`. They take more time, and are considered only for tensors that need them.

        By default there are none.
        """
        return ()

    @property
    def effort(self) -> int:
        """The rank of the format within its family and width by the time that decoding and rounding take. Rank 0 is the
        fastest.
        """
        return 0

    @property
    def reaching(self) -> Sequence[NumberFormat]:
        """The formats that represent all numbers of this format and also greater numbers, in descending order of range;
        empty for most formats.
        """
        return ()

    def fitted_to(self, constant: Reals, importance: Reals | None, *, rows: bool) -> NumberFormat:
        """The format of the same width that rounds the numbers of a constant with the least error. `self` was chosen by
        the range of the constant only.

        importance: the mean square of the factor by which each number is multiplied, broadcast to the constant; None if
            unknown, or if the format does not request it by `WEIGHS_NUMBERS`.
        rows: true if rows, along the first axis, may have separate parameters.
        """
        return self

    def grouped(self, constant: Reals, importance: Reals | None, finest: Grouping) -> NumberFormat | None:
        """The format for a constant in groups with separate parameters; None for formats that do not support groups.

        importance: the mean square of the factor by which each number is multiplied, broadcast to the constant; None if
            unknown or not requested.
        finest: the finest groups that all uses of the constant support.
        """
        return None

    @property
    def groups(self) -> GroupsAttr | None:
        """The groups of the tensor with this format; None for a format without groups."""
        return None

    @property
    def shared_bits(self) -> int:
        """The number of bits in flash that a constant needs in addition to its elements, such as the exponents of
        groups.
        """
        return 0 if self.groups is None else 8 * len(self.groups.shifts)

    def squared_error(self, constant: Reals, importance: Reals | None) -> float:
        """The sum of the squared errors that rounding a constant to this format causes.

        importance: the weight of each squared error, broadcast to the constant; None for equal weights.
        """
        weights = 1.0 if importance is None else importance
        return float(np.sum(weights * (self.decode(self.encode(constant)) - constant) ** 2))

    def useful_range(self, function: Function, low: float, high: float) -> tuple[float, float]:
        """The subinterval of [low, high], as a pair (low, high), outside which the results of a function, rounded to
        this format, are constant.
        """
        return low, high

    def result_range(self, function: Function, low: float, high: float) -> tuple[float, float]:
        """The range (low, high) from which the format of a function's results is computed.

        low, high: the range of results that was observed in the profile.
        """
        return low, high

    def of_sum(self, lhs: NumberFormat, rhs: NumberFormat) -> NumberFormat:
        """The format in which sums of two operands are computed. By default, it is this format; published arithmetic
        may define a finer scale.
        """
        return self

    def of_product(self, lhs: NumberFormat, rhs: NumberFormat) -> NumberFormat:
        """The format in which products of two operands are computed. By default, it is this format; published
        arithmetic may define a finer scale.
        """
        return self

    def in_register(self) -> NumberFormat:
        """The format of the same range for a value that exists only in a register and whose width the user has not
        specified.
        """
        return self

    @abstractmethod
    def narrowed(self, bits: int) -> NumberFormat:
        """The format of the same range with `bits` fewer bits of precision; this format if its precision is not a
        parameter.
        """

    def addend(self, other: NumberFormat, result: NumberFormat) -> NumberFormat:
        """The format for a constant that is only added to values of the format `other`.

        If the family supports it, the scale of the constant is at most as fine as the finer of the scales of `other`
        and `result`.
        """
        return self

    def difference(self, rhs: NumberFormat) -> NumberFormat | None:
        """A format that exactly represents every difference between a number of this format and a number of `rhs`.

        The raw of a difference is the difference of the integer raws. Returns None if there is no such format.
        """
        return None

    def distance_bound(self, length: int, rhs: NumberFormat, vectors: Raws | None) -> Bound | None:
        """A proven bound on every partial sum of `length` squared differences. Each difference is between a
        number in this format and a number in the format `rhs`.

        vectors: the constant vectors of format `rhs` from which distances are computed, shape (n, length); None if they
            are unknown.

        The bound is in units in the last place of a product of two `difference`s. Returns None if the family
        needs no bound.
        """
        return None

    @abstractmethod
    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> Accumulator:
        """The narrowest accumulator for sums of products of lhs and rhs elements that are rounded to this format.

        bound: the result of `sum_bound`; None if sums have no known bound.

        Raises `InputError` if no accumulator is wide enough.
        """

    def accumulator_for(self, product: Product, bound: Bound | None) -> Accumulator:
        """The accumulator for a matrix product within `bound`, with results in this format. By default, it is the
        result of `accumulator`.

        Families whose accumulator depends on the length of the sums override this method.
        """
        return self.accumulator(product.lhs.format, product.rhs.format, bound)

    def accumulator_of_sum(
        self, products: Sequence[Product], initial: Factor | None, bound: Bound | None
    ) -> Accumulator:
        """The accumulator for a sum of several products, which are added in order to an initial value.

        By default, it is the accumulator for the last product.
        """
        return self.accumulator_for(products[-1], bound)

    @abstractmethod
    def sum_bound(self, products: Sequence[Product], initial: Factor | None = None) -> Bound | None:
        """A bound on every partial sum of several products, in units in the last place of the finest product.

        initial: the factor that contains the initial values of sums.

        Returns None if the family needs no bound.
        """

    @abstractmethod
    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        """Round a complete sum to the format and return the raw.

        accumulator: the type of the sum.
        bound: the bound within which the sum lies; None if it is unknown.
        """

    @abstractmethod
    def constant(self, m: Machine[V], real: float) -> V:
        """The raw to which a real is rounded, as a constant of the machine."""

    @abstractmethod
    def add(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V: ...

    @abstractmethod
    def sub(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V: ...

    @abstractmethod
    def mul(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V: ...

    def scaled(self, m: Machine[V], value: V, value_format: NumberFormat, factor: V, factor_format: NumberFormat) -> V:
        """value * factor. The caller ensures that the factor is a power of two and that the product lies within the
        range of the format.
        """
        return self.mul(m, value, value_format, factor, factor_format)

    @abstractmethod
    def neg(self, m: Machine[V], value: V, value_format: NumberFormat) -> V: ...

    @abstractmethod
    def recode(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        """Round a number of another format of the family to this format and return the raw."""

    @abstractmethod
    def from_f32(self, m: Machine[V], value: V) -> V:
        """Round a float to the format and return the raw."""

    @abstractmethod
    def to_f32(self, m: Machine[V], value: V) -> V:
        """The float nearest to a number of this format."""

    def ranked(self, m: Machine[V], value: V) -> tuple[Int[V], Raws] | None:
        """The position of a value among all raws of the format in the order of their numbers, and the list of all these
        raws.

        Returns None if a table of the raws would be too long.
        """
        return None

    def convert(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        """Round a number of any format to this format and return the raw.

        Between families, the conversion is a table look-up if the table is short enough and this format has at most 16
        bits. Otherwise the number is first converted to a float.
        """
        if value_format.FAMILY == self.FAMILY:
            return self.recode(m, value, value_format)
        ranked = value_format.ranked(m, value)
        if ranked is None or self.dtype.kind != "i" or self.dtype.itemsize > 2:
            return self.from_f32(m, value_format.to_f32(m, value))
        index, raws = ranked
        entry = m.entry("conversion", self.encode_clipped(value_format.decode(raws)), index)
        return m.settle(entry, 8 * self.dtype.itemsize)

    @abstractmethod
    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        """The value clamped to [low, high]. If `high` is None, there is no upper limit.

        For relu, the limits are 0 and None; for relu6, they are 0 and 6.
        """

    def binds(self, low: float, high: float | None) -> bool:
        """True if `clamp` to [low, high] can change a number of this format; always true for published arithmetic.

        high: the upper limit; None for infinity.
        """
        if self.AS_PUBLISHED:
            return True
        ends = self.encode(np.array([-math.inf, low, math.inf, math.inf if high is None else high]))
        return bool(ends[0] != ends[1] or ends[2] != ends[3])

    def leaky_relu(self, m: Machine[V], value: V, value_format: NumberFormat, slope: float) -> V:
        """The value if it is at least 0, otherwise slope * value, rounded to this format."""
        factor = value_format.for_range(min(slope, 0.0), max(slope, 0.0))
        scaled = self.mul(m, value, value_format, factor.constant(m, slope), factor)
        return m.select(value_format.at_least(m, value, 0.0), self.recode(m, value, value_format), scaled)

    def hard_swish(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        """value * min(max(value + 3, 0), 6) / 6, rounded to this format."""
        raised, share = value_format.for_range(0.0, 6.0), value_format.for_range(0.0, 1.0)
        inner = value_format.clamp(m, value, -3.0, 3.0)
        above = raised.add(m, inner, value_format, raised.constant(m, 3.0), raised)
        gate = share.mul(m, above, raised, share.constant(m, 1 / 6), share)
        return self.mul(m, value, value_format, gate, share)

    def format_of_sums(self, low: float, high: float) -> NumberFormat | None:
        """A format of integers that represents every sum of numbers of this format whose value lies in [low, high].

        Returns None if there is no such format.
        """
        return None

    def adds_raws_of(self, sums: NumberFormat) -> bool:
        """True if this format represents every number of `sums`, and the sum of two raws of `sums` is the raw of the
        sum.

        sums: a format that `format_of_sums` returned.
        """
        return self == sums

    def maximum(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        """The greater of two numbers, rounded to this format. Both are rounded before they are compared, because
        rounding preserves their order.
        """
        first, second = self.recode(m, lhs, lhs_format), self.recode(m, rhs, rhs_format)
        return m.select(self.greater(m, second, first), second, first)

    def minimum(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        """The lesser of two numbers, rounded to this format. Both are rounded before they are compared, because
        rounding preserves their order.
        """
        first, second = self.recode(m, lhs, lhs_format), self.recode(m, rhs, rhs_format)
        return m.select(self.greater(m, first, second), second, first)

    def step(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        """The raw of 1 if the value is greater than 0, otherwise the raw of 0."""
        if value_format.decode(value_format.encode(np.array(0.0))):
            # The format does not contain zero.
            positive = value_format.at_least(m, value, 0.0)
        else:
            positive = value_format.greater(m, value, value_format.constant(m, 0.0))
        return m.select(positive, self.constant(m, 1.0), self.constant(m, 0.0))

    def total(self, count: int) -> Attribute:
        """The builtin type in which `count` numbers of this format are summed for an average."""
        return f32

    def tally(self, m: Machine[V], total: V, value: V) -> V:
        """total + value, where `total` has the type that the method `total` returns."""
        return m.addf(total, self.to_f32(m, value))

    def average(self, m: Machine[V], total: V, count: int, value_format: NumberFormat) -> V:
        """The total of `count` numbers in a format of the family, divided by `count` and rounded to this format."""
        real = value_format.total_to_f32(m, total)
        return self.from_f32(m, m.mulf(real, m.float_constant(1 / count)))

    def mean(self, m: Machine[V], total: V, count: int, value_format: NumberFormat) -> V:
        """The mean of `count` numbers along whole axes, computed from their total. By default, it is the result of
        `average`.
        """
        return self.average(m, total, count, value_format)

    def total_to_f32(self, m: Machine[V], total: V) -> V:
        """The float nearest to a total of the type that `total` returns."""
        return total

    @property
    def softmax_total(self) -> Attribute:
        """The builtin type of a softmax's exponentials and of their sum, for results in this format."""
        return f32

    @property
    def longest_softmax(self) -> int | None:
        """The greatest number of terms whose total `softmax_total` can represent; None if unlimited."""
        return None

    def softmax_term(self, m: Machine[V], value: V, greatest: V, value_format: NumberFormat) -> V:
        """exp(value - greatest), the numerator of one result of a softmax. The numerator is at most 1.

        greatest: the greatest value of the row, in the format of `value`.
        """
        return m.call("tm_expf", m.subf(value_format.to_f32(m, value), value_format.to_f32(m, greatest)))

    def softmax_add(self, m: Machine[V], total: V, term: V) -> V:
        """total + term, both of the type that `softmax_total` returns."""
        return m.addf(total, term)

    def softmax_share(self, m: Machine[V], term: V, total: V) -> V:
        """term / total, rounded to this format."""
        return self.from_f32(m, m.mulf(term, m.call("tm_inversef", total)))

    def square_total(self, count: int, value_format: NumberFormat) -> Attribute:
        """The builtin type of the sum of `count` squares, for a normalisation with results in this format."""
        return f32

    def add_square(self, m: Machine[V], total: V, value: V, value_format: NumberFormat) -> V:
        """total + value^2, where `total` has the type that `square_total` returns."""
        real = value_format.to_f32(m, value)
        return m.addf(total, m.mulf(real, real))

    def inverse_root(self, m: Machine[V], total: V, value_format: NumberFormat) -> V:
        """1 / sqrt(total): a float if the total is a float, otherwise a 32-bit integer.

        The unit of the integer is the one that `normalised` expects.
        """
        return m.call("tm_inverse_rootf", total)

    def normalised(self, m: Machine[V], value: V, factor: V, total: V, value_format: NumberFormat) -> V:
        """value * factor, rounded to this format.

        value: a number of the format `value_format`.
        factor: the result of `inverse_root`.
        total: the argument of `inverse_root` for this factor.
        """
        return self.from_f32(m, m.mulf(value_format.to_f32(m, value), factor))

    @property
    def of_rotations(self) -> NumberFormat:
        """The format of the cosines and sines with which numbers of this format are multiplied. It represents -1."""
        return self.for_range(-1.0, 1.0)

    def combined(self, m: Machine[V], terms: Sequence[Term[V]]) -> V:
        """The sum of signed products: each term consists of a sign and one or more factors.

        Exact formats round the sum once. Other formats round after each step.
        """
        total: V | None = None
        for sign, ((value, format), *others) in terms:
            for other in others:
                value, format = self.mul(m, value, format, *other), self
            first, after = (self.neg, self.sub) if sign < 0 else (self.recode, self.add)
            total = first(m, value, format) if total is None else after(m, total, self, value, format)
        assert total is not None
        return total

    @abstractmethod
    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        """The result of a function of a value, rounded to this format.

        scheme: one of the format's `SCHEMES`; None selects the most suitable method.

        Results lie within the range of the function, whose limits are rounded to the format. The range of exp starts at
        0; the range of tanh is -1 to 1, and the range of sigmoid 0 to 1.
        """

    @abstractmethod
    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        """Whether value >= threshold in real arithmetic, as an i1 value."""

    @abstractmethod
    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        """Whether lhs > rhs for two numbers of this format, as an i1 value. Raws must be in the order of their
        numbers.
        """


@singledispatch
def number_format(type: object) -> NumberFormat | None:
    """The number format that an element type defines; None for a type without one.

    A type that implements `NumberFormat` is its own format. Adapters for types of other packages are registered with
    this function.
    """
    return type if isinstance(type, NumberFormat) else None


def element_format(type: Attribute) -> NumberFormat:
    """The format of a scalar type, or of the elements of a tensor or memref type.

    Raises `VerifyException` if the type has no number format.
    """
    element = getattr(type, "element_type", type)
    if (format := number_format(element)) is None:
        raise VerifyException(f"elements must be of a number format, got {element}")
    return format
