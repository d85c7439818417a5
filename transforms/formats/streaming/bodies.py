"""The computation of one slice of a stage's result, from what is stored of the images that it reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.formats.streaming.stages import NotStreamed, Stage
from tinyml.transforms.formats.tiling.convolution_pixels import ConvolutionPixels, Images, applied
from tinyml.transforms.formats.tiling.emitter import Emitter
from tinyml.transforms.formats.tiling.padding import padding
from tinyml.transforms.formats.tiling.stored_image import StoredImage, tensor_like

LEAST = -3.4028234663852886e38
"""A real that no format holds a lesser number than: the filling of windows whose greatest element counts."""


class Body(ABC):
    """What computes the slices of a stage."""

    def __init__(self, stage: Stage, emit: Emitter) -> None:
        self.stage, self.emit = stage, emit
        self.shape = tdsl.shape_of(stage.result)

    def start(self) -> SSAValue | None:
        """What the result is before the first slice, if that matters."""
        return None

    def finished(self, image: StoredImage, images: Images) -> StoredImage:
        """The result after the last slice."""
        return image

    @abstractmethod
    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        """A pixel of the result, of shape 1x1x1xC."""

    def row(self, y: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        """The image with one row of the result inserted."""

        def pixel(x: SSAValue, held: SSAValue) -> SSAValue:
            return self.at(y, x, target.now(held), images).value

        return target.now(self.emit.over(self.shape[2], target.value, pixel))

    def at(self, y: SSAValue, x: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        """The image with one pixel of the result inserted."""
        place = target.place(y, x, self.emit)
        return target.inserted(self.pixel(y, x, images), place, self.emit)

    def whole_row(
        self, y: SSAValue, row: Callable[[], SSAValue], target: StoredImage, *, as_stored: bool = False
    ) -> StoredImage:
        """The image with a row inserted that is computed at once, in its place if that is known before.

        as_stored: the row has the order of axes in which the image lies.
        """
        place = target.place(y, self.emit.index(0), self.emit)
        return target.inserted(row(), place, self.emit, as_stored=as_stored)

    def chained(self, part: SSAValue, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        """The elementwise ops on a part of the first op's result, which begins at a pixel."""
        _, height, width, _ = tdsl.shape_of(part)
        operand = self.operand(y, x, height, width, images)
        return applied(self.stage.chain, self.stage.op.out, part, operand, self.emit)

    def operand(
        self, y: SSAValue, x: SSAValue, height: int, width: int, images: Images
    ) -> Callable[[SSAValue], SSAValue | None]:
        """The same part of operands of elementwise ops."""

        def part(value: SSAValue) -> SSAValue | None:
            if tdsl.shape_of(value) != self.shape:
                return None
            image = images(value)
            return image.part(image.place(y, x, self.emit), height, width, self.emit)

        return part


