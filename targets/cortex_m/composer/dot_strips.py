"""Rows of a matrix by the windows of a strip, two by two with their sums in registers, for the DSP extension.

The windows of two pixels are widened to halfwords once for all rows, in the frame, or where they are long each time, in
registers. Two rows at a time then meet both, and every sum ends in an epilogue. An odd last row and an odd last pixel
are alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.composer.requantised import doubled, requantised_in_c
from tinyml.targets.cortex_m.composer.assembly import REACH, bytes_of, moved
from tinyml.targets.cortex_m.composer.epilogues import requantised
from tinyml.targets.cortex_m.composer.fetch import (
    QUAD,
    last_few,
    next_four,
    parted_bytes,
    widened_elements,
    widened_windows,
)
from tinyml.targets.cortex_m.composer.loops import counted, counted_in_memory, repeated
from tinyml.targets.cortex_m.composer.multiply import halfwords
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.targets.tiles import Bytes

WIDE_BYTES = 1024
"""The most stack for two windows that are widened once, four bytes for each element of a window."""

_DENSE = 64
"""The most elements of windows whose runs are put together where they are no whole fours."""

_LAST = 0x80
"""The mark of the last pair of rows, in the topmost byte of its shifts."""

_FIRST_SUMS, _SECOND_SUMS = ("r4", "r6"), ("r5", "r7")
"""The sums of both rows, of the first window and of the second."""

_WINDOWS = "r8, r9, r10, r11"
"""Four elements of the first window, two by two, then those of the second."""

_STREAM, _WINDOWS_AT, _PAIRS_LEFT, _RUNS_LEFT = range(4)
"""Words of the frame above the widened windows."""

_SAVED = "r4, r5, r6, r7, r8, r9, r10, r11"


def _registers(pixels: int) -> str:
    """The registers for elements of one or two windows."""
    return _WINDOWS if pixels == 2 else "r8, r9"


@dataclass(frozen=True)
class Strip:
    """The code for a tile: r0 walks along the stream, r1 along the results, r2 along the windows."""

    tile: Tile

    @property
    def is_dense(self) -> bool:
        """Are runs put together, without gaps?"""
        return self.tile.length % QUAD != 0 and self.tile.runs * self.tile.length <= _DENSE

    @property
    def fours(self) -> int:
        """Groups of four elements of a run."""
        return -(-self.tile.length // QUAD)

    @property
    def quads(self) -> int:
        """Groups of four elements of a window."""
        return -(-self.tile.runs * self.tile.length // QUAD) if self.is_dense else self.tile.runs * self.fours

    @property
    def wide(self) -> int:
        """The bytes of widened windows; 0 where they are widened each time."""
        size = 2 * QUAD * self.quads * min(self.tile.count, 2)
        return size if size <= WIDE_BYTES else 0

    @property
    def fits(self) -> bool:
        """Do loads and stores reach?"""
        tile = self.tile
        inside = (tile.runs - 1) * tile.pitch + tile.length if self.is_dense else 0
        reaches = inside + tile.step <= REACH and tile.rows + 1 <= REACH
        return reaches and (self.is_dense or tile.length >= QUAD)

    def slot(self, number: int) -> str:
        """A word of the frame above the widened windows."""
        return f"[sp, #{self.wide + 4 * number}]"

    @property
    def frame(self) -> int:
        return -(-(self.wide + 16) // 8) * 8 + 4

    def fetch(self, pointer: str, pixels: int) -> Lines:
        """Four elements of one or two windows."""
        if pixels == 1:
            return parted_bytes(f"ldr r9, [{pointer}], #4", "r8", "r9")
        return next_four(pointer, self.tile.step, _WINDOWS)

    def rest(self, pointer: str, pixels: int) -> Lines:
        """The elements of a run beyond whole fours."""
        count = self.tile.length % QUAD
        return last_few(pointer, [0, self.tile.step][:pixels], _WINDOWS, count) if count else ()

    def gap(self, pointer: str) -> Lines:
        """Moves on from what is fetched of a run to the next one."""
        whole = self.tile.length - self.tile.length % QUAD
        return moved(pointer, self.tile.pitch - whole) if self.tile.runs > 1 else ()

    def widened(self, pixels: int) -> Repeated:
        """Windows as halfwords in the frame, four of the first and four of the second by turns."""
        tile = self.tile
        start = joined(f"ldr lr, {self.slot(_WINDOWS_AT)}")
        if self.is_dense:
            places = [(0, 0), (tile.step, 2 * QUAD)][:pixels]
            elements = [widened_elements(tile.length, run, tile.pitch, places) for run in range(tile.runs)]
            return Repeated.once(joined(start, *elements))
        store = f"stm r2!, {{{_registers(pixels)}}}"
        step, rest = (
            joined(fetch, store) if fetch else () for fetch in (self.fetch("lr", pixels), self.rest("lr", pixels))
        )
        run = repeated(step, tile.length // QUAD, "r3", 3).then(rest)
        runs = counted(run.then(self.gap("lr")), tile.runs, "r12", 5)
        return Repeated.once(joined(start, "mov r2, sp")).followed_by(runs)

    def quad(self, rows: int, windows: Lines, pixels: int, *, first: bool = False) -> Lines:
        """Four weights of each row by those elements of windows.

        first: the sums of both windows begin, in the registers of the first one's.
        """
        lines = [windows]
        for row in range(rows):
            one, two = _FIRST_SUMS[row], _SECOND_SUMS[row]
            lines += [parted_bytes("ldr lr, [r0], #4", "r12", "lr")]
            if pixels == 2:
                begin = (f"smlad {two}, r12, r10, {one}",) if first else halfwords((two,), "r12", "r10")
                lines += [begin, halfwords((two,), "lr", "r11")]
            lines += [halfwords((one,), "r12", "r8"), halfwords((one,), "lr", "r9")]
        return joined(*lines)

    def block(self, rows: int, pixels: int) -> Repeated:
        """One or two rows by one or two windows."""
        starts = "ldm r0!, {r4, r6}" if rows == 2 else "ldr r4, [r0], #4"
        if self.wide:
            windows = widened_windows("r2", _registers(pixels))
            first, step = self.quad(rows, windows, pixels, first=True), self.quad(rows, windows, pixels)
            products = Repeated.once(joined(starts, "mov r2, sp", first)).followed_by(
                repeated(step, self.quads - 1, "r3", 3)
            )
        else:
            pairs = zip(_FIRST_SUMS[:rows], _SECOND_SUMS, strict=False)
            copies = [f"mov {two}, {one}" for one, two in pairs if pixels == 2]
            step = self.quad(rows, self.fetch("r2", pixels), pixels)
            rest = self.quad(rows, self.rest("r2", pixels), pixels) if self.tile.length % QUAD else ()
            run = repeated(step, self.tile.length // QUAD, "r3", 3).then(rest)
            runs = counted_in_memory(run.then(self.gap("r2")), self.tile.runs, self.slot(_RUNS_LEFT), "r3", 5)
            products = Repeated.once(joined(starts, f"ldr r2, {self.slot(_WINDOWS_AT)}", copies)).followed_by(runs)
        return products.then(self.finish(rows, pixels))

    def finish(self, rows: int, pixels: int) -> Lines:
        """Stores the results of rows."""
        zero, second = self.tile.zero, self.tile.rows
        lines: list[str | Lines] = ["ldm r0!, {r8, r9, r10}" if rows == 2 else "ldm r0!, {r8, r10}"]
        if rows == 2:
            lines += ["lsr r11, r10, #8"]
        for row, (multiplier, right) in enumerate([("r8", "r10"), ("r9", "r11")][:rows]):
            for window, sums in enumerate((_FIRST_SUMS, _SECOND_SUMS)[:pixels]):
                lines += [requantised(sums[row], multiplier, right, zero)]
                if row or window:
                    lines += [f"strb {sums[row]}, [r1, #{second * window + row}]"]
        return joined(*lines, f"strb r4, [r1], #{rows}")

    def pixels(self, pixels: int) -> Repeated:
        """All rows by one or two windows."""
        pairs, odd = divmod(self.tile.rows, 2)
        code = self.widened(pixels) if self.wide else Repeated.once(())
        code = code.then((f"ldr r0, {self.slot(_STREAM)}",))
        if pairs:
            code = code.followed_by(self.block(2, pixels).looped((), ("cmp r10, #0", "bge 2b"), pairs, 2))
        return code.followed_by(self.block(1, pixels)) if odd else code

    @cached_property
    def code(self) -> Repeated:
        """The function."""
        tile = self.tile
        pairs, odd = divmod(tile.count, 2)
        begin = joined(
            f"push {{{_SAVED}, lr}}",
            moved("sp", -self.frame),
            f"str r0, {self.slot(_STREAM)}",
            f"str r1, {self.slot(_WINDOWS_AT)}",
            "mov r1, r2",
        )
        following = joined(
            moved("r1", tile.rows),
            f"ldr r12, {self.slot(_WINDOWS_AT)}",
            moved("r12", 2 * tile.step),
            f"str r12, {self.slot(_WINDOWS_AT)}",
        )
        code = Repeated.once(begin)
        if pairs:
            both = self.pixels(2).then(following if pairs > 1 or odd else ())
            code = code.followed_by(counted_in_memory(both, pairs, self.slot(_PAIRS_LEFT), "r3", 1))
        if odd:
            code = code.followed_by(self.pixels(1))
        return code.then(joined(moved("sp", self.frame), f"pop {{{_SAVED}, pc}}"))

    @property
    def lines(self) -> Lines:
        return self.code.lines

    @property
    def stack(self) -> int:
        return 36 + self.frame

    @property
    def bytes(self) -> int:
        """An upper bound of the bytes of flash."""
        return bytes_of(self.lines)

    @property
    def time(self) -> int:
        """The instructions of a call."""
        return self.code.time

    def placed(self, weights: NDArray[np.int64]) -> Bytes:
        """Rows of weights, in fours, as each meets the elements of windows."""
        tile, count = self.tile, len(weights)
        runs = weights.reshape(count, 1 if self.is_dense else tile.runs, -1)
        filled = np.pad(runs, ((0, 0), (0, 0), (0, -runs.shape[2] % QUAD))).reshape(count, self.quads, QUAD)
        # Put together, elements stay in order as halfwords; SXTB16 takes bytes 0 and 2, then 1 and 3.
        return (filled[:, :, self.order] if self.is_dense else filled).astype(np.int8)

    @property
    def order(self) -> list[int]:
        """The element of each byte in a group of four weights."""
        return [0, 2, 1, 3] if self.is_dense else [0, 1, 2, 3]

    def stream(self, sums: Sums) -> Bytes:
        """Of each two rows the starts, the weights, the multipliers and the shifts."""
        tile, weights = self.tile, self.placed(sums.weights)
        parts: list[Bytes] = []
        for row in range(0, tile.rows, 2):
            rows = slice(row, min(row + 2, tile.rows))
            shifts = np.zeros(4, np.int8)
            shifts[: rows.stop - row] = -sums.shifts[rows] - 1
            if row + 2 >= tile.rows - tile.rows % 2:
                shifts[3] = np.uint8(_LAST).astype(np.int8)
            multipliers = [doubled(int(multiplier)) for multiplier in sums.multipliers[rows]]
            parts += [
                sums.starts[rows].astype("<i4").view(np.int8),
                weights[rows].transpose(1, 0, 2).reshape(-1),
                np.array(multipliers, "<i4").view(np.int8),
                shifts,
            ]
        return np.concatenate(parts)

    @property
    def portable(self) -> str:
        tile, quads = self.tile, self.quads
        gap = tile.length if self.is_dense else QUAD * self.fours
        order = ", ".join(map(str, np.argsort(self.order)))
        return f"""\
    static const uint8_t order[] = {{{order}}};
    for (int row = 0; row < {tile.rows}; row++) {{
        const int8_t *w = stream + row / 2 * {8 * quads + 20};
        const int rows = row == {tile.rows} - {tile.rows % 2} ? 1 : 2, own = 4 * (row % 2);
        const int32_t multiplier = tm_number(w + {4 * quads + 4} * rows + own);
        const int right = w[{4 * quads + 8} * rows + row % 2];
        for (int window = 0; window < {tile.count}; window++) {{
            int32_t sum = tm_number(w + own);
            for (int run = 0; run < {tile.runs}; run++)
                for (int i = 0; i < {tile.length}; i++) {{
                    const int at = run * {gap} + i;
                    sum += w[4 * rows + at / 4 * 4 * rows + own + order[at % 4]]
                        * (int32_t)x[window * {tile.step} + run * {tile.pitch} + i];
                }}
{requantised_in_c(" " * 12, tile.zero, f"out[window * {tile.rows} + row]")}
        }}
    }}"""
