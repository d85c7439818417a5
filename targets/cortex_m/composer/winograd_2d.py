"""Tile kernels with four ninths of the products: Winograd's F(2x2, 3x3) for squares of two by two windows.

The transformation of `winograd.py`, with the terms a to d, is applied along columns of pixels. It is then applied along
rows to each of these terms, which yields sixteen terms. Sums and differences of four pixels, and of nine weights, fit
in halfwords. The sums of a term fit in 32 bits. If four times every sum fits in 32 bits, the numbers that are halved
also fit. The term that is a in both directions contributes to all four results. Its sum therefore starts from four
times the start value.

Two adjacent squares are transformed in the stack frame, once for all rows of weights. Four rows at a time are
multiplied by both squares, term by term. The eight sums of a term are in registers. They are stored in the stack frame
until all terms are complete. The last two squares may overlap the previous two.

Registers are assigned by hand, because LDM and STM transfer sums and terms in the order of the registers' numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.targets.composer.instructions import Code, Line, Repeated, joined
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import (
    QUAD,
    counted_in_memory,
    moved,
    parted_bytes,
    requantised,
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
    squares_stream,
)
from tinyml.targets.cortex_m.kernels import WINOGRAD_LINES as LINES
from tinyml.targets.cortex_m.thumb import REACH, at, post, slot

_PIXELS = AT_ONCE + TAPS - 1
"""The number of columns of pixels under two squares."""

_PAIR = 2 * 2 * 4
"""The bytes of four elements of a term: the words of elements 0 and 2 of both squares, then of elements 1 and 3."""

_EVEN, _ODD = ("r4", "r5", "r6", "r7"), ("r8", "r9", "r10", "r11")
"""The registers for a column of four pixels: elements 0 and 2 of each pixel, and elements 1 and 3."""

_TERM_AT = FIRST_FREE
_DATA = KEPT + 4 * TERMS * TERMS * 8
"""The byte offset of transformed pixels in the stack frame, after slots and the sums of all terms.

