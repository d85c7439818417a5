"""Rows of a matrix by windows with a register tile of two rows by two windows, for the DSP extension.

Two windows are widened to halfwords: in the stack frame, once for all rows, or, if they are long, in registers, for
each pair of rows. An odd last row and an odd last window are multiplied alone.

Registers are assigned by hand: STM stores registers in the order of their numbers, which a linear scan ignores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tinyml.targets.composer.instructions import Code, Line, joined
from tinyml.targets.composer.nest import RowNest
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.encodings import IMMEDIATE, REACH
from tinyml.targets.cortex_m.assembly.operands import Address, at, post, slot
from tinyml.targets.cortex_m.composer.assembly import moved, restored, saved
from tinyml.targets.cortex_m.composer.epilogues import requantised
from tinyml.targets.cortex_m.composer.fetch import (
    QUAD,
    last_few,
    next_four,
    parted_bytes,
    widened_elements,
    widened_windows,
    words,
)
from tinyml.targets.cortex_m.composer.loops import counted, counted_in_memory, repeated
from tinyml.targets.cortex_m.composer.multiply import halfwords
from tinyml.targets.cortex_m.composer.rows.quads import Quads

WIDE_BYTES = 1024
"""The stack limit for two windows that are widened once, in bytes; an element of both takes four."""

_FIRST_SUMS, _SECOND_SUMS = ("r4", "r6"), ("r5", "r7")
"""The sums of both rows, for the first window and for the second."""

_WINDOWS = ("r8", "r9", "r10", "r11")
"""Four elements of the first window, two by two, then those of the second."""

STREAM, _WINDOWS_AT, _PAIRS_LEFT, FIRST_FREE = range(4)
_RUNS_LEFT = FIRST_FREE
"""Stack slots above the widened windows."""


def _registers(windows: int) -> tuple[str, ...]:
    """The registers for elements of one or two windows."""
    return _WINDOWS if windows == 2 else _WINDOWS[:2]


@dataclass(frozen=True)
class RowPairs(RowNest):
    """The kernel of a tile: r0 points into the weight stream, r1 to results, r2 into windows.

    MOST: the stack limit for windows that are widened once, in bytes. TOGETHER: the number of consecutive elements of
    a widened window before as many of the other one. WORDS: the number of stack slots above the widened windows.
    """

    SATURATED = 0
    MOST: ClassVar[int] = WIDE_BYTES
    TOGETHER: ClassVar[int] = QUAD
    WORDS: ClassVar[int] = 4

    @property
    def layout(self) -> WeightStream:
        return Quads(self.tile).bytes()

    @property
    def is_dense(self) -> bool:
        """True if runs are joined without elements between them."""
        return Quads(self.tile).is_joined

    @property
    def quads(self) -> int:
        """The number of groups of four elements in a window."""
        return Quads(self.tile).count

    @property
    def wide(self) -> int:
        """The bytes of widened windows; 0 if they are widened for each pair of rows."""
        size = 2 * QUAD * self.quads * min(self.tile.count, 2)
        return size if size <= self.MOST else 0

    @property
    def fits(self) -> bool:
        """True if every load and store is in reach."""
        tile = self.tile
        inside = (tile.runs - 1) * tile.pitch + tile.length if self.is_dense else 0
        reaches = inside + tile.step <= REACH and tile.rows + 1 <= REACH and tile.count <= IMMEDIATE
        return reaches and (self.is_dense or tile.length >= QUAD)

    def slot(self, number: int) -> Address:
        """A stack slot above the widened windows."""
        return slot(self.wide + 4 * number)

    @property
    def frame(self) -> int:
        return -(-(self.wide + 4 * self.WORDS) // 8) * 8 + 4

    def parted(self, windows: int) -> Sequence[str]:
        """The registers for elements of one or two windows, the first window first."""
        return _registers(windows)

    def fetch(self, pointer: str, windows: int) -> Code:
        """Loads four elements of one or two windows."""
        if windows == 1:
            return parted_bytes(t.ldr("r9", post(pointer, 4)), "r8", "r9")
        return next_four(pointer, self.tile.step, self.parted(windows))

    def rest(self, pointer: str, windows: int) -> Code:
        """Loads the elements of a run after the last whole group of four."""
        count = self.tile.length % QUAD
        return last_few(pointer, [0, self.tile.step][:windows], self.parted(windows), count) if count else ()

    def gap(self, pointer: str) -> Code:
        """Advances from the end of a run to the next one."""
        whole = self.tile.length - self.tile.length % QUAD
        return moved(pointer, self.tile.pitch - whole) if self.tile.runs > 1 else ()

    def widened(self, windows: int) -> Repeated:
        """Widens windows to halfwords in the stack frame, the two windows interleaved."""
        tile = self.tile
        start = joined(t.ldr("lr", self.slot(_WINDOWS_AT)))
        if self.is_dense:
            together, apart = self.TOGETHER, [0, tile.step][:windows]
            elements = [widened_elements(tile.length, run, tile.pitch, apart, together) for run in range(tile.runs)]
            return Repeated.once(joined(start, *elements))
        store = t.stm("r2", _registers(windows), update=True)
        step, rest = (
            joined(fetch, store) if fetch else () for fetch in (self.fetch("lr", windows), self.rest("lr", windows))
        )
        run = repeated(step, tile.length // QUAD, "r3", 3).then(rest)
        runs = counted(run.then(self.gap("lr")), tile.runs, "r12", 5)
        return Repeated.once(joined(start, t.mov("r2", "sp"))).followed_by(runs)

    def quad(self, rows: int, elements: Code, windows: int, *, first: bool = False) -> Code:
        """Adds the products of four weights of each row and four elements of each window.

        first: the sums begin; the start of each row is in the register of the first window's sum.
        """
        lines = [elements]
        for row in range(rows):
            one, two = _FIRST_SUMS[row], _SECOND_SUMS[row]
            lines += [parted_bytes(t.ldr("lr", post("r0", 4)), "r12", "lr")]
            if windows == 2:
                begin = (t.smlad(two, "r12", "r10", one),) if first else halfwords((two,), "r12", "r10")
                lines += [begin, halfwords((two,), "lr", "r11")]
            lines += [halfwords((one,), "r12", "r8"), halfwords((one,), "lr", "r9")]
        return joined(*lines)

    def start(self, rows: int, windows: int) -> Code:
        return words("r0", _FIRST_SUMS[:rows])

    def products(self, rows: int, windows: int) -> Repeated:
        if self.wide:
            elements = widened_windows("r2", _registers(windows))
            first, step = self.quad(rows, elements, windows, first=True), self.quad(rows, elements, windows)
            more = repeated(step, self.quads - 1, "r3", 3)
            return Repeated.once(joined(t.mov("r2", "sp"), first)).followed_by(more)
        pairs = zip(_FIRST_SUMS[:rows], _SECOND_SUMS, strict=False)
        copies = [t.mov(two, one) for one, two in pairs if windows == 2]
        step = self.quad(rows, self.fetch("r2", windows), windows)
        rest = self.quad(rows, self.rest("r2", windows), windows) if self.tile.length % QUAD else ()
        run = repeated(step, self.tile.length // QUAD, "r3", 3).then(rest)
        runs = counted_in_memory(run.then(self.gap("r2")), self.tile.runs, self.slot(_RUNS_LEFT), "r3", 5)
        return Repeated.once(joined(t.ldr("r2", self.slot(_WINDOWS_AT)), copies)).followed_by(runs)

    def finish(self, rows: int, windows: int) -> Code:
        zero, second = self.tile.zero, self.tile.rows
        factors = ("r8", "r9", "r10") if rows == 2 else ("r8", "r10")
        lines: list[Line | Code] = [t.ldm("r0", factors, update=True)]
        if rows == 2:
            lines += [t.lsr("r11", "r10", 8)]
        for row, (multiplier, right) in enumerate([("r8", "r10"), ("r9", "r11")][:rows]):
            for window, sums in enumerate((_FIRST_SUMS, _SECOND_SUMS)[:windows]):
                lines += [requantised(sums[row], multiplier, right, zero)]
                if row or window:
                    lines += [t.strb(sums[row], at("r1", second * window + row))]
        return joined(*lines, t.strb("r4", post("r1", rows)))

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        pairs, odd = divmod(self.tile.count, 2)
        return [group for group in ((pairs, 2), (odd, 1)) if group[0]]

    def load_windows(self, windows: int) -> Repeated:
        code = self.widened(windows) if self.wide else Repeated.once(())
        return code.then((t.ldr("r0", self.slot(STREAM)),))

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return block.looped((), (t.cmp("r10", 0), t.bge(back=2)), times, 2)

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        return counted_in_memory(code, times, self.slot(_PAIRS_LEFT), "r3", 1)

    @property
    def first_results(self) -> Code:
        """Saves the address of the results, which is in r2."""
        return (t.mov("r1", "r2"),)

    @property
    def further_results(self) -> Code:
        """Advances from the end of the first window's results to the results of the next two windows."""
        return moved("r1", self.tile.rows)

    def enter(self) -> Code:
        arguments = t.str_("r0", self.slot(STREAM)), t.str_("r1", self.slot(_WINDOWS_AT))
        return joined(saved(self.frame), arguments, self.first_results)

    def leave(self) -> Code:
        return restored(self.frame)

    def next_windows(self, windows: int) -> Code:
        if self.tile.count <= 2 or windows == 1:
            return ()
        address = self.slot(_WINDOWS_AT)
        step = moved("r12", 2 * self.tile.step)
        return joined(self.further_results, t.ldr("r12", address), step, t.str_("r12", address))
