"""Slices of tensors with the channels of an iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.rewriting.channel_ops import channel_axis
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder


@dataclass(frozen=True)
class ChannelRange:
    """A range of adjacent channels of a tensor.

    start: the first channel.
    count: the number of channels.
    """

    start: SSAValue
    count: int

    def shape(self, whole: tdsl.Shape) -> tdsl.Shape:
        """The shape of the slice with these channels of a tensor of shape `whole`."""
        axis = channel_axis(whole)
        return tuple(self.count if at == axis else extent for at, extent in enumerate(whole))

    def of(self, value: SSAValue, emit: TensorBuilder, pixel: Sequence[SSAValue] | None = None) -> SSAValue:
        """Emit a slice of a tensor with these channels, and return it.

        pixel: row and column of a single pixel; None for all pixels.
        """
        shape, zero = tdsl.shape_of(value), emit.index(0)
        if pixel is None:
            sizes, pixel = self.shape(shape), (zero, zero)
        else:
            sizes = self.shape((1,) * len(shape))
        at = [zero, *pixel, self.start] if len(shape) == 4 else [self.start, zero]
        part = emit.insert(tdsl.SliceOp(value, at, sizes))
        part.name_hint = value.name_hint
        return part

    def of_operand(
        self, value: SSAValue, like: tdsl.Shape, emit: TensorBuilder, pixel: Sequence[SSAValue] | None = None
    ) -> SSAValue | None:
        """Emit a slice with the elements of an operand that an elementwise op of shape `like` reads, and return it.
        None if the op reads the whole operand.

        pixel: row and column of a single pixel; None for all pixels.
        """
        shape = tdsl.shape_of(value)
        padded = (1,) * (len(like) - len(shape)) + shape
        if padded[channel_axis(like)] == 1 < like[channel_axis(like)] or not shape:
            return None
        if shape == like:
            return self.of(value, emit, pixel)
        sizes = [self.count if extent > 1 else 1 for extent in shape]
        at = [self.start if extent > 1 else emit.index(0) for extent in shape]
        return emit.insert(tdsl.SliceOp(value, at, sizes))
