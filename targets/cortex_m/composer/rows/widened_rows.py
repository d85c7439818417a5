"""Rows of widened weights by windows with eight sums in registers, for the DSP extension.

A weight stream of halfwords takes twice the flash of bytes, but neither instructions nor registers to widen weights.
The register tile is four rows by two windows, or eight rows by a single window. Windows are widened once for all rows,
in the stack frame.

Registers are assigned by hand: LDM and STM take them in the order of their numbers, and all of them are in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.composer.nest import unrolled
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.encodings import REACH
from tinyml.targets.cortex_m.assembly.operands import at, post
from tinyml.targets.cortex_m.composer.assembly import moved
from tinyml.targets.cortex_m.composer.epilogues import requantised_rows
from tinyml.targets.cortex_m.composer.fetch import QUAD, words
from tinyml.targets.cortex_m.composer.loops import counted_in_memory
from tinyml.targets.cortex_m.composer.multiply import rows_of_halfwords
from tinyml.targets.cortex_m.composer.rows.quads import Quads
from tinyml.targets.cortex_m.composer.rows.row_pairs import FIRST_FREE, RowPairs

_SUMS = ("r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11")
_OUT, _BLOCKS_LEFT = FIRST_FREE, FIRST_FREE + 1
"""Stack slots above the widened windows."""

_UNROLLED = 8
"""The number of groups of four elements in an iteration."""


@dataclass(frozen=True)
class WidenedRows(RowPairs):
    """The kernel of a tile: r0 points into the weight stream, r2 into windows; r1 and r3 hold two elements each."""

    MOST: ClassVar[int] = 4064
    TOGETHER: ClassVar[int] = 2
    WORDS: ClassVar[int] = 5

    @property
    def fits(self) -> bool:
        return super().fits and self.wide > 0 and self.tile.rows + 3 <= REACH

    @property
    def layout(self) -> WeightStream:
        return Quads(self.tile).halfwords()

    def parted(self, windows: int) -> Sequence[str]:
        return ("r8", "r10", "r9", "r11") if windows == 2 else super().parted(windows)

    def start(self, rows: int, windows: int) -> Code:
        return words("r0", [row[0] for row in self.sums(rows, windows)])

    def products(self, rows: int, windows: int) -> Repeated:
        sums = self.sums(rows, windows)
        copies = [t.mov(row[1], row[0]) for row in sums if windows == 2]
        word = t.ldrd("r1", "r3", post("r2", 8)) if windows == 2 else t.ldr("r1", post("r2", 4))
        quad = joined(word, rows_of_halfwords("r0", sums, ("r1", "r3")[:windows])) * 2
        end = t.add("r3", "sp", 4 * windows * QUAD // 2 * self.quads), t.cmp("r2", "r3"), t.bne(back=3)
        products = unrolled(quad, self.quads, _UNROLLED, lambda code, times: code.looped((), end, times, 3))
        return Repeated.once(joined(copies, t.mov("r2", "sp"))).followed_by(products)

    def sums(self, rows: int, windows: int) -> Sequence[Sequence[str]]:
        """The sums of each row, one for each window."""
        return [_SUMS[windows * row : windows * (row + 1)] for row in range(rows)]

    def finish(self, rows: int, windows: int) -> Code:
        stores = [[at("r1", window * self.tile.rows + row) for window in range(windows)] for row in range(rows)]
        return joined(
            t.ldr("r1", self.slot(_OUT)),
            requantised_rows(self.layout, self.sums(rows, windows), stores),
            moved("r1", rows),
            t.str_("r1", self.slot(_OUT)),
        )

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return counted_in_memory(block, times, self.slot(_BLOCKS_LEFT), "r3", 2)

    @property
    def first_results(self) -> Code:
        return (t.str_("r2", self.slot(_OUT)),)

    @property
    def further_results(self) -> Code:
        return joined(super().further_results, t.str_("r1", self.slot(_OUT)))
