"""Memrefs as bytes: sizes, storage types and alignment."""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects.builtin import FixedBitwidthType, MemRefType, i8
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.layouts.packed_bits import group_bytes, group_length, packed_bytes
from tinyml.dialects.own_attributes import TEXT, OwnAttribute, Place
from tinyml.dialects.scratch.spaces import CsrFlash, Flash, Packed, PackedFlash, PackedRam

FORMAT = OwnAttribute(
    "tinyml.format",
    {Place.ARGUMENT: TEXT, Place.RESULT: TEXT, Place.OPERATION: TEXT},
    "The number format of an array whose type is bits already; only comments use it.",
)


def memref_type(value: SSAValue) -> MemRefType[Attribute]:
    return cast("MemRefType[Attribute]", value.type)


def storage_of(element: Attribute) -> Attribute:
    """The builtin type that an element occupies in memory: a format's or accumulator's storage, or the type itself."""
    stored = number_format(element) or accumulator_of(element)
    return element if stored is None else stored.storage


def element_bytes(type: MemRefType[Attribute]) -> int:
    """The size of one element in bytes; raises `VerifyException` for a type without a size."""
    storage = storage_of(type.element_type)
    if not isinstance(storage, FixedBitwidthType):
        raise VerifyException(f"elements must have a size in memory, got {type.element_type}")
    return storage.size


def size_in_bytes(type: MemRefType[Attribute]) -> int:
    """The size of a memref in bytes, without padding; raises `VerifyException` for a dynamic shape."""
    if not type.has_static_shape():
        raise VerifyException(f"buffers must have a static shape, got {type}")
    count = prod(type.get_shape())
    bits = packed_bits(type)
    return count * element_bytes(type) if bits is None else packed_bytes(count, bits)


def bytes_of(buffer: SSAValue) -> int:
    """The size of a memref value in bytes, without padding."""
    return size_in_bytes(memref_type(buffer))


def elements_of(buffer: SSAValue) -> int:
    """The number of elements of a memref value."""
    return prod(memref_type(buffer).get_shape())


def in_flash(type: MemRefType[Attribute]) -> bool:
    return isinstance(type.memory_space, Flash | CsrFlash | PackedFlash)


def packed_bits(type: MemRefType[Attribute]) -> int | None:
    """The width of packed elements in bits; None if elements are not packed."""
    return type.memory_space.width if isinstance(type.memory_space, Packed) else None


def packed_offset(type: MemRefType[Attribute]) -> int:
    """The offset subtracted from an element before it is packed."""
    return type.memory_space.offset if isinstance(type.memory_space, PackedRam) else 0


def unit_of(type: MemRefType[Attribute]) -> tuple[int, int]:
    """The fewest elements that fill whole bytes, and the number of these bytes."""
    bits = packed_bits(type)
    return (1, element_bytes(type)) if bits is None else (group_length(bits), group_bytes(bits))


def stored_as(type: MemRefType[Attribute]) -> Attribute:
    """The type of a memory access: the storage of an element, or a byte where elements are packed."""
    return storage_of(type.element_type) if packed_bits(type) is None else i8


def unit_bytes(type: MemRefType[Attribute]) -> int:
    """The alignment of a buffer in bytes."""
    return element_bytes(type) if packed_bits(type) is None else 1
