"""The times at which the stages of a segment compute the slices of their results.

Time advances in ticks: row by row and, within a row of ticks, column by column. Streaming by rows has a single column
of ticks. Each stage has a step and a start for each axis. It computes slice (y, x) at tick (y * step + start, x * step
+ start). Within a tick, stages run in order. After the end of an image, the readers of the image continue without new
slices.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.window_axis import WindowAxis
from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Node, Read
from tinyml.transforms.schedules.rings.on_demand import Slice
from tinyml.transforms.schedules.rings.ring_slots import ring_slots
from tinyml.transforms.schedules.segments import NotTiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

Pair = tuple[int, int]
"""A pair of numbers: rows and columns."""


class Clock(NamedTuple):
    """The ticks of a stage along an axis: slice i is computed at tick i * step + start, for i below `extent`."""

    step: int
    start: int
    extent: int

    @property
    def last(self) -> int:
        return (self.extent - 1) * self.step + self.start

    @property
    def ticks(self) -> Numbers:
        return np.arange(self.extent) * self.step + self.start


@dataclass(frozen=True)
class TickTiming:
    """The times at which the stages of a segment run.

    clocks: for each stage, by the name of its result, the clocks of rows and columns, in the order of stages within a
        tick.
    ticks: the number of ticks along each axis.
    """

    graph: Graph
    slice: Slice
    clocks: dict[str, tuple[Clock, Clock]]
    ticks: Pair

    def slots(self, name: str) -> int:
        """The number of slots in the ring of a result, whose slices are in raster order.

        There is room for a whole window, even where the window extends past the end of the image.
        """
        image, made = self.graph.tensors[name], self._moments(name)
        reads = [(node, read) for node in self.graph.nodes for read in node.reads if read.tensor == name]
        if not reads:
            return 1
        times = [self._moments(node.result) for node, _ in reads]
        held = ring_slots(made, times, [self._first_needed(node, read, image) for node, read in reads])
        return max(held, *(self._reach(read, image) for _, read in reads if not read.sums), 1)

    def _reach(self, read: Read, image: Image) -> int:
        """The number of rows or pixels, in raster order, from the first to the last one of a window."""
        rows, columns = (min(kernel, extent) for kernel, extent in zip(read.kernel, image[:2], strict=True))
        by_rows = self.slice is Slice.ROW or self.arrives(read.tensor)
        return rows if by_rows else (rows - 1) * image.width + columns

    def arrives(self, name: str) -> bool:
        """Whether an image comes from outside the segment. It arrives in whole rows even if the other stages
        run by pixels.
        """
        producer = self.graph.producer[name]
        return producer >= 0 and self.graph.nodes[producer].kind is Kind.ARRIVAL

    def _moments(self, name: str) -> Numbers:
        """For each row or pixel of a stage, in raster order, a number that orders all computations of all stages."""
        rows, columns = self.clocks[name]
        ticks = rows.ticks[:, None] * self.ticks[1] + columns.ticks
        return ticks.reshape(-1) * len(self.clocks) + list(self.clocks).index(name)

    def _first_needed(self, node: Node, read: Read, image: Image) -> Numbers:
        """For each row or pixel of a result, the index of the first row or pixel of the operand that it needs. If it
        needs none, the number of the operand's rows or pixels.
        """
        by_pixels = self.slice is Slice.PIXEL and not self.arrives(read.tensor)
        rows, columns = extents_of(image, Slice.PIXEL if by_pixels else Slice.ROW)
        if read.sums:
            return np.arange(rows * columns)
        windows = read.axes if by_pixels else (read.axes[0], WindowAxis(1, 0))
        axes = zip(windows, slices_of(node, self.graph, self.slice), (rows, columns), strict=True)
        (down, in_rows), (across, in_columns) = (_inside(*axis) for axis in axes)
        return np.where(in_rows[:, None] & in_columns, down[:, None] * columns + across, rows * columns).reshape(-1)


def _inside(windows: WindowAxis, count: int, extent: int) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return two arrays over the first `count` windows: the first index inside the image, and whether the window covers
    any index inside the image.

    extent: the extent of the image.
    """
    numbers = np.arange(count)
    first, end = windows.inside(numbers, numbers + 1, extent, np.minimum, np.maximum)
    return first, first < end


def extents_of(image: Image, slice: Slice) -> Pair:
    return image.height, image.width if slice is Slice.PIXEL else 1


def slices_of(node: Node, graph: Graph, slice: Slice) -> Pair:
    """The numbers of slices, rows or pixels, along height and width, over which a node iterates.

    They are the slices of its result or, if the node sums an operand, the slices of this operand. For an input that
    arrives row by row, the slices are rows, regardless of `slice`.
    """
    summed = next((read.tensor for read in node.reads if read.sums), node.result)
    return extents_of(graph.tensors[summed], Slice.ROW if node.kind is Kind.ARRIVAL else slice)


