"""Products of rows of a matrix and windows, with elements in the lanes. This code is for few rows, which would not fill
the lanes, or few windows.

Four rows are multiplied by a window at a time. One step multiplies as many elements of the window as four registers
contain by those of two rows. Reductions add the products to a sum in the first lane of a register for each row. The
four sums are moved to the lanes of one register, in which they are requantised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rvv.requantise import SCRATCH, STREAM, requantised
from rvv.rows import Rows, StreamedRows
from rvv.vectors import VECTOR, counted, lanes, moved, op
from tinyml.extend.chips import BY_ROW, MULTIPLIER, RIGHT, Code, Repeated, WeightStream, joined, row_blocks

_ROWS, _GROUP = 4, 4
_LANES = _GROUP * VECTOR

_WINDOW, _OUT, _AT = "a1", "a2", "a4"
_RUNS, _ELEMENTS, _WINDOWS, _BLOCKS = "a5", "a6", "a7", "t4"
_POINTERS = ("t0", "t1", "t2", "t3")
_SUMS = ("v3", "v0", "v1", "v2")
"""The registers of the sums of rows. At the end, the first one contains all sums, so that v0 is free for a mask."""

_VECTOR, _WEIGHTS, _PRODUCTS, _NUMBERS, _SHIFTS = "v4", ("v8", "v12"), ("v16", "v24"), "v4", "v8"


@dataclass(frozen=True)
class Columns(StreamedRows):
    """The code for a tile with elements in the lanes."""

    @property
    def layout(self) -> WeightStream:
        blocks, rest = divmod(self.tile.rows, _ROWS)
        groups = [group for group in ((blocks, _ROWS), (1, rest)) if group[0] and group[1]]
        return row_blocks(self.tile, groups, (MULTIPLIER, RIGHT), BY_ROW)

    @property
    def fits(self) -> bool:
        """Whether this code needs fewer instructions than code with a row in each lane."""
        return self.time < Rows(self.tile).time

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        return [(self.tile.count, 1)]

    def start(self, rows: int, windows: int) -> Code:
        first, *others = _SUMS[:rows]
        row = self.tile.runs * self.tile.length
        return joined(
            lanes(rows, 32, 8, SCRATCH),
            op("vle32.v", first, f"({STREAM})"),
            (op("vslidedown.vi", sum, first, number) for number, sum in enumerate(others, 1)),
            (op("addi", _POINTERS[0], STREAM, 4 * rows), op("mv", _AT, _WINDOW)),
            *(moved(_POINTERS[number], row, SCRATCH, _POINTERS[number - 1]) for number in range(1, rows)),
        )

    def products(self, rows: int, windows: int) -> Repeated:
        tile = self.tile
        whole, rest = divmod(tile.length, _LANES)
        run = Repeated.once(())
        if whole:
            run = counted(Repeated.once(self._elements(rows, _LANES)), whole, _ELEMENTS, 1)
        if rest:
            run = run.then(self._elements(rows, rest))
        if tile.runs == 1:
            return run
        run = run.then(moved(_AT, tile.pitch - tile.length, SCRATCH))
        return counted(run, tile.runs, _RUNS, 2)

    def _elements(self, rows: int, count: int) -> Code:
        """Code that adds the products of `count` elements."""
        bytes, halfwords = (op("vsetvli", "zero", SCRATCH, *kind, "ta", "ma") for kind in (("e8", "m4"), ("e16", "m8")))
        lines = [op("li", SCRATCH, count), bytes, op("vle8.v", _VECTOR, f"({_AT})"), op("addi", _AT, _AT, count)]
        for first in range(0, rows, len(_WEIGHTS)):
            some = list(zip(_POINTERS[first:rows], _SUMS[first:], _WEIGHTS, _PRODUCTS, strict=False))
            lines += [bytes] if first else []
            for pointer, _, weights, _ in some:
                lines += [op("vle8.v", weights, f"({pointer})"), op("addi", pointer, pointer, count)]
            lines += [op("vwmul.vv", product, weights, _VECTOR) for _, _, weights, product in some]
            lines += [halfwords, *(op("vwredsum.vs", sum, product, sum) for _, sum, _, product in some)]
        return tuple(lines)

    def finish(self, rows: int, windows: int) -> Code:
        all, *others = _SUMS[:rows]
        return joined(
            lanes(rows, 32, 8, SCRATCH),
            (op("vslideup.vi", all, sum, number) for number, sum in enumerate(others, 1)),
            op("mv", STREAM, _POINTERS[rows - 1]),
            requantised([all], rows, 1, self.layout, _NUMBERS, _SHIFTS),
            (op("vse8.v", all, f"({_OUT})"), op("addi", _OUT, _OUT, rows)),
        )

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return counted(block, times, _BLOCKS, 3)

    def next_windows(self, windows: int) -> Code:
        return moved(_WINDOW, self.tile.step, SCRATCH)

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        return counted(code, times, _WINDOWS, 4)
