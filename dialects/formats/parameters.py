"""Types whose parameters are integers, written `!name<8, -3>`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


class IntegerParameters(ParametrizedAttribute, TypeAttribute):
    """A type whose parameters are integers. They are parsed and printed in the order of the fields, each of which is an
    `IntAttr`.
    """

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse one integer for each field and return the integers. Raises `ParseError` for any other number of
        integers.
        """
        start = parser.pos
        with parser.in_angle_brackets():
            numbers = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: parser.parse_integer(allow_boolean=False)
            )
        fields = cls.get_irdl_definition().parameters  # pyright: ignore
        if len(numbers) != len(fields):
            parser.raise_error(f"{cls.name} has {len(fields)} parameters, got {len(numbers)}", start, parser.pos)
        return [IntAttr(number) for number in numbers]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(", ".join(str(cast(IntAttr, parameter).data) for parameter in self.parameters))

    @property
    def type(self) -> Attribute:
        """The type itself: an element type that implements `NumberFormat` is its own format."""
        return self


WIDTHS = range(2, 33)
FRACS = range(-31, 63)
"""Useful scales for raws of at most 32 bits."""


class WidthAndFrac(IntegerParameters):
    """A type `<width, frac>` whose raws represent `raw * 2^-frac`."""

    # Declared for the type checker; final classes repeat both fields, or these would not take part in equality.
    width: IntAttr
    frac: IntAttr
    WIDTHS: ClassVar[Sequence[int]]
    WIDTHS_IN_WORDS: ClassVar[str]
    FRACS: ClassVar[Sequence[int]]

    def verify(self) -> None:
        if self.width.data not in self.WIDTHS:
            raise VerifyException(f"{self.name} width must be {self.WIDTHS_IN_WORDS}, got {self.width.data}")
        if self.frac.data not in self.FRACS:
            low, high = self.FRACS[0], self.FRACS[-1]
            raise VerifyException(f"{self.name} frac must lie in [{low}, {high}], got {self.frac.data}")
