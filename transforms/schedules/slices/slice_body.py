"""The computation of one row or pixel of a stage's result from the stored parts of the images that it reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.slices.stages import Stage
from tinyml.transforms.schedules.tiling.convolution_pixels import Images, applied
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder


class Body(ABC):
    """The code that computes the rows or pixels of a stage's result."""

    def __init__(self, stage: Stage, emit: TensorBuilder) -> None:
        self.stage, self.emit = stage, emit
        self.shape = tdsl.shape_of(stage.result)

    def start(self) -> SSAValue | None:
        return None

    def finished(self, image: StoredImage, images: Images) -> StoredImage:
        """The result after the last row or pixel. Subclasses that store totals convert them here."""
        return image

    @abstractmethod
    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        """Emit the computation of pixel (y, x) of the result, and return the pixel, of shape 1x1x1xC."""

    def row(self, y: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        """Insert row y of the result into the image `target`, and return the image."""

        def pixel(x: SSAValue, held: SSAValue) -> SSAValue:
            return self.at(y, x, target.now(held), images).value

        return target.now(self.emit.over(self.shape[2], target.value, pixel))

    def at(self, y: SSAValue, x: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        """Insert pixel (y, x) of the result into the image `target`, and return the image."""
        place = target.place(y, x, self.emit)
        return target.inserted(self.pixel(y, x, images), place, self.emit)

    def whole_row(
        self, y: SSAValue, row: Callable[[], SSAValue], target: StoredImage, *, as_stored: bool = False
    ) -> StoredImage:
        """Insert row y into the image `target`, and return the image. If possible, the row is computed at its
        final location.

        row: computes the whole row.
        as_stored: whether the computed row has the image's order of axes in memory.
        """
        place = target.place(y, self.emit.index(0), self.emit)
        return target.inserted(row(), place, self.emit, as_stored=as_stored)

    def chained(self, part: SSAValue, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        """Apply the stage's elementwise ops to a part of the first op's result, and return the result.

        y, x: the first pixel of the part.
        """
        _, height, width, _ = tdsl.shape_of(part)
        operand = self.operand(y, x, height, width, images)
        return applied(self.stage.chain, self.stage.op.out, part, operand, self.emit)

    def operand(
        self, y: SSAValue, x: SSAValue, height: int, width: int, images: Images
    ) -> Callable[[SSAValue], SSAValue | None]:
        """A function that emits the part of an elementwise op's operand at given pixels. It returns None for an operand
        that is broadcast.

        y, x: the first pixel.
        height, width: the number of rows and columns.
        """

        def part(value: SSAValue) -> SSAValue | None:
            if tdsl.shape_of(value) != self.shape:
                return None
            image = images(value)
            return image.part(image.place(y, x, self.emit), height, width, self.emit)

        return part