def timing_of(graph: Graph, slice: Slice, early: Collection[str] = ()) -> TickTiming:
    """The timing of the stages of a segment, which is represented as a graph.

    A stage computes a slice as late as its readers permit. Raises `NotTiled` if stages do not advance at compatible
    rates, or if a value would be computed too late.

    early: stages that compute a slice directly after their only reader has used the previous slice.
    """
    reads = [(node, read) for node in graph.nodes for read in node.reads if graph.producer[read.tensor] >= 0]
    for node, read in reads:
        if read.strides == (0, 0) or any(read.sums for read in graph.nodes[graph.producer[read.tensor]].reads):
            raise NotTiled(f"{node.result} needs all of {read.tensor} at once")
    steps = _steps(graph, reads, slice)
    order, starts = _starts(graph, reads, slice, steps, early)
    for node, read in reads:
        ready = order.index(read.tensor) < order.index(node.result)
        if (*_needs(starts[read.tensor], steps[read.tensor], read, slice), not ready) > (*starts[node.result], False):
            raise NotTiled(f"{node.result} needs {read.tensor} before it is computed")
    first = [min(start[axis] for start in starts.values()) for axis in range(2)]
    clocks: dict[str, tuple[Clock, Clock]] = {}
    for name in order:
        extents = slices_of(graph.nodes[graph.producer[name]], graph, slice)
        rows, columns = (
            Clock(step, start - begin, extent)
            for step, start, begin, extent in zip(steps[name], starts[name], first, extents, strict=True)
        )
        clocks[name] = rows, columns
    # Arriving rows are received to the end, even if no window reads the last ones.
    arriving = [node.result for node in graph.nodes if node.kind is Kind.ARRIVAL]
    down = max(clocks[name][0].last for name in (*graph.outputs, *arriving)) + 1
    return TickTiming(graph, slice, clocks, (down, max(columns.last for _, columns in clocks.values()) + 1))


Reads = Sequence[tuple[Node, Read]]
"""The reads of tensors computed in the segment, each with the node that reads."""


def _axes(read: Read, slice: Slice) -> list[Pair]:
    """For each axis: the stride, and the last row or pixel of the operand that row or pixel 0 of the result needs.

    For a sum of all pixels, the stride is 1 and the number is 0, because each pixel is added when it is complete.
    """
    if read.sums:
        return [(1, 0), (1, 0)]
    axes = [(axis.stride, axis.end(0) - 1) for axis in read.axes]
    return axes if slice is Slice.PIXEL else [axes[0], (1, 0)]


def _steps(graph: Graph, reads: Reads, slice: Slice) -> dict[str, Pair]:
    rates: dict[str, tuple[Fraction, Fraction]] = {}
    for node in graph.nodes:
        pending = [(node.result, (Fraction(1), Fraction(1)))] if node.result not in rates else []
        while pending:
            name, rate = pending.pop()
            if name in rates:
                if rates[name] != rate:
                    raise NotTiled(f"{name} is needed at several rates")
                continue
            rates[name] = rate
            for reader, read in reads:
                (down, _), (across, _) = _axes(read, slice)
                if read.tensor == name:
                    pending.append((reader.result, (rate[0] * down, rate[1] * across)))
                elif reader.result == name:
                    pending.append((read.tensor, (rate[0] / down, rate[1] / across)))
    down, across = (reduce(lcm, (rate[axis].denominator for rate in rates.values()), 1) for axis in range(2))
    return {name: (int(rate[0] * down), int(rate[1] * across)) for name, rate in rates.items()}


def _starts(
    graph: Graph, reads: Reads, slice: Slice, steps: dict[str, Pair], early: Collection[str]
) -> tuple[list[str], dict[str, Pair]]:
    """Return the order of stages within a tick and, for each stage, the tick of its first slice.

    The last result is scheduled first, and its operands as late as possible. A result that nothing else in the
    segment reads is scheduled as early as possible after its operands, if the times of the operands are known.
    """
    order = [node.result for node in graph.nodes]
    starts: dict[str, Pair] = {}
    for end in reversed(graph.nodes):
        if end.result in starts or any(read.tensor == end.result for _, read in reads):
            continue
        known = [
            _needs(starts[read.tensor], steps[read.tensor], read, slice)
            for node, read in reads
            if node is end and read.tensor in starts
        ]
        starts[end.result] = max(known, default=(0, 0))
        for node in reversed(graph.nodes[: graph.producer[end.result]]):
            name = node.result
            readers = [(user.result, read) for user, read in reads if read.tensor == name and user.result in starts]
            if name in starts or not readers:
                continue
            if name in early:
                [(reader, _)] = readers
                start, step = starts[reader], steps[reader]
                # The previous slice in the row or, by rows, the previous row.
                starts[name] = (start[0], start[1] - step[1]) if slice is Slice.PIXEL else (start[0] - step[0], 0)
                order.remove(name)
                order.insert(order.index(reader) + 1, name)
            else:
                starts[name] = min(_latest(starts[reader], steps[name], read, slice) for reader, read in readers)
    return order, starts


def _needs(start: Pair, step: Pair, read: Read, slice: Slice) -> Pair:
    """For each axis, the tick at which the operand of a reader computes the last slice that the first slice of the
    reader needs.

    start, step: the start and the step of the stage that computes the operand.
    read: the window of the operand that the reader needs.
    """
    (_, down), (_, across) = _axes(read, slice)
    return start[0] + down * step[0], start[1] + across * step[1]


def _latest(start: Pair, step: Pair, read: Read, slice: Slice) -> Pair:
    """The latest tick at which a stage may compute its first row or pixel, for each axis.

    start: the tick at which its reader starts.
    step: the step of the stage.
    read: the window that the reader needs.
    """
    (_, down), (_, across) = _axes(read, slice)
    return start[0] - down * step[0], start[1] - across * step[1]
