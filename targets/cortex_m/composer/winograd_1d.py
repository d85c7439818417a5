"""Tile kernels with two thirds of the products: Winograd's F(2, 3) along a line of windows.

`winograd.py` defines the terms a to d and shows that the halves in their formulas are exact. Sums and differences of
bytes fit in halfwords. Sums and differences of three weights also fit in halfwords. Sums start from twice the start
value. If twice every sum fits in 32 bits, the numbers that are halved also fit in 32 bits.

Windows may have any number of rows of pixels, and are transformed in groups of four.

Registers are assigned by hand, because six pixels occupy twelve registers, including the registers of pointers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.targets.composer.instructions import Code, Line, Repeated, joined
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import (
    QUAD,
    counted_in_memory,
    moved,
    parted_bytes,
    requantised_rows,
    rows_of_halfwords,
)
from tinyml.targets.cortex_m.composer.winograd import (
    AT_ONCE,
    FIRST_FREE,
    KEPT,
    OUT,
    STEPS_LEFT,
    SUMS,
    TAPS,
    TERMS,
    WinogradKernel,
    lines_stream,
)
from tinyml.targets.cortex_m.thumb import REACH, Address, at, post, slot

FRAME_BYTES = 6144
"""The stack limit for transformed windows, in bytes."""

_GROUP = 4 * QUAD * TERMS
"""The bytes of four elements of transformed windows: each term has two words for each pair of windows."""

_PLUS, _MINUS, _FIRST, _LAST = (16, 0, 32, 48)
"""The byte offsets of a, b, c and d in a group, in the order of the weight stream."""

_PIXELS = ("r0", "r1", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12")
"""The registers for six pixels: for each, a word of elements 0 and 2, then a word of elements 1 and 3."""

_RUNS_LEFT = FIRST_FREE
_DATA = KEPT + 4 * 8
"""The byte offset of transformed windows in the stack frame, after slots and spilled sums."""

_UNROLLED = 8
"""The greatest number of groups of four elements in an iteration."""


def _unrolled(count: int) -> int:
    return next(steps for steps in range(min(count, _UNROLLED), 0, -1) if count % steps == 0)


@dataclass(frozen=True)
class Winograd1d(WinogradKernel):
    """The code for a tile whose windows are three pixels wide and one pixel apart."""

    @property
    def layout(self) -> WeightStream:
        return lines_stream(self.tile)

    @property
    def fits(self) -> bool:
        tile = self.tile
        shape = tile.length == TAPS * tile.step and tile.step % QUAD == 0 and tile.count >= AT_ONCE
        reaches = 5 * tile.step <= REACH and AT_ONCE * tile.rows <= REACH and tile.count * tile.rows < 1 << 16
        return shape and reaches and _GROUP * self.quads <= FRAME_BYTES

    @property
    def quads(self) -> int:
        return self.tile.runs * self.tile.step // QUAD

    @property
    def data(self) -> int:
        return _DATA

    @property
    def frame(self) -> int:
        return _DATA + _GROUP * self.quads + 4

    @property
    def transformation(self) -> Repeated:
        """Code that transforms four windows, to which lr points, and stores them in the stack frame."""
        even, odd = _PIXELS[::2], _PIXELS[1::2]
        pixels: list[Code] = []
        for number in reversed(range(6)):
            address = at("lr", number * self.tile.step) if number else post("lr", QUAD)
            pixels += [parted_bytes(t.ldr(odd[number], address), even[number], odd[number])]
        halves = [joined(*pixels), self.terms(even, 8, at("r2", 8)), self.terms(odd, 0, post("r2", _GROUP))]
        run = counted_in_memory(Repeated.once(joined(*halves)), self.tile.step // QUAD, slot(STEPS_LEFT), "r3", 3)
        if self.tile.runs > 1:
            run = run.then(moved("lr", self.tile.pitch - self.tile.step))
        return counted_in_memory(run, self.tile.runs, slot(_RUNS_LEFT), "r3", 4)

    def terms(self, pixels: Sequence[str], half: int, minus: Address) -> Code:
        """Code that computes and stores the terms of two elements of six pixels. It clobbers the registers of the
        pixels.

        pixels: the registers of the pixels.
        half: the byte offset of the two elements' terms: 0 for elements 1 and 3, 8 for elements 0 and 2.
        minus: the address at which term b is stored.
        """
        zero, one, two, three, four, five = pixels
        return (
            t.ssub16(zero, zero, two),
            t.str_(zero, at("r2", _FIRST + half)),
            t.ssub16(zero, two, four),
            t.str_(zero, at("r2", _FIRST + half + 4)),
            t.ssub16(zero, three, one),
            t.ssub16(five, five, three),
            t.strd(zero, five, at("r2", _LAST + half)),
            t.sadd16(zero, one, two),
            t.sadd16(five, three, four),
            t.strd(zero, five, at("r2", _PLUS + half)),
            t.ssub16(two, two, one),
            t.ssub16(four, four, three),
            t.strd(two, four, minus),
        )

    def term(self, rows: int, term: int) -> Repeated:
        """Code that adds the products of term `term`, an index from a to d, to the sums of rows."""
        lines: list[Line | Code] = []
        for half in (at("r2", 8), post("r2", _GROUP)):
            lines += [rows_of_halfwords("r0", SUMS[:rows], half)]
        unrolled = _unrolled(self.quads)
        loop = Repeated.once(joined(*lines) * unrolled)
        loop = counted_in_memory(loop, self.quads // unrolled, slot(STEPS_LEFT), "r3", 3)
        return Repeated.once((t.add("r2", "sp", _DATA + term),)).followed_by(loop)

    def start(self, rows: int, windows: int) -> Code:
        return (t.ldm("r0", tuple(one for one, _ in SUMS[:rows]), update=True),)

    def products(self, rows: int, windows: int) -> Repeated:
        sums = [sum for pair in SUMS[:rows] for sum in pair]
        # a is spilled and a + b in registers, which become half of a + b; the spilled a becomes half of a - b.
        halves = [
            (t.asr(sum, sum, 1), t.ldr("r3", spilled), t.sub("r3", "r3", sum), t.str_("r3", spilled))
            for sum, spilled in ((sum, slot(KEPT + 4 * number)) for number, sum in enumerate(sums))
        ]
        return (
            Repeated.once(tuple(t.mov(two, one) for one, two in SUMS[:rows]))
            .followed_by(self.term(rows, _PLUS))
            .then((t.add("r1", "sp", KEPT), t.stm("r1", (*sums,))))
            .followed_by(self.term(rows, _MINUS))
            .then(joined(*halves))
            .followed_by(self.term(rows, _FIRST))
            .then(self.results(rows, 0))
            .then((t.add("r1", "sp", KEPT), t.ldm("r1", (*sums,))))
            .followed_by(self.term(rows, _LAST))
        )

    def finish(self, rows: int, windows: int) -> Code:
        return self.results(rows, 1)

    def results(self, rows: int, window: int) -> Code:
        """Code that stores the results of `rows` rows for one window of each pair.

        window: 0 for the first window of each pair, 1 for the second.
        """
        targets = [
            [at("r2", (2 * pair + window) * self.tile.rows + row) for pair in range(len(SUMS[row]))]
            for row in range(rows)
        ]
        return joined(t.ldr("r2", slot(OUT)), requantised_rows(self.layout, SUMS[:rows], targets))
