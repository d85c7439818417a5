"""The loop nest of a segment in strips: a loop over strips of columns around the ticks of streaming by rows.

A ring stores a few rows of as many columns as the widest strip needs, with pixel (y, x) at (y mod height, x mod width).
Each strip computes all rows anew. Columns that neighbouring strips both need are therefore computed repeatedly.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.plans.graph import Kind
from tinyml.transforms.schedules.plans.halos import columns_of_strips
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.protocol import NotTiled
from tinyml.transforms.schedules.rewriting.stream_loops import StreamLoops
from tinyml.transforms.schedules.rewriting.tile_ranges import ranges_of_tile
from tinyml.transforms.schedules.rings.pooled_blocks import By
from tinyml.transforms.schedules.rings.smallest_rings import smallest_rings
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import Stage
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.window_tiles import TileMemory


class StripLoops(StreamLoops):
    """The nodes `first` to `last` of a network, both inclusive, as `count` strips of the last result.

    Raises `NotTiled` for segments that cannot run this way.
    """

    def __init__(self, network: Network, first: int, last: int, count: int) -> None:
        super().__init__(network, smallest_rings(network, first, last, By.ROWS), HOST, TileMemory(0))
        *inner, end = self.schedule.segment.stages
        for stage in (*inner, end):
            if stage.node.kind is Kind.ARRIVAL:
                raise NotTiled(f"the rows of {stage.node.result} arrive once, but every strip reads them")
            if stage.sums:
                raise NotTiled(f"{stage.node.result} needs all of its operand")
        for stage in inner:
            if stage.kept:
                raise NotTiled(f"{stage.node.result} is used after the segment")
        graph, width = self.timing.graph, tdsl.shape_of(end.result)[2]
        if not 0 < count <= width:
            raise NotTiled(f"expected 1 to {width} strips of {width} columns, got {count}")
        self.count = count
        self.widths = {
            name: columns.most for name, columns in columns_of_strips(graph, len(graph.nodes) - 1, count).items()
        }
        """The columns that the ring of each result stores."""

    def storage(self, stage: Stage, body: Body) -> StoredImage:
        name = stage.node.result
        height, width = self.timing.graph.tensors[name][:2]
        if not stage.kept:
            height, width = min(self.schedule.slots[name], height), self.widths[name]
        return StoredImage.empty(stage.result, height, width, self.emit)

    def tick(self, bodies: dict[str, Body]) -> None:
        """Emit the loop over strips. It contains the loop over the ticks along the rows."""
        graph, rows = self.timing.graph, self.timing.ticks[0]

        def strip(i: SSAValue) -> None:
            columns = ranges_of_tile(graph, 1, self.count, i, self.emit)

            def part_of_row(name: str, y: SSAValue, image: StoredImage) -> StoredImage:
                return self.repeat(columns[name], image, lambda x, image: bodies[name].at(y, x, image, self.stored))

            def row_of_ticks(t: SSAValue) -> None:
                due = {name: self.due(t, clocks[0], rows) for name, clocks in self.timing.clocks.items()}
                for name in bodies:
                    self.each(due[name], name, lambda y, image, name=name: part_of_row(name, y, image))

            self.carry(rows, row_of_ticks)

        self.carry(self.count, strip)
