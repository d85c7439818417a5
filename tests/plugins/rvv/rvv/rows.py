"""Rows of a matrix by windows: a row in each lane, up to 32 rows by as many windows as have registers for their sums.

Weights are streamed element by element, those of all rows of a block side by side, and widened to 16 bits once for all
windows. An element of a window is a scalar, by which VWMACC multiplies the weights and adds the products to sums of 32
bits. Sums thus end up in the lanes in which they are requantised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rvv.vectors import REACH, lanes, moved, op
from tinyml.extend.chips import (
    BY_ELEMENT,
    MULTIPLIER,
    RIGHT,
    Code,
    Repeated,
    RowNest,
    WeightStream,
    balanced,
    joined,
    row_blocks,
)

_MOST_ROWS, _MOST_WINDOWS, _SUM_REGISTERS = 32, 8, 24
_UNROLLED = 8
"""The elements of an iteration."""

_STREAM, _WINDOW, _OUT, _FIRST, _AT = "a0", "a1", "a2", "a3", "a4"
_RUNS, _ELEMENTS, _WINDOWS, _BLOCKS = "a5", "a6", "a7", "t4"
_SCALARS, _TO, _SCRATCH = ("t0", "t1", "t2", "t3"), "t5", "t6"
_BYTES, _WEIGHTS, _NUMBERS, _SHIFTS = ("v0", "v2"), "v4", "v0", "v6"
"""The shift amounts of 32 rows are widened in place, which needs them in the last registers of the group."""


@dataclass(frozen=True)
class Rows(RowNest):
    """The code for a tile."""

    SATURATED = 0

    @property
    def layout(self) -> WeightStream:
        return row_blocks(self.tile, balanced(self.tile.rows, _MOST_ROWS), (MULTIPLIER, RIGHT), BY_ELEMENT)

    @property
    def fits(self) -> bool:
        return True

    @property
    def group(self) -> int:
        """The registers of a sum."""
        rows = self.layout.groups[0][1]
        return next(group for group in (1, 2, 4, 8) if rows <= 4 * group)

    @property
    def sums(self) -> Sequence[str]:
        """The registers of sums, one for each window; scalar loads reach them all."""
        most = min(_SUM_REGISTERS // self.group, _MOST_WINDOWS)
        near = 1 + (REACH - 2 * _UNROLLED) // max(self.tile.step, 1)
        return [f"v{32 - _SUM_REGISTERS + self.group * number}" for number in range(min(most, near))]

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        return balanced(self.tile.count, len(self.sums))

    def enter(self) -> Code:
        # Round halves upwards.
        return op("csrwi", "vxrm", 0), op("mv", _FIRST, _STREAM)

    def leave(self) -> Code:
        return (op("ret"),)

    def load_windows(self, windows: int) -> Repeated:
        return Repeated.once((op("mv", _STREAM, _FIRST),))

    def start(self, rows: int, windows: int) -> Code:
        loads = [op("vle32.v", sum, f"({_STREAM})") for sum in self.sums[:windows]]
        starts = moved(_STREAM, 4 * rows, _SCRATCH), op("mv", _AT, _WINDOW)
        return joined(lanes(rows, 16, 4 * self.group, _SCRATCH), loads, *starts)

    def products(self, rows: int, windows: int) -> Repeated:
        tile = self.tile
        whole, rest = divmod(tile.length, _UNROLLED) if tile.length > 2 * _UNROLLED else (0, tile.length)
        block = joined(*(self._element(rows, windows, number) for number in range(_UNROLLED)))
        run = Repeated.once(())
        if whole:
            ahead = moved(_AT, _UNROLLED, _SCRATCH)
            run = _counted(Repeated.once(joined(block, ahead)), whole, _ELEMENTS, 1)
        run = run.then(joined(*(self._element(rows, windows, number) for number in range(rest))))
        if tile.runs == 1:
            return run
        run = run.then(moved(_AT, tile.pitch - whole * _UNROLLED, _SCRATCH))
        return _counted(run, tile.runs, _RUNS, 2)

    def _element(self, rows: int, windows: int, offset: int) -> Code:
        """Add the products of an element. offset: of the first window's element from the pointer."""
        bytes = _BYTES[offset % 2]
        lines = [
            op("vle8.v", bytes, f"({_STREAM})"),
            op("addi", _STREAM, _STREAM, rows),
            op("vsext.vf2", _WEIGHTS, bytes),
        ]
        for first in range(0, windows, len(_SCALARS)):
            some = range(first, min(first + len(_SCALARS), windows))
            pairs = list(zip(some, _SCALARS, strict=False))
            lines += [op("lb", scalar, f"{offset + window * self.tile.step}({_AT})") for window, scalar in pairs]
            lines += [op("vwmacc.vx", self.sums[window], scalar, _WEIGHTS) for window, scalar in pairs]
        return tuple(lines)

    def finish(self, rows: int, windows: int) -> Code:
        """Requantise as TensorFlow Lite does, with two roundings.

        VSMUL is the first of them. VSSRA rounds halves upwards, so that negative sums are decremented, halves to round
        away from zero; every shift is at least 1.
        """
        group, zero, layout = self.group, self.tile.zero, self.layout
        sums = self.sums[:windows]
        lines = joined(
            moved(_STREAM, layout.padding(1, rows), _SCRATCH),
            lanes(rows, 32, 8 * group, _SCRATCH),
            op("vle32.v", _NUMBERS, f"({_STREAM})"),
            (op("vsmul.vv", sum, sum, _NUMBERS) for sum in sums),
            *((op("vmslt.vx", "v0", sum, "zero"), op("vadd.vi", sum, sum, -1, "v0.t")) for sum in sums),
            moved(_STREAM, 4 * rows, _SCRATCH),
            op("vle8.v", _SHIFTS, f"({_STREAM})"),
            op("vzext.vf4", _NUMBERS, _SHIFTS),
            moved(_STREAM, rows + layout.padding(3, rows), _SCRATCH),
            (op("vssra.vv", sum, sum, _NUMBERS) for sum in sums),
            (op("li", _TO, zero), *(op("vadd.vx", sum, sum, _TO) for sum in sums)) if zero else (),
            lanes(rows, 16, 4 * group, _SCRATCH),
            (op("vnclip.wi", sum, sum, 0) for sum in sums),
            lanes(rows, 8, 2 * group, _SCRATCH),
            (op("vnclip.wi", sum, sum, 0) for sum in sums),
        )
        for number, sum in enumerate(sums):
            to = _TO if number else _OUT
            lines += moved(_TO, number * self.tile.rows, _SCRATCH, _OUT) if number else ()
            lines += (op("vse8.v", sum, f"({to})"),)
        return joined(lines, moved(_OUT, rows, _SCRATCH))

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return _counted(block, times, _BLOCKS, 3)

    def next_windows(self, windows: int) -> Code:
        ahead = moved(_WINDOW, windows * self.tile.step, _SCRATCH)
        return joined(ahead, moved(_OUT, (windows - 1) * self.tile.rows, _SCRATCH))

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        return _counted(code, times, _WINDOWS, 4)


def _counted(code: Repeated, times: int, register: str, label: int) -> Repeated:
    """A loop that a register counts."""
    end = op("addi", register, register, -1), op("bnez", register, f"{label}b")
    return code.looped((op("li", register, times),), end, times, label)
