"""The parts of images that tiles of a result need, with the halos that neighbouring tiles share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

from tinyml.transforms.schedules.plans.graph import Graph, Read

Box = tuple[int, int, int, int]
"""A rectangle: first row, end of rows, first column, end of columns."""
Span = tuple[int, int]
"""The rows, or the columns, from the first to the end."""


def tiles(extents: tuple[int, int], count: int) -> Iterator[Box]:
    """Yield the count x count tiles of an image with the given height and width."""
    for top, bottom in _cuts(extents[0], count):
        for left, right in _cuts(extents[1], count):
            yield top, bottom, left, right


def _cuts(extent: int, count: int) -> list[Span]:
    return [(k * extent // count, (k + 1) * extent // count) for k in range(count)]


def boxes_of(graph: Graph, last: int, tile: Box) -> dict[str, Box]:
    """The part of each tensor that a tile of node `last`'s result needs."""
    rows, columns = (_spans_of(graph, last, axis, span) for axis, span in enumerate((tile[:2], tile[2:])))
    return {name: (*rows[name], *columns[name]) for name in rows}


def areas_of_tiles(graph: Graph, last: int, count: int) -> Iterator[tuple[int, dict[str, int]]]:
    """Yield how many of the count x count tiles need parts of the same areas, and the area of each tensor's part.

    Rows and columns of a part do not depend on each other, and most tiles inside an image are equal.
    """
    sizes = [
        Counter(
            tuple((name, end - start) for name, (start, end) in _spans_of(graph, last, axis, cut).items())
            for cut in _cuts(extent, count)
        )
        for axis, extent in enumerate(graph.tensors[graph.nodes[last].result][:2])
    ]
    for (heights, some), (widths, others) in product(*(size.items() for size in sizes)):
        yield some * others, {name: high * wide for (name, high), (_, wide) in zip(heights, widths, strict=True)}


def _spans_of(graph: Graph, last: int, axis: int, span: Span) -> dict[str, Span]:
    """The rows (axis 0) or columns (axis 1) of each tensor that a span of node `last`'s result needs."""
    spans = {graph.nodes[last].result: span}
    for node in reversed(graph.nodes[: last + 1]):
        if node.result not in spans:
            continue
        for read in node.reads:
            start, end = _window(graph, read, axis, spans[node.result])
            if read.tensor in spans:
                known = spans[read.tensor]
                start, end = min(start, known[0]), max(end, known[1])
            spans[read.tensor] = start, end
    return spans


def _window(graph: Graph, read: Read, axis: int, span: Span) -> Span:
    step, before = read.strides[axis], read.before[axis]
    end = (span[1] - 1) * step - before + read.kernel[axis]
    return max(0, span[0] * step - before), min(graph.tensors[read.tensor][:2][axis], end)
