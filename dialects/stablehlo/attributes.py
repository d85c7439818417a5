"""Attributes of StableHLO: directions and types of comparisons, precisions, and the axes of products and
convolutions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    StringAttr,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    irdl_attr_definition,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from tinyml.dialects.stablehlo.base import expect, numbers


class Direction(StrEnum):
    EQ = "EQ"
    NE = "NE"
    GE = "GE"
    GT = "GT"
    LE = "LE"
    LT = "LT"


@irdl_attr_definition
class DirectionAttr(EnumAttribute[Direction], SpacedOpaqueSyntaxAttribute):
    """The direction of a comparison, as in `#stablehlo<comparison_direction LT>`."""

    name = "stablehlo.comparison_direction"


class Comparison(StrEnum):
    FLOAT = "FLOAT"
    TOTALORDER = "TOTALORDER"
    SIGNED = "SIGNED"
    UNSIGNED = "UNSIGNED"
    NOTYPE = "NOTYPE"
    """The value for a comparison type that is derived from the element type."""


@irdl_attr_definition
class ComparisonAttr(EnumAttribute[Comparison], SpacedOpaqueSyntaxAttribute):
    """The type of a comparison, as in `#stablehlo<comparison_type FLOAT>`."""

    name = "stablehlo.comparison_type"


class Precision(StrEnum):
    DEFAULT = "DEFAULT"
    HIGH = "HIGH"
    HIGHEST = "HIGHEST"


@irdl_attr_definition
class PrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    """The precision of an operand, as in `#stablehlo<precision HIGHEST>`."""

    name = "stablehlo.precision"


DOT_FIELDS = tuple(f"{side}_{kind}_dimensions" for kind in ("batching", "contracting") for side in ("lhs", "rhs"))


@irdl_attr_definition
class DotAttr(ParametrizedAttribute):
    """The axes of a product: `#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>`.

    A list that is omitted is empty.
    """

    name = "stablehlo.dot"
    lhs_batching_dimensions: DenseArrayBase[I64]
    rhs_batching_dimensions: DenseArrayBase[I64]
    lhs_contracting_dimensions: DenseArrayBase[I64]
    rhs_contracting_dimensions: DenseArrayBase[I64]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        found = dict[str, list[int]]()

        def field() -> None:
            name = next((name for name in DOT_FIELDS if parser.parse_optional_keyword(name)), None)
            if name is None or name in found:
                parser.raise_error(f"expected one of {', '.join(DOT_FIELDS)}")
            parser.parse_punctuation("=")
            found[name] = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field)
        return [DenseArrayBase.from_list(i64, found.get(name, [])) for name in DOT_FIELDS]

    def print_parameters(self, printer: Printer) -> None:
        lists = {name: numbers(each) for name, each in zip(DOT_FIELDS, self.parameters, strict=True)}
        spelled = (f"{name} = {list(axes)}" for name, axes in lists.items() if axes)
        with printer.in_angle_brackets():
            printer.print_string(", ".join(spelled))


@irdl_attr_definition
class ConvAttr(ParametrizedAttribute):
    """`#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`: the axes of an image, a filter and the result."""

    name = "stablehlo.conv"
    image: ArrayAttr[StringAttr]
    filter: ArrayAttr[StringAttr]
    result: ArrayAttr[StringAttr]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def axis() -> StringAttr:
            number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
            return StringAttr(parser.parse_identifier() if number is None else str(number))

        def axes() -> ArrayAttr[StringAttr]:
            return ArrayAttr(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, axis))

        with parser.in_angle_brackets():
            image = axes()
            parser.parse_keyword("x")
            filter = axes()
            parser.parse_punctuation("->")
            return image, filter, axes()

    def print_parameters(self, printer: Printer) -> None:
        image, filter, result = (f"[{', '.join(spelled)}]" for spelled in self.axes)
        with printer.in_angle_brackets():
            printer.print_string(f"{image}x{filter}->{result}")

    @property
    def axes(self) -> tuple[list[str], list[str], list[str]]:
        """The names of the axes of the image, of the filter and of the result.

        A name is `b`, `f`, `i`, `o`, or the number of a spatial axis, along which windows move.
        """
        image, filter, result = ([axis.data for axis in axes] for axes in (self.image, self.filter, self.result))
        return image, filter, result

    def verify(self) -> None:
        moved = sorted(map(str, range(len(self.image) - 2)))
        for axes, others in zip(self.axes, ("bf", "io", "bf"), strict=True):
            expect(sorted(axes) == sorted([*moved, *others]), f"expected {', '.join([*others, *moved])} in some order")
