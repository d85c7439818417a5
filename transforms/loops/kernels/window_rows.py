"""Rows that all windows of a tile share, which can become code, and the loops over windows that call it (L3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.ir.loop_nest import Indices, LoopNest
from tinyml.transforms.loops.kernels.constant_rows import finished_by_shift
from tinyml.transforms.loops.kernels.contracted_rows import call_of_code
from tinyml.transforms.loops.kernels.finished_sums import FinishedSums


@dataclass(frozen=True)
class WindowRows:
    """A tile in which every window is multiplied by the same rows.

    rows: each row spans a window from its first element to its last, with zeros in the gaps between runs.
    """

    sums: FinishedSums
    rows: CodedRows

    @property
    def part(self) -> num.ContractOp:
        """The op that needs the rows."""
        return self.sums.op

    @property
    def choices(self) -> range:
        """The numbers of rows that can become code."""
        return range(self.rows.rows, self.rows.rows + 1)

    def replace(self, target: str, count: int) -> None:
        """Compute all rows by code, window by window."""
        assert count == self.rows.rows
        op, nest = self.sums.op, LoopNest(self.sums.op)
        step = self.sums.products.spaces.step
        reach = self.rows.weights[0].shape[1]

        def window(indices: Indices) -> None:
            [number] = indices
            outputs = nest.insert(scratch.SliceOp(self.sums.outputs, nest.times(number, count), (count,)))
            vector = nest.insert(scratch.SliceOp(self.sums.products.vector, nest.times(number, step), (reach,)))
            nest.put(call_of_code(target, self.rows, outputs, [vector]))

        nest.over((op.windows,), window)
        Rewriter.erase_op(op)


def window_rows(module: ModuleOp) -> Iterator[WindowRows]:
    """Yield the rows of a module's tiles that can become code, in program order."""
    for function in defined_functions(module):
        tiles = [op for op in function.walk() if isinstance(op, num.ContractOp) and op.tile is not None]
        several = filter(None, map(FinishedSums.of, tiles))
        yield from (WindowRows(sums, rows) for sums in several if (rows := _rows_of(sums)) is not None)


def _rows_of(sums: FinishedSums) -> CodedRows | None:
    """The rows of a tile; None if they are not constant, or sums are not finished by a shift."""
    products, rows = sums.products, sums.op.rows
    if sums.op.lines > 1 or (given := sums.row_sums) is None:
        return None
    if (right := finished_by_shift(given.accumulator, given.result)) is None:
        return None
    runs, pitch, _ = products.spaces
    parts = given.weights.reshape(rows, runs, -1)
    spaced = np.zeros((rows, (runs - 1) * pitch + products.run), np.int64)
    for row in range(rows):
        for run in range(runs):
            # A run of pixels has an element of every channel.
            first = run * pitch + (row if products.channels is not None else 0)
            spaced[row, first : run * pitch + products.run : products.stride] = parts[row, run]
    return CodedRows([spaced], [0], given.start.sums(given.accumulator) + (1 << right - 1), right)
