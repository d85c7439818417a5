"""The parts of images that tiles of a result need, with the halos that neighbouring tiles share."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml.transforms.schedules.plans.graph import Graph, Read

Box = tuple[int, int, int, int]
"""A rectangle: first row, end of rows, first column, end of columns."""


def tiles(extents: tuple[int, int], count: int) -> Iterator[Box]:
    """Yield the count x count tiles of an image with the given height and width."""
    for top, bottom in _cuts(extents[0], count):
        for left, right in _cuts(extents[1], count):
            yield top, bottom, left, right


def _cuts(extent: int, count: int) -> list[tuple[int, int]]:
    return [(k * extent // count, (k + 1) * extent // count) for k in range(count)]


def area(box: Box) -> int:
    """The number of pixels in a rectangle."""
    return (box[1] - box[0]) * (box[3] - box[2])


def boxes_of(graph: Graph, last: int, tile: Box) -> dict[str, Box]:
    """The part of each tensor that a tile of the result of node `last` needs."""
    boxes = {graph.nodes[last].result: tile}
    for node in reversed(graph.nodes[: last + 1]):
        if node.result not in boxes:
            continue
        for read in node.reads:
            box = _window(graph, read, boxes[node.result])
            if read.tensor in boxes:
                known = boxes[read.tensor]
                box = (min(box[0], known[0]), max(box[1], known[1]), min(box[2], known[2]), max(box[3], known[3]))
            boxes[read.tensor] = box
    return boxes


def _window(graph: Graph, read: Read, box: Box) -> Box:
    image = graph.tensors[read.tensor]
    top, left = (
        max(0, at * step - before) for at, step, before in zip(box[::2], read.strides, read.before, strict=True)
    )
    bottom, right = (
        min(extent, (end - 1) * step - before + kernel)
        for extent, end, step, before, kernel in zip(
            image[:2], box[1::2], read.strides, read.before, read.kernel, strict=True
        )
    )
    return top, bottom, left, right
