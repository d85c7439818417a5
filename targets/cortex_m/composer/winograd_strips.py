"""Rows of a matrix by the windows of a strip with two products where the definition has three: Winograd's F(2, 3).

S. Winograd, Arithmetic Complexity of Computations (1980); A. Lavin and S. Gray, Fast Algorithms for Convolutional
Neural Networks (CVPR 2016). Two windows beside each other lie on four pixels d0 to d3, and meet three columns of
weights, g0 to g2:

    y0 = (a + b) / 2 + c     a = (d1 + d2) (g0 + g1 + g2)     c = (d0 - d2) g0
    y1 = (a - b) / 2 + d     b = (d2 - d1) (g0 - g1 + g2)     d = (d3 - d1) g2

The halves are exact, as a + b = 2 (d2 (g0 + g2) + d1 g1) and a - b = 2 (d1 (g0 + g2) + d2 g1), so that results have the
bits of the sums as they are defined. Differences and sums of bytes fit halfwords, as do those of three weights. Sums
begin with twice the start; where twice every sum fits 32 bits, so does what is halved. All else is exact modulo 2^32.

Four windows at a time are transformed in the frame, once for all rows, and four rows at a time meet both pairs with
eight sums in registers. The last four windows may overlap those before; the last rows go by two and alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.cortex_m.composer.assembly import REACH, bytes_of, moved
from tinyml.targets.cortex_m.composer.epilogues import requantised
from tinyml.targets.cortex_m.composer.fetch import QUAD, parted_bytes
from tinyml.targets.cortex_m.composer.loops import counted_in_memory
from tinyml.targets.cortex_m.composer.multiply import rows_of_halfwords
from tinyml.targets.cortex_m.composer.winograd_streams import TAPS, winograd_in_c, winograd_stream
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

FRAME_BYTES = 6144
"""The most stack for transformed windows."""

_AT_ONCE = 4
"""The windows that are transformed together."""

_TERMS = 4
_GROUP = 4 * QUAD * _TERMS
"""The bytes of four elements of transformed windows: of every term two words of each pair of windows."""

_PLUS, _MINUS, _FIRST, _LAST = (16, 0, 32, 48)
"""The places of the words of a, b, c and d in a group, in the order in which rows go through them."""

_SUMS = (("r4", "r5"), ("r6", "r7"), ("r8", "r9"), ("r10", "r11"))
"""The sums of each row, of the first and of the second pair of windows."""

_PIXELS = ("r0", "r1", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12")
"""The registers for six pixels: a word of elements 0 and 2 of each, then a word of elements 1 and 3."""

_STREAM, _WINDOWS_AT, _RESULTS_AT, _AT, _OUT, _RUNS_LEFT, _BLOCKS_LEFT, _STEPS_LEFT = (
    4 * number for number in range(8)
)
_KEPT = 32
_DATA = 64
"""Bytes of the frame: words, sums that are kept, transformed windows."""

_SAVED = "r4, r5, r6, r7, r8, r9, r10, r11"
_UNROLLED = 8
"""The most groups of four elements that stand one after the other in a loop."""


def _slot(place: int) -> str:
    return f"[sp, #{place}]"


def _unrolled(count: int) -> int:
    """The greatest divisor of a number of steps of which so many may stand one after the other."""
    return next(steps for steps in range(min(count, _UNROLLED), 0, -1) if count % steps == 0)


@dataclass(frozen=True)
class WinogradStrip:
    """The code for a tile whose windows have three pixels in a row and lie one pixel apart."""

    tile: Tile

    @property
    def fits(self) -> bool:
        tile = self.tile
        shape = tile.length == TAPS * tile.step and tile.step % QUAD == 0 and tile.count >= _AT_ONCE
        reaches = 5 * tile.step <= REACH and _AT_ONCE * tile.rows <= REACH and tile.count * tile.rows < 1 << 16
        return shape and reaches and _GROUP * self.quads <= FRAME_BYTES

    @property
    def quads(self) -> int:
        """Groups of four elements of a pixel under all rows of a window."""
        return self.tile.runs * self.tile.step // QUAD

    @property
    def groups(self) -> int:
        """The times that windows are transformed."""
        return -(-self.tile.count // _AT_ONCE)

    @property
    def frame(self) -> int:
        return _DATA + _GROUP * self.quads + 4

    @property
    def blocks(self) -> Sequence[tuple[int, int]]:
        """How often so many rows are taken at once, from the first ones on."""
        whole, rest = divmod(self.tile.rows, len(_SUMS))
        return [*([(whole, len(_SUMS))] if whole else []), *((1, rows) for rows in (2, 1) if rest & rows)]

    @property
    def transformation(self) -> Repeated:
        """Transforms four windows, from lr on, into the frame."""
        even, odd = _PIXELS[::2], _PIXELS[1::2]
        pixels: list[Lines] = []
        for number in reversed(range(6)):
            address = f"[lr, #{number * self.tile.step}]" if number else f"[lr], #{QUAD}"
            pixels += [parted_bytes(f"ldr {odd[number]}, {address}", even[number], odd[number])]
        halves = [joined(*pixels), self.terms(even, 8, "[r2, #8]"), self.terms(odd, 0, f"[r2], #{_GROUP}")]
        run = counted_in_memory(Repeated.once(joined(*halves)), self.tile.step // QUAD, _slot(_STEPS_LEFT), "r3", 3)
        if self.tile.runs > 1:
            run = run.then(moved("lr", self.tile.pitch - self.tile.step))
        return counted_in_memory(run, self.tile.runs, _slot(_RUNS_LEFT), "r3", 4)

    def terms(self, pixels: Sequence[str], half: int, minus: str) -> Lines:
        """The terms of two elements of six pixels, whose registers change. minus: the address of those of b."""
        zero, one, two, three, four, five = pixels
        return (
            f"ssub16 {zero}, {zero}, {two}",
            f"str {zero}, [r2, #{_FIRST + half}]",
            f"ssub16 {zero}, {two}, {four}",
            f"str {zero}, [r2, #{_FIRST + half + 4}]",
            f"ssub16 {zero}, {three}, {one}",
            f"ssub16 {five}, {five}, {three}",
            f"strd {zero}, {five}, [r2, #{_LAST + half}]",
            f"sadd16 {zero}, {one}, {two}",
            f"sadd16 {five}, {three}, {four}",
            f"strd {zero}, {five}, [r2, #{_PLUS + half}]",
            f"ssub16 {two}, {two}, {one}",
            f"ssub16 {four}, {four}, {three}",
            f"strd {two}, {four}, {minus}",
        )

    def products(self, rows: int, term: int) -> Repeated:
        """Adds a term of rows to their sums."""
        lines: list[str | Lines] = []
        for half in ("[r2, #8]", f"[r2], #{_GROUP}"):
            lines += [f"ldrd r1, r3, {half}", rows_of_halfwords("r0", _SUMS[:rows], ("r1", "r3"))]
        unrolled = _unrolled(self.quads)
        loop = Repeated.once(joined(*lines) * unrolled)
        loop = counted_in_memory(loop, self.quads // unrolled, _slot(_STEPS_LEFT), "r3", 3)
        return Repeated.once((f"add r2, sp, #{_DATA + term}",)).followed_by(loop)

    def block(self, rows: int) -> Repeated:
        """The results of rows."""
        sums = [sum for pair in _SUMS[:rows] for sum in pair]
        starts = [one for one, _ in _SUMS[:rows]]
        begin = joined(f"ldm r0!, {{{', '.join(starts)}}}", [f"mov {two}, {one}" for one, two in _SUMS[:rows]])
        # a was kept, and b added to it: a + b becomes its half, and a what that leaves of it, which is half of a - b.
        halves = [
            (f"asr {sum}, {sum}, #1", f"ldr r3, {at}", f"sub r3, r3, {sum}", f"str r3, {at}")
            for sum, at in ((sum, _slot(_KEPT + 4 * number)) for number, sum in enumerate(sums))
        ]
        names = ", ".join(sums)
        return (
            Repeated.once(begin)
            .followed_by(self.products(rows, _PLUS))
            .then((f"add r1, sp, #{_KEPT}", f"stm r1, {{{names}}}"))
            .followed_by(self.products(rows, _MINUS))
            .then(joined(*halves))
            .followed_by(self.products(rows, _FIRST))
            .then(self.finish(rows, 0))
            .then((f"add r1, sp, #{_KEPT}", f"ldm r1, {{{names}}}"))
            .followed_by(self.products(rows, _LAST))
            .then(self.finish(rows, 1))
            .then((f"add r2, r2, #{rows}", f"str r2, {_slot(_OUT)}"))
        )

    def finish(self, rows: int, window: int) -> Lines:
        """Stores the results of the first or the second window of each pair."""
        lines: list[Lines] = [(f"ldr r2, {_slot(_OUT)}",)]
        for row, sums in enumerate(_SUMS[:rows]):
            lines += [("ldr r12, [r0], #4", f"ldrb lr, [r0, #{4 * (rows - row - 1) + row}]")]
            for pair, sum in enumerate(sums):
                place = (2 * pair + window) * self.tile.rows + row
                lines += [requantised(sum, "r12", "lr", self.tile.zero), (f"strb {sum}, [r2, #{place}]",)]
        return joined(*lines, "add r0, r0, #4")

    @cached_property
    def code(self) -> Repeated:
        """The function: r0 walks along the stream, r2 along transformed windows or results."""
        tile = self.tile
        begin = joined(
            f"push {{{_SAVED}, lr}}",
            moved("sp", -self.frame),
            [f"str {name}, {_slot(at)}" for name, at in (("r0", _STREAM), ("r1", _WINDOWS_AT), ("r2", _RESULTS_AT))],
            f"movw r3, #{tile.count - _AT_ONCE}",
        )
        # From the last windows to the first.
        places = joined(
            f"str r3, {_slot(_AT)}",
            f"movw r12, #{tile.rows}",
            "mla r2, r3, r12, r2",
            f"str r2, {_slot(_OUT)}",
            f"movw r12, #{tile.step}",
            "mla lr, r3, r12, r1",
            f"add r2, sp, #{_DATA}",
        )
        group = Repeated.once(places).followed_by(self.transformation).then((f"ldr r0, {_slot(_STREAM)}",))
        for times, rows in self.blocks:
            group = group.followed_by(counted_in_memory(self.block(rows), times, _slot(_BLOCKS_LEFT), "r3", 2))
        end = (
            f"ldr r1, {_slot(_WINDOWS_AT)}",
            f"ldr r2, {_slot(_RESULTS_AT)}",
            f"ldr r3, {_slot(_AT)}",
            "cmp r3, #0",
            f"sub r3, r3, #{_AT_ONCE}",
            "usat r3, #16, r3",
            "bne 1b",
        )
        code = Repeated.once(begin).followed_by(group.looped((), end, self.groups, 1))
        return code.then(joined(moved("sp", self.frame), f"pop {{{_SAVED}, pc}}"))

    @property
    def lines(self) -> Lines:
        return self.code.lines

    @property
    def time(self) -> int:
        """The instructions of a call."""
        return self.code.time

    @property
    def stack(self) -> int:
        return 36 + self.frame

    @property
    def bytes(self) -> int:
        """An upper bound of the bytes of flash."""
        return bytes_of(self.lines)

    def stream(self, sums: Sums) -> Bytes:
        return winograd_stream(self.tile, self.blocks, sums)

    @property
    def portable(self) -> str:
        return winograd_in_c(self.tile)
