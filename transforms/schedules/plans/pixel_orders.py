"""The memory of a convolution in place, for each order of its pixels (Gural and Murmann 2019, sections 3.3 and 3.4).

A pixel of the operand is dead after the last window that covers it. Only the number of live pixels counts, not their
addresses: a pixel of the result may use the memory of any dead pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.schedules.plans.graph import Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Order = NDArray[np.intp]
    """The number of pixels computed before each pixel of a result, by row and column."""


def order_of(turns: Sequence[int], height: int, width: int) -> Order:
    """For each pixel of a result of `height` x `width` pixels, its position in the order of computation.

    turns: alternately the number of the next rows and of the next columns to compute.
    """
    order = np.zeros((height, width), np.intp)
    done = top = left = 0
    for number, count in enumerate(turns):
        if number % 2 == 0:
            part, top = order[top : top + count, left:], top + count
        else:
            part, left = order[top:, left : left + count].T, left + count
        part[:] = done + np.arange(part.size).reshape(part.shape)
        done += part.size
    return order


def alive(graph: Graph, i: int, order: Order) -> int:
    """The peak of live bits of operand and result while node i overwrites its operand in the given order."""
    node = graph.nodes[i]
    [read] = node.reads
    operand, result = graph.tensors[read.tensor], graph.tensors[node.result]
    windows = [
        [slice(max(0, axis.start(at)), max(0, axis.end(at))) for at in range(count)]
        for count, axis in zip(result[:2], read.axes, strict=True)
    ]
    # Pixels outside of all windows die after the first window has been read.
    last_read = _latest(_latest(order, windows[0], operand.height).T, windows[1], operand.width)
    gone = np.bincount(last_read.ravel(), minlength=result.pixels)
    left = operand.pixels - np.cumsum(gone) + gone
    bits = left * operand.channels * operand.bits + np.arange(1, len(left) + 1) * result.channels * result.bits
    return max(int(bits.max()), result.size)


def _latest(order: Order, windows: Sequence[slice], extent: int) -> Order:
    latest = np.zeros((extent, order.shape[1]), np.intp)
    for window, numbers in zip(windows, order, strict=True):
        part = latest[window]
        np.maximum(part, numbers, out=part)
    return latest
