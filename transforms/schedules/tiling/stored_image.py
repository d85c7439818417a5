"""Images in loops, stored whole or as a ring of the most recent rows or pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl.index_maps import is_run
from tinyml.transforms.schedules.tiling.axis_orders import IDENTITY_ORDER, Axes, axes_written, gathered, written
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder


@dataclass(frozen=True)
class StoredImage:
    """An image of shape 1 x H x W x C, and the tensor that stores it whole or, as a ring, its most recent rows or
    pixels.

    A ring has shape 1 x h x w x C. It stores pixel (y, x) at (y mod h, x mod w). If it has a single row, it stores
    pixel n of the image, in raster order, at n mod w.

    value: the tensor.
    shape: the shape of the image.
    axes: for each axis of the image, the corresponding axis of the tensor, which may have another order.
    """

    value: SSAValue
    shape: tdsl.Shape
    axes: Axes = IDENTITY_ORDER

    @staticmethod
    def whole(value: SSAValue) -> StoredImage:
        """A `StoredImage` for a tensor that contains a whole image. If readers gather the image from another tensor,
        that tensor is the storage.
        """
        if (transpose := gathered(value)) is not None:
            return StoredImage(transpose.input, tdsl.shape_of(value), transpose.axes)
        return StoredImage(value, tdsl.shape_of(value))

    @staticmethod
    def empty(
        like: SSAValue, height: int, width: int, emit: TensorBuilder, location: Operation | None = None
    ) -> StoredImage:
        """Emit an uninitialised tensor for `height` rows and `width` columns of an image, and return the image.

        If the program receives or returns the image in another order of axes, the tensor has that order, so that no
        copy in the other order is needed.

        like: a tensor with the shape and the element type of the image.
        location: the op whose location the new op receives.
        """
        shape, axes = tdsl.shape_of(like), IDENTITY_ORDER
        if (transpose := written(like)) is not None:
            axes = axes_written(transpose)
        elif (transpose := _read_as(like)) is not None:
            shape, axes = tdsl.shape_of(transpose.out), transpose.axes
        extents = 1, height, width, shape[3]
        type = tensor_like(like, [extents[axes.index(axis)] for axis in range(4)])
        value = emit.insert(tensor.EmptyOp((), type), location)
        value.name_hint = like.name_hint
        return StoredImage(value, shape, axes)

    def now(self, value: SSAValue) -> StoredImage:
        return replace(self, value=value)

    @property
    def extents(self) -> tuple[int, int]:
        """The number of rows and the number of columns that the tensor stores; for a ring, fewer than the image has."""
        shape = tdsl.shape_of(self.value)
        return shape[self.axes[1]], shape[self.axes[2]]

    @property
    def is_ring(self) -> bool:
        return self.extents != self.shape[1:3]

    def place(self, y: SSAValue, x: SSAValue, emit: TensorBuilder) -> list[SSAValue]:
        """Emit the index of a pixel's first element in the tensor, in the image's order of axes, and return it."""
        zero = emit.index(0)
        if not self.is_ring:
            return [zero, y, x, zero]
        rows, columns = self.extents
        if columns == self.shape[2]:
            return [zero, _remainder(y, rows, emit), x, zero]
        if rows > 1:
            down = y if rows == self.shape[1] else _remainder(y, rows, emit)
            return [zero, down, _remainder(x, columns, emit), zero]
        number = emit.insert(arith.AddiOp(emit.times(y, self.shape[2]), x)) if self.shape[2] > 1 else y
        return [zero, zero, _remainder(number, columns, emit), zero]

    def part(self, at: Sequence[SSAValue], height: int, width: int, emit: TensorBuilder) -> SSAValue:
        """Emit a slice of the tensor that starts at index `at`, of the given height and width, and return it."""
        assert self.axes == IDENTITY_ORDER, "windows are gathered from an image in another order"
        return emit.insert(tdsl.SliceOp(self.value, at, (1, height, width, self.shape[3])))

    def inserted(
        self, part: SSAValue, at: Sequence[SSAValue], emit: TensorBuilder, *, as_stored: bool = False
    ) -> StoredImage:
        """Replace the pixels that start at index `at` by `part`, and return the image.

        A part that covers a whole uninitialised image replaces the image without an insertion. A single pixel is always
        inserted: a loop over its channels would otherwise become part of the product, and there are fewer kernels for
        such a product.

        as_stored: whether the part has the tensor's order of axes.
        """
        offsets = [at[self.axes.index(axis)] for axis in range(4)]
        axes = None if as_stored or self.axes == IDENTITY_ORDER else self.axes
        several, new = self.shape[1:3] != (1, 1), isinstance(self.value.owner, tensor.EmptyOp)
        if several and new and axes is None and part.type == self.value.type:
            return self.now(part)
        return self.now(emit.insert(tdsl.InsertSliceOp(part, self.value, offsets, axes)))

    def windows(
        self,
        top: SSAValue,
        left: SSAValue,
        size: tuple[int, int],
        emit: TensorBuilder,
        dilations: tuple[int, int] = (1, 1),
        margins: tuple[int, int, int, int] = (0, 0, 0, 0),
        filling: float = 0.0,
        count: int = 1,
        across: int = 1,
    ) -> SSAValue:
        """Emit the pixels in one or several windows, and return them. They are gathered into a separate buffer unless
        they are contiguous.

        top, left: the first pixel of the first window.
        size: rows and columns of a window.
        margins, filling: the padding of the image, and the real that fills it.
        count: the number of adjacent windows, `across` pixels apart.
        """
        shape = 1, *size, self.shape[3]
        adjacent = all(extent == 1 or gap == 1 for extent, gap in zip(size, dilations, strict=True))
        in_one_row = size == (1, 1) or (size[0] == 1 and self.extents[1] == self.shape[2])
        run = is_run(self.shape, shape) and (in_one_row or not self.is_ring)
        if self.axes == IDENTITY_ORDER and count == 1 and not any(margins) and adjacent and run:
            return self.part(self.place(top, left, emit), *size, emit)
        ring = self.shape[1:3] if self.is_ring else None
        axes = None if self.axes == IDENTITY_ORDER else self.axes
        op = tdsl.WindowOp(self.value, top, left, size, dilations, margins, filling, ring, count, across, axes)
        window = emit.insert(op)
        window.name_hint = "window"
        return window


def _read_as(value: SSAValue) -> tdsl.TransposeOp | None:
    results = [result for use in value.uses for result in use.operation.results]
    return gathered(results[0]) if results else None


def tensor_like(value: SSAValue, shape: Sequence[int]) -> TensorType:
    """The tensor type with the element type of a value and the shape `shape`."""
    return TensorType(tdsl.format_of(value).type, shape)


def _remainder(index: SSAValue, divisor: int, emit: TensorBuilder) -> SSAValue:
    if divisor == 1:
        return emit.index(0)
    return emit.insert(arith.RemSIOp(index, emit.index(divisor)))
