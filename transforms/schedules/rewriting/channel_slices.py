"""Slices of tensors that belong to one channel."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.formats.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.schedules.rewriting.channel_ops import channel_axis


def of_channel(shape: tdsl.Shape) -> tdsl.Shape:
    """The shape of one channel of a tensor of the given shape."""
    axis = channel_axis(shape)
    return tuple(1 if at == axis else extent for at, extent in enumerate(shape))


def channel(value: SSAValue, c: SSAValue, emit: TensorBuilder) -> SSAValue:
    """Channel c of a tensor."""
    shape = tdsl.shape_of(value)
    return _slice(value, c, (emit.index(0), emit.index(0)), of_channel(shape), emit)


def operand(
    value: SSAValue, like: tdsl.Shape, c: SSAValue, pixel: Sequence[SSAValue] | None, emit: TensorBuilder
) -> SSAValue | None:
    """The slice of an operand that an elementwise op reads for channel c; None if it reads all of the operand.

    pixel: row and column of a single pixel, or None for all pixels.
    """
    shape = tdsl.shape_of(value)
    padded = (1,) * (len(like) - len(shape)) + shape
    if padded[channel_axis(like)] == 1 < like[channel_axis(like)] or not shape:
        return None
    if shape != like:
        sizes = (1,) * len(shape)
        at = [c if extent > 1 else emit.index(0) for extent in shape]
        return emit.insert(tdsl.SliceOp(value, at, sizes))
    if pixel is None:
        return channel(value, c, emit)
    return _slice(value, c, pixel, (1,) * len(shape), emit)


def _slice(
    value: SSAValue, c: SSAValue, pixel: Sequence[SSAValue], sizes: Sequence[int], emit: TensorBuilder
) -> SSAValue:
    zero = emit.index(0)
    at = [zero, *pixel, c] if len(tdsl.shape_of(value)) == 4 else [c, zero]
    part = emit.insert(tdsl.SliceOp(value, at, sizes))
    part.name_hint = value.name_hint
    return part
