"""Loops over the tiles of a segment's result, in which each op computes the part that the tile needs.

Parts are rectangles of images. They are stored in tensors of the size of the largest part, with pixel (y, x) at (y mod
height, x mod width). The overlap of neighbouring tiles is computed repeatedly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.locations import fused
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.halos import extents_of_parts
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.rewriting.tile_ranges import AxisRange, ranges_of_tile
from tinyml.transforms.schedules.segments import NotTiled
from tinyml.transforms.schedules.slices.bodies import body_of, kind_of
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import SegmentLoops, Stage, segment_of
from tinyml.transforms.schedules.tiling.axis_orders import written
from tinyml.transforms.schedules.tiling.erasure import erase
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder


class TileLoops(SegmentLoops, ABC):
    """A segment as count x count tiles of its last result.

    graph: the graph of the segment; its inputs are whole.
    """

    def __init__(self, network: Network, graph: Graph, count: int) -> None:
        super().__init__(network)
        self.graph, self.count = graph, count
        self.end = graph.nodes[-1].result
        extents = graph.tensors[self.end][:2]
        if not 0 < count <= min(extents):
            raise NotTiled(f"{count} x {count} patches do not divide {extents[0]} x {extents[1]} pixels")
        self.sizes = extents_of_parts(graph, len(graph.nodes) - 1, count)
        """Height and width of the tensor that holds the parts of each image."""
        self.rows: dict[str, AxisRange] = {}
        self.columns: dict[str, AxisRange] = {}
        """The part of each image that the current tile needs."""

    @property
    @abstractmethod
    def ops(self) -> list[tdsl.TensorOp]:
        """The ops of the segment, in order of dependence."""

    @abstractmethod
    def parts(self) -> list[Callable[[], None]]:
        """Functions that each compute the part of one result that a tile needs. They must be called in this order."""

    def rewrite(self) -> None:
        """Replace the ops of the segment by loops over tiles. Each stage computes the part that the tile needs."""
        ops = self.ops
        last = ops[-1]
        emit = self.emit = TensorBuilder(last, fused(op.location for op in ops))
        parts = self.parts()
        _, height, width, _ = tdsl.shape_of(last.out)
        self.whole = StoredImage.empty(last.out, height, width, emit)
        """The result of the segment, as far as it is computed."""

        def tile(i: SSAValue, j: SSAValue, held: SSAValue) -> SSAValue:
            self.columns, self.whole, self.images = (
                ranges_of_tile(self.graph, 1, self.count, j, emit),
                self.whole.now(held),
                {},
            )
            for part in parts:
                part()
            return self.images[self.end].value

        def row_of_tiles(i: SSAValue, held: SSAValue) -> SSAValue:
            self.rows = ranges_of_tile(self.graph, 0, self.count, i, emit)
            return emit.over(self.count, held, lambda j, held: tile(i, j, held))

        result = emit.over(self.count, self.whole.value, row_of_tiles)
        returned = written(last.out)
        (last.out if returned is None else returned.out).replace_all_uses_with(result)
        erase([*ops, *([] if returned is None else [returned])])

    def staged(self, stage: Stage, body: Body) -> None:
        """Emit loops over the pixels of the part of a stage's result, and record the computed part by name."""
        name = stage.node.result
        image = self.empty(name, stage.result)
        pixels = self.over(name, image.value, lambda y, x, held: body.at(y, x, image.now(held), self.stored).value)
        self.images[name] = image.now(pixels)

    def empty(self, name: str, like: SSAValue) -> StoredImage:
        """Emit an uninitialised tensor, of the size of the largest part, into which the parts of a result are computed.
        Return it. For the last result, return the whole image instead.
        """
        return self.whole if name == self.end else StoredImage.empty(like, *self.sizes[name], self.emit)

    def over(self, name: str, value: SSAValue, pixel: Callable[[SSAValue, SSAValue, SSAValue], SSAValue]) -> SSAValue:
        """Emit loops over the pixels of the part of an image, and return their result. The loops carry the
        tensor `value`.

        name: the name of the image.
        pixel: returns the carried tensor after a pixel, given the pixel's row and column and the tensor before.
        """
        rows, columns, emit = self.rows[name], self.columns[name], self.emit

        def row(y: SSAValue, held: SSAValue) -> SSAValue:
            return emit.loop(*columns, [held], lambda x, carried: [pixel(y, x, carried[0])])[0]

        return emit.loop(*rows, [value], lambda y, carried: [row(y, carried[0])])[0]


class PatchLoops(TileLoops):
    """The nodes `first` to `last` of a network, both inclusive, as count x count tiles of the last result.

    Raises `NotTiled` for segments that cannot run this way.
    """

    def __init__(self, network: Network, first: int, last: int, count: int) -> None:
        segment = segment_of(network, first, last)
        self.stages = segment.stages
        for stage in self.stages:
            kind_of(stage)
            if stage.sums:
                raise NotTiled(f"{stage.node.result} needs all of its operand")
            if stage.kept and stage is not self.stages[-1]:
                raise NotTiled(f"{stage.node.result} is used after the segment")
        super().__init__(network, segment.graph, count)

    @property
    def ops(self) -> list[tdsl.TensorOp]:
        return [op for stage in self.stages for op in stage.ops]

    def parts(self) -> list[Callable[[], None]]:
        return [partial(self.staged, stage, body_of(stage, self.emit)) for stage in self.stages]
