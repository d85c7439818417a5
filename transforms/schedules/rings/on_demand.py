"""The memory of streamed segments in bits.

A segment is one loop nest. Results are computed in raster order, each value once. A pixel or row of a tensor within the
segment is computed when its first reader needs it. It is stored in a ring of slots until its last reader has used it.
The result of the segment may overwrite an operand that no later node reads.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Order, Read
from tinyml.transforms.schedules.rings.ring_slots import ring_slots

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]

_NEVER_READ = 2**63 - 1
"""The time of a slice that no step reads."""

SUM_BITS = 32
"""The width of a sum, in a mean or in a dense layer that reads pixel by pixel."""


class Slice(Enum):
    """The unit that a streamed segment computes at a time: a pixel or a row."""

    PIXEL = "pixel"
    ROW = "row"

    def count(self, image: Image) -> int:
        return image.pixels if self is Slice.PIXEL else image.height

    def bits(self, image: Image) -> int:
        return image.size // self.count(image)


def needed(read: Read, operand: Image, result: Image, slice: Slice) -> Counts:
    """An array whose entry q is the number of leading rows or pixels (`slice`) of the operand that rows or pixels 0 to
    q of the result need.
    """
    if read.sums:
        return np.array([slice.count(operand)])
    rows, columns = (
        np.clip(axis.end(np.arange(count)) - 1, 0, extent - 1)
        for axis, count, extent in zip(read.axes, result[:2], operand[:2], strict=True)
    )
    last = rows[:, None] * operand.width + columns if slice is Slice.PIXEL else rows
    return np.maximum.accumulate(last.reshape(-1)) + 1


def passed(read: Read, operand: Image, result: Image, slice: Slice) -> Counts:
    """An array whose entry q is the number of leading rows or pixels (`slice`) of the operand that neither row or pixel
    q of the result nor any later one needs.

    The additional last entry is the number of all rows or pixels of the operand.
    """
    count = slice.count(operand)
    if read.sums:
        return np.array([0, count])
    rows, columns = (axis.start(np.arange(count)) for axis, count in zip(read.axes, result[:2], strict=True))
    first = rows[:, None] * operand.width + np.maximum(columns, 0) if slice is Slice.PIXEL else rows[:, None]
    first = np.where(rows[:, None] < 0, 0, np.where(rows[:, None] >= operand.height, count, first))
    return np.append(np.maximum.accumulate(first.reshape(-1)), count)


class Streams:
    """The memory of streamed segments of a graph. A slice, the unit of streaming, is either a pixel or a row."""

    def __init__(self, graph: Graph, slice: Slice) -> None:
        self.graph = graph
        self.slice = slice
        self.ring = cache(self._ring)
        self.needed = cache(self._needed)
        self.passed = cache(self._passed)
        self.shared = cache(self._shared)

    def cost(self, first: int, last: int) -> int | None:
        return self._cost(first, last, packed=False)

    def packed(self, first: int, last: int) -> int | None:
        """The bits of nodes `first` to `last` as one segment of a compiled program. In compiled programs a ring
        may overwrite an operand, which is counted if it saves more bits. None as in `cost`.
        """
        return self._cost(first, last, packed=True)

    def _cost(self, first: int, last: int, *, packed: bool) -> int | None:
        graph, boundary = self.graph, self.graph.boundary(first, last)
        result = graph.nodes[last].result
        if boundary.outputs != [result]:
            return None
        sums = sum(
            SUM_BITS * graph.tensors[node.result].channels
            for node in graph.nodes[first : last + 1]
            if any(read.sums for read in node.reads) and (node.kind is not Kind.CONTRACTION or first != last)
        )
        whole = graph.size(*boundary.kept, *boundary.dead, result)
        apart = boundary.through + whole + sums + sum(map(self.held, boundary.internal))
        saved = [self.shared(name, first, last, graph.size(result)) for name in boundary.dead]
        if packed:
            rings = {graph.producer[name]: self.held(name) for name in boundary.internal}
            saved += [self.shared(name, first, k, held) for name in boundary.dead for k, held in rings.items()]
        return apart - max(saved, default=0)

    def _shared(self, name: str, first: int, last: int, held: int) -> int:
        """The number of bits of an operand that the result of nodes `first` to `last` can overwrite.

        It is 0 if other nodes also read the operand, because the time of their reads is unknown.

        held: the bits of the result that are stored.
        """
        produced, size = self.produced(first, last), self.graph.size(name)
        if any(self.graph.nodes[k].result not in produced for k in self.graph.users[name] if k >= first):
            return 0
        return held + size - max(self.overlap(name, first, last, produced, held) + size, held)

    def held(self, name: str) -> int:
        """The number of bits of a tensor's ring. An input that arrives row by row is stored in whole rows."""
        image, slots = self.graph.tensors[name], self.ring(name)
        if self.graph.nodes[self.graph.producer[name]].kind is Kind.ARRIVAL:
            rows = slots if self.slice is Slice.ROW else -(-slots // image.width)
            return rows * Slice.ROW.bits(image)
        return slots * self.slice.bits(image)

    def produced(self, first: int, last: int) -> dict[str, Counts]:
        """For each tensor, an array whose entry q is the number of the tensor's rows or pixels that are computed before
        row or pixel q of the last result is complete.
        """
        graph = self.graph
        steps = self.slice.count(graph.tensors[graph.nodes[last].result])
        produced = {graph.nodes[last].result: np.arange(1, steps + 1)}
        for k in range(last, first - 1, -1):
            node = graph.nodes[k]
            if node.result not in produced:
                continue
            for number, read in enumerate(node.reads):
                if graph.producer[read.tensor] >= first:
                    so_far = np.append(0, self.needed(k, number))[produced[node.result]]
                    before = produced.get(read.tensor)
                    produced[read.tensor] = so_far if before is None else np.maximum(before, so_far)
        return produced

    def overlap(self, name: str, first: int, last: int, produced: dict[str, Counts], held: int | None = None) -> int:
        """The number of bits by which the result of a segment must start below an operand that it overwrites. 0 if the
        last node adds up all pixels of an operand.

        Slice q of the result is written after the earlier nodes have computed its operands. At this time, the slices
        that it reads itself are still needed, except if the last node reads each element only to compute the same
        element (`Read.alike`).

        name: the operand.
        first, last: the nodes of the segment, both inclusive.
        produced: as `produced` returns.
        held: the bits of the result's ring; None if the result is stored whole.
        """
        graph = self.graph
        if any(read.sums for read in graph.nodes[last].reads):
            return 0
        result = graph.tensors[graph.nodes[last].result]
        steps = np.arange(len(produced[graph.nodes[last].result]))
        freed = np.full(len(steps), self.slice.count(graph.tensors[name]))
        for k in graph.users[name]:
            if first <= k <= last:
                done = steps if k == last else produced[graph.nodes[k].result]
                for number, read in enumerate(graph.nodes[k].reads):
                    if read.tensor == name:
                        alike = k == last and read.alike and result.size <= graph.tensors[name].size
                        freed = np.minimum(freed, self.passed(k, number)[done + alike])
        written = self.slice.bits(result) * (steps + 1)
        if result.order is not Order.PIXELS:
            written[:] = result.size
        written = np.minimum(written, result.size if held is None else held)
        return max(0, int((written - self.below(graph.tensors[name], freed)).max()))

    def below(self, image: Image, freed: Counts) -> Counts:
        """An array whose entry q is the number of bits of an image below the lowest slice that is still needed.

        freed: an array whose entry q is the number of slices before this slice.
        """
        whole = self.slice.bits(image) * freed
        match image.order:
            case Order.PLANES:
                # Slices are freed in all planes at once; a result that grows from below reaches the first plane first.
                return np.where(freed == self.slice.count(image), whole, whole // image.channels)
            case Order.ROWS if self.slice is Slice.PIXEL:
                return self.slice.bits(image) * (freed - freed % image.width)
            case _:
                return whole

    def _needed(self, k: int, number: int) -> Counts:
        node = self.graph.nodes[k]
        read = node.reads[number]
        return needed(read, self.graph.tensors[read.tensor], self.graph.tensors[node.result], self.slice)

    def _passed(self, k: int, number: int) -> Counts:
        node = self.graph.nodes[k]
        read = node.reads[number]
        return passed(read, self.graph.tensors[read.tensor], self.graph.tensors[node.result], self.slice)

    def _ring(self, name: str) -> int:
        """The number of slots in the ring of a tensor whose readers all belong to one segment.

        Times are compared by three keys: the step of the node at which the readers join, then the order of
        nodes in this step, then the step of the reader.
        """
        graph, users = self.graph, self.graph.users[name]
        reads = [(k, number) for k in users for number, read in enumerate(graph.nodes[k].reads) if read.tensor == name]
        if all(graph.nodes[k].reads[number].sums for k, number in reads):
            return 1
        join = self._join(name)
        produced, order = self.produced(graph.producer[name] + 1, join), self._order(join)
        longest = max(self.slice.count(graph.tensors[graph.nodes[k].result]) for k in users)
        slices = np.arange(self.slice.count(graph.tensors[name]))
        made, never = np.full(len(slices), _NEVER_READ), [_NEVER_READ]
        times: list[Counts] = []
        first: list[Counts] = []
        for k, number in reads:
            so_far = produced[graph.nodes[k].result]
            done = np.arange(int(so_far[-1]))
            step = np.searchsorted(so_far, done, side="right")
            times.append((step * len(order) + order.index(k)) * longest + done)
            first.append(self.passed(k, number)[done])
            asked = np.searchsorted(self.needed(k, number)[done], slices, side="right")
            made = np.minimum(made, np.append(times[-1], never)[asked])
        return ring_slots(made[made < _NEVER_READ], times, first)

    def _join(self, name: str) -> int:
        """The first node at which all paths from a tensor join. Later nodes depend on the tensor only through
        the result of this node.
        """
        graph = self.graph
        pending = max(graph.users[name])
        dependent = {name}
        for k in range(graph.producer[name] + 1, len(graph.nodes)):
            node = graph.nodes[k]
            if dependent.intersection(node.operands):
                dependent.add(node.result)
                if k >= pending:
                    return k
                pending = max(pending, min(graph.last_use[node.result], len(graph.nodes) - 1))
        return len(graph.nodes) - 1

    def _order(self, join: int) -> list[int]:
        graph, order = self.graph, list[int]()

        def visit(k: int) -> None:
            for read in graph.nodes[k].reads:
                before = graph.producer[read.tensor]
                if before >= 0 and before not in order:
                    visit(before)
            order.append(k)

        visit(join)
        return order


def overlap_of_planes(graph: Graph, i: int) -> int:
    """The number of elements by which the channel plane that node i reads must start above the plane that it writes."""
    node = graph.nodes[i]
    planes = {name: image._replace(channels=1, bits=1) for name, image in graph.tensors.items()}
    streams = Streams(Graph(planes, graph.inputs, graph.nodes, graph.outputs), Slice.PIXEL)
    return streams.overlap(node.reads[0].tensor, i, i, streams.produced(i, i))
