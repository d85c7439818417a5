"""The times at which the stages of a segment compute the slices of their results.

Time advances in ticks, row by row and within a row of ticks column by column; streaming by rows has ticks of a single
column. Slice (y, x) of a stage is computed at tick (y * step + start, x * step + start), with a step and a start for
each axis: as late as the readers inside the segment allow, which have their values by then. Within a tick stages run in
order. Beyond the borders of an image readers run as if it went on, and find nothing new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.plans.graph import Graph, Image, Node, Read
from tinyml.transforms.formats.plans.streaming import Slice
from tinyml.transforms.formats.streaming.stages import NotStreamed, Segment

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


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
class Timing:
    """The clocks of all stages by result, for rows and columns, and the number of ticks along each axis."""

    clocks: dict[str, tuple[Clock, Clock]]
    ticks: tuple[int, int]


Steps = tuple[Fraction, Fraction]
Place = tuple[Fraction, Fraction]


def timing_of(segment: Segment, slice: Slice) -> Timing:
    """The timing of a segment; raises `NotStreamed` where stages do not advance together."""
    graph = segment.graph
    steps = _steps(graph, slice)
    starts = _starts(graph, slice, steps)
    clocks: dict[str, tuple[Clock, Clock]] = {}
    first = [min(start[axis] for start in starts.values()) for axis in range(2)]
    for node in graph.nodes:
        extents = _extents(node, graph, slice)
        clocks[node.result] = tuple(
            Clock(int(step), int(start - begin), extent)
            for step, start, begin, extent in zip(steps[node.result], starts[node.result], first, extents, strict=True)
        )  # type: ignore[assignment]
    ends = [clocks[name] for name in graph.outputs]
    rows = max(end[0].last for end in ends) + 1
    columns = max(clock[1].last for clock in clocks.values()) + 1
    return Timing(clocks, (rows, columns))


def extents_of(image: Image, slice: Slice) -> tuple[int, int]:
    """The rows of slices of an image, and the slices in a row."""
    return image.height, image.width if slice is Slice.PIXEL else 1


def _extents(node: Node, graph: Graph, slice: Slice) -> tuple[int, int]:
    """The slices that a node goes through: those of its result, or of the operand whose sum it is."""
    [*sums] = (read.tensor for read in node.reads if read.sums)
    return extents_of(graph.tensors[sums[0] if sums else node.result], slice)


def _axes(read: Read, slice: Slice) -> list[tuple[int, int]]:
    """For each axis: the stride, and the last slice of the operand that slice 0 of the result needs."""
    if read.sums:
        return [(1, 0), (1, 0)]
    axes = [
        (step, kernel - 1 - before)
        for step, kernel, before in zip(read.strides, read.kernel, read.before, strict=True)
    ]
    return axes if slice is Slice.PIXEL else [axes[0], (1, 0)]


def _inner_reads(graph: Graph) -> list[tuple[Node, Read]]:
    """The reads of tensors that the segment computes."""
    return [(node, read) for node in graph.nodes for read in node.reads if graph.producer[read.tensor] >= 0]


def _steps(graph: Graph, slice: Slice) -> dict[str, tuple[int, int]]:
    """The ticks between two slices of each stage."""
    rates: dict[str, Steps] = {}
    reads = _inner_reads(graph)
    for node, read in reads:
        if read.strides == (0, 0) or graph.nodes[graph.producer[read.tensor]].reads[0].sums:
            raise NotStreamed(f"{node.result} needs all of {read.tensor} at once")
    for node in graph.nodes:
        if node.result not in rates:
            _spread(node.result, (Fraction(1), Fraction(1)), rates, reads, slice)
    scale = [reduce(lcm, (rate[axis].denominator for rate in rates.values()), 1) for axis in range(2)]
    return {name: (int(rate[0] * scale[0]), int(rate[1] * scale[1])) for name, rate in rates.items()}


def _spread(
    name: str, rate: Steps, rates: dict[str, Steps], reads: Sequence[tuple[Node, Read]], slice: Slice
) -> None:
    """Give a stage its rate, and all that are connected to it theirs."""
    pending = [(name, rate)]
    while pending:
        name, rate = pending.pop()
        if name in rates:
            if rates[name] != rate:
                raise NotStreamed(f"{name} is needed at several rates")
            continue
        rates[name] = rate
        for node, read in reads:
            strides = [stride for stride, _ in _axes(read, slice)]
            if read.tensor == name:
                pending.append((node.result, (rate[0] * strides[0], rate[1] * strides[1])))
            elif node.result == name:
                pending.append((read.tensor, (rate[0] / strides[0], rate[1] / strides[1])))


def _starts(graph: Graph, slice: Slice, steps: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """The tick of the first slice of each stage.

    The last result comes first; what it depends on is computed as late as it allows. A further result, which nothing in
    the segment reads, is computed as early as its operands that have their times already allow.
    """
    starts: dict[str, tuple[int, int]] = {}
    reads = _inner_reads(graph)
    for end in reversed(graph.nodes):
        if end.result in starts or any(read.tensor == end.result for _, read in reads):
            continue
        known = [
            _after(starts[read.tensor], steps[read.tensor], read, slice)
            for node, read in reads
            if node is end and read.tensor in starts
        ]
        starts[end.result] = max(known, default=(0, 0))
        for node in reversed(graph.nodes[: graph.producer[end.result]]):
            readers = [(user, read) for user, read in reads if read.tensor == node.result]
            if node.result not in starts and any(user.result in starts for user, _ in readers):
                starts[node.result] = min(
                    _before(starts[user.result], steps[node.result], read, slice)
                    for user, read in readers
                    if user.result in starts
                )
    return starts


def _after(start: tuple[int, int], step: tuple[int, int], read: Read, slice: Slice) -> tuple[int, int]:
    """The earliest start of a reader of what starts at a tick."""
    (_, down), (_, across) = _axes(read, slice)
    return start[0] + down * step[0], start[1] + across * step[1]


def _before(start: tuple[int, int], step: tuple[int, int], read: Read, slice: Slice) -> tuple[int, int]:
    """The latest start of what a reader that starts at a tick reads."""
    (_, down), (_, across) = _axes(read, slice)
    return start[0] - down * step[0], start[1] - across * step[1]


def ring_slots(segment: Segment, timing: Timing, slice: Slice, name: str) -> int:
    """The slots of a ring for the slices of a stage's result: slice n, in raster order, takes the place of n - slots."""
    graph = segment.graph
    order = [node.result for node in graph.nodes]
    width = timing.ticks[1]

    def moments(result: str) -> Numbers:
        rows, columns = timing.clocks[result]
        times = rows.ticks[:, None] * width + columns.ticks
        return times.reshape(-1) * len(order) + order.index(result)

    image = graph.tensors[name]
    times: list[Numbers] = []
    lowest: list[Numbers] = []
    for node in graph.nodes:
        for read in node.reads:
            if read.tensor == name:
                times.append(moments(node.result))
                lowest.append(_first_needed(read, image, _extents(node, graph, slice), slice))
    if not times:
        return 1
    every, first = np.concatenate(times), np.concatenate(lowest)
    sorted_ = np.argsort(every)
    every, first = every[sorted_], first[sorted_]
    # Entry i is the first slice that reads i and later still need.
    still = np.append(np.minimum.accumulate(first[::-1])[::-1], len(moments(name)))
    following = np.searchsorted(every, moments(name), side="right")
    numbers = np.arange(len(following))
    return int((numbers - np.minimum(still[following], numbers) + 1).max())


def _first_needed(read: Read, image: Image, extents: tuple[int, int], slice: Slice) -> Numbers:
    """The first slice inside an image that each slice of a result needs; the number of slices where it needs none."""
    rows, columns = extents_of(image, slice)
    if read.sums:
        return np.arange(rows * columns)
    needed: list[tuple[Numbers, NDArray[np.bool_]]] = []
    kernels = read.kernel if slice is Slice.PIXEL else (read.kernel[0], 1)
    before = read.before if slice is Slice.PIXEL else (read.before[0], 0)
    strides = read.strides if slice is Slice.PIXEL else (read.strides[0], 1)
    for count, step, padding, kernel, extent in zip(extents, strides, before, kernels, (rows, columns), strict=True):
        first = np.arange(count) * step - padding
        needed.append((np.maximum(first, 0), (first + kernel > 0) & (first < extent)))
    (down, some_rows), (across, some_columns) = needed
    numbers = np.where(some_rows[:, None] & some_columns, down[:, None] * columns + across, rows * columns)
    return numbers.reshape(-1)
