"""Rows of a matrix by the windows of a strip, two by two with their sums in registers, for the DSP extension.

The windows of two pixels are widened to halfwords once for all rows, in the frame, or where they are long each time, in
registers. Two rows at a time then meet both, and every sum ends in an epilogue. An odd last row is alone; an odd last
pixel is computed together with the one before, once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.cortex_m.composer.assembly import (
    DSP,
    REACH,
    Lines,
    bytes_of,
    instructions,
    joined,
    moved,
    statement,
)
from tinyml.targets.cortex_m.composer.epilogues import doubled, requantised, requantised_in_c
from tinyml.targets.cortex_m.composer.fetch import (
    QUAD,
    last_few,
    next_four,
    pair_of_windows,
    parted_bytes,
    widened_elements,
)
from tinyml.targets.cortex_m.composer.loops import Repeated, repeated
from tinyml.targets.cortex_m.composer.multiply import halfwords
from tinyml.targets.kernel import Composed, Kernel
from tinyml.targets.tiles import Sums, Tile, TileFamily

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.targets.tiles import Bytes

WIDE_BYTES = 1152
"""The most stack for two windows that are widened once, four bytes for each element of a window."""

_DENSE = 64
"""The most elements of windows whose runs are put together where they are no whole fours."""

_LAST = 0x80
"""The mark of the last pair of rows, in the topmost byte of its shifts."""

_FIRST_SUMS, _SECOND_SUMS = ("r4", "r6"), ("r5", "r7")
"""The sums of both rows, of the first window and of the second."""

_WINDOWS = "r8, r9, r10, r11"
"""Four elements of the first window, two by two, then those of the second."""

_SAVED = "r4, r5, r6, r7, r8, r9, r10, r11"


@dataclass(frozen=True)
class _Strip:
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
        return size if (size := 4 * QUAD * self.quads) <= WIDE_BYTES else 0

    @property
    def second(self) -> tuple[int, int]:
        """The distances of the second window, and of its results, from the first; none for a single pixel."""
        return (self.tile.step, self.tile.rows) if self.tile.count > 1 else (0, 0)

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

    @property
    def stream(self) -> str:
        return self.slot(0)

    @property
    def strip(self) -> str:
        return self.slot(1)

    @property
    def pairs_left(self) -> str:
        return self.slot(2)

    @property
    def runs_left(self) -> str:
        return self.slot(3)

    def widened(self) -> Repeated:
        """Both windows as halfwords in the frame, four of the first and four of the second by turns."""
        tile, (apart, _) = self.tile, self.second
        start = joined(f"ldr lr, {self.strip}")
        if self.is_dense:
            places = [(0, 0), (apart, 2 * QUAD)]
            elements = [widened_elements(tile.length, run, tile.pitch, places) for run in range(tile.runs)]
            return Repeated.once(joined(start, *elements))
        step, rest = (
            joined(fetch, "stm r2!, {r8, r9, r10, r11}") if fetch else ()
            for fetch in (next_four("lr", apart, _WINDOWS), self.rest("lr"))
        )
        run = repeated(step, tile.length // QUAD, "r3", 3).then(rest)
        runs = run.then(self.gap("lr")).times(tile.runs, "r12", 5)
        return Repeated.once(joined(start, "mov r2, sp")).followed_by(runs)

    def rest(self, pointer: str) -> Lines:
        """The elements of a run beyond whole fours, of both windows."""
        count = self.tile.length % QUAD
        return last_few(pointer, self.second[0], _WINDOWS, count) if count else ()

    def gap(self, pointer: str) -> Lines:
        """Moves on from what is fetched of a run to the next one."""
        whole = self.tile.length - self.tile.length % QUAD
        return moved(pointer, self.tile.pitch - whole) if self.tile.runs > 1 else ()

    def quad(self, rows: int, windows: Lines, *, first: bool = False) -> Lines:
        """Four weights of each row by those elements of both windows. first: their sums begin, in registers of one."""
        lines = [windows]
        for row in range(rows):
            one, two = _FIRST_SUMS[row], _SECOND_SUMS[row]
            begin = (f"smlad {two}, r12, r10, {one}",) if first else halfwords((two,), "r12", "r10")
            lines += [parted_bytes("ldr lr, [r0], #4", "r12", "lr"), begin, halfwords((one,), "r12", "r8")]
            lines += [halfwords((two,), "lr", "r11"), halfwords((one,), "lr", "r9")]
        return joined(*lines)

    def block(self, rows: int) -> Repeated:
        """One or two rows by both windows."""
        starts = "ldm r0!, {r4, r6}" if rows == 2 else "ldr r4, [r0], #4"
        if self.wide:
            windows = pair_of_windows("r2", _WINDOWS)
            first, step = self.quad(rows, windows, first=True), self.quad(rows, windows)
            products = Repeated.once(joined(starts, "mov r2, sp", first)).followed_by(
                repeated(step, self.quads - 1, "r3", 3)
            )
        else:
            copies = [f"mov {two}, {one}" for one, two in zip(_FIRST_SUMS[:rows], _SECOND_SUMS, strict=False)]
            step = self.quad(rows, next_four("r2", self.second[0], _WINDOWS))
            rest = self.quad(rows, self.rest("r2")) if self.tile.length % QUAD else ()
            run = repeated(step, self.tile.length // QUAD, "r3", 3).then(rest)
            runs = run.then(self.gap("r2")).times_in_memory(self.tile.runs, self.runs_left, "r3", 5)
            products = Repeated.once(joined(starts, f"ldr r2, {self.strip}", copies)).followed_by(runs)
        return products.then(self.finish(rows))

    def finish(self, rows: int) -> Lines:
        """Stores the results of rows."""
        zero, (_, second) = self.tile.zero, self.second
        lines: list[str | Lines] = ["ldm r0!, {r8, r9, r10}" if rows == 2 else "ldm r0!, {r8, r10}"]
        if rows == 2:
            lines += ["lsr r11, r10, #8"]
        for row, (multiplier, right) in enumerate([("r8", "r10"), ("r9", "r11")][:rows]):
            lines += [requantised(sums[row], multiplier, right, zero) for sums in (_FIRST_SUMS, _SECOND_SUMS)]
        if rows == 2:
            lines += ["strb r6, [r1, #1]", f"strb r7, [r1, #{second + 1}]"]
        return joined(*lines, f"strb r5, [r1, #{second}]", f"strb r4, [r1], #{rows}")

    def parts(self) -> tuple[Lines, Repeated, Repeated, Repeated, Lines]:
        """What runs once; for both pixels; for two rows; behind all rows of both pixels; and at the end."""
        tile = self.tile
        pairs, odd_row = divmod(tile.rows, 2)
        begin = joined(
            f"push {{{_SAVED}, lr}}",
            moved("sp", -self.frame),
            f"str r0, {self.stream}",
            f"str r1, {self.strip}",
            "mov r1, r2",
            f"mov r3, #{-(-tile.count // 2)}",
            f"str r3, {self.pairs_left}",
        )
        pixels = self.widened() if self.wide else Repeated.once(())
        rows = self.block(2).then(("cmp r10, #0", "bge 2b") if pairs > 1 else ())
        last = self.block(1) if odd_row else Repeated.once(())
        behind = last.then(joined(f"ldr r3, {self.pairs_left}", "subs r3, #1", "beq 9f"))
        odd_pixel = tile.count % 2 and tile.count > 1
        following = joined(
            f"str r3, {self.pairs_left}",
            moved("r1", tile.rows),
            f"ldr r12, {self.strip}",
            moved("r12", 2 * tile.step),
            ("cmp r3, #1", "itt eq", f"subeq r12, r12, #{tile.step}", f"subeq r1, r1, #{tile.rows}")
            if odd_pixel
            else (),
            f"str r12, {self.strip}",
            "b 1b",
        )
        return begin, pixels.then((f"ldr r0, {self.stream}",)), rows, behind, following

    @cached_property
    def assembly(self) -> Lines:
        begin, pixels, rows, behind, following = self.parts()
        several = self.tile.count > 2
        return joined(
            begin,
            "1:",
            pixels.lines,
            ("2:", *rows.lines) if self.tile.rows > 1 else (),
            behind.lines,
            following if several else (),
            "9:",
            moved("sp", self.frame),
            f"pop {{{_SAVED}, pc}}",
        )

    @property
    def time(self) -> float:
        """The instructions of a call."""
        begin, pixels, rows, behind, following = self.parts()
        pairs = -(-self.tile.count // 2)
        each = pixels.time + self.tile.rows // 2 * rows.time + behind.time
        return instructions(begin) + 2 + pairs * each + (pairs - 1) * instructions(following)

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


def _stream(tile: Tile, sums: Sums) -> Bytes:
    strip, parts = _Strip(tile), list["Bytes"]()
    weights = strip.placed(sums.weights)
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


def _portable(tile: Tile) -> str:
    strip = _Strip(tile)
    quads, gap = strip.quads, tile.length if strip.is_dense else QUAD * strip.fours
    order = ", ".join(map(str, np.argsort(strip.order)))
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


def _composed(symbol: str, tile: Tile) -> Kernel | None:
    strip = _Strip(tile)
    if not strip.fits:
        return None
    lines = strip.assembly
    return Kernel(
        symbol,
        8,
        8,
        32,
        op=DOT_STRIPS.op,
        flash=None,
        code=bytes_of(lines),
        needs=DOT_STRIPS.needs,
        composed=Composed(
            "tinyml/cores.h",
            f"void {symbol}(const int8_t *stream, const int8_t *x, int8_t *out)",
            {(DSP,): statement(lines)},
            _portable(tile),
            {"": float(strip.time), "element": 0.0, "odd element": 0.0},
            call=16,
            stack=36 + strip.frame,
        ),
    )


DOT_STRIPS = TileFamily("tm_cm_dot_strip_s8_", "num.dot_tiles", "dsp", _composed, _stream)
"""The kernels for bytes: rows of a matrix by windows. Every |start| plus the sum of |w| * |x| stays below
`REQUANTISED_LIMIT`, every shift is negative, and every multiplier at least `LEAST_MULTIPLIER`."""
