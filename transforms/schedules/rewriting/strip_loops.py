"""The loop nest of a segment in strips: a loop over strips around the ticks of streaming.

Strips of columns are streamed by rows, strips of rows by columns. For strips of columns, a ring stores a few rows of as
many columns as the widest strip needs, with pixel (y, x) at (y mod height, x mod width). Each strip computes all rows
anew. Columns that neighbouring strips both need are therefore computed repeatedly. In strips of rows, rows and columns
are exchanged.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import SSAValue

from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.plans.graph import Kind
from tinyml.transforms.schedules.plans.halos import columns_of_strips, turned
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.rewriting.stream_loops import StreamLoops
from tinyml.transforms.schedules.rewriting.tile_ranges import ranges_of_tile
from tinyml.transforms.schedules.rings.pooled_blocks import By
from tinyml.transforms.schedules.rings.smallest_rings import smallest_rings
from tinyml.transforms.schedules.segments import NotTiled
from tinyml.transforms.schedules.slices.channel_windows import single_channels
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import Stage
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.window_tiles import TileMemory


class NarrowStreamLoops(StreamLoops):
    """The loop nest of a streamed segment whose depthwise convolutions gather windows of single channels.

    narrow: false to gather windows of all channels instead.
    """

    narrow = True

    def body(self, stage: Stage) -> Body:
        return (single_channels(stage, self.emit) if self.narrow else None) or super().body(stage)


class StripLoops(NarrowStreamLoops):
    """The nodes `first` to `last` of a network, both inclusive, as `count` strips of the last result.

    rows: whether strips consist of rows instead of columns.
    narrow: whether depthwise convolutions gather windows of single channels.

    Raises `NotTiled` for segments that cannot run this way, and unless `count` is from 1 to the number of columns (or
    rows) of the last result.
    """

    def __init__(
        self, network: Network, first: int, last: int, count: int, *, rows: bool = False, narrow: bool = False
    ) -> None:
        along = replace(network, graph=turned(network.graph)) if rows else network
        super().__init__(network, smallest_rings(along, first, last, By.ROWS), HOST, TileMemory(0))
        *inner, end = self.schedule.segment.stages
        for stage in (*inner, end):
            if stage.node.kind is Kind.ARRIVAL:
                raise NotTiled(f"the rows of {stage.node.result} arrive once, but every strip reads them")
            if stage.sums:
                raise NotTiled(f"{stage.node.result} needs all of its operand")
        for stage in inner:
            if stage.kept:
                raise NotTiled(f"{stage.node.result} is used after the segment")
        graph = self.timing.graph
        width, unit = graph.tensors[end.node.result].width, "rows" if rows else "columns"
        if not 0 < count <= width:
            raise NotTiled(f"expected 1 to {width} strips of {width} {unit}, got {count}")
        self.count, self.rows, self.narrow = count, rows, narrow
        self.widths = {
            name: columns.most for name, columns in columns_of_strips(graph, len(graph.nodes) - 1, count).items()
        }
        """The columns that the ring of each result stores, or the rows if strips consist of rows."""

    def storage(self, stage: Stage, body: Body) -> StoredImage:
        name = stage.node.result
        extents = self.timing.graph.tensors[name][:2]
        if not stage.kept:
            extents = min(self.schedule.slots[name], extents[0]), self.widths[name]
        height, width = reversed(extents) if self.rows else extents
        return StoredImage.empty(stage.result, height, width, self.emit)

    def tick(self, bodies: dict[str, Body]) -> None:
        """Emit the loop over strips. It contains the loop over the ticks along each strip."""
        graph, ticks = self.timing.graph, self.timing.ticks[0]

        def strip(i: SSAValue) -> None:
            ranges = ranges_of_tile(graph, 1, self.count, i, self.emit)

            def part(name: str, along: SSAValue, image: StoredImage) -> StoredImage:
                def pixel(across: SSAValue, image: StoredImage) -> StoredImage:
                    y, x = (across, along) if self.rows else (along, across)
                    return bodies[name].at(y, x, image, self.stored)

                return self.repeat(ranges[name], image, pixel)

            def tick(t: SSAValue) -> None:
                due = {name: self.due(t, clocks[0], ticks) for name, clocks in self.timing.clocks.items()}
                for name in bodies:
                    self.each(due[name], name, lambda along, image, name=name: part(name, along, image))

            self.carry(ticks, tick)

        self.carry(self.count, strip)
