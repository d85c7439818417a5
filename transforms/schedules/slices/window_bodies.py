"""Slices of convolutions and pools, which read windows of an image."""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.targets.registry import HOST
from tinyml.transforms.formats.tiling.convolution_pixels import ConvolutionPixels, Images
from tinyml.transforms.formats.tiling.stored_image import StoredImage, tensor_like
from tinyml.transforms.formats.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.formats.tiling.window_tiles import AMPLE, TileMemory, Tiling, row_tiling
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import Stage

LEAST = -3.4028234663852886e38
"""The lowest real that any format holds, by which maximum pools pad their windows."""


class Convolution(Body):
    """A convolution, whose rows are loops over single pixels or over tiles of several pixels.

    target: the board, which may have kernels for several pixels at once. memory: what these may take.
    """

    def __init__(self, stage: Stage, emit: TensorBuilder, target: str = HOST, memory: TileMemory = AMPLE) -> None:
        super().__init__(stage, emit)
        op = stage.op
        assert isinstance(op, tdsl.Conv2dOp)
        # Rings supply one window at a time, as a dilated window is gathered.
        tiling = row_tiling(op, target, memory) if op.spread[1] == 1 else Tiling()
        self.pixels = ConvolutionPixels(op, stage.chain, emit, tiling=tiling)

    def row(self, y: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        return self.pixels.row(y, target, images)

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        return self.pixels.pixels(y, x, images)


class Pool(Body):
    """A pool of windows; computes a whole row at once if the rows that it reads are contiguous."""

    def __init__(self, stage: Stage, emit: TensorBuilder) -> None:
        super().__init__(stage, emit)
        assert isinstance(stage.op, tdsl.PoolOp)
        self.op = stage.op

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        op = self.op
        (above, _, before, _), (down, across) = op.margins, op.steps
        top = self.emit.plus(self.emit.times(y, down), -above)
        left = self.emit.plus(self.emit.times(x, across), -before)
        filling = LEAST if any(op.margins) else 0.0
        window = images(op.image).windows(top, left, op.window, self.emit, margins=op.margins, filling=filling)
        return self.chained(self._pooled(window, (0, 0, 0, 0)), y, x, images)

    def row(self, y: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        image, (height, _), (down, _) = images(self.op.image), self.op.window, self.op.steps
        top, bottom, left, right = self.op.margins
        rows, columns = image.extents
        apart = columns == image.shape[2] and (not image.is_ring or (rows % down == 0 and height <= down))
        if top or bottom or not apart:
            return super().row(y, target, images)

        def pooled() -> SSAValue:
            zero = self.emit.index(0)
            taken = image.part(image.place(self.emit.times(y, down), zero, self.emit), height, columns, self.emit)
            return self.chained(self._pooled(taken, (0, 0, left, right)), y, zero, images)

        return self.whole_row(y, pooled, target)

    def _pooled(self, window: SSAValue, margins: tuple[int, int, int, int]) -> SSAValue:
        op = self.op
        pooled = type(op)(window, op.window, margins, op.steps, tdsl.format_of(op.out).type)
        result = self.emit.insert(pooled, op)
        result.name_hint = op.out.name_hint
        return result


class BlockPool(Pool):
    """A pool that computes the convolution's pixels separately for each of its windows."""

    def __init__(self, stage: Stage, pooled: Body, emit: TensorBuilder) -> None:
        super().__init__(stage, emit)
        self.pooled = pooled

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        emit, (height, width), (down, across) = self.emit, self.op.window, self.op.steps
        top, left = emit.times(y, down), emit.times(x, across)
        empty = emit.insert(tensor.EmptyOp((), tensor_like(self.op.image, (1, height, width, self.pooled.shape[3]))))
        empty.name_hint = self.op.image.name_hint

        def with_pixel(i: SSAValue, j: SSAValue, held: SSAValue) -> SSAValue:
            block = StoredImage.whole(held)
            pixel = self.pooled.pixel(emit.sum(top, i), emit.sum(left, j), images)
            return block.inserted(pixel, block.place(i, j, emit), emit).value

        block = emit.over(height, empty, lambda i, rows: emit.over(width, rows, lambda j, held: with_pixel(i, j, held)))
        return self.chained(self._pooled(block, (0, 0, 0, 0)), y, x, images)