class Convolution(Body):
    """A convolution, whose rows are loops over pixels, or over several of them at once."""

    def __init__(self, stage: Stage, emit: Emitter, at_once: int = 1) -> None:
        super().__init__(stage, emit)
        assert isinstance(stage.op, tdsl.Conv2dOp)
        self.at_once = at_once
        self.pixels = ConvolutionPixels(stage.op, stage.chain, emit, several=at_once > 1)

    def row(self, y: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        def tile(x: SSAValue, count: int, held: SSAValue) -> SSAValue:
            image = target.now(held)
            place = image.place(y, x, self.emit)
            return image.inserted(self.pixels.pixels(y, x, images, count), place, self.emit).value

        tiles, rest = divmod(self.shape[2], self.at_once)

        def numbered(number: SSAValue, held: SSAValue) -> SSAValue:
            return tile(self.emit.times(number, self.at_once), self.at_once, held)

        value = self.emit.over(tiles, target.value, numbered)
        return target.now(tile(self.emit.index(self.shape[2] - rest), rest, value) if rest else value)

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        return self.pixels.pixels(y, x, images)


class Pool(Body):
    """A pool of windows; a whole row at once where the rows under it lie one after the other."""

    def __init__(self, stage: Stage, emit: Emitter) -> None:
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
    """A pool of the pixels of a convolution, which are computed for each of its windows."""

    def __init__(self, stage: Stage, pooled: Body, emit: Emitter) -> None:
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


class RowAtOnce(Body):
    """An op that computes any number of pixels beside each other, and so a row at once."""

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        return self._part(y, x, 1, images)

    def row(self, y: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        return self.whole_row(y, lambda: self._part(y, self.emit.index(0), self.shape[2], images), target)

    @abstractmethod
    def _part(self, y: SSAValue, x: SSAValue, width: int, images: Images) -> SSAValue:
        """So many pixels of the result from one on, of shape 1x1xWxC."""


class Elementwise(RowAtOnce):
    """An op on elements."""

    def __init__(self, stage: Stage, emit: Emitter) -> None:
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
    """The channels of several images beside each other."""

    def _part(self, y: SSAValue, x: SSAValue, width: int, images: Images) -> SSAValue:
        op, every = self.stage.op, [images(value) for value in self.stage.op.inputs]
        parts = [image.part(image.place(y, x, self.emit), 1, width, self.emit) for image in every]
        part = self.emit.insert(tdsl.ConcatOp(parts, 3), op)
        part.name_hint = op.out.name_hint
        return self.chained(part, y, x, images)


class Arrival(Body):
    """Rows of the input, which arrive as wholes."""

    def __init__(self, stage: Stage, emit: Emitter) -> None:
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


class Average(Body):
    """The average of a whole image, whose totals grow slice by slice."""

    def __init__(self, stage: Stage, emit: Emitter) -> None:
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


def _averages_all(op: tdsl.TensorOp) -> bool:
    """Does an op average all pixels of a single image?"""
    match op:
        case tdsl.MeanOp():
            return op.reduced == (1, 2) and tdsl.shape_of(op.input)[0] == 1
        case tdsl.AveragePoolOp():
            _, height, width, _ = tdsl.shape_of(op.image)
            return op.window == (height, width) and not any(op.margins) and height * width > 1
        case _:
            return False


BODIES: dict[type[tdsl.TensorOp], type[Body]] = {
    tdsl.Conv2dOp: Convolution,
    tdsl.PoolOp: Pool,
    tdsl.ElementwiseOp: Elementwise,
    tdsl.ConcatOp: Concatenation,
    tdsl.ReceiveOp: Arrival,
}
"""The class that computes the slices of each kind of op."""


def body_of(stage: Stage, emit: Emitter, at_once: int = 1) -> Body:
    """The body that computes the slices of a stage. at_once: pixels of a convolution's row. Raises `NotStreamed`."""
    kind = kind_of(stage)
    if kind is Convolution:
        return Convolution(stage, emit, at_once)
    return kind(stage, emit) if stage.pooled is None else BlockPool(stage, body_of(stage.pooled, emit), emit)


def kind_of(stage: Stage) -> type[Body]:
    """The class of a stage's body before any pooling; raises `NotStreamed` if the stage has none."""
    op, name = stage.op, stage.node.result
    shape = tdsl.shape_of(op.out)
    if len(shape) != 4 or shape[0] != 1:
        raise NotStreamed(f"{name} is no single image")
    if any(read.sums for read in stage.node.reads) and not _averages_all(op):
        raise NotStreamed(f"{name} needs all of its operand")
    if isinstance(op, tdsl.ConcatOp) and op.axis.value.data != 3:
        raise NotStreamed(f"{name} puts images below or beside each other")
    if isinstance(op, tdsl.PoolOp) and padding(op.image) is not None:
        raise NotStreamed(f"{name} pools a padded image")
    if isinstance(op, tdsl.AveragePoolOp) and any(op.margins):
        raise NotStreamed(f"{name} takes averages of fewer elements at the margins")
    for step in (op, *stage.chain):
        if isinstance(step, tdsl.ElementwiseOp):
            others = [tdsl.shape_of(value) for value in step.inputs if tdsl.shape_of(value) != shape]
            if any(prod(other[:-1]) > 1 for other in others):
                raise NotStreamed(f"{name} repeats an operand along rows or columns")
    if _averages_all(op):
        return Average
    for kind, body in BODIES.items():
        if isinstance(op, kind):
            return body
    raise NotStreamed(f"{op.name} is not computed slice by slice")
