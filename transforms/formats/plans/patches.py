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
    for boxes in _tiles(graph, last, count):
        peak = max(peak, _peak(graph, last, boxes))
        work += sum(
            node.macs * _pixels(boxes[node.result]) // graph.tensors[node.result].pixels
            for node in nodes
            if node.result in boxes
        )
    bits = graph.size(*graph.inputs, result) + peak
    return Segment(0, last, bits, f"{count}x{count} {SCHEDULE}", work - sum(node.macs for node in nodes))


def largest_tile(graph: Graph, segment: Segment, name: str) -> int:
    """The most pixels of a tensor that a tile of a segment of patches needs."""
    count = int(segment.schedule.partition("x")[0])
    return max((_pixels(boxes[name]) for boxes in _tiles(graph, segment.last, count) if name in boxes), default=0)


def _tiles(graph: Graph, last: int, count: int) -> Iterator[dict[str, Box]]:
    """For each of count x count tiles of a result, the parts of all tensors that it needs."""
    image = graph.tensors[graph.nodes[last].result]
    for top, bottom in _cuts(image.height, count):
        for left, right in _cuts(image.width, count):
            yield _boxes(graph, last, (top, bottom, left, right))


def _cuts(extent: int, count: int) -> list[tuple[int, int]]:
    return [(k * extent // count, (k + 1) * extent // count) for k in range(count)]


def _pixels(box: Box) -> int:
    return (box[1] - box[0]) * (box[3] - box[2])


def _boxes(graph: Graph, last: int, tile: Box) -> dict[str, Box]:
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
