"""The interface of the fixed-point arithmetic of published papers, reproduced for comparison.

SeeDot (Gopinath et al., PLDI 2019) and Shiftry (Kumar et al., OOPSLA 2020) differ from `fixed` in four ways. They
truncate instead of rounding to nearest. They wrap around instead of saturating. They convert operands to the scale of a
sum before adding them. They add the products of a dot product in a tree, which halves the sums of some levels. The two
papers differ in how they shift and multiply. `PublishedSum` implements the tree.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

from xdsl.dialects.builtin import IntAttr, IntegerType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.fixed.functions import SCHEMES, fixed_function
from tinyml.dialects.formats.number_format import Bound, Factor, Function, NumberFormat, Product
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.formats.scaled_integer import ScaledInteger
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import WIDTHS as MACHINE_WIDTHS
from tinyml.dialects.machine.machine import Int, Machine, limits
from tinyml.dialects.machine.real_functions import REAL_FUNCTIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws, Reals


V = TypeVar("V")


class PublishedFixedPoint(ScaledInteger):
    """Formats `<width, frac>` that use all raws of their width. Reals are rounded towards zero and wrap around.

    FUNCTION_SCHEME: the default scheme for exp, tanh and sigmoid, one of the schemes in `fixed/functions.py`.
    """

    AS_PUBLISHED = True
    SCHEMES: ClassVar[Sequence[str]] = tuple(SCHEMES)
    FUNCTION_SCHEME: ClassVar[str]

    def __init__(self, width: int, frac: int):
        super().__init__(IntAttr(width), IntAttr(frac))

    @classmethod
    @abstractmethod
    def divided(cls, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        """x / 2^right for right > 0, rounded as the paper defines."""

    @abstractmethod
    def sum_of(self, product: Product, levels: int) -> PublishedSum:
        """The accumulator for the sums of a product whose result has this format.

        levels: the number of levels of the addition tree.
        """

    @property
    def limits(self) -> tuple[int, int]:
        return limits(self.width.data)

    @property
    def candidates(self) -> Sequence[PublishedFixedPoint]:
        return [self.of_width(width) for width in self.WIDTHS]

    def rounded(self, reals: Reals) -> NDArray[np.float64]:
        return np.trunc(np.asarray(reals, np.float64))

    def encode(self, reals: Reals) -> Raws:
        all_raws, half = 2.0**self.width.data, 2.0 ** (self.width.data - 1)
        rest = np.fmod(self.rounded(np.ldexp(np.asarray(reals, np.float64), self.frac.data)), all_raws)
        wrapped = np.where(rest >= half, rest - all_raws, np.where(rest < -half, rest + all_raws, rest))
        return wrapped.astype(self.dtype)

    def encode_clipped(self, reals: Reals) -> Raws:
        return self.encode(np.clip(reals, *np.ldexp(np.array(self.limits, np.float64), -self.frac.data)))

    @classmethod
    def of_width(cls, width: int | None) -> PublishedFixedPoint:
        width = 16 if width is None else width
        if width not in cls.WIDTHS:
            raise InputError(f"the arithmetic of {cls.FAMILY} has widths of {cls.WIDTHS_IN_WORDS} bits, got {width}")
        return cls(width, width - 1)

    def for_range(self, low: float, high: float) -> PublishedFixedPoint:
        """The format for numbers from low to high, as GetScale computes it (Shiftry, section 6.1, algorithm 10).

        frac = (width - 1) - floor(log2(magnitude) + 1), where magnitude is the greater of |low| and |high|, and frac =
        width - 1 if the magnitude is 0. An unsupported frac is replaced by the nearest supported one. SeeDot's GetP
        (algorithm 1) computes the same frac, except if the magnitude is a power of two: this magnitude would overflow
        at the scale of GetP.
        """
        magnitude = max(abs(low), abs(high))
        frac = self.width.data - 1 - (math.frexp(magnitude)[1] if magnitude else 0)
        return self.with_frac(frac)

    def result_range(self, function: Function, low: float, high: float) -> tuple[float, float]:
        """The observed range of results, extended to include 1.

        All functions whose results do not exceed 1 then have a common scale, at which 1 does not overflow (Shiftry
        5.4).
        """
        return low, max(high, 1.0)

    def of_sum(self, lhs: NumberFormat, rhs: NumberFormat) -> PublishedFixedPoint:
        """The format in which two operands are added. Its scale is at most as fine as that of the operand with the
        coarser scale.

        This scale is t2 of Shiftry's pseudocodes 3 and 4.
        """
        return self.with_frac(min(format.frac.data for format in (self, published(lhs), published(rhs))))

    def of_product(self, lhs: NumberFormat, rhs: NumberFormat) -> PublishedFixedPoint:
        return self.with_frac(min(self.frac.data, published(lhs).frac.data + published(rhs).frac.data))

    def with_frac(self, frac: int) -> PublishedFixedPoint:
        """The format of this width with `frac` fractional bits, or with the nearest supported number of them."""
        return type(self)(self.width.data, min(max(frac, FRACS[0]), FRACS[-1]))

    def narrowed(self, bits: int) -> PublishedFixedPoint:
        return self

    def rescaled(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return self.divided(m, x, right) if right > 0 else m.rescale(x, right)

    def fitted(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        if -right >= self.width.data:
            return m.const(0)
        if right < 0 and x.width - right > MACHINE_WIDTHS[-1]:
            x = m.wrapped(x, self.stored_width)
        return m.wrapped(self.rescaled(m, x, right), self.stored_width)

    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> PublishedSum:
        return self.sum_of(Product(1, Factor(lhs), Factor(rhs)), 0)

    def accumulator_for(self, product: Product, bound: Bound | None) -> PublishedSum:
        return self.sum_of(product, (max(product.length, 1) - 1).bit_length())

    def sum_bound(self, products: Sequence[Product], initial: Factor | None = None) -> Bound | None:
        return None

    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        right = cast(PublishedSum, accumulator).frac.data - self.frac.data
        return m.settle(self.fitted(m, m.whole(sum), right), self.stored_width)

    def add(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self._sum(m, m.add, lhs, lhs_format, rhs, rhs_format)

    def sub(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self._sum(m, m.sub, lhs, lhs_format, rhs, rhs_format)

    def _sum(self, m: Machine[V], op: Any, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        """The sum or difference of two numbers, by MATADD of SeeDot's algorithm 2.

        Before the addition, both operands are divided so that they have the coarsest of the scales of operands and
        result. Shiftry's rule C-MatAdd (figure 5) instead divides the sum. Shiftry's released code divides the
        operands, and only this reproduces tables 1 and 2 of Shiftry.
        """
        formats = [published(format) for format in (lhs_format, rhs_format)]
        common = min(format.frac.data for format in (*formats, self))
        a, b = (
            self.rescaled(m, format.load(m, value), format.frac.data - common)
            for format, value in zip(formats, (lhs, rhs), strict=True)
        )
        total = m.wrapped(op(a, b), max(format.stored_width for format in (*formats, self)))
        return m.settle(self.fitted(m, total, common - self.frac.data), self.stored_width)

    def mul(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a, b = published(lhs_format), published(rhs_format)
        right = a.frac.data + b.frac.data - self.frac.data
        return m.settle(self.product(m, a.load(m, lhs), b.load(m, rhs), right), self.stored_width)

    def neg(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        source = published(value_format)
        negated = m.sub(m.const(0), source.load(m, value))
        return m.settle(self.fitted(m, negated, source.frac.data - self.frac.data), self.stored_width)

    def recode(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        source = published(value_format)
        return m.settle(self.fitted(m, source.load(m, value), source.frac.data - self.frac.data), self.stored_width)

    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        """The result of a function by the scheme of the paper, or as in fixed point if the paper does not define the
        function.

        A result that is too wide for fixed point is computed in floating point.
        """
        source = published(value_format)
        if self.stored_width > REAL_FUNCTIONS[function].widest:
            return self.from_f32(m, m.call(f"tm_{function}f", source.to_f32(m, value)))
        program = fixed_function(function, source, self, scheme or self.FUNCTION_SCHEME)
        return m.settle(program.apply(m, source.load(m, value)), self.stored_width)


def published(format: NumberFormat) -> PublishedFixedPoint:
    """The format as `PublishedFixedPoint`. Raises `InputError` for a format of other arithmetic."""
    if not isinstance(format, PublishedFixedPoint):
        raise InputError(f"{format.type} cannot be used in published arithmetic without a tdsl.cast")
    return format


class PublishedSum(ParametrizedAttribute, TypeAttribute, Accumulator):
    """`<width, frac, [lhs, rhs, product], level>`: a sum modulo 2^width of products of shifted operands.

    * lhs, rhs: the operands are divided by 2^lhs and 2^rhs before they are multiplied.
    * product: the product is divided by 2^product.
    * level: the level of the sum in the addition tree. On level 0, products are added. On a higher level, halves of two
      sums of the level below are added (procedure TREESUM of SeeDot's algorithm 2). Complete trees of the same level
      are added one after another.
    """

    # Declared for the type checker; final classes repeat all fields, or these would not take part in equality.
    width: IntAttr
    frac: IntAttr
    lhs: IntAttr
    rhs: IntAttr
    product: IntAttr
    level: IntAttr
    WIDTHS: ClassVar[Sequence[int]]

    def __init__(self, width: int, frac: int, lhs: int, rhs: int, product: int, level: int):
        super().__init__(*map(IntAttr, (width, frac, lhs, rhs, product, level)))

    @classmethod
    def of_level(cls, width: int, frac: int, shifts: tuple[int, int, int], level: int) -> Self:
        """The accumulator `<width, frac, shifts, level>` for one level of the tree.

        shifts: the right shifts of lhs, rhs and product.
        """
        return cls(width, frac, *shifts, level)

    @classmethod
    @abstractmethod
    def number(cls) -> type[PublishedFixedPoint]:
        """The class of formats that the operands of the products have."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            width = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_punctuation(",")
            frac = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            shifts = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False, allow_negative=False)
            )
            parser.parse_punctuation(",")
            level = parser.parse_integer(allow_boolean=False, allow_negative=False)
        if len(shifts) != 3:
            parser.raise_error(f"expected the shifts of both operands and of the product, got {len(shifts)} numbers")
        return tuple(map(IntAttr, (width, frac, *shifts, level)))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            shifts = f"[{self.lhs.data}, {self.rhs.data}, {self.product.data}]"
            printer.print_string(f"{self.width.data}, {self.frac.data}, {shifts}, {self.level.data}")

    def verify(self) -> None:
        if self.width.data not in self.WIDTHS:
            raise VerifyException(f"{self.name} width must be one of {list(self.WIDTHS)}, got {self.width.data}")

    @property
    def type(self) -> Attribute:
        return self

    @property
    def storage(self) -> Attribute:
        return IntegerType(self.width.data)

    @property
    def below(self) -> PublishedSum | None:
        if self.level.data == 0:
            return None
        shifts = (self.lhs.data, self.rhs.data, self.product.data)
        return self.of_level(self.width.data, self.frac.data + 1, shifts, self.level.data - 1)

    @property
    def exchanged(self) -> PublishedSum:
        shifts = (self.rhs.data, self.lhs.data, self.product.data)
        return self.of_level(self.width.data, self.frac.data, shifts, self.level.data)

    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> Self:
        """This accumulator, whatever the two formats are. `PublishedFixedPoint.sum_of` chose its shifts for the single
        product of the sum.
        """
        return self

    def starts(self, format: NumberFormat) -> bool:
        return False

    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        raise InputError(f"sums in {self.name} start from zero")

    def sums(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> bool:
        if not isinstance(lhs_format, self.number()) or not isinstance(rhs_format, self.number()):
            return False
        scale = lhs_format.frac.data + rhs_format.frac.data
        right = self.lhs.data + self.rhs.data + self.product.data + self.level.data
        return scale - right == self.frac.data

    def zero(self, m: Machine[V]) -> V:
        return m.int_constant(0, self.width.data)

    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        a = self._divided(m, cast("PublishedFixedPoint", lhs_format).load(m, lhs), self.lhs.data)
        b = self._divided(m, cast("PublishedFixedPoint", rhs_format).load(m, rhs), self.rhs.data)
        product = m.wrapped(m.mul(a, b), self.width.data)
        return self._added(m, sum, self._divided(m, product, self.product.data))

    def join(self, m: Machine[V], sum: V, part: V, part_accumulator: Accumulator) -> V:
        halvings = self.level.data - cast(PublishedSum, part_accumulator).level.data
        return self._added(m, sum, self._divided(m, m.whole(part), halvings))

    def _added(self, m: Machine[V], sum: V, term: Int[V]) -> V:
        return m.held(m.add_wrapped(m.whole(sum), term, self.width.data), self.width.data)

    def _divided(self, m: Machine[V], x: Int[V], right: int) -> Int[V]:
        return self.number().divided(m, x, right) if right else x

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)
