"""Slices of ops that compute whole rows at once: elementwise ops, concatenations and arriving rows."""

from __future__ import annotations

from abc import abstractmethod

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.formats.tiling.convolution_pixels import Images, applied
from tinyml.transforms.formats.tiling.stored_image import StoredImage
from tinyml.transforms.formats.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import Stage


class RowAtOnce(Body):
    """An op that computes any number of adjacent pixels at once, and so a whole row."""

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        return self._part(y, x, 1, images)

    def row(self, y: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        return self.whole_row(y, lambda: self._part(y, self.emit.index(0), self.shape[2], images), target)

    @abstractmethod
    def _part(self, y: SSAValue, x: SSAValue, width: int, images: Images) -> SSAValue:
        """`width` pixels of the result starting at pixel (y, x), of shape 1xHxWxC with H = 1."""


class Elementwise(RowAtOnce):
    """A chain of elementwise ops."""

    def __init__(self, stage: Stage, emit: TensorBuilder) -> None:
        super().__init__(stage, emit)
        assert isinstance(stage.op, tdsl.ElementwiseOp)
        self.ops = (stage.op, *stage.chain)

    def _part(self, y: SSAValue, x: SSAValue, width: int, images: Images) -> SSAValue:
        first, operand = self.ops[0], self.operand(y, x, 1, width, images)
        [main, *_] = (value for value in first.inputs if tdsl.shape_of(value) == self.shape)
        part = operand(main)
        assert part is not None
        return applied(self.ops, main, part, operand, self.emit)


class Concatenation(RowAtOnce):
    """The concatenation of several images along channels."""

    def _part(self, y: SSAValue, x: SSAValue, width: int, images: Images) -> SSAValue:
        op, every = self.stage.op, [images(value) for value in self.stage.op.inputs]
        parts = [image.part(image.place(y, x, self.emit), 1, width, self.emit) for image in every]
        part = self.emit.insert(tdsl.ConcatOp(parts, 3), op)
        part.name_hint = op.out.name_hint
        return self.chained(part, y, x, images)


class Arrival(Body):
    """Rows of the input, which arrive whole."""

    def __init__(self, stage: Stage, emit: TensorBuilder) -> None:
        super().__init__(stage, emit)
        assert isinstance(stage.op, tdsl.ReceiveOp)
        self.op = stage.op

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        raise AssertionError("rows arrive as wholes")

    def at(self, y: SSAValue, x: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        return self.row(y, target, images)

    def row(self, y: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        def received() -> SSAValue:
            part = self.emit.insert(tdsl.ReceiveOp(self.op.image, y, 1), self.op)
            part.name_hint = self.op.out.name_hint
            return self.chained(part, y, self.emit.index(0), images)

        return self.whole_row(y, received, target, as_stored=True)
