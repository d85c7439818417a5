"""Views and elements of operands for the lowering to loops."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, f32
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.functions import are_data
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


def element_of(value: SSAValue) -> Attribute:
    """The element type of a buffer."""
    return scratch.memref_type(value).element_type


def elements_from(
    source: SSAValue, start: SSAValue, length: int, nest: LoopBuilder, element: Attribute | None = None
) -> SSAValue:
    """A rank-1 view of consecutive elements.

    start: the index of the first element.
    length: the number of elements.
    element: the element type of the view, by default the element type of the source.
    """
    return nest.insert(scratch.SliceOp(source, start, (length,), element))


def single_element(value: SSAValue, nest: LoopBuilder) -> SSAValue:
    """Load the only element of a buffer. For a constant buffer, emit a scalar constant instead."""
    if isinstance(constant := value.owner, scratch.ConstantOp) and not are_data(constant):
        real = tdsl.format_of(value).decode(constant.raws).item()
        return nest.insert(num.ConstantOp(real, element_of(value)))
    return nest.load(value, [nest.index(0)] * len(scratch.memref_type(value).get_shape()))


def broadcast_indices(indices: Indices, value: SSAValue, nest: LoopBuilder) -> Indices:
    """The indices of a buffer's element that broadcasting assigns to the given indices of a larger iteration space."""
    shape = scratch.memref_type(value).get_shape()
    return [
        nest.index(0) if extent == 1 else index
        for index, extent in zip(indices[len(indices) - len(shape) :], shape, strict=True)
    ]


def flash_array(nest: LoopBuilder, raws: Any, element: Attribute, hint: str) -> SSAValue:
    """Emit a constant array of the elements `raws` in flash, with the name hint `hint`."""
    # A sparse matrix of zeros has no entries, but C has no empty arrays.
    value = nest.insert(scratch.ConstantOp.of(raws if raws.size else np.zeros(1, raws.dtype), element))
    value.name_hint = hint
    return value


def zero_total(type: Attribute, nest: LoopBuilder) -> SSAValue:
    """Emit the constant zero from which a sum starts."""
    attribute: Any = FloatAttr(0.0, f32) if type == f32 else IntegerAttr(0, cast(IntegerType, type))
    zero = nest.insert(arith.ConstantOp(attribute))
    zero.name_hint = "total"
    return zero
