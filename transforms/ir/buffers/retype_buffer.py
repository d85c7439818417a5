"""Change of a buffer's type together with its views."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects.scratch import SliceOp, memref_type


def retype_buffer(value: SSAValue, type: MemRefType[Attribute]) -> None:
    """Give a buffer a new type, and its views the memory space of that type."""
    value = Rewriter.replace_value_with_new_type(value, type)
    for use in list(value.uses):
        if isinstance(view := use.operation, SliceOp):
            old = memref_type(view.result)
            retype_buffer(view.result, MemRefType(old.element_type, old.get_shape(), memory_space=type.memory_space))
