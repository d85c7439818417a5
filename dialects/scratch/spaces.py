"""Memory spaces of the scratch dialect; a memref without a space lies unpacked in working memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.layouts.packed_bits import WIDTHS


@irdl_attr_definition
class Flash(ParametrizedAttribute):
    """Memory space of constants: program memory on AVR, read-only data elsewhere."""

    name = "scratch.flash"


@irdl_attr_definition
class CsrFlash(ParametrizedAttribute):
    """Memory space of a constant matrix in flash that is stored as compressed sparse rows."""

    name = "scratch.csr"


class Packed(ParametrizedAttribute):
    """A memory space of elements packed to a width, in the layout of `tinyml.dialects.layouts.packed_bits`.

    Indices and offsets still count elements.
    """

    @property
    def width(self) -> int:
        """The width of an element in bits."""
        return cast(IntAttr, self.parameters[0]).data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.width)

    def verify(self) -> None:
        if self.width not in WIDTHS:
            raise VerifyException(f"elements of {', '.join(map(str, WIDTHS))} bits are packed, not of {self.width}")


@irdl_attr_definition
class PackedFlash(Packed):
    """Memory space of a packed constant in flash."""

    name = "scratch.packed"
    bits: IntAttr

    def __init__(self, bits: int):
        super().__init__(IntAttr(bits))


@irdl_attr_definition
class PackedRam(Packed):
    """Memory space of packed working memory."""

    name = "scratch.packed_ram"
    bits: IntAttr

    def __init__(self, bits: int):
        super().__init__(IntAttr(bits))
