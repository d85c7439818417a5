"""Bits of a convolution in place in the orders of Gural and Murmann (2019, sections 3.3 and 3.4).

Pixels of the operand die when the last window that has them has been computed; what counts is how many are alive, not
where: a result takes the place of any that are dead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.plans.graph import Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Order = NDArray[np.intp]
    """For each pixel of a result, by row and column, how many are computed before it."""


def row_major(height: int, width: int) -> Order:
    """The order of the *replace* method."""
    return np.arange(height * width).reshape(height, width)


def herringbone(height: int, width: int, rows_first: bool = True) -> Order:
    """By turns the first row and the first column of what is left, once that is square.

    The paper's claim 2 proves it optimal for square kernels, more channels in the result than in the operand, strides
    of 1 and no padding. For other convolutions another order may be better.
    """
    order = np.zeros((height, width), np.intp)
    done = top = left = 0
    while top < height and left < width:
        by_row = height - top >= width - left + (0 if rows_first else 1)
        line = order[top, left:] if by_row else order[top:, left]
        line[:] = done + np.arange(len(line))
        done += len(line)
        top, left = (top + 1, left) if by_row else (top, left + 1)
    return order


def single_transpose(height: int, width: int, rows: int) -> Order:
    """Row by row, and the last `rows` rows column by column, after the image has been transposed in place."""
    order = row_major(height, width)
    order[height - rows :] = (height - rows) * width + row_major(width, rows).T
    return order


def alive(graph: Graph, i: int, order: Order) -> int:
    """The most bits of operand and result that node i has at once in an order, if it overwrites its operand."""
    node = graph.nodes[i]
    [read] = node.reads
    operand, result = graph.tensors[read.tensor], graph.tensors[node.result]
    windows = [
        [slice(max(0, at * step - before), max(0, at * step - before + kernel)) for at in range(count)]
        for count, step, before, kernel in zip(result[:2], read.strides, read.before, read.kernel, strict=True)
    ]
    # Pixels that no window has are gone once the first window has been read.
    last_read = _latest(_latest(order, windows[0], operand.height).T, windows[1], operand.width)
    gone = np.bincount(last_read.ravel(), minlength=result.pixels)
    left = operand.pixels - np.cumsum(gone) + gone
    bits = left * operand.channels * operand.bits + np.arange(1, len(left) + 1) * result.channels * result.bits
    return max(int(bits.max()), result.size)


def _latest(order: Order, windows: Sequence[slice], extent: int) -> Order:
    """For each index along the operand's first axis, the greatest number in `order` of the windows that have it."""
    latest = np.zeros((extent, order.shape[1]), np.intp)
    for window, numbers in zip(windows, order, strict=True):
        part = latest[window]
        np.maximum(part, numbers, out=part)
    return latest


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
