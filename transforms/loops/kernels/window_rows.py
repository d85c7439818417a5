"""Rows that the windows of a tile meet, which can become code, and the loops over windows that call it (L3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.kernel import RowCoder
from tinyml.transforms.ir.loop_nest import Indices, LoopNest
from tinyml.transforms.ir.sum_starts import Start
from tinyml.transforms.loops.kernels.coded_rows import call_of_code
from tinyml.transforms.loops.kernels.constant_rows import finished_by_shift
from tinyml.transforms.loops.kernels.tiles import raws_of


@dataclass(frozen=True)
class WindowRows:
    """A tile of which every window meets the same rows.

    rows: of a window from its first element to its last, with zeros for those that lie between its runs.
    """

    op: num.FinishedSumsOp
    rows: CodedRows

    @property
    def choices(self) -> range:
        """How many rows can become code."""
        return range(self.rows.rows, self.rows.rows + 1)

    def replace(self, coder: RowCoder, count: int) -> None:
        """Let code compute all rows, window by window."""
        assert count == self.rows.rows
        op, nest = self.op, LoopNest(self.op)
        step = op.spaces.step
        reach = self.rows.weights[0].shape[1]

        def window(indices: Indices) -> None:
            [number] = indices
            outputs = nest.insert(scratch.SliceOp(op.outputs, nest.times(number, count), (count,)))
            vector = nest.insert(scratch.SliceOp(op.windows, nest.times(number, step), (reach,)))
            nest.put(call_of_code(op, coder, self.rows, outputs, [vector]))

        nest.over((op.count,), window)
        Rewriter.erase_op(op)


def window_rows(module: ModuleOp) -> Iterator[WindowRows]:
    """The rows of the tiles of a module that can become code, in order."""
    for function in defined_functions(module):
        tiles = [op for op in function.walk() if isinstance(op, num.FinishedSumsOp)]
        yield from (WindowRows(op, rows) for op in tiles if (rows := _rows_of(op)) is not None)


def _rows_of(op: num.FinishedSumsOp) -> CodedRows | None:
    """The rows that a window meets; None if they are no constants, or no shift finishes their sums."""
    right = finished_by_shift(op.accumulator, op.format)
    weights, starts = raws_of(op.weights), raws_of(op.starts)
    if right is None or weights is None or starts is None or not all(map(num.is_of_bytes, (op.weights, op.windows))):
        return None
    if scratch.packed_bits(scratch.memref_type(op.outputs)) is not None:
        return None
    runs, pitch, _, lines = op.spaces
    if lines > 1:
        return None
    parts = weights.reshape(op.rows, runs, -1)
    spaced = np.zeros((op.rows, (runs - 1) * pitch + op.run), np.int64)
    for row in range(op.rows):
        for run in range(runs):
            # A run of pixels has an element of every channel.
            if isinstance(op, num.ChannelTilesOp):
                spaced[row, run * pitch + row : run * pitch + op.run : op.rows] = parts[row, run]
            else:
                spaced[row, run * pitch : run * pitch + op.run] = parts[row, run]
    begun = Start(element_format(op.starts.type), starts).sums(op.accumulator)
    return CodedRows([spaced], [0], begun + (1 << right - 1), right)
