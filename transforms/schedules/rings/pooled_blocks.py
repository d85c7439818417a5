"""Streaming in which a pool and the convolution before it are computed block by block.

The windows of the pool must be disjoint, so that it needs each pixel of the convolution once. All pixels in one window
are computed together, directly before they are pooled. The result of the convolution then needs memory for a block of
pixels instead of a ring. The operand of the convolution, however, is released later, one row of windows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from math import prod

from tinyml.transforms.schedules.plans.graph import Graph, Kind, Node, Read
from tinyml.transforms.schedules.rings.on_demand import Slice, Streams


class By(Enum):
    """The unit that the loops of a streamed segment compute at a time.

    `BLOCKS` means pixels, with pools computed by blocks.
    """

    ROWS = "rows"
    PIXELS = "pixels"
    BLOCKS = "blocks"

    @property
    def slice(self) -> Slice:
        return Slice.ROW if self is By.ROWS else Slice.PIXEL


@dataclass(frozen=True)
class Blocked:
    """A graph in which each convolution and the pool that follows it are a single node.

    spans: for each node, the first and the last node of the original graph.
    blocks: the bits of the pixels that each node computes at once, excluding its result.
    """

    graph: Graph
    spans: tuple[tuple[int, int], ...]
    blocks: tuple[int, ...]


def under_window(pool: Read, read: Read) -> Read:
    """The window of a convolution's operand that all pixels in one window of the pool need together."""
    down, across = read.axes
    kernel = down.span(pool.kernel[0]), across.span(pool.kernel[1])
    return Read(read.tensor, kernel, (down.stride * pool.strides[0], across.stride * pool.strides[1]), read.before)


def pools_blocks(graph: Graph, k: int) -> bool:
    """Whether node k pools disjoint windows of the result of the previous node, a convolution without other readers.

    All windows must be inside the image, without padding.
    """
    node = graph.nodes[k]
    if k == 0 or node.kind is not Kind.CHANNELWISE or node.macs or len(node.reads) != 1:
        return False
    [read], before = node.reads, graph.nodes[k - 1]
    image, result = graph.tensors[read.tensor], graph.tensors[node.result]
    axes = zip(image[:2], result[:2], read.kernel, read.strides, strict=True)
    separate = all(size <= step and (count - 1) * step + size <= extent for extent, count, size, step in axes)
    convolution = before.macs > 0 and not any(read.sums or read.strides == (0, 0) for read in before.reads)
    only = before.result == read.tensor and graph.users[read.tensor] == [k] and graph.last_use[read.tensor] == k
    return not read.sums and read.before == (0, 0) and separate and convolution and only


def blocked(graph: Graph) -> Blocked:
    """The graph with a single node for each convolution and the pool of disjoint windows that follows it."""
    nodes: list[Node] = []
    spans: list[tuple[int, int]] = []
    blocks: list[int] = []
    for k, node in enumerate(graph.nodes):
        first, block = k, 0
        if pools_blocks(graph, k):
            before = nodes.pop()
            first, _ = spans.pop()
            blocks.pop()
            [pool] = node.reads
            image = graph.tensors[before.result]
            block = prod(pool.kernel) * image.channels * image.bits
            node = Node(node.result, before.kind, tuple(under_window(pool, read) for read in before.reads), before.macs)
        nodes.append(node)
        spans.append((first, k))
        blocks.append(block)
    merged = {graph.nodes[first].result for first, last in spans if first < last}
    tensors = {name: image for name, image in graph.tensors.items() if name not in merged}
    return Blocked(Graph(tensors, graph.inputs, tuple(nodes), graph.outputs), tuple(spans), tuple(blocks))


def joined(blocked: Blocked) -> Blocked:
    """The graph in which a node and an elementwise node that is the only reader of its result are a single node.

    Compiled programs compute both in the same loops, without a ring. An example is a sum of branches.
    """
    graph = blocked.graph
    nodes: list[Node] = []
    spans: list[tuple[int, int]] = []
    blocks: list[int] = []
    for k, node in enumerate(graph.nodes):
        before = nodes[-1] if nodes else None
        if before is not None and _joins(graph, before, k):
            rest = (read._replace(alike=True) for read in node.reads if read.tensor != before.result)
            nodes[-1] = Node(node.result, before.kind, (*before.reads, *rest), before.macs + node.macs)
            spans[-1], blocks[-1] = (spans[-1][0], blocked.spans[k][1]), max(blocks[-1], blocked.blocks[k])
            continue
        nodes.append(node)
        spans.append(blocked.spans[k])
        blocks.append(blocked.blocks[k])
    made = {node.result for node in nodes}
    tensors = {name: image for name, image in graph.tensors.items() if name in made or graph.producer[name] < 0}
    return Blocked(Graph(tensors, graph.inputs, tuple(nodes), graph.outputs), tuple(spans), tuple(blocks))


def _joins(graph: Graph, before: Node, k: int) -> bool:
    node = graph.nodes[k]
    alone = graph.users[before.result] == [k] and graph.last_use[before.result] == k
    carries = before.kind is not Kind.ARRIVAL and not any(read.sums for read in before.reads)
    return node.kind is Kind.ELEMENTWISE and alone and carries


def streamed(graph: Graph, by: By, *, packed: bool = False) -> Iterator[tuple[int, int, int]]:
    """Yield the first and the last node of each segment that can be streamed, and its bits.

    by: the unit; for blocks, only segments with pools of disjoint windows are yielded.
    packed: whether to count as in compiled programs, where elementwise ops run in the loops of the op before them,
        and rings overwrite operands.
    """
    merged = blocked(graph) if by is By.BLOCKS else as_it_is(graph)
    merged = joined(merged) if packed else merged
    streams, nodes = Streams(merged.graph, by.slice), len(merged.spans)
    cost = streams.packed if packed else streams.cost
    for i in range(nodes):
        for j in range(i, nodes):
            block = max(merged.blocks[i : j + 1])
            if (block or by is not By.BLOCKS) and (bits := cost(i, j)) is not None:
                yield merged.spans[i][0], merged.spans[j][1], bits + block


def as_it_is(graph: Graph) -> Blocked:
    """A `Blocked` of the given graph in which no nodes are merged."""
    nodes = len(graph.nodes)
    return Blocked(graph, tuple((k, k) for k in range(nodes)), (0,) * nodes)
