"""The computation of the rows or pixels of a stage's result: for convolutions, for other ops on windows, and for rows
of the input that arrive one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.plans.network import gathers
from tinyml.transforms.schedules.segments import NotTiled
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import Stage
from tinyml.transforms.schedules.tiling.convolution_pixels import ConvolutionPixels, Images
from tinyml.transforms.schedules.tiling.padding import margins_of, padding
from tinyml.transforms.schedules.tiling.stored_image import StoredImage, tensor_like
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.schedules.tiling.window_tiles import AMPLE_MEMORY, TileMemory, Tiling, row_tiling


class Convolution(Body):
    """The computation of a convolution. A row is a loop over single pixels, or over tiles of several pixels.

    target: the board, which may have kernels for several pixels at once.
    memory: the limit on the memory of these kernels.
    """

    def __init__(
        self, stage: Stage, emit: TensorBuilder, target: str = HOST, memory: TileMemory = AMPLE_MEMORY
    ) -> None:
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


class Windows(Body):
    """The computation of an op whose pixels depend on windows of its operands (`TensorOp.footprint`). A window may
    be a single pixel.

    A row is computed at once if all rows on which it depends are contiguous.
    """

    def __init__(self, stage: Stage, emit: TensorBuilder) -> None:
        super().__init__(stage, emit)
        self.op, self.sources = stage.op, _sources_of(stage.op)

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        windows = {value: source.at(y, x, images, self.emit) for value, source in self.sources.items()}
        return self.chained(self._result(self.op.on_parts(windows)), y, x, images)

    def row(self, y: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        if not all(source.has_rows(images) for source in self.sources.values()):
            return super().row(y, target, images)

        def computed() -> SSAValue:
            zero = self.emit.index(0)
            rows = {value: source.rows(y, zero, images, self.emit) for value, source in self.sources.items()}
            margins = next(iter(self.sources.values())).window.margins
            return self.chained(self._result(self.op.on_parts(rows, margins)), y, zero, images)

        return self.whole_row(y, computed, target)

    def _result(self, part: tdsl.TensorOp) -> SSAValue:
        result = self.emit.insert(part, self.op)
        result.name_hint = self.op.out.name_hint
        return result


@dataclass(frozen=True)
class _Source:
    """An image from which an op reads windows.

    pad: the padding op before it, whose padding belongs to the windows; None without padding.
    """

    image: SSAValue
    window: tdsl.Footprint
    pad: tdsl.PadOp | None

    @staticmethod
    def of(op: tdsl.TensorOp, operand: SSAValue) -> _Source | None:
        if (window := op.footprint(operand)) is None:
            return None
        pad = padding(operand) if gathers(op, window) else None
        return _Source(operand if pad is None else pad.input, window, pad)

    def at(self, y: SSAValue, x: SSAValue, images: Images, emit: TensorBuilder) -> SSAValue:
        (down, across), own = self.window.strides, self.window.margins
        margins, filling = (own, self.window.filling) if self.pad is None else (margins_of(self.pad), self.pad.filling)
        top = emit.plus(emit.times(y, down), -margins[0])
        left = emit.plus(emit.times(x, across), -margins[2])
        return images(self.image).windows(top, left, self.window.kernel, emit, margins=margins, filling=filling or 0.0)

    def has_rows(self, images: Images) -> bool:
        image, (height, _), (down, _) = images(self.image), self.window.kernel, self.window.strides
        top, bottom, _, _ = self.window.margins
        rows, columns = image.extents
        apart = columns == image.shape[2] and (not image.is_ring or (rows % down == 0 and height <= down))
        return self.pad is None and not top and not bottom and apart

    def rows(self, y: SSAValue, zero: SSAValue, images: Images, emit: TensorBuilder) -> SSAValue:
        image, (height, _), (down, _) = images(self.image), self.window.kernel, self.window.strides
        return image.part(image.place(emit.times(y, down), zero, emit), height, image.extents[1], emit)


def _sources_of(op: tdsl.TensorOp) -> dict[SSAValue, _Source]:
    sources = {value: source for value in op.inputs if (source := _Source.of(op, value)) is not None}
    starts = op.initial if isinstance(op, tdsl.ContractionOp) else None
    if not sources or not (starts is None or isinstance(starts.owner, tdsl.ConstOp)):
        raise NotTiled(f"{op.name} is not computed slice by slice")
    for source in sources.values():
        if any(source.window.margins) and source.window.filling is None:
            raise NotTiled(f"{op.name} depends on fewer elements at the margins")
        if any(source.window.margins) and (source.pad is not None or len(sources) > 1):
            raise NotTiled(f"{op.name} adds margins to a padded image, or to one of several")
    return sources


class BlockPool(Windows):
    """A pool that computes, for each of its windows, the pixels of the preceding convolution."""

    def __init__(self, stage: Stage, pooled: Body, emit: TensorBuilder) -> None:
        super().__init__(stage, emit)
        [self.source] = self.sources.values()
        self.pooled = pooled

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        emit, (height, width), (down, across) = self.emit, self.source.window.kernel, self.source.window.strides
        top, left = emit.times(y, down), emit.times(x, across)
        empty = emit.insert(
            tensor.EmptyOp((), tensor_like(self.source.image, (1, height, width, self.pooled.shape[3])))
        )
        empty.name_hint = self.source.image.name_hint

        def with_pixel(i: SSAValue, j: SSAValue, held: SSAValue) -> SSAValue:
            block = StoredImage.whole(held)
            pixel = self.pooled.pixel(emit.sum(top, i), emit.sum(left, j), images)
            return block.inserted(pixel, block.place(i, j, emit), emit).value

        block = emit.over(height, empty, lambda i, rows: emit.over(width, rows, lambda j, held: with_pixel(i, j, held)))
        return self.chained(self._result(self.op.on_parts({self.source.image: block})), y, x, images)


class Arrival(Body):
    """Rows of the input, each of which arrives as a whole."""

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


def body_of(stage: Stage, emit: TensorBuilder, target: str = HOST, memory: TileMemory = AMPLE_MEMORY) -> Body:
    """The code that computes the rows or pixels of a stage's result. Raises `NotTiled` if there is none for the stage's
    op.

    target: the board, which may have kernels for several pixels of a row at once.
    memory: the limit on the memory of these kernels.
    """
    kind = kind_of(stage)
    if kind is Convolution:
        return Convolution(stage, emit, target, memory)
    return kind(stage, emit) if stage.pooled is None else BlockPool(stage, body_of(stage.pooled, emit), emit)


def kind_of(stage: Stage) -> type[Body]:
    """The subclass of `Body` for the first op of a stage, as if the stage included no convolution before a pool. Raises
    `NotTiled` if there is none.
    """
    op, name = stage.op, stage.node.result
    shape = tdsl.shape_of(op.out)
    if len(shape) != 4 or shape[0] != 1:
        raise NotTiled(f"{name} is not a single image")
    if any(read.sums for read in stage.node.reads) and not averages_all(op):
        raise NotTiled(f"{name} needs all of its operand")
    for step in (op, *stage.chain):
        if isinstance(step, tdsl.ElementwiseOp):
            others = [tdsl.shape_of(value) for value in step.inputs if tdsl.shape_of(value) != shape]
            if any(prod(other[:-1]) > 1 for other in others):
                raise NotTiled(f"{name} repeats an operand along rows or columns")
    if averages_all(op):
        return Average
    if isinstance(op, tdsl.Conv2dOp):
        return Convolution
    if isinstance(op, tdsl.ReceiveOp):
        return Arrival
    _sources_of(op)
    return Windows


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
