"""The rows or columns of each image that a tile of a segment's result needs, computed in the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects.tdsl.window_axis import WindowAxis
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder


class AxisRange(NamedTuple):
    """A range of rows or columns of an image, from `first` to `end` (exclusive)."""

    first: SSAValue
    end: SSAValue


def ranges_of_tile(graph: Graph, axis: int, count: int, i: SSAValue, emit: TensorBuilder) -> dict[str, AxisRange]:
    """Emit, for each image, the range of rows (axis 0) or columns (axis 1) that tile i along the axis needs. Return the
    ranges by the names of the images, without the inputs of the segment.

    graph: a segment; the tiles divide its last result into `count` parts along the axis.
    """
    tensors, result = graph.tensors, graph.nodes[-1].result
    extent = tensors[result][:2][axis]
    ends = [emit.insert(arith.DivSIOp(emit.times(at, extent), emit.index(count))) for at in (i, emit.plus(i, 1))]
    ranges = {result: AxisRange(*ends)}
    for node in reversed(graph.nodes):
        for read in node.reads:
            if graph.producer[read.tensor] >= 0:
                needed = _needed(read.axes[axis], tensors[read.tensor][:2][axis], ranges[node.result], emit)
                known = ranges.get(read.tensor)
                ranges[read.tensor] = needed if known is None else _both(known, needed, emit)
    return ranges


@dataclass(frozen=True)
class _Index:
    """An index whose arithmetic emits ops."""

    value: SSAValue
    emit: TensorBuilder

    def __add__(self, offset: int) -> _Index:
        return _Index(self.emit.plus(self.value, offset), self.emit)

    def __sub__(self, offset: int) -> _Index:
        return self + -offset

    def __mul__(self, factor: int) -> _Index:
        return _Index(self.emit.times(self.value, factor), self.emit)

    def minimum(self, limit: int) -> _Index:
        return _Index(self.emit.insert(arith.MinSIOp(self.value, self.emit.index(limit))), self.emit)

    def maximum(self, limit: int) -> _Index:
        return _Index(self.emit.insert(arith.MaxSIOp(self.value, self.emit.index(limit))), self.emit)


def _needed(windows: WindowAxis, extent: int, range: AxisRange, emit: TensorBuilder) -> AxisRange:
    first, end = (_Index(value, emit) for value in range)
    first, end = windows.inside(first, end, extent, _Index.minimum, _Index.maximum)
    return AxisRange(first.value, end.value)


def _both(a: AxisRange, b: AxisRange, emit: TensorBuilder) -> AxisRange:
    return AxisRange(emit.insert(arith.MinSIOp(a.first, b.first)), emit.insert(arith.MaxSIOp(a.end, b.end)))