The space of the sums also holds the results of the transformation along columns.
"""

_STRAIGHT = 8
"""The greatest number of groups of four elements in an iteration."""


@dataclass(frozen=True)
class Winograd2d(WinogradKernel):
    """The code for a tile of 3 x 3 convolutions: two lines of windows, one pixel apart."""

    @property
    def layout(self) -> WeightStream:
        return squares_stream(self.tile)

    @property
    def fits(self) -> bool:
        tile = self.tile
        windows = tile.lines == LINES and tile.runs == TAPS and tile.length == TAPS * tile.step
        shape = windows and tile.step % QUAD == 0 and tile.count >= AT_ONCE
        results = tile.count * tile.rows + AT_ONCE * tile.rows <= REACH
        return shape and results and tile.pitch + _PIXELS * tile.step <= REACH and self._place(15) + _PAIR <= REACH

    @property
    def quads(self) -> int:
        return self.tile.step // QUAD

    @property
    def data(self) -> int:
        return _DATA

    @property
    def frame(self) -> int:
        return _DATA + self._place(TERMS * TERMS) + 4

    def _place(self, term: int) -> int:
        return term * self.quads * _PAIR

    @property
    def transformation(self) -> Repeated:
        """Code that transforms two squares of windows. lr points to their first row of pixels, r12 to their third
        row.
        """
        columns = (self.column(number) for number in range(_PIXELS))
        load = t.ldm("r1", (range(4, 10),), update=True)
        rows = ((load, self.line(term, half)) for term in range(TERMS) for half in range(2))
        lines = joined(*columns, t.add("r1", "sp", KEPT), *(joined(*row) for row in rows))
        step = joined(lines, t.add("r2", "r2", _PAIR), t.add("lr", "lr", QUAD), t.add("r12", "r12", QUAD))
        steps = counted_in_memory(Repeated.once(step), self.quads, slot(STEPS_LEFT), "r3", 3)
        return Repeated.once(joined(t.mov("r12", "lr"), moved("r12", 2 * self.tile.pitch))).followed_by(steps)

    def column(self, number: int) -> Code:
        """Code that computes the terms of the four pixels of column `number` and stores them in the stack frame.

        The terms are stored in the order term, half of a group of four elements, column.
        """
        lines: list[Code] = []
        for row, (even, odd) in enumerate(zip(_EVEN, _ODD, strict=True)):
            place = row % 2 * self.tile.pitch + number * self.tile.step
            lines += [parted_bytes(t.ldr(odd, at("r12" if row > 1 else "lr", place)), even, odd)]
        for half, (zero, one, two, three) in enumerate((_EVEN, _ODD)):
            lines += [
                (
                    t.ssub16(zero, zero, two),
                    t.ssub16(three, three, one),
                    t.ssub16("r3", two, one),
                    t.sadd16(two, one, two),
                )
            ]
            for term, register in enumerate((two, "r3", zero, three)):
                lines += [(t.str_(register, slot(KEPT + 4 * ((2 * term + half) * _PIXELS + number))),)]
        return joined(*lines)

    def line(self, row: int, half: int) -> Code:
        """Code that computes and stores the terms of six columns, which are in r4 to r9. Each square covers four of
        these columns.

        row: the index of the term along columns.
        half: the half of a group of four elements, 0 or 1.
        """
        zero, one, two, three, four, five = (f"r{number}" for number in range(4, 10))
        pairs = (
            ((t.sadd16, one, two), (t.sadd16, three, four)),
            ((t.ssub16, two, one), (t.ssub16, four, three)),
            ((t.ssub16, zero, two), (t.ssub16, two, four)),
            ((t.ssub16, three, one), (t.ssub16, five, three)),
        )
        lines: list[Line] = []
        for term, pair in enumerate(pairs):
            place = self._place(TERMS * row + term) + 8 * half
            lines += [opcode(f"r1{number}", a, b) for number, (opcode, a, b) in enumerate(pair)]
            lines += [t.str_(f"r1{number}", at("r2", place + 4 * number)) for number in range(2)]
        return tuple(lines)

    def quad(self, rows: int, *, first: bool = False) -> Code:
        lines: list[Line | Code] = []
        for half in range(2):
            lines += [rows_of_halfwords("r0", SUMS[:rows], post("r2", _PAIR // 2), first=first and half == 0)]
        return joined(*lines)

    def start(self, rows: int, windows: int) -> Code:
        return ()

    def products(self, rows: int, windows: int) -> Repeated:
        """Code that computes the sums of all terms of rows, and stores them term by term in the stack frame."""
        unrolled = min(max(self.quads - 1, 1), _STRAIGHT)
        loops, rest = divmod(self.quads - 1, unrolled)
        code = Repeated.once(joined(self.quad(rows, first=True), self.quad(rows) * rest))
        if loops:
            loop = Repeated.once(self.quad(rows) * unrolled)
            code = code.followed_by(counted_in_memory(loop, loops, slot(STEPS_LEFT), "r3", 3))
        begin = t.add("r2", "sp", _DATA), t.add("r1", "sp", KEPT), t.str_("r1", slot(_TERM_AT))
        end = (
            t.ldr("r1", slot(_TERM_AT)),
            t.stm("r1", tuple(sum for sums in SUMS[:rows] for sum in sums), update=True),
            t.str_("r1", slot(_TERM_AT)),
            t.add("r3", "sp", self.kept(rows, TERMS * TERMS, 0)),
            t.cmp("r1", "r3"),
            t.bne(back=4),
        )
        return code.looped(begin, end, TERMS * TERMS, 4)

    def kept(self, rows: int, term: int, sum: int) -> int:
        """The byte offset in the stack frame of a sum of a term.

        rows: the number of rows in the block.
        term: the index of the term.
        sum: the index of the sum among the sums of a term.
        """
        return KEPT + 4 * (2 * rows * term + sum)

    def finish(self, rows: int, windows: int) -> Code:
        stream = self.layout
        start, multiplier, after = (
            stream.offset(name, rows, row) for name, row in (("start", 0), ("multiplier", 0), ("start", 1))
        )
        lines: list[Line | Code] = [t.ldr("r2", slot(OUT))]
        for row in range(rows):
            lines += [t.ldrd("r12", "lr", at("r0", multiplier - start))]
            lines += [self.square(rows, row, number) for number in range(2)]
            lines += [t.add("r0", "r0", after - start)]
        return joined(*lines)

    def square(self, rows: int, row: int, number: int) -> Code:
        """Code that computes the four results of one row of weights in a square, and stores them.

        rows: the number of rows in the block.
        row: the index of the row in the block.
        number: the index of the square.
        """
        lines: list[Line | Code] = []
        for term in range(TERMS):
            upper, lower = _EVEN[term], _ODD[term]
            a, b, c, d = (slot(self.kept(rows, TERMS * i + term, 2 * row + number)) for i in range(TERMS))
            start = (t.ldr(upper, at("r0")), t.add("r1", "r1", upper)) if term == 0 else ()
            loads = (t.ldr("r3", b), t.ldr(upper, c), t.ldr(lower, d))
            lines += [t.ldr("r1", a), start, loads, halved("r1", "r3", upper, lower)]
        for line, terms in enumerate((_EVEN, _ODD)):
            lines += [halved(*terms)]
            for window, sum in enumerate(terms[2:]):
                place = (line * self.tile.count + 2 * number + window) * self.tile.rows + row
                lines += [requantised(sum, "r12", "lr", self.tile), t.strb(sum, at("r2", place))]
        return joined(*lines)


def halved(a: str, b: str, c: str, d: str) -> Code:
    """Code that computes the sums of two adjacent windows from four terms.

    Afterwards, the register c contains (a + b) / 2 + c, and the register d contains (a - b) / 2 + d.
    """
    return (
        t.add(b, a, b),
        t.add(c, c, b, asr=1),
        t.sub(a, a, b, asr=1),
        t.add(d, d, a),
    )
