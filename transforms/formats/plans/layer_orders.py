"""Bits of a convolution in place in the orders of Gural and Murmann (2019, sections 3.3 and 3.4).

Pixels of the operand die when the last window that has them has been computed; what counts is how many are alive, not
where: a result takes the place of any that are dead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.plans.graph import Graph

Order = Sequence[tuple[int, int]]
"""The pixels of a result, row and column, in the order of their computation."""


def row_major(height: int, width: int) -> Order:
    """The order of the *replace* method."""
    return [(y, x) for y in range(height) for x in range(width)]


def herringbone(height: int, width: int, rows_first: bool = True) -> Order:
    """By turns the first row and the first column of what is left, once that is square: the optimal order."""
    order: list[tuple[int, int]] = []
    top = left = 0
    while top < height and left < width:
        if height - top >= width - left + (0 if rows_first else 1):
            order += [(top, x) for x in range(left, width)]
            top += 1
        else:
            order += [(y, left) for y in range(top, height)]
            left += 1
    return order


def single_transpose(height: int, width: int, rows: int) -> Order:
    """Row by row, and the last `rows` rows column by column, after the image has been transposed in place."""
    start = [(y, x) for y in range(height - rows) for x in range(width)]
    return start + [(y, x) for x in range(width) for y in range(height - rows, height)]


def alive(graph: Graph, i: int, order: Order) -> int:
    """The most bits of operand and result that node i has at once in an order, if it overwrites its operand."""
    node = graph.nodes[i]
    [read] = node.reads
    operand, result = graph.tensors[read.tensor], graph.tensors[node.result]
    windows = [
        [range(max(0, at * step - before), min(extent, at * step - before + kernel)) for at in range(count)]
        for count, step, before, extent, kernel in zip(
            result[:2], read.strides, read.before, operand[:2], read.kernel, strict=True
        )
    ]
    uses = [np.zeros(extent, int) for extent in operand[:2]]
    for along, ranges in zip(uses, windows, strict=True):
        for window in ranges:
            along[window.start : window.stop] += 1
    left = np.outer(*uses)
    unread, pixels, peak = int((left == 0).sum()), operand.pixels, 0
    for done, (y, x) in enumerate(order, 1):
        bits = pixels * operand.channels * operand.bits + done * result.channels * result.bits
        peak = max(peak, bits)
        rows, columns = windows[0][y], windows[1][x]
        part = left[rows.start : rows.stop, columns.start : columns.stop]
        part -= 1
        # What no window has is gone once the first has been read.
        pixels -= int((part == 0).sum()) + (unread if done == 1 else 0)
    return max(peak, result.size)


def least_alive(graph: Graph, i: int, method: str) -> int:
    """The bits of node i by `replace`, or by `herringbone` or `single-transpose` in the best of their variants."""
    result = graph.tensors[graph.nodes[i].result]
    return min(alive(graph, i, order) for order in _orders(method, result.height, result.width))


def _orders(method: str, height: int, width: int) -> Iterator[Order]:
    match method:
        case "replace":
            yield row_major(height, width)
        case "herringbone":
            yield herringbone(height, width)
            yield herringbone(height, width, rows_first=False)
        case _:
            yield from (single_transpose(height, width, rows) for rows in range(height + 1))
