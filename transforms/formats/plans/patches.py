"""Bits of patches (MCUNet-v2, Lin et al. 2021): a prefix of a network runs tile by tile, with overlapping halos."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml.transforms.formats.plans.graph import Graph, Read
from tinyml.transforms.formats.plans.segmentation import Segment

Box = tuple[int, int, int, int]
"""Rows and columns: first, end, first, end."""

SCHEDULE = "patches"


def patches(graph: Graph, last: int, count: int) -> Segment | None:
    """The nodes up to the last one as count x count tiles of its result; None where that is impossible.

    Input and result are whole. In a tile ops run one after the other on the parts that the tile needs, which neighbours
    compute again: the extra work.
    """
    nodes, boundary = graph.nodes[: last + 1], graph.boundary(0, last)
    result = graph.nodes[last].result
    image = graph.tensors[result]
    if any(read.sums for node in nodes for read in node.reads) or boundary.outputs != [result] or boundary.kept:
        return None
    if count > min(image[:2]):
        return None
    peak = work = 0
    for tile in tiles(image[:2], count):
        boxes = boxes_of(graph, last, tile)
        peak = max(peak, _peak(graph, last, boxes))
        work += sum(
            node.macs * _pixels(boxes[node.result]) // graph.tensors[node.result].pixels
            for node in nodes
            if node.result in boxes
        )
    bits = graph.size(*graph.inputs, result) + peak
    return Segment(0, last, bits, f"{count}x{count} {SCHEDULE}", work - sum(node.macs for node in nodes))


def count_of(segment: Segment) -> int:
    """The number of tiles along each axis of a segment of patches."""
    return int(segment.schedule.partition("x")[0])


def largest_tile(graph: Graph, segment: Segment, name: str) -> int:
    """The most pixels of a tensor that a tile of a segment of patches needs."""
    image = graph.tensors[graph.nodes[segment.last].result]
    boxes = (boxes_of(graph, segment.last, tile) for tile in tiles(image[:2], count_of(segment)))
    return max((_pixels(parts[name]) for parts in boxes if name in parts), default=0)


def tiles(extents: tuple[int, int], count: int) -> Iterator[Box]:
    """The count x count tiles of an image of a height and a width."""
    for top, bottom in _cuts(extents[0], count):
        for left, right in _cuts(extents[1], count):
            yield top, bottom, left, right


def _cuts(extent: int, count: int) -> list[tuple[int, int]]:
    return [(k * extent // count, (k + 1) * extent // count) for k in range(count)]


def _pixels(box: Box) -> int:
    return (box[1] - box[0]) * (box[3] - box[2])


def boxes_of(graph: Graph, last: int, tile: Box) -> dict[str, Box]:
    """The part of each tensor that a tile of the last one's result needs."""
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


def _peak(graph: Graph, last: int, boxes: dict[str, Box]) -> int:
    """The most bits of a tile alive at once, without input and result."""
    whole = {*graph.inputs, graph.nodes[last].result}
    peak = 0
    for k, node in enumerate(graph.nodes[: last + 1]):
        alive = {*node.operands, node.result}
        alive |= {name for name in boxes if graph.producer[name] < k < graph.last_use[name] <= last}
        images = {name: graph.tensors[name] for name in alive - whole}
        peak = max(peak, sum(_pixels(boxes[name]) * image.channels * image.bits for name, image in images.items()))
    return peak
