"""The storage of memrefs in bytes: memory spaces, sizes, storage types and alignment.

A memref without a memory space is stored unpacked in working memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, FixedBitwidthType, IntAttr, MemRefType, NoneAttr, StringAttr, i8
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.discardable_attributes import TEXT, DiscardableAttribute, HolderKind
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.layouts.digits import DIGITS, Digits, Width
from tinyml.dialects.layouts.packed_bits import WIDTHS, group_bytes, group_length, packed_bytes, packed_widths
from tinyml.dialects.lazy_numpy import np

__all__ = [
    "FORMAT",
    "CsrFlash",
    "Flash",
    "Packed",
    "PackedFlash",
    "PackedRam",
    "bytes_of",
    "element_bytes",
    "elements_of",
    "in_flash",
    "memref_type",
    "packed_bits",
    "packed_offset",
    "ram_bits",
    "size_in_bytes",
    "storage_of",
    "stored_as",
    "unit_bytes",
    "unit_of",
]

OFFSETS = {4: 8}
"""By width, the offset that may be subtracted from elements of working memory before packing."""


@irdl_attr_definition
class Flash(ParametrizedAttribute):
    """The memory space of constants: program memory on AVR, read-only data elsewhere."""

    name = "scratch.flash"


@irdl_attr_definition
class CsrFlash(ParametrizedAttribute):
    """The memory space of a constant matrix in flash that is stored as compressed sparse rows."""

    name = "scratch.csr"


class Packed(ParametrizedAttribute):
    """The base class of memory spaces whose elements are packed to fewer bits, in the layout of
    `tinyml.dialects.layouts.packed_bits`.

    Indices and offsets count elements, not bytes.
    """

    bits: IntAttr

    @property
    def width(self) -> Width:
        return self.bits.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.bits.data)

    def verify(self) -> None:
        if self.width not in WIDTHS:
            raise VerifyException(f"elements of 1 to 7 and 9 to 15 bits are packed, not of {self.width}")


@irdl_attr_definition
class PackedFlash(Packed):
    """`#scratch.packed<6>`: the memory space of a packed constant in flash.

    In `#scratch.packed<2, odd>`, `#scratch.packed<2, trits>` and `#scratch.packed<2, pairs>`, the elements are packed
    as digits (`tinyml.dialects.layouts.digits`).
    """

    name = "scratch.packed"
    bits: IntAttr
    digits: StringAttr

    def __init__(self, width: Width):
        bits, name = (width.bits, width.name) if isinstance(width, Digits) else (width, "")
        super().__init__(IntAttr(bits), StringAttr(name))

    @property
    def width(self) -> Width:
        return Digits(self.digits.data, self.bits.data) if self.digits.data else self.bits.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            bits = IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))
            return [bits, StringAttr(parser.parse_identifier() if parser.parse_optional_punctuation(",") else "")]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(", ".join(filter(None, (str(self.bits.data), self.digits.data))))

    def verify(self) -> None:
        if not isinstance(self.width, Digits):
            super().verify()
        elif self.width not in DIGITS:
            raise VerifyException(f"no elements of {self.bits.data} bits are packed as {self.digits.data}")


@irdl_attr_definition
class PackedRam(Packed):
    """`#scratch.packed_ram<9>`: the memory space of packed working memory, with elements of 9 bits.

    In `#scratch.packed_ram<4, 8>`, the offset 8 is subtracted from an element before the element is packed, so that 4
    bits represent 0 to 15. A byte contains one element in its low bits, and the next element in its high bits. Other
    widths have no offset.
    """

    name = "scratch.packed_ram"
    bits: IntAttr
    less: IntAttr

    def __init__(self, bits: int, offset: int = 0):
        super().__init__(IntAttr(bits), IntAttr(offset))

    @property
    def offset(self) -> int:
        """The integer that is subtracted from the raw of an element before the raw is packed."""
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
        if self.offset not in (0, OFFSETS.get(self.bits.data)):
            raise VerifyException(f"elements of {self.width} bits are not packed with an offset of {self.offset}")


FORMAT = DiscardableAttribute(
    "tinyml.format",
    {HolderKind.ARGUMENT: TEXT, HolderKind.RESULT: TEXT, HolderKind.OPERATION: TEXT},
    "The number format of an array whose type is already an integer type; only comments use it.",
)


def memref_type(value: SSAValue) -> MemRefType[Attribute]:
    return cast("MemRefType[Attribute]", value.type)


@lru_cache(1 << 10)
def _shape(extents: tuple[int, ...]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(extent) for extent in extents])


NO_SPACE = NoneAttr()


@lru_cache(1 << 10)
def array_type(
    element: Attribute, shape: ArrayAttr[IntAttr] | tuple[int, ...], space: Attribute = NO_SPACE
) -> MemRefType[Attribute]:
    """The memref type of an array with this element type, shape and memory space, in row-major order.

    The type is created without xDSL's checks of its parameters, which would take longer than the construction itself.
    """
    extents = _shape(shape) if isinstance(shape, tuple) else shape
    return MemRefType[Attribute].new((extents, element, NO_SPACE, space))


def storage_of(element: Attribute) -> Attribute:
    """The builtin type in which an element is stored: the storage type of a format or accumulator; any other type
    itself.
    """
    stored = number_format(element) or accumulator_of(element)
    return element if stored is None else stored.storage


def element_bytes(type: MemRefType[Attribute]) -> int:
    """The size of one element in bytes. Raises `VerifyException` for a type without a size."""
    storage = storage_of(type.element_type)
    if not isinstance(storage, FixedBitwidthType):
        raise VerifyException(f"elements must have a size in memory, got {type.element_type}")
    return storage.size


def size_in_bytes(type: MemRefType[Attribute]) -> int:
    """The size of a memref in bytes, without padding. Raises `VerifyException` for a dynamic shape."""
    if not type.has_static_shape():
        raise VerifyException(f"buffers must have a static shape, got {type}")
    count = prod(type.get_shape())
    bits = packed_bits(type)
    return count * element_bytes(type) if bits is None else packed_bytes(count, bits)


def bytes_of(buffer: SSAValue) -> int:
    return size_in_bytes(memref_type(buffer))


def elements_of(buffer: SSAValue) -> int:
    return prod(memref_type(buffer).get_shape())


def in_flash(type: MemRefType[Attribute]) -> bool:
    return isinstance(type.memory_space, Flash | CsrFlash | PackedFlash)


def packed_bits(type: MemRefType[Attribute]) -> Width | None:
    """The width of packed elements in bits, or the `Digits` as which elements are packed; None if they are not
    packed.
    """
    return type.memory_space.width if isinstance(type.memory_space, Packed) else None


def ram_bits(type: MemRefType[Attribute]) -> int | None:
    """The width in bits of packed elements of working memory; None for any other memref."""
    return type.memory_space.bits.data if isinstance(type.memory_space, PackedRam) else None


def packed_offset(type: MemRefType[Attribute]) -> int:
    """The integer that is subtracted from raws before they are packed; 0 outside `PackedRam`."""
    return type.memory_space.offset if isinstance(type.memory_space, PackedRam) else 0


def unit_of(type: MemRefType[Attribute]) -> tuple[int, int]:
    """The number of elements in the smallest group whose packed bits fill whole bytes, and the number of these bytes.
    For unpacked elements, the group is a single element.
    """
    bits = packed_bits(type)
    return (1, element_bytes(type)) if bits is None else (group_length(bits), group_bytes(bits))


def stored_as(type: MemRefType[Attribute]) -> Attribute:
    """The type of a memory access: the storage type of an element, or a byte if elements are packed."""
    return storage_of(type.element_type) if packed_bits(type) is None else i8


def unit_bytes(type: MemRefType[Attribute]) -> int:
    """The alignment of a buffer in bytes: the size of an element, or 1 if elements are packed."""
    return element_bytes(type) if packed_bits(type) is None else 1


_OUT_OF_RANGE = 1e30
"""A real that exceeds the range of every narrow format."""


def packed_space(element: Attribute, bits: int) -> PackedRam:
    """The memory space of elements packed to `bits` bits. It has an offset if `bits` is 4 and the format has no
    negative elements.
    """
    format = number_format(element)
    unsigned = format is not None and int(format.encode(np.array(-_OUT_OF_RANGE))) == 0
    return PackedRam(bits, OFFSETS.get(bits, 0) if unsigned else 0)


def packed_type(type: MemRefType[Attribute]) -> MemRefType[Attribute] | None:
    """The packed type of a buffer; None if packing would not reduce its size, if raws are not integers, or if the
    elements have no number format.

    Elements are packed to the least width of `tinyml.dialects.layouts.packed_bits` that represents their number format.
    """
    format = number_format(type.element_type)
    if format is None or format.dtype.kind != "i":
        return None
    ends = format.encode(np.array([-_OUT_OF_RANGE, _OUT_OF_RANGE]))
    widths = [width for width in WIDTHS if format.bits <= width < 8 * format.dtype.itemsize]
    spaces = [packed_space(type.element_type, width) for width in widths]
    space = next((space for space in spaces if space.width in packed_widths(ends - space.offset)), None)
    if space is None:
        return None
    packed = MemRefType(type.element_type, type.get_shape(), memory_space=space)
    return packed if size_in_bytes(packed) < size_in_bytes(type) else None
