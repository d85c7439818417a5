"""Products of rows of a matrix and windows with a row in each lane, for up to 32 rows. The number of windows is limited
by the registers for sums.

Weights are streamed element by element, with those of all rows of a block adjacent, and widened to 16 bits once for all
windows. An element of a window is a scalar. VWMACC multiplies the weights by it and adds the products to sums of 32
bits. The sums are requantised in the lanes in which they are computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rvv.requantise import SCRATCH, STREAM, requantised
from rvv.vectors import REACH, counted, lanes, moved, op
from tinyml.extend.chips import (
    BY_ELEMENT,
    MULTIPLIER,
    RIGHT,
    Code,
    Repeated,
    RowKernel,
    WeightStream,
    balanced,
    joined,
    row_blocks,
)

MOST_ROWS, _MOST_WINDOWS, _SUM_REGISTERS = 32, 8, 24
_UNROLLED = 8
"""The number of elements that an iteration processes."""

WINDOW, _OUT, _FIRST, AT = "a1", "a2", "a3", "a4"
RUNS, _ELEMENTS, _WINDOWS, _BLOCKS = "a5", "a6", "a7", "t4"
_SCALARS, _TO = ("t0", "t1", "t2", "t3"), "t5"
_BYTES, _WEIGHTS, _NUMBERS = ("v0", "v2"), "v4", "v0"


class StreamedRows(RowKernel):
    """The base class of code that rounds halves upwards, and that starts the weight stream again for each group of
    windows.
    """

    SATURATED = 0

    def enter(self) -> Code:
        # Round halves upwards.
        return op("csrwi", "vxrm", 0), op("mv", _FIRST, STREAM)

    def leave(self) -> Code:
        return (op("ret"),)

    def load_windows(self, windows: int) -> Repeated:
        return Repeated.once((op("mv", STREAM, _FIRST),))


@dataclass(frozen=True)
class Rows(StreamedRows):
    """The code for a tile with rows in the lanes."""

    @property
    def layout(self) -> WeightStream:
        return row_blocks(self.tile, balanced(self.tile.rows, MOST_ROWS), (MULTIPLIER, RIGHT), BY_ELEMENT)

    @property
    def fits(self) -> bool:
        return True

    @property
    def group(self) -> int:
        """The number of registers of a sum."""
        rows = self.layout.groups[0][1]
        return next(group for group in (1, 2, 4, 8) if rows <= 4 * group)

    @property
    def most_windows(self) -> int:
        """The maximum number of windows, limited by the registers for sums."""
        return min(_SUM_REGISTERS // self.group, _MOST_WINDOWS)

    @property
    def reach(self) -> int:
        """The maximum number of windows such that the offset of a scalar load reaches an element of each."""
        return 1 + (REACH - 2 * _UNROLLED) // max(self.tile.step, 1)

    @property
    def sums(self) -> Sequence[str]:
        """The registers of sums, one for each window."""
        return [f"v{32 - _SUM_REGISTERS + self.group * number}" for number in range(min(self.most_windows, self.reach))]

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        return balanced(self.tile.count, len(self.sums))

    def start(self, rows: int, windows: int) -> Code:
        return joined(self.starts(rows, windows), op("mv", AT, WINDOW))

    def starts(self, rows: int, windows: int) -> Code:
        """Load the initial values of the sums of a block. Sets the width of lanes to 16 bits, the width of the weights
        after widening.
        """
        loads = [op("vle32.v", sum, f"({STREAM})") for sum in self.sums[:windows]]
        return joined(lanes(rows, 16, 4 * self.group, SCRATCH), loads, moved(STREAM, 4 * rows, SCRATCH))

    def products(self, rows: int, windows: int) -> Repeated:
        tile = self.tile
        whole, rest = divmod(tile.length, _UNROLLED) if tile.length > 2 * _UNROLLED else (0, tile.length)
        block = joined(*(self._element(rows, windows, number) for number in range(_UNROLLED)))
        run = Repeated.once(())
        if whole:
            ahead = moved(AT, _UNROLLED, SCRATCH)
            run = counted(Repeated.once(joined(block, ahead)), whole, _ELEMENTS, 1)
        run = run.then(joined(*(self._element(rows, windows, number) for number in range(rest))))
        if tile.runs == 1:
            return run
        run = run.then(moved(AT, tile.pitch - whole * _UNROLLED, SCRATCH))
        return counted(run, tile.runs, RUNS, 2)

    def _element(self, rows: int, windows: int, offset: int) -> Code:
        """Code that adds the products of one element of each window.

        offset: the distance of the first window's element from the pointer.
        """
        bytes = _BYTES[offset % 2]
        lines = [
            op("vle8.v", bytes, f"({STREAM})"),
            op("addi", STREAM, STREAM, rows),
            op("vsext.vf2", _WEIGHTS, bytes),
        ]
        for first in range(0, windows, len(_SCALARS)):
            some = range(first, min(first + len(_SCALARS), windows))
            pairs = list(zip(some, _SCALARS, strict=False))
            lines += [op("lb", scalar, f"{offset + window * self.tile.step}({AT})") for window, scalar in pairs]
            lines += [op("vwmacc.vx", self.sums[window], scalar, _WEIGHTS) for window, scalar in pairs]
        return tuple(lines)

    def finish(self, rows: int, windows: int) -> Code:
        sums = self.sums[:windows]
        lines = requantised(sums, rows, self.group, self.layout, _NUMBERS)
        for number, sum in enumerate(sums):
            to = _TO if number else _OUT
            lines += moved(_TO, number * self.tile.rows, SCRATCH, _OUT) if number else ()
            lines += (op("vse8.v", sum, f"({to})"),)
        return joined(lines, moved(_OUT, rows, SCRATCH))

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return counted(block, times, _BLOCKS, 3)

    def next_windows(self, windows: int) -> Code:
        ahead = moved(WINDOW, windows * self.tile.step, SCRATCH)
        return joined(ahead, moved(_OUT, (windows - 1) * self.tile.rows, SCRATCH))

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        return counted(code, times, _WINDOWS, 4)
