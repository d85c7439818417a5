"""`!posit.quire<width, frac, bin, step>`: exact sums of products of standard posits, rounded once.

A quire represents the sum as a number of `width` bits in units of 2^-frac. `width` is proved sufficient for the
operands. The quire of the Standard for Posit Arithmetic (2022, section 5), in contrast, always has
16 n bits.

A sum of at most 32 bits is one integer. A wider sum usually consists of *bins*: integers of `bin` bits whose units
differ by a factor of 2^step. A product is added to one bin, or each of its parts to one bin, without carries between
bins. The bins are converted to one integer after the last product. An additional byte records whether an operand was
NaR. The sum is then also NaR.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.exact.numbers import ExactNumbers, exact_numbers
from tinyml.dialects.formats.number_format import Factor, NumberFormat, Product
from tinyml.dialects.formats.posit.layout import ONE_INTEGER, LaidOut, Layout
from tinyml.dialects.formats.posit.parts import Parts, parts_of
from tinyml.dialects.formats.posit.quire_steps import Add, MultiplyAdd, Start, ToOdd, rounded_odd
from tinyml.dialects.formats.posit.quire_sums import products_of_matrices
from tinyml.dialects.formats.posit.unpacked import Unpacked, UnpackedType
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Machine

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws

V = TypeVar("V")

LAYOUTS = ((32, ONE_INTEGER), (32, 8), (32, 4), (32, 2), (64, ONE_INTEGER), (64, 16), (64, 8))
"""Pairs (width of a bin, step) in order of preference: bins of 32 bits are faster than one 64-bit integer."""

NARROW_BIN_BYTES = 512
"""The maximum size in bytes of a quire in 32-bit bins; larger quires use fewer bins of 64 bits."""

SignedProduct: TypeAlias = "tuple[int, Sequence[tuple[V, NumberFormat]]]"
"""A sign, and the factors of a product, each with its format."""


@irdl_attr_definition
class QuireType(ParametrizedAttribute, TypeAttribute, LaidOut, Accumulator):
    """`!posit.quire<width, frac, bin, step>`: an exact sum of `width` bits in units of 2^-frac.

    The sum is stored in integers of `bin` bits whose units differ by a factor of 2^step. With step 0, it is one
    integer.
    """

    name = "posit.quire"
    FAMILY = "exact"
    SCALE_FREE: ClassVar[bool] = True
    IN_REGISTER: ClassVar[bool] = False
    width: IntAttr
    frac: IntAttr
    bin: IntAttr
    step: IntAttr

    def __init__(self, width: int, frac: int, bin: int, step: int):
        super().__init__(*map(IntAttr, (width, frac, bin, step)))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            numbers = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: parser.parse_integer(allow_boolean=False)
            )
            if len(numbers) != 4:
                parser.raise_error("expected the width, the frac, the bits of a bin and the step of a quire")
        return [*map(IntAttr, numbers)]

    def print_parameters(self, printer: Printer) -> None:
        numbers = self.width, self.frac, self.bin, self.step
        with printer.in_angle_brackets():
            printer.print_string(", ".join(str(number.data) for number in numbers))

    def verify(self) -> None:
        width, bin, step = self.width.data, self.bin.data, self.step.data
        if (bin, step) not in LAYOUTS:
            raise VerifyException(f"posit.quire has bins of 32 or 64 bits with steps of 2 to 16, got {bin}, {step}")
        if width < 2 or (step == ONE_INTEGER and width > bin):
            raise VerifyException(f"{width} bits do not fit in one integer of {bin}")

    @property
    def type(self) -> Attribute:
        return self

    @property
    def layout(self) -> Layout:
        return Layout(self.width.data, self.frac.data, self.bin.data, self.step.data)

    @property
    def storage(self) -> Attribute:
        return self.layout.storage

    @property
    def bits(self) -> int:
        return self.bin.data * self.layout.count

    @property
    def sum_unit(self) -> int:
        return self.frac.data

    def sums(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> bool:
        if not self.FAMILY == lhs_format.FAMILY == rhs_format.FAMILY:
            return False
        lhs, rhs = parts_of(lhs_format), parts_of(rhs_format)
        # The exponents of posits are those of the numbers; integers have their format's exponent.
        fine = not lhs.is_placed or -(lhs.least + rhs.least) <= self.frac.data
        return fine and self.layout.sums(lhs, rhs)

    def unpacked(self, factors: tuple[NumberFormat, NumberFormat], which: int, raws: Raws) -> NumberFormat | None:
        lhs, rhs = map(parts_of, factors)
        posit = (lhs, rhs)[which].posit
        if posit is None or (raws == posit.nar).any():
            return None
        least = self.layout.leasts(lhs, rhs)[which]
        return Unpacked(UnpackedType(posit.n, posit.es, least, self.layout.unit(lhs, rhs)))

    def starts(self, format: NumberFormat) -> bool:
        return format.FAMILY == self.FAMILY

    def zero(self, m: Machine[V]) -> V:
        return m.perform(Start(self))

    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        return m.perform(Start(self, parts_of(format)), value)

    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return m.perform(MultiplyAdd(self, parts_of(lhs_format), parts_of(rhs_format)), sum, lhs, rhs)

    def finished(self, m: Machine[V], sum: V, result: NumberFormat) -> V | None:
        """The sum, rounded to the exact format `result`; never None."""
        return rounded_odd(m, partial(ToOdd, self), [sum], result)

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        raise InputError(f"sums in {self} are not compared: round them first")

    def matmul(
        self, lhs: Raws, lhs_format: NumberFormat, rhs: Raws, rhs_format: NumberFormat, start: Raws | None = None
    ) -> Raws:
        """Sums of products for two stacks of matrices, computed as matrix products of digits.

        float64 computes the products of digits exactly. Their sums are combined as Python integers.
        """
        sums = products_of_matrices(parts_of(lhs_format), lhs, parts_of(rhs_format), rhs, self.frac.data)
        return sums if start is None else sums + start

    def omits_zeros(self, rhs_format: NumberFormat) -> bool:
        """False for posits, since NaR times 0 is NaR."""
        return parts_of(rhs_format).posit is None

    def lacks(self, products: Sequence[Product], initial: Factor | None) -> str | None:
        if any(product.sparse and not self.omits_zeros(product.rhs.format) for product in products):
            return f"sums in {self} have no sparse weights for posits, since NaR times 0 is NaR: use tdsl.matmul"
        top, frac = _reach(products, initial)
        added, length = _numbers(products, initial)
        high = top + _beyond(self.layout, added) <= self.width.data - self.frac.data
        if frac <= self.frac.data and high and _takes(self.layout, added, length):
            return None
        return f"{self} does not hold the sum, which needs {quire_for(products, initial)}"


def quire_for(products: Sequence[Product], initial: Factor | None = None) -> QuireType:
    """The quire for the sum of products and an initial value (None for 0), wide enough for all values of the factors.

    Raises `InputError` if a sum is too long for bins of 64 bits.
    """
    return _laid_out(*_reach(products, initial), *_numbers(products, initial), wide=any(map(_is_wide, products)))


def _is_wide(product: Product) -> bool:
    """Whether a product has more than 32 bits and neither factor is unpacked at compile time.

    An ATmega adds such a product to bins of 64 bits in three quarters of the time, and a Cortex-M4 in about the same
    time, because 32-bit bins need three or four parts. Unpacked constants already have the parts of 32-bit bins.
    """
    factors = product.lhs, product.rhs
    is_decoded = all(factor.raws is None for factor in factors)
    return is_decoded and sum(parts_of(factor.format).bits for factor in factors) > 32


def _reach(products: Sequence[Product], initial: Factor | None) -> tuple[int, int]:
    """The exponent just above the sign bit of every partial sum, and the least f for which every sum is a multiple of
    2^-f.
    """
    terms = [(_extent(product.lhs), _extent(product.rhs), product) for product in products]
    frac = max(-(lhs.least + rhs.parts.least) for lhs, rhs, _ in terms)
    bound = sum(_bound(lhs, rhs, product) for lhs, rhs, product in terms)
    start = None if initial is None else _extent(initial)
    if start is not None:
        frac, bound = max(frac, -start.least), bound + start.greatest
    # Floats bound the sum from above: their sum of n is too small by at most n roundings.
    top = math.frexp(bound * (1 + 2.0**-20))[1] if bound else -frac
    # A product with zero also changes the bin of the other factor's exponent.
    ends = [lhs.end + rhs.end for lhs, rhs, _ in terms] + ([] if start is None else [start.end])
    return max(top, *ends) + 2, frac


def _numbers(products: Sequence[Product], initial: Factor | None) -> tuple[Sequence[Sequence[Parts]], int]:
    """The significands and exponents of all summands of a sum, and the number of summands.

    The result has a sequence for each product, with the parts of its factors, and one for the initial value.
    """
    added = [[parts_of(each.lhs.format), parts_of(each.rhs.format)] for each in products]
    start = [] if initial is None else [[parts_of(initial.format)]]
    return [*added, *start], sum(product.length for product in products) + 1


def quire_of(formats: Sequence[NumberFormat]) -> QuireType:
    """The quire that represents the sum of one number in each of the formats."""
    parts = list(map(parts_of, formats))
    top = max(one.greatest + one.bits for one in parts) + len(formats).bit_length() + 1
    return _laid_out(top, -min(one.least for one in parts), [[one] for one in parts], len(formats))


def _laid_out(top: int, frac: int, added: Sequence[Sequence[Parts]], length: int, *, wide: bool = False) -> QuireType:
    """The quire whose layout makes the additions fastest.

    top: the exponent just above the sign bit of all sums, as `_reach` returns it.
    frac: the number of fractional bits of the sum, as `_reach` returns it.
    added, length: the parts of the summands and their number, as `_numbers` returns them.
    wide: whether bins of 64 bits are as fast as bins of 32 bits (`_is_wide`).

    Raises `InputError` if no layout can represent a sum of `length` summands.
    """
    layouts = [Layout(top + frac, frac, *each) for each in LAYOUTS if each[1] != ONE_INTEGER or top + frac <= each[0]]
    fitting = [layout for layout in layouts if _takes(layout, added, length)]
    if not fitting:
        raise InputError(f"a sum of {length} products of posits is too long for a quire in bins of 64 bits")
    fastest = min(fitting, key=lambda layout: _cost(layout, added, wide))
    return QuireType(top + frac + _beyond(fastest, added), frac, fastest.bin, fastest.step)


def _takes(layout: Layout, added: Sequence[Sequence[Parts]], length: int) -> bool:
    """True if each bin of the layout can represent a sum of `length` summands.

    added: for each product, the parts of its factors; for a single number, its parts.
    """
    return all(
        layout.holds(first.bits, length) if not others else layout.sums(first, *others, length=length)
        for first, *others in added
    )


def _beyond(layout: Layout, added: Sequence[Sequence[Parts]]) -> int:
    """The number of bits by which the last part of a split product may extend beyond the sum's most significant bit.
    These bits are copies of the sign.

    The result is the maximum over all products.
    """
    parts = [layout.product_parts(*factors) for factors in added if len(factors) > 1]
    return 2 * (layout.step - 1) if max(parts, default=1) > 1 and layout.bin == 32 else 0


def _cost(layout: Layout, added: Sequence[Sequence[Parts]], wide: bool) -> tuple[bool, int, int, int]:
    """The sort key of layouts: whether the integers have 64 bits, unless sums are `wide`, or the bins occupy more than
    `NARROW_BIN_BYTES` bytes, the number of parts of a product, the cost of its factors, and the number of bins.

    A single 32-bit integer precedes 32-bit bins. 32-bit bins of up to `NARROW_BIN_BYTES` bytes precede other layouts.
    Layouts that need not split products precede layouts that split them. 8-bit factors precede wider factors.
    """
    if layout.is_single:
        return layout.bin == 64, 0, 0, 0
    products = [factors for factors in added if len(factors) > 1]
    parts = max((layout.product_parts(*factors) for factors in products), default=1)
    widest = max((one.width_at(layout.unit(*factors)) for factors in products for one in factors), default=0)
    unmoved = sum(layout.unit(*factors) == 1 for factors in products)
    large = (layout.bin == 64 and not wide) or layout.count * layout.bin > 8 * NARROW_BIN_BYTES
    return large, parts, widest + 64 * unmoved, layout.count


@dataclass(frozen=True)
class _Extent:
    """The numbers that a factor of products may contain: multiples of 2^least whose magnitudes are at most `greatest`.

    parts: the parts of numbers in the format of the factor.
    rows: for a constant factor, the magnitudes of its elements; None for any other factor.
    """

    parts: Parts
    least: int
    greatest: float
    rows: Any = None

    @property
    def top(self) -> int:
        """The exponent of the power of two just above the greatest magnitude, but at least `least`, the exponent of the
        unit. It is `least` if all numbers are 0.
        """
        return max(math.frexp(self.greatest)[1], self.least) if self.greatest else self.least

    @property
    def end(self) -> int:
        """The exponent just above the highest bit that the factor can set in the quire. It may be far above `top`:
        integers and posits stored in parts are added with all bits of their format, and a significand occupies
        `parts.bits` bits from exponent `least` on, even that of a zero.
        """
        return (
            self.parts.least + self.parts.bits if self.parts.is_placed else max(self.top, self.least + self.parts.bits)
        )


def _extent(factor: Factor) -> _Extent:
    format, parts = exact_numbers(factor.format), parts_of(factor.format)
    if factor.raws is not None:
        reals = np.abs(np.nan_to_num(format.decode(factor.raws)))
        return _Extent(parts, parts.least_of(factor.raws), float(reals.max(initial=0.0)), reals)
    greatest = float(np.abs(format.decode(np.array(format.raw_limits, format.dtype))).max())
    if all(map(math.isfinite, factor.interval)):
        within = np.nan_to_num(format.decode(format.encode(np.array(factor.interval))), nan=math.inf)
        greatest = min(greatest, float(np.abs(within).max()))
    return _Extent(parts, parts.least, greatest)


def _bound(lhs: _Extent, rhs: _Extent, product: Product) -> float:
    """A bound on the magnitude of every partial sum of products."""
    bounds = [product.length * lhs.greatest * rhs.greatest]
    for factor, other in ((lhs, rhs), (rhs, lhs)):
        if factor.rows is not None:
            bounds.append(float(factor.rows.sum(-1).max(initial=0.0)) * other.greatest)
    return min(bounds)


def combined(m: Machine[V], terms: Sequence[SignedProduct[V]], result: NumberFormat) -> V:
    """The exact sum of signed products, some of them of standard posits, computed in a quire and rounded once to
    `result`; its `undefined` if a factor is NaR.

    In a sum with products, a single number is multiplied by 1.

    Raises `InputError` for a product of more than two factors.
    """
    if all(len(factors) == 1 for _, factors in terms):
        numbers = [(sign, *factors[0]) for sign, factors in terms]
        quire = quire_of([format for _, _, format in numbers])
        total = quire.zero(m)
        for sign, value, format in numbers:
            total = m.perform(Add(quire, parts_of(format), sign < 0), total, value)
        return result.finish(m, total, quire, None)
    if any(len(factors) > 2 for _, factors in terms):
        raise InputError("a sum in a quire has no products of more than two factors: round a product first")
    one = m.int_constant(1, 8), ExactNumbers.INTEGERS(8, 0)
    products = [(sign, factors[0], factors[1] if len(factors) > 1 else one) for sign, factors in terms]
    quire = quire_for([Product(1, Factor(lhs), Factor(rhs)) for _, (_, lhs), (_, rhs) in products])
    total = quire.zero(m)
    for sign, (lhs, of_lhs), (rhs, of_rhs) in products:
        total = m.perform(MultiplyAdd(quire, parts_of(of_lhs), parts_of(of_rhs), sign < 0), total, lhs, rhs)
    return result.finish(m, total, quire, None)
