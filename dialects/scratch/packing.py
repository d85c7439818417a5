"""Packed types for arrays in working memory, where they save bytes."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.layouts.packed_bits import packed_widths
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import PackedRam, size_in_bytes

HUGE = 1e30
"""A real beyond the range of every narrow format."""


def packed_type(type: MemRefType[Attribute]) -> MemRefType[Attribute] | None:
    """The packed type of a buffer; None if packing saves nothing.

    An element takes the least width of `tinyml.dialects.layouts.packed_bits` that holds its number format.
    """
    format = number_format(type.element_type)
    if format is None or format.dtype.kind != "i":
        return None
    widths = packed_widths(format.encode(np.array([-HUGE, HUGE])))
    if (bits := next((width for width in widths if width >= format.bits), None)) is None:
        return None
    packed = MemRefType(type.element_type, type.get_shape(), memory_space=PackedRam(bits))
    return packed if size_in_bytes(packed) < size_in_bytes(type) else None
