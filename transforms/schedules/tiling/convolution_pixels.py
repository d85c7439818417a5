"""Pixels of a convolution. Each pixel is the product of the filter matrix and a window of the image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.tdsl.window_axis import WindowAxis
from tinyml.transforms.schedules.tiling.padding import margins_of, padding
from tinyml.transforms.schedules.tiling.stored_image import StoredImage, tensor_like
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.schedules.tiling.window_tiles import Tiling

Images = Callable[[SSAValue], StoredImage]
"""A function that returns the stored image of a value."""


class ConvolutionPixels:
    """A convolution of a single image, with the padding before it and the elementwise ops after it, pixel by pixel. The
    filter and the initial value of the sums are reshaped at the emitter's initial insertion point, outside all loops.

    chain: the elementwise ops, each of which reads the result of the previous op.
    by_row: whether the channels of the result are computed one at a time.
    tiling: the number of adjacent pixels that are computed at once, from one input tile.
    """

    def __init__(
        self,
        op: tdsl.Conv2dOp,
        chain: Sequence[tdsl.ElementwiseOp],
        emit: TensorBuilder,
        *,
        by_row: bool = False,
        tiling: Tiling | None = None,
    ) -> None:
        self.op, self.chain, self.emit, self.tiling = op, chain, emit, tiling or Tiling()
        self.shape = tdsl.shape_of(op.out)
        self.pad = padding(op.rhs)
        rows, *each = tdsl.shape_of(op.lhs)
        # A filter is a matrix unless channels are convolved in groups, or several windows by it.
        self.is_matrix = op.group_count == 1 and not self.tiling.tiles
        self.filter = emit.reshaped(op.lhs, (rows, prod(each))) if self.is_matrix or by_row else op.lhs
        initial = op.initial if self.is_matrix or by_row else None
        self.initial = None if initial is None else emit.reshaped(initial, (prod(tdsl.shape_of(initial)), 1))

    @property
    def image(self) -> SSAValue:
        return self.op.rhs if self.pad is None else self.pad.input

    def pixels(self, y: SSAValue, x: SSAValue, images: Images, count: int = 1, rows: int = 1) -> SSAValue:
        """Emit the computation of adjacent pixels of the last result, and return the pixels, of shape 1 x rows
        x count x channels.

        y, x: the first pixel.
        count, rows: the numbers of columns and rows of pixels. If there are several rows, the rows must be whole.
        """
        windows = self.windows(y, x, images(self.image), count, rows)
        pixels = self._product(windows, (1, rows, count, self.shape[3]))
        pixels.name_hint = self.op.out.name_hint

        def same_pixels(operand: SSAValue) -> SSAValue | None:
            if tdsl.shape_of(operand) != self.shape:
                return None
            image = images(operand)
            return image.part(image.place(y, x, self.emit), rows, count, self.emit)

        return applied(self.chain, self.op.out, pixels, same_pixels, self.emit)

    def row(self, y: SSAValue, target: StoredImage, images: Images, rows: int = 1) -> StoredImage:
        """Emit the computation of row y of the last result, and insert the row into the image `target`. Return
        the image.

        The row is computed tile by tile, or `rows` whole rows are computed at once.
        """
        emit, width, at_once = self.emit, self.shape[2], self.tiling.pixels

        def tile(x: SSAValue, count: int, held: SSAValue) -> SSAValue:
            image = target.now(held)
            place = image.place(y, x, emit)
            return image.inserted(self.pixels(y, x, images, count, rows), place, emit).value

        tiles, rest = divmod(width, at_once)
        held = emit.over(tiles, target.value, lambda n, held: tile(emit.times(n, at_once), at_once, held))
        return target.now(tile(emit.index(width - rest), rest, held) if rest else held)

    def element(self, row: SSAValue, window: SSAValue) -> SSAValue:
        """Emit the computation of one channel of a pixel before elementwise ops, and return it, of shape 1x1x1x1.

        row: the index of the channel.
        window: all channels of the image on which the channel depends.
        """
        element = tdsl.format_of(self.op.out).type
        new = tdsl.RowProductOp(self.filter, row, self._column(window), self.initial, element)
        return self._sums(new, (1, 1, 1, 1))

    def windows(self, y: SSAValue, x: SSAValue, image: StoredImage, count: int = 1, rows: int = 1) -> SSAValue:
        """Emit the windows of adjacent pixels, or the input tile that contains these windows, and return them. For
        several rows, strides must be 1.

        y, x: the first pixel.
        count, rows: the numbers of columns and rows of pixels.
        """
        _, height, width, _ = tdsl.shape_of(self.op.lhs)
        margins = margins_of(self.pad)
        (down, across), (above, _, before, _) = self.op.steps, margins
        top = self.emit.plus(self.emit.times(y, down), -above)
        left = self.emit.plus(self.emit.times(x, across), -before)
        filling = 0.0 if self.pad is None else self.pad.filling
        if self.op.spread[1] == 1 or width == 1:
            # A single input tile that contains all windows.
            count, width = 1, WindowAxis(width, across).span(count)
        size = height + rows - 1, width
        return image.windows(top, left, size, self.emit, self.op.spread, margins, filling, count, across)

    def _product(self, windows: SSAValue, shape: tdsl.Shape) -> SSAValue:
        """Emit the product of the filter and windows, before elementwise ops, and return it in the given shape."""
        op, element = self.op, tdsl.format_of(self.op.out).type
        if not self.is_matrix:
            steps = 1, op.steps[1] if tdsl.shape_of(windows)[0] == 1 else 1
            new = tdsl.Conv2dOp(self.filter, windows, steps, (1, 1), op.group_count, op.initial, element)
            new.tile = self.tiling.tiles.get((shape[1], shape[2]))
        else:
            column = self._column(windows)
            if self.initial is None:
                new = tdsl.MatmulOp(self.filter, column, element)
            else:
                new = tdsl.MatmulSumOp([(self.filter, column)], self.initial, element)
        return self._sums(new, shape)

    def _column(self, window: SSAValue) -> SSAValue:
        return self.emit.reshaped(window, (prod(tdsl.shape_of(window)), 1))

    def _sums(self, new: tdsl.ContractionOp, shape: tdsl.Shape) -> SSAValue:
        """Insert an op that computes sums of the convolution, with the convolution's accumulator. Return its
        result, reshaped to `shape`.
        """
        op = self.op
        new.acc, new.bound, new.row_shifts = op.acc, op.bound, op.row_shifts
        result = self.emit.insert(new, op)
        result.name_hint = op.out.name_hint
        return self.emit.reshaped(result, shape)


def applied(
    chain: Sequence[tdsl.ElementwiseOp],
    first: SSAValue,
    part: SSAValue,
    other: Callable[[SSAValue], SSAValue | None],
    emit: TensorBuilder,
) -> SSAValue:
    """Apply elementwise ops to a part of their first operand. Return the same part of the last op's result.

    first: the first operand.
    part: the part of the first operand.
    other: returns the same part of any other operand, or None for an operand that is read whole for all parts.
    """
    previous = first
    for step in chain:
        values = {previous: part}
        for operand in dict.fromkeys(step.inputs):
            if operand is not previous and (own := other(operand)) is not None:
                values[operand] = own
        copy = step.clone(value_mapper=values)
        type = tensor_like(step.out, tdsl.shape_of(part))
        part = Rewriter.replace_value_with_new_type(emit.insert(copy, step), type)
        part.name_hint, previous = step.out.name_hint, step.out
    return part
