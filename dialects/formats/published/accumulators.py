"""Sums of products as in SeeDot and Shiftry: shifted operands, and a tree of halves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar, cast

from xdsl.dialects.builtin import IntAttr, IntegerType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from tinyml.dialects.formats.published.published_format import PublishedFixedPoint

V = TypeVar("V")


class PublishedSum(ParametrizedAttribute, TypeAttribute, Accumulator):
    """`<width, frac, [lhs, rhs, product], level>`: a sum modulo 2^width of products of shifted operands.

    The operands are divided by 2^lhs and 2^rhs before they are multiplied, and the product by 2^product. On a level
    above 0 a sum adds halves of two sums of the level below (procedure TREESUM of SeeDot's algorithm 2); sums of the
    same level are added in order.
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
        """An accumulator of a tree level; shifts are those of lhs, rhs and product."""
        return cls(width, frac, *shifts, level)

    @classmethod
    @abstractmethod
    def number(cls) -> type[PublishedFixedPoint]:
        """The format whose products are summed."""

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
        """The accumulator itself: it is chosen for the only product of a sum (`PublishedFixedPoint.sum_of`)."""
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
