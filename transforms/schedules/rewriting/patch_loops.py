"""Loops over the tiles of a segment's result, in which each op computes the part that the tile needs.

Parts are rectangles of images. They are stored in tensors of the largest part's size, with pixel (y, x) at (y mod
height, x mod width). The overlap of neighbouring tiles is computed repeatedly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.locations import fused
from tinyml.transforms.schedules.plans.graph import Image, Read
from tinyml.transforms.schedules.plans.halos import Box, boxes_of, tiles
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.protocol import NotTiled
from tinyml.transforms.schedules.slices.bodies import body_of, kind_of
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import segment_of
from tinyml.transforms.schedules.tiling.axis_orders import written
from tinyml.transforms.schedules.tiling.erasure import erase
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder


class AxisRange(NamedTuple):
    """Rows or columns of an image, from `first` to `end` (exclusive)."""

    first: SSAValue
    end: SSAValue


class PatchLoops:
    """Nodes first to last of a network, both inclusive, as count x count tiles of the last result.

    Raises `NotTiled` for segments that cannot run this way.
    """

    def __init__(self, network: Network, first: int, last: int, count: int) -> None:
        self.network, self.count = network, count
        segment = segment_of(network, first, last)
        self.stages = segment.stages
        self.graph = segment.graph
        for stage in self.stages:
            kind_of(stage)
            if stage.sums:
                raise NotTiled(f"{stage.node.result} needs all of its operand")
            if stage.kept and stage is not self.stages[-1]:
                raise NotTiled(f"{stage.node.result} is used after the segment")
        extents = self.graph.tensors[self.stages[-1].node.result][:2]
        if not 0 < count <= min(extents):
            raise NotTiled(f"{count} x {count} patches do not divide {extents[0]} x {extents[1]} pixels")
        boxes = [boxes_of(self.graph, len(self.stages) - 1, tile) for tile in tiles(extents, count)]
        self.sizes = {name: (self._extent(name, 0, boxes), self._extent(name, 1, boxes)) for name in boxes[0]}
        """Height and width of the tensor that holds the parts of each image."""

    def _extent(self, name: str, axis: int, boxes: Sequence[dict[str, Box]]) -> int:
        """The greatest extent of a tensor's parts along an axis, with room for every window inside the image."""
        parts = [box[name][2 * axis : 2 * axis + 2] for box in boxes]
        reads = [read for node in self.graph.nodes for read in node.reads if read.tensor == name]
        windows = [min(read.kernel[axis], self.graph.tensors[name][:2][axis]) for read in reads]
        return max([*(end - first for first, end in parts), *windows])

    def rewrite(self) -> None:
        """Replace the ops of the segment by the loops."""
        end = self.stages[-1]
        last = end.result.owner
        assert isinstance(last, Operation)
        emit = self.emit = TensorBuilder(last, fused(op.location for stage in self.stages for op in stage.ops))
        bodies = [body_of(stage, emit) for stage in self.stages]
        _, height, width, _ = tdsl.shape_of(end.result)
        whole = StoredImage.empty(end.result, height, width, emit)

        def row_of_tiles(i: SSAValue, held: SSAValue) -> SSAValue:
            rows = self._ranges(0, i)
            return emit.over(
                self.count, held, lambda j, held: self._tile(bodies, rows, self._ranges(1, j), whole.now(held))
            )

        result = emit.over(self.count, whole.value, row_of_tiles)
        returned = written(end.result)
        (end.result if returned is None else returned.out).replace_all_uses_with(result)
        erase([*(op for stage in self.stages for op in stage.ops), *([] if returned is None else [returned])])

    def _tile(
        self, bodies: Sequence[Body], rows: dict[str, AxisRange], columns: dict[str, AxisRange], whole: StoredImage
    ) -> SSAValue:
        """The result of the segment with a tile inserted."""
        self.images: dict[str, StoredImage] = {}
        for stage, body in zip(self.stages, bodies, strict=True):
            name = stage.node.result
            held = whole if stage.kept else StoredImage.empty(stage.result, *self.sizes[name], self.emit)
            self.images[name] = self._part(body, rows[name], columns[name], held)
        return self.images[self.stages[-1].node.result].value

    def _part(self, body: Body, rows: AxisRange, columns: AxisRange, image: StoredImage) -> StoredImage:
        """An image after computing a rectangle of a stage's result in it."""
        emit = self.emit

        def pixel(y: SSAValue, x: SSAValue, held: SSAValue) -> SSAValue:
            return body.at(y, x, image.now(held), self._stored).value

        def row(y: SSAValue, held: SSAValue) -> SSAValue:
            return emit.loop(*columns, [held], lambda x, carried: [pixel(y, x, carried[0])])[0]

        return image.now(emit.loop(*rows, [image.value], lambda y, carried: [row(y, carried[0])])[0])

    def _stored(self, value: SSAValue) -> StoredImage:
        name = self.network.names.get(value)
        return self.images[name] if name in self.images else StoredImage.whole(value)

    def _ranges(self, axis: int, i: SSAValue) -> dict[str, AxisRange]:
        """The rows (axis 0) or columns (axis 1) of all parts that tile i along the axis needs."""
        emit, tensors = self.emit, self.graph.tensors
        end = self.stages[-1].node.result
        extent = tensors[end][:2][axis]
        ends = [
            emit.insert(arith.DivSIOp(emit.times(at, extent), emit.index(self.count))) for at in (i, emit.plus(i, 1))
        ]
        ranges = {end: AxisRange(*ends)}
        for stage in reversed(self.stages):
            for read in stage.node.reads:
                if self.graph.producer[read.tensor] >= 0:
                    needed = self._needed(read, tensors[read.tensor], axis, ranges[stage.node.result])
                    known = ranges.get(read.tensor)
                    ranges[read.tensor] = needed if known is None else self._both(known, needed)
        return ranges

    def _needed(self, read: Read, operand: Image, axis: int, range: AxisRange) -> AxisRange:
        """The range of an operand that a range of a result needs."""
        emit, step, before = self.emit, read.strides[axis], read.before[axis]
        first = emit.plus(emit.times(range.first, step), -before)
        end = emit.plus(emit.times(emit.plus(range.end, -1), step), read.kernel[axis] - before)
        return AxisRange(
            emit.insert(arith.MaxSIOp(first, emit.index(0))) if before else first,
            emit.insert(arith.MinSIOp(end, emit.index(operand[:2][axis]))),
        )

    def _both(self, a: AxisRange, b: AxisRange) -> AxisRange:
        """The smallest range that covers two ranges."""
        first, end = arith.MinSIOp(a.first, b.first), arith.MaxSIOp(a.end, b.end)
        return AxisRange(self.emit.insert(first), self.emit.insert(end))
