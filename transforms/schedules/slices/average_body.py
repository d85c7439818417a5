"""The computation of averages over whole images, whose totals are updated slice by slice."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import Stage
from tinyml.transforms.schedules.tiling.convolution_pixels import Images
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder


class Average(Body):
    """The computation of an average over all pixels of an image. Each slice of the image is added to the totals."""

    def __init__(self, stage: Stage, emit: TensorBuilder) -> None:
        super().__init__(stage, emit)
        [self.image] = stage.op.inputs

    def start(self) -> SSAValue:
        _, height, width, _ = tdsl.shape_of(self.image)
        element = tdsl.format_of(self.image).total(height * width)
        return self.emit.insert(tdsl.NoTotalOp(TensorType(element, self.shape)), self.stage.op)

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        raise AssertionError("an average has no pixels before its end")

    def at(self, y: SSAValue, x: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        return self._tallied(y, x, 1, target, images)

    def row(self, y: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        return self._tallied(y, self.emit.index(0), tdsl.shape_of(self.image)[2], target, images)

    def _tallied(self, y: SSAValue, x: SSAValue, width: int, target: StoredImage, images: Images) -> StoredImage:
        image = images(self.image)
        part = image.part(image.place(y, x, self.emit), 1, width, self.emit)
        return target.now(self.emit.insert(tdsl.TallyOp(target.value, part), self.stage.op))

    def finished(self, image: StoredImage, images: Images) -> StoredImage:
        _, height, width, _ = tdsl.shape_of(self.image)
        op = self.stage.op
        source, over_axes = tdsl.format_of(self.image), isinstance(op, tdsl.MeanOp)
        quotient = tdsl.QuotientOp(image.value, height * width, source, over_axes, tdsl.format_of(op.out).type)
        result = self.emit.insert(quotient, op)
        result.name_hint = op.out.name_hint
        zero = self.emit.index(0)
        return image.now(self.chained(result, zero, zero, images))


def averages_all(op: tdsl.TensorOp) -> bool:
    """Whether an op averages all pixels of a single image."""
    match op:
        case tdsl.MeanOp():
            return op.reduced == (1, 2) and tdsl.shape_of(op.input)[0] == 1
        case tdsl.AveragePoolOp():
            _, height, width, _ = tdsl.shape_of(op.image)
            return op.window == (height, width) and not any(op.margins) and height * width > 1
        case _:
            return False
