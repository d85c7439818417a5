"""The parts of images that tiles of a result need, including the halos that neighbouring tiles both need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from tinyml.transforms.schedules.plans.graph import Graph, Read

Span = tuple[int, int]
"""A range of rows or columns: the first, and the end, which is excluded."""


def _cuts(extent: int, count: int) -> list[Span]:
    return [(k * extent // count, (k + 1) * extent // count) for k in range(count)]


def turned(graph: Graph) -> Graph:
    """The graph in which rows and columns of all images and windows are exchanged."""

    def swapped(pair: tuple[int, int]) -> tuple[int, int]:
        return pair[1], pair[0]

    def read(read: Read) -> Read:
        kernel, strides, before = map(swapped, (read.kernel, read.strides, read.before))
        return read._replace(kernel=kernel, strides=strides, before=before)

    tensors = {name: image._replace(height=image.width, width=image.height) for name, image in graph.tensors.items()}
    nodes = tuple(node._replace(reads=tuple(map(read, node.reads))) for node in graph.nodes)
    return replace(graph, tensors=tensors, nodes=nodes)


class Columns(NamedTuple):
    """The columns of an image that strips need.

    most: the greatest number of columns of a strip, or of a window if windows are wider than all strips.
    total: the number of columns of all strips together, with repetitions.
    starts: for each strip, the first column.
    """

    most: int
    total: int
    starts: tuple[int, ...] = ()


def columns_of_strips(graph: Graph, last: int, count: int) -> dict[str, Columns]:
    """For each tensor, the columns that `count` strips of adjacent columns of node `last`'s result need."""
    found: dict[str, Columns] = {}
    for cut in _cuts(graph.tensors[graph.nodes[last].result].width, count):
        for name, (first, end) in _spans_of(graph, last, 1, cut).items():
            most, total, starts = found.get(name, Columns(0, 0))
            found[name] = Columns(max(most, end - first), total + end - first, (*starts, first))
    room = _with_windows(graph, last, {name: [0, each.most] for name, each in found.items()})
    return {name: each._replace(most=room[name][1]) for name, each in found.items()}


def areas_of_tiles(graph: Graph, last: int, count: int) -> Iterator[tuple[int, dict[str, int]]]:
    """Yield pairs (number of tiles, areas). All tiles of a pair need parts of equal areas: by tensor, in pixels.

    The numbers of tiles add up to count x count. Rows and columns of a part do not depend on each other, and most tiles
    inside an image are equal.

    last: the index of the node whose result is divided into tiles.
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


def extents_of_parts(graph: Graph, last: int, count: int) -> dict[str, tuple[int, int]]:
    """For each tensor, the height and width of the tensor that stores the parts of an image, for count x count
    tiles of node `last`.

    It has room for the largest part and for every window inside the image.
    """
    extents: dict[str, list[int]] = {}
    for axis, extent in enumerate(graph.tensors[graph.nodes[last].result][:2]):
        for cut in _cuts(extent, count):
            for name, (first, end) in _spans_of(graph, last, axis, cut).items():
                known = extents.setdefault(name, [0, 0])
                known[axis] = max(known[axis], end - first)
    return {name: (height, width) for name, (height, width) in _with_windows(graph, last, extents).items()}


def _with_windows(graph: Graph, last: int, extents: dict[str, list[int]]) -> dict[str, list[int]]:
    for node in graph.nodes[: last + 1]:
        for read in node.reads:
            if (known := extents.get(read.tensor)) is not None:
                image = graph.tensors[read.tensor]
                known[:] = [max(known[axis], min(read.kernel[axis], image[:2][axis])) for axis in (0, 1)]
    return extents


def _spans_of(graph: Graph, last: int, axis: int, span: Span) -> dict[str, Span]:
    spans = {graph.nodes[last].result: span}
    for node in reversed(graph.nodes[: last + 1]):
        if node.result not in spans:
            continue
        for read in node.reads:
            extent = graph.tensors[read.tensor][:2][axis]
            start, end = read.axes[axis].inside(*spans[node.result], extent, min, max)
            if read.tensor in spans:
                known = spans[read.tensor]
                start, end = min(start, known[0]), max(end, known[1])
            spans[read.tensor] = start, end
    return spans
