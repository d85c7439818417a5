"""Tile kernels for results in fixed point, for the DSP extension: the register tiles of `rows.py` and of
`paired_rows.py` with shifted sums.

A sum, whose start value includes the rounding bias, is shifted and saturated by one instruction. Fixed point has no raw
-128. The bytes of adjacent rows are therefore combined in a word, and all of them are saturated to -127 by a
subtraction and an addition of 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.targets.composer.instructions import Code, Line, Repeated, joined
from tinyml.targets.composer.tile_composer import TileCode
from tinyml.targets.composer.weight_streams import WeightStream, shifting
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import counted_in_memory, saved
from tinyml.targets.cortex_m.composer.paired_rows import PairedWindow
from tinyml.targets.cortex_m.composer.rows import (
    AT_OUT,
    FIRST_FREE,
    FIRST_SUMS,
    SECOND_SUMS,
    SUMS,
    RowPairs,
    SingleWindow,
)
from tinyml.targets.cortex_m.thumb import Address, at, post
from tinyml.targets.tiles import Tile

_ALL_BUT_ONES = 0xFEFEFEFE
_BYTES = 4
_STORES = {1: t.strb, 2: t.strh, 4: t.str_}
"""The stores of adjacent results, by their number."""


def _shifted(sums: Sequence[str], right: int, ones: str, target: Address) -> Code:
    """Code that shifts sums right by `right` bits, saturates them, and stores one, two or four bytes at `target`.

    ones: a register with 1 in each byte.
    """
    first, *others = sums
    lines: list[Line] = [t.ssat(sum, 8, sum, asr=right) for sum in sums]
    lines += [t.bfi(first, sum, 8 * (number + 1), 8) for number, sum in enumerate(others)]
    return (*lines, t.qsub8(first, first, ones), t.qadd8(first, first, ones), _STORES[len(sums)](first, target))


def _stored(rows: int, right: int) -> Code:
    """Code that shifts the sums of the rows of a block for one window, and stores the results."""
    sums, together = SUMS[:rows], min(rows, _BYTES)
    groups = [sums[first : first + together] for first in range(0, rows, together)]
    results = [_shifted(group, right, "r12", post("r2", together)) for group in groups]
    return joined(t.mvn("r12", _ALL_BUT_ONES), t.ldr("r2", AT_OUT), *results, t.str_("r2", AT_OUT))


@dataclass(frozen=True)
class ShiftedWindow(SingleWindow):
    """The code for a tile with one window and shifted sums, for eight rows at a time."""

    @property
    def layout(self) -> WeightStream:
        return shifting(super().layout)

    def finish(self, rows: int, windows: int) -> Code:
        return _stored(rows, self.tile.right)


@dataclass(frozen=True)
class ShiftedPairedWindow(PairedWindow):
    """The code for a tile with one window and shifted sums, whose rows are multiplied two at a time."""

    @property
    def layout(self) -> WeightStream:
        return shifting(super().layout)

    def finish(self, rows: int, windows: int) -> Code:
        return joined(self.separated(rows), _stored(rows, self.tile.right))


@dataclass(frozen=True)
class ShiftedRowPairs(RowPairs):
    """The code for a tile with shifted sums, for two rows by two windows at a time."""

    @property
    def layout(self) -> WeightStream:
        return shifting(super().layout)

    @property
    def once(self) -> bool:
        """True if all windows are widened at once, so that the arguments need no slots in the stack frame."""
        return self.wide > 0 and self.tile.count <= 2

    @property
    def blocks_left(self) -> int:
        """The stack slot of the number of blocks. Widened windows need no slot for the number of runs."""
        return 0 if self.once else FIRST_FREE if self.wide else FIRST_FREE + 1

    @property
    def words(self) -> int:
        return self.blocks_left + 1

    @property
    def window_start(self) -> Code:
        return () if self.once else super().window_start

    def load_windows(self, windows: int) -> Repeated:
        return self.widened(windows) if self.once else super().load_windows(windows)

    def enter(self) -> Code:
        if not self.once:
            return super().enter()
        return joined(saved(self.frame), t.mov("lr", "r1"), self.first_results)

    def finish(self, rows: int, windows: int) -> Code:
        results = [
            _shifted(sums[:rows], self.tile.right, "r8", at("r1", self.tile.rows * window))
            for window, sums in enumerate((FIRST_SUMS, SECOND_SUMS)[:windows])
        ]
        return joined(t.mvn("r8", _ALL_BUT_ONES), *results, t.add("r1", "r1", rows))

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return counted_in_memory(block, times, self.slot(self.blocks_left), "r3", 2)


def shifted_dots(tile: Tile) -> TileCode[str]:
    """The code for a tile that multiplies rows of a matrix by windows and shifts the sums."""
    window = ShiftedWindow(tile)
    return window if tile.count == 1 and window.fits else ShiftedRowPairs(tile)
