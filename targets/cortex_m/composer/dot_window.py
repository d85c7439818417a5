"""Rows of a matrix by a single window, eight at a time with their sums in registers, for the DSP extension.

The window is widened in registers, each four elements once for eight rows. The last rows go by four, by two and alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.requantised import doubled, requantised_in_c
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.composer.tile_code import RepeatedCode
from tinyml.targets.cortex_m.composer.assembly import SAVED, SAVED_BYTES, bytes_of, moved
from tinyml.targets.cortex_m.composer.epilogues import requantised
from tinyml.targets.cortex_m.composer.fetch import QUAD, parted_bytes
from tinyml.targets.cortex_m.composer.loops import counted_in_memory
from tinyml.targets.cortex_m.composer.multiply import halfwords
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

_SUMS = ("r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11")
_STREAM, _WINDOW, _ELEMENTS, _WEIGHTS = "r0", "r1", ("r2", "r3"), ("r12", "lr")
_AT_WINDOW, _AT_OUT, _BLOCKS_LEFT, _AT_END = (f"[sp, #{4 * number}]" for number in range(4))
_FRAME = 20
_UNROLLED = {4096: 8, 0: 2}
"""The groups of four elements that stand one after the other in a loop, by the least number of weights."""


@dataclass(frozen=True)
class Window(RepeatedCode):
    """The code for a tile of one window, which is a single run of at least four elements."""

    tile: Tile

    @property
    def fits(self) -> bool:
        return self.tile.runs == 1 and self.tile.length >= QUAD

    @property
    def quads(self) -> int:
        """Groups of four elements, the last one filled up with weights of zero."""
        return -(-self.tile.length // QUAD)

    @property
    def blocks(self) -> Sequence[tuple[int, int]]:
        """How often so many rows are taken at once, from the first ones on."""
        whole, rest = divmod(self.tile.rows, len(_SUMS))
        return [*([(whole, len(_SUMS))] if whole else []), *((1, rows) for rows in (4, 2, 1) if rest & rows)]

    def quad(self, rows: int, load: Lines = (f"ldr r3, [{_WINDOW}], #4",)) -> Lines:
        """Four elements by the weights of each row."""
        even, odd = _ELEMENTS
        *before, last = load
        lines = [before, parted_bytes(last, even, odd)]
        for sum in _SUMS[:rows]:
            lines += [
                parted_bytes(f"ldr lr, [{_STREAM}], #4", *_WEIGHTS),
                halfwords((sum,), _WEIGHTS[0], even),
                halfwords((sum,), _WEIGHTS[1], odd),
            ]
        return joined(*lines)

    def block(self, rows: int) -> Repeated:
        """The results of rows."""
        whole, rest = divmod(self.tile.length, QUAD)
        starts = f"ldm {_STREAM}!, {{{', '.join(_SUMS[:rows])}}}"
        weights = self.tile.rows * self.tile.length
        unrolled = next(count for least, count in _UNROLLED.items() if weights >= least)
        loops, single = divmod(whole, unrolled) if whole > 2 * unrolled else (0, whole)
        products = Repeated.once(joined(starts, f"ldr {_WINDOW}, {_AT_WINDOW}", self.quad(rows) * single))
        if loops:
            loop = Repeated.once(self.quad(rows) * unrolled)
            end = f"ldr r3, {_AT_END}", f"cmp {_WINDOW}, r3", "bne 3b"
            products = products.followed_by(loop.looped((), end, loops, 3))
        if rest:
            # The last four elements, of which those that met their weights before become zeros.
            more = 8 * (QUAD - rest)
            load = f"ldr r3, [{_WINDOW}, #{rest - QUAD}]", f"lsr r3, r3, #{more}"
            products = products.then(self.quad(rows, load))
        return products.then(self.finish(rows))

    def finish(self, rows: int) -> Lines:
        """Stores the results of rows; behind their multipliers there is a byte for the shift of each."""
        lines: list[Lines] = [(f"ldr r2, {_AT_OUT}",)]
        for row, sum in enumerate(_SUMS[:rows]):
            at = 4 * rows - 4 * (row + 1) + row
            lines += [
                (f"ldr r12, [{_STREAM}], #4", f"ldrb lr, [{_STREAM}, #{at}]"),
                requantised(sum, "r12", "lr", self.tile.zero),
                (f"strb {sum}, [r2], #1",),
            ]
        return joined(*lines, moved(_STREAM, -(-rows // 4) * 4), f"str r2, {_AT_OUT}")

    def function(self) -> Repeated:
        """The function."""
        whole = self.tile.length - self.tile.length % QUAD
        code = Repeated.once(
            joined(
                f"push {{{SAVED}, lr}}",
                (f"sub sp, #{_FRAME}", f"str r1, {_AT_WINDOW}", f"str r2, {_AT_OUT}"),
                moved("r1", whole),
                f"str r1, {_AT_END}",
            )
        )
        for times, rows in self.blocks:
            code = code.followed_by(counted_in_memory(self.block(rows), times, _BLOCKS_LEFT, "r3", 1))
        return code.then((f"add sp, #{_FRAME}", f"pop {{{SAVED}, pc}}"))

    @property
    def stack(self) -> int:
        return SAVED_BYTES + _FRAME

    @property
    def bytes(self) -> int:
        """An upper bound of the bytes of flash."""
        return bytes_of(self.lines)

    def stream(self, sums: Sums) -> Bytes:
        """Of each block the starts, the weights, the multipliers and the shifts."""
        parts: list[Bytes] = []
        weights = np.pad(sums.weights, ((0, 0), (0, -self.tile.length % QUAD))).reshape(self.tile.rows, -1, QUAD)
        first = 0
        for times, count in self.blocks:
            for _ in range(times):
                rows = slice(first, first + count)
                shifts = np.zeros(-(-count // 4) * 4, np.int8)
                shifts[:count] = -sums.shifts[rows] - 1
                multipliers = [doubled(int(multiplier)) for multiplier in sums.multipliers[rows]]
                parts += [
                    sums.starts[rows].astype("<i4").view(np.int8),
                    weights[rows].transpose(1, 0, 2).reshape(-1).astype(np.int8),
                    np.array(multipliers, "<i4").view(np.int8),
                    shifts,
                ]
                first += count
        return np.concatenate(parts)

    @property
    def portable(self) -> str:
        tile, quads = self.tile, self.quads
        return f"""\
    for (int first = 0, rows; first < {tile.rows}; first += rows) {{
        const int left = {tile.rows} - first;
        rows = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        for (int row = 0; row < rows; row++) {{
            const int8_t *w = stream + 4 * rows + 4 * row, *factors = stream + {4 * quads + 4} * rows;
            const int32_t multiplier = tm_number(factors + 4 * row);
            const int right = factors[4 * rows + row];
            int32_t sum = tm_number(stream + 4 * row);
            for (int i = 0; i < {tile.length}; i++)
                sum += w[i / 4 * 4 * rows + i % 4] * (int32_t)x[i];
{requantised_in_c(" " * 12, tile.zero, "out[first + row]")}
        }}
        stream += {4 * quads + 8} * rows + (rows + 3) / 4 * 4;
    }}"""
