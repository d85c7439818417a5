"""Changes of the type of a buffer together with its views."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects.scratch import SliceOp, memref_type


def retype_elements(value: SSAValue, element: Attribute) -> None:
    """Change the element type of a buffer, of its views and of the numbers that are loaded from them."""
    type = memref_type(value)
    new = MemRefType(element, type.get_shape(), memory_space=type.memory_space)
    value = Rewriter.replace_value_with_new_type(value, new)
    for use in list(value.uses):
        if isinstance(view := use.operation, SliceOp):
            retype_elements(view.result, element)
        elif isinstance(load := use.operation, memref.LoadOp):
            Rewriter.replace_value_with_new_type(load.res, element)


def retype_buffer(value: SSAValue, type: MemRefType[Attribute]) -> None:
    """Give a buffer a new type, and its views the memory space of that type."""
    value = Rewriter.replace_value_with_new_type(value, type)
    for use in list(value.uses):
        if isinstance(view := use.operation, SliceOp):
            old = memref_type(view.result)
            retype_buffer(view.result, MemRefType(old.element_type, old.get_shape(), memory_space=type.memory_space))
