"""Memory spaces of the scratch dialect; a memref without a space lies unpacked in working memory."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.layouts.packed_bits import WIDTHS

OFFSETS = {4: 8}
"""The offset that may be subtracted from elements of working memory before packing, by width."""


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

    bits: IntAttr

    @property
    def width(self) -> int:
        """The width of an element in bits."""
        return self.bits.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.width)

    def verify(self) -> None:
        if self.width not in WIDTHS:
            raise VerifyException(f"elements of 1 to 7 and 9 to 15 bits are packed, not of {self.width}")


@irdl_attr_definition
class PackedFlash(Packed):
    """Memory space of a packed constant in flash."""

    name = "scratch.packed"
    bits: IntAttr

    def __init__(self, bits: int):
        super().__init__(IntAttr(bits))


@irdl_attr_definition
class PackedRam(Packed):
    """`#scratch.packed_ram<9>`: memory space of packed working memory.

    In `#scratch.packed_ram<4, 8>` elements are packed less an offset of 8, so that 4 bits hold 0 to 15: such a byte
    holds one element in its low bits, and the next in its high bits. Other widths have no offset.
    """

    name = "scratch.packed_ram"
    bits: IntAttr
    less: IntAttr

    def __init__(self, bits: int, offset: int = 0):
        super().__init__(IntAttr(bits), IntAttr(offset))

    @property
    def offset(self) -> int:
        """The offset subtracted from an element before it is packed."""
        return self.less.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def number() -> IntAttr:
            return IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))

        with parser.in_angle_brackets():
            return [number(), number() if parser.parse_optional_punctuation(",") else IntAttr(0)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.width}, {self.offset}" if self.offset else str(self.width))

    def verify(self) -> None:
        super().verify()
        if self.offset not in (0, OFFSETS.get(self.width)):
            raise VerifyException(f"elements of {self.width} bits are not packed with an offset of {self.offset}")
