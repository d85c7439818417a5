"""The order of rows and columns in which a convolution in place needs the least memory.

Gural and Murmann (2019, section 3.4) prove that herringbone order is optimal for a square kernel, strides of 1 and no
padding. For any other shape the best order is a path over the remaining parts of the result. Each step computes the
next row or the next column, until nothing remains. The memory of a step depends only on the remaining part, not on the
path that led to this part. Dynamic programming, from the end backwards, finds the path with the least maximum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.schedules.plans.graph import Graph, Image, Read

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


class Steps(NamedTuple):
    """The bits that each step of a convolution in place needs.

    A step computes the next row or the next column of a result of H rows and W columns.

    rows, columns: arrays of shape (H, W). `rows[h, w]` has the bits that the next row needs after h rows and w
        columns are computed; `columns[h, w]` has the bits for the next column.
    start: the bits that any order needs before the first step is complete.
    """

    rows: Numbers
    columns: Numbers
    start: int = 0

    def least(self) -> tuple[int, list[int]]:
        """Return the least number of bits that suffices for all steps, and the number of rows or columns of each turn.

        A turn consists of consecutive steps of the same kind. Among the orders that need this number of bits, the order
        that transposes the fewest pixels is chosen. The first turn is in rows and may be empty.
        """
        height, width = self.rows.shape
        peak = np.zeros((height + 1, width + 1), np.int64)
        for top in reversed(range(height)):
            below = np.maximum(self.rows[top], peak[top + 1, :-1])
            for left in reversed(range(width)):
                peak[top, left] = min(below[left], max(self.columns[top, left], peak[top, left + 1]))
        bits = max(int(peak[0, 0]), self.start)
        return bits, self._turns(bits)

    def _turns(self, bits: int) -> list[int]:
        """The number of rows or columns of each turn, in the order that needs at most `bits` bits and
        transposes the fewest pixels.
        """
        height, width = self.rows.shape
        never = 2 * height * width * (height + width)
        turned = np.zeros((2, height + 1, width + 1), np.int64)
        for top in reversed(range(height)):
            for left in reversed(range(width)):
                on = [
                    turned[0, top + 1, left] if self.rows[top, left] <= bits else never,
                    turned[1, top, left + 1] if self.columns[top, left] <= bits else never,
                ]
                pixels = (height - top) * (width - left)
                turned[0, top, left] = min(on[0], on[1] + pixels)
                turned[1, top, left] = min(on[1], on[0] + pixels)
        counts, top, left = [0], 0, 0
        while top < height and left < width:
            along = (len(counts) - 1) % 2
            stays = (
                self.rows[top, left] <= bits and turned[0, top + 1, left] == turned[0, top, left],
                self.columns[top, left] <= bits and turned[1, top, left + 1] == turned[1, top, left],
            )[along]
            if not stays:
                counts.append(0)
                along = 1 - along
            counts[-1] += 1
            top, left = (top + 1, left) if along == 0 else (top, left + 1)
        return counts


def counted(graph: Graph, i: int) -> Steps:
    """For each step of node i, the bits of all live pixels of operand and result, wherever they are in memory."""
    node = graph.nodes[i]
    [read] = node.reads
    operand, result = graph.tensors[read.tensor], graph.tensors[node.result]
    before, after = operand.channels * operand.bits, result.channels * result.bits
    unread = [_unread(read, side, result, operand) for side in (0, 1)]

    def along_rows(rows: Numbers, columns: Numbers, written: Numbers) -> Numbers:
        # While window x of a row is computed, pixels are alive that rows below read, or windows from x on of this row.
        last = rows[:-1] - rows[1:]
        within = np.outer(last, columns[:-1]) * before + np.arange(len(columns) - 1) * after
        most = _from_each_on(within) - np.arange(len(columns) - 1) * after
        return np.outer(rows[1:], columns[:-1]) * before + most + (written[:-1, :-1] + 1) * after

    written = _written(result)
    rows = along_rows(unread[0], unread[1], written)
    columns = along_rows(unread[1], unread[0], written.T).T
    return Steps(rows, columns, max(operand.size + after, result.size))


def placed(read: Read, operand: Image, result: Image) -> Steps:
    """For each step of a convolution in place, the bits of the buffer in which the result overwrites the operand.

    Between turns, the operand is transposed. The result is written contiguously from the beginning of the buffer, and
    the operand is at the end of the buffer (`tinyml.dialects.tdsl.convolution.lead`).
    """
    before, after = operand.channels * operand.bits, result.channels * result.bits
    extents = operand.height, operand.width
    firsts = [
        np.clip(read.axes[side].start(np.arange(extent + 1)), 0, extents[side])
        for side, extent in enumerate((result.height, result.width))
    ]
    dead = operand.pixels - np.outer(operand.height - firsts[0], operand.width - firsts[1])

    def along_rows(rows: Numbers, columns: Numbers, dead: Numbers, written: Numbers) -> Numbers:
        count = len(columns) - 1
        numbers = np.arange(count)
        # The first pixel that window x of a row or a later one reads, counted from the first remaining pixel.
        kept = rows[1:] == rows[:-1]
        own = np.where(kept[:, None], 0, columns[:-1])
        # A window is read once all elements of its result but the last are written.
        reading = numbers * after - own * before + after - 1
        last = numbers[:-1] * after - own[:, 1:] * before + after
        at = reading.copy()
        at[:, :-1] = np.maximum(at[:, :-1], last)
        most = _from_each_on(at) - numbers * after + np.where(kept[:, None], 0, columns[:-1]) * before
        within = most + written[:-1, :-1] * after - dead[:-1, :-1] * before
        # After the row, the remaining image begins with the first pixel of the next step, if there is one.
        behind = written[1:, :-1] * after - dead[1:, :-1] * before
        behind[-1] = 0
        return np.maximum(within, behind)

    written = _written(result)
    rows = along_rows(firsts[0], firsts[1], dead, written)
    columns = along_rows(firsts[1], firsts[0], dead.T, written.T).T
    return Steps(rows + operand.size, columns + operand.size, max(operand.size, result.size))


def _unread(read: Read, side: int, result: Image, operand: Image) -> Numbers:
    """For each window along an axis, the number of rows (or columns) of the operand that this window and later
    windows read. The last entry, after all windows, is 0.

    side: the axis.
    """
    results, extent = ((image.height, image.width)[side] for image in (result, operand))
    windows = read.axes[side]
    last = np.full(extent, -1)
    for number in range(results):
        last[max(windows.start(number), 0) : max(windows.end(number), 0)] = number
    return np.array([np.count_nonzero(last >= number) for number in range(results + 1)])


def _written(result: Image) -> Numbers:
    """An array of shape (H + 1, W + 1): entry (h, w) is the number of pixels in the first h rows and the first w
    columns of a result.
    """
    left = [extent - np.arange(extent + 1) for extent in (result.height, result.width)]
    return result.pixels - np.outer(*left)


def _from_each_on(values: Numbers) -> Numbers:
    return np.maximum.accumulate(values[:, ::-1], 1)[:, ::-1]
