"""Packed types for arrays in working memory, where they save bytes."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.layouts.packed_bits import WIDTHS, packed_widths
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import PackedRam, size_in_bytes
from tinyml.dialects.scratch.spaces import OFFSETS

HUGE = 1e30
"""A real beyond the range of every narrow format."""


def packed_space(element: Attribute, bits: int) -> PackedRam:
    """The memory space of elements packed to a width, with an offset subtracted if none of them is negative."""
    format = number_format(element)
    unsigned = format is not None and int(format.encode(np.array(-HUGE))) == 0
    return PackedRam(bits, OFFSETS.get(bits, 0) if unsigned else 0)


def packed_type(type: MemRefType[Attribute]) -> MemRefType[Attribute] | None:
    """The packed type of a buffer; None if packing saves nothing.

    An element takes the least width of `tinyml.dialects.layouts.packed_bits` that holds its number format.
    """
    format = number_format(type.element_type)
    if format is None or format.dtype.kind != "i":
        return None
    ends = format.encode(np.array([-HUGE, HUGE]))
    widths = [width for width in WIDTHS if format.bits <= width < 8 * format.dtype.itemsize]
    spaces = [packed_space(type.element_type, width) for width in widths]
    space = next((space for space in spaces if space.width in packed_widths(ends - space.offset)), None)
    if space is None:
        return None
    packed = MemRefType(type.element_type, type.get_shape(), memory_space=space)
    return packed if size_in_bytes(packed) < size_in_bytes(type) else None
