"""Ordinary execution: ops run one after the other, with whole operands and results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.schedules.plans.graph import Graph, Kind
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.protocol import Schedule
from tinyml.transforms.schedules.rings.on_demand import Slice, Streams, overlap_of_planes
from tinyml.transforms.schedules.segments import Kernels, Rewrite, Segment, Tiling
from tinyml.transforms.schedules.tiling.window_tiles import MEMORY, memory_attribute


@dataclass(frozen=True)
class Whole(Tiling):
    """A single op on whole tensors.

    how: the name of the tiling in tables. It indicates whether the result has a separate buffer or overwrites an
    operand.
    """

    how: str

    @property
    def name(self) -> str:
        return self.how

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        def rewrite(kernels: Kernels) -> None:
            for op, *_ in network.ops[first : last + 1]:
                if isinstance(op, tdsl.Conv2dOp) and kernels.single is not None:
                    op.attributes[MEMORY] = memory_attribute(kernels.single)

        return rewrite


ONE_BY_ONE, UPDATED, BY_PLANES = Whole("ordinary"), Whole("in place"), Whole("channel by channel")
"""Whole ops whose result has its own buffer or overwrites an operand, at once or channel by channel."""


class Ordinary(Schedule):
    """The schedule that runs ops one after the other, on whole tensors."""

    name = "ordinary"
    help = "the ops run sequentially, on whole operands and results"
    sliced = False

    def segments(self, graph: Graph) -> Iterator[Segment]:
        return each(graph, ONE_BY_ONE, ordinary)

    def program_segments(self, network: Network) -> Iterator[Segment]:
        return ordinary_in_programs(network)


ORDINARY = Ordinary()


def each(graph: Graph, tiling: Tiling, bits: Callable[[Graph, int], int | None]) -> Iterator[Segment]:
    """Yield a segment for each node that a tiling can run.

    bits: returns the number of live bits while a node runs, or None if the tiling cannot run the node.
    """
    for i in range(len(graph.nodes)):
        if (alive := bits(graph, i)) is not None:
            yield Segment(i, i, alive, tiling)


def usual_segments(graph: Graph) -> Iterator[Segment]:
    """Yield the segments of ordinary execution, and additional segments in which elementwise ops run in place."""
    yield from each(graph, ONE_BY_ONE, ordinary)
    yield from each(graph, UPDATED, updated_in_place)


def ordinary_in_programs(network: Network) -> Iterator[Segment]:
    """Yield a segment for each node, with the memory of a compiled program: it includes scratch memory, and results
    may overlap an operand.
    """
    graph = network.graph
    pixels = Streams(graph, Slice.PIXEL)

    def bits(graph: Graph, i: int) -> int:
        options = [usual(graph, i)]
        if graph.nodes[i].kind is not Kind.ELEMENTWISE and not any(read.sums for read in graph.nodes[i].reads):
            options += [alive for alive in (pixels.cost(i, i), moved(network, i)) if alive is not None]
        return min(options) + scratch_of(network, i)

    return each(graph, ONE_BY_ONE, bits)


def usual(graph: Graph, i: int) -> int:
    """The number of live bits while node i runs. An elementwise node runs in place if it then needs fewer bits."""
    updated, alone = updated_in_place(graph, i), ordinary(graph, i)
    return alone if updated is None else min(alone, updated)


def ordinary(graph: Graph, i: int) -> int:
    """The number of live bits while node i runs, with separate memory for its result."""
    node = graph.nodes[i]
    return graph.boundary(i, i).through + graph.size(*node.operands, node.result)


def updated_in_place(graph: Graph, i: int) -> int | None:
    """The number of live bits while an elementwise op overwrites an operand that no later op reads. None for other ops,
    and for an op without such an operand of sufficient size.
    """
    node, boundary = graph.nodes[i], graph.boundary(i, i)
    if node.kind is not Kind.ELEMENTWISE or not any(
        graph.size(name) >= graph.size(node.result) for name in boundary.dead
    ):
        return None
    return boundary.through + graph.size(*node.operands)


def moved(network: Network, i: int) -> int | None:
    """The number of live bits while a transposition moves elements of an operand that no later op reads, so that the
    result overlaps the operand. None for any other op.

    If an image with three planes is copied into the order of pixels, the copy starts two thirds of its size below the
    image.
    """
    graph, op = network.graph, network.ops[i][0]
    node, boundary = graph.nodes[i], graph.boundary(i, i)
    if not isinstance(op, tdsl.TransposeOp) or not boundary.dead:
        return None
    [run] = op.visits
    [(_, loads)] = run.loads
    # Entry s is the lowest element that a step after step s needs.
    needed = np.minimum.accumulate(loads[:0:-1, 0])[::-1]
    image = graph.tensors[node.result]
    return boundary.through + image.size + image.bits * int((run.stores[:-1] + 1 - needed).max(initial=0))


def channel_by_channel(graph: Graph, i: int) -> int | None:
    """The number of live bits while a depthwise op or pool overwrites its operand channel by channel. None if node i is
    no such op or adds up all pixels of its operand, if a later node reads the operand, or if the result is larger
    than the operand.

    Operand and result are stored channel by channel. The operand starts above the result by the least distance that is
    safe within one channel (`overlap_of_planes`).
    """
    node, boundary = graph.nodes[i], graph.boundary(i, i)
    [read] = node.reads[:1]
    fits = read.tensor in boundary.dead and graph.size(node.result) <= graph.size(read.tensor)
    if node.kind is not Kind.CHANNELWISE or read.sums or not fits:
        return None
    bits = graph.tensors[node.result].bits
    return boundary.through + graph.size(read.tensor) + bits * overlap_of_planes(graph, i)
