"""Winograd's minimal filtering: weight streams, their sums in plain C, and the loop nest of its kernels.

S. Winograd, Arithmetic Complexity of Computations (1980); A. Lavin and S. Gray, Fast Algorithms for Convolutional
Neural Networks (CVPR 2016). Two adjacent windows cover four pixels, d0 to d3, which are multiplied by three columns of
weights, g0 to g2:

    y0 = (a + b) / 2 + c     a = (d1 + d2) (g0 + g1 + g2)     c = (d0 - d2) g0
    y1 = (a - b) / 2 + d     b = (d2 - d1) (g0 - g1 + g2)     d = (d3 - d1) g2

The halves are exact, since a + b = 2 (d2 (g0 + g2) + d1 g1) and a - b = 2 (d1 (g0 + g2) + d2 g1). Results therefore
have the same bits as sums of products. All other operations are exact modulo 2^32. Transformed weights are halfwords.

Groups of four adjacent windows are transformed in the stack frame, once for all rows of weights. The last group may
overlap the previous group. Four rows of weights at a time are multiplied by a group, with eight sums in registers. The
last rows follow in a block of two rows and a block of a single row.

Registers are assigned by hand, because the transformations need all of them, including the registers of pointers and
arguments.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import indent

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.instructions import Code, Repeated, joined
from tinyml.targets.composer.tile_code import RowKernel
from tinyml.targets.composer.weight_streams import (
    WORD,
    Number,
    RowNumbers,
    StreamInC,
    Weights,
    WeightStream,
    in_powers_of_two,
    multipliers_and_shifts,
    requantised,
    word,
)
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import counted_in_memory, restored, saved
from tinyml.targets.cortex_m.composer.rows import FACTORS, PARTED_PAIRS
from tinyml.targets.cortex_m.thumb import slot
from tinyml.targets.nests import Numbers
from tinyml.targets.tiles import Tile

TAPS = 3
"""The number of columns of weights, whose sums and differences are the weights of four terms."""

TERMS = 4
"""The number of terms along an axis: a to d."""

_ROWS = 4
"""The greatest number of rows in a block."""

_MULTIPLIER, _ = FACTORS
_TWICE = Number("start", WORD, lambda sums: 2 * sums.starts, word)
_FOUR_TIMES = Number("start", WORD, lambda sums: 4 * sums.starts, word)
"""Twice and four times the start of a sum."""

_RIGHT = Number("right", WORD, lambda sums: -sums.shifts - 1, lambda pointer, offset: f"(int){word(pointer, offset)}")
"""The amount of the right shift minus 1, as a word."""


def transformed(weights: Numbers) -> Numbers:
    """The weights of the terms a, b, c and d, as an array of shape (4, ...).

    weights: three columns of weights, as an array of shape (3, ...).
    """
    first, middle, last = weights
    return np.stack([first + middle + last, first - middle + last, first, last])


def lines_stream(tile: Tile) -> WeightStream:
    """The layout of the weight stream of `Winograd1d`.

    Each block consists of the doubled start values, the weights of a, b and c, the factors, the weights of d, and the
    factors once more.
    """
    count = tile.runs * tile.step

    def terms(weights: Numbers) -> Numbers:
        columns = transformed(weights.reshape(-1, tile.runs, TAPS, tile.step).transpose(2, 0, 1, 3))
        return columns.swapaxes(0, 1).reshape(len(weights), -1)

    before, last = (
        Weights(name, elements=number * count, order=PARTED_PAIRS, bytes=2, first=first * count)
        for name, first, number in (("weights", 0, TERMS - 1), ("last", TERMS - 1, 1))
    )
    multipliers, shifts = multipliers_and_shifts(FACTORS)
    again = multipliers_and_shifts(FACTORS, names=("last_multipliers", "last_shifts"))
    fields = RowNumbers("starts", content=(_TWICE,)), before, multipliers, shifts, last, *again
    return WeightStream(tile, in_powers_of_two(tile.rows, _ROWS), fields, elements=terms, in_c=_lines_in_c)


def squares_stream(tile: Tile) -> WeightStream:
    """The layout of the weight stream of `Winograd2d`.

    Each block consists of the weights of all terms and the factors. The terms along rows of pixels vary fastest. The
    factors of a row are four times the start value, the multiplier and the shift.
    """

    def terms(weights: Numbers) -> Numbers:
        filters = weights.reshape(-1, TAPS, TAPS, tile.step).transpose(1, 2, 0, 3)
        squares = np.stack([transformed(columns) for columns in transformed(filters)])
        return squares.transpose(2, 0, 1, 3).reshape(len(weights), -1)

    weights = Weights("weights", elements=TERMS * TERMS * tile.step, order=PARTED_PAIRS, bytes=2)
    fields = weights, RowNumbers("factors", content=(_FOUR_TIMES, _MULTIPLIER, _RIGHT))
    return WeightStream(tile, in_powers_of_two(tile.rows, _ROWS), fields, elements=terms, in_c=_squares_in_c)


def _lines_in_c(c: StreamInC) -> str:
    tile = c.stream.tile
    finish = indent(requantised(c, f"out[(at + next) * {tile.rows} + {c.row}]"), " " * 8)
    return c.blocks(f"""\
for (int window = 0; window < {tile.count}; window += 2) {{
    const int at = window < {tile.count - 1} ? window : {tile.count - 2};
    int32_t sums[4] = {{0}};
    for (int run = 0; run < {tile.runs}; run++)
        for (int i = 0; i < {tile.step}; i++) {{
            const int8_t *d = x + at * {tile.step} + run * {tile.pitch} + i;
            const int32_t d0 = d[0], d1 = d[{tile.step}], d2 = d[{2 * tile.step}], d3 = d[{3 * tile.step}];
            const int32_t terms[] = {{d1 + d2, d2 - d1, d0 - d2}};
            const int element = run * {tile.step} + i;
            for (int k = 0; k < 3; k++) {{
                const int own = k * {tile.runs * tile.step} + element;
                sums[k] += {c.weight("own")} * terms[k];
            }}
            sums[3] += {c.weight("element", "last")} * (d3 - d1);
        }}
    const int32_t start = {c.number("start")};
    const int32_t finished[] = {{
        start / 2 + (sums[0] + sums[1]) / 2 + sums[2], start / 2 + (sums[0] - sums[1]) / 2 + sums[3]
    }};
    for (int next = 0; next < 2; next++) {{
        int32_t sum = finished[next];
{finish}
    }}
}}""")


def _squares_in_c(c: StreamInC) -> str:
    tile = c.stream.tile
    finish = indent(requantised(c, f"out[(line * {tile.count} + at + next) * {tile.rows} + {c.row}]"), " " * 12)
    return c.blocks(f"""\
for (int window = 0; window < {tile.count}; window += 2) {{
    const int at = window < {tile.count - 1} ? window : {tile.count - 2};
    int32_t sums[16] = {{0}}, lines[2][4];
    for (int i = 0; i < {tile.step}; i++) {{
        int32_t columns[4][4];
        for (int y = 0; y < 4; y++) {{
            const int8_t *d = x + y * {tile.pitch} + at * {tile.step} + i;
            const int32_t d0 = d[0], d1 = d[{tile.step}], d2 = d[{2 * tile.step}], d3 = d[{3 * tile.step}];
            const int32_t own[] = {{d1 + d2, d2 - d1, d0 - d2, d3 - d1}};
            for (int k = 0; k < 4; k++)
                columns[k][y] = own[k];
        }}
        for (int k = 0; k < 4; k++) {{
            const int32_t *d = columns[k];
            const int32_t terms[] = {{d[1] + d[2], d[2] - d[1], d[0] - d[2], d[3] - d[1]}};
            for (int j = 0; j < 4; j++) {{
                const int own = (4 * j + k) * {tile.step} + i;
                sums[4 * j + k] += {c.weight("own")} * terms[j];
            }}
        }}
    }}
    sums[0] += {c.number("start")};
    for (int k = 0; k < 4; k++) {{
        const int32_t half = (sums[k] + sums[4 + k]) / 2;
        lines[0][k] = half + sums[8 + k];
        lines[1][k] = sums[k] - half + sums[12 + k];
    }}
    for (int line = 0; line < 2; line++)
        for (int next = 0; next < 2; next++) {{
            const int32_t *terms = lines[line], half = (terms[0] + terms[1]) / 2;
            int32_t sum = next ? terms[0] - half + terms[3] : half + terms[2];
{finish}
        }}
}}""")


AT_ONCE = 4
"""The number of windows in a line of a group."""

SUMS = (("r4", "r5"), ("r6", "r7"), ("r8", "r9"), ("r10", "r11"))
"""The sums of each row of weights, for the first and the second pair of windows."""

_STREAM, _WINDOWS_AT, _RESULTS_AT, _AT, OUT, FIRST_FREE, _BLOCKS_LEFT, STEPS_LEFT = (4 * place for place in range(8))
KEPT = 32
"""The byte offset of spilled sums in the stack frame, after slots."""


@dataclass(frozen=True)
class WinogradKernel(RowKernel):
    """The base class of code that computes a tile by Winograd's method.

    r0 points into the weight stream. r2 points to transformed pixels or to results.
    """

    SATURATED = 0

    @property
    @abstractmethod
    def frame(self) -> int:
        """The number of bytes of the stack frame. It is 4 more than a multiple of 8."""

    @property
    @abstractmethod
    def transformation(self) -> Repeated:
        """Code that transforms a group of windows and stores the result in the stack frame.

        lr points to the windows, r2 to the destination in the stack frame.
        """

    @property
    @abstractmethod
    def data(self) -> int:
        """The byte offset of the transformed pixels in the stack frame."""

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        """The groups of windows: pairs (number of groups, windows per group). The last group may overlap the previous
        group.
        """
        return [(-(-self.tile.count // AT_ONCE), AT_ONCE)]

    def enter(self) -> Code:
        arguments = (("r0", _STREAM), ("r1", _WINDOWS_AT), ("r2", _RESULTS_AT))
        stores = [t.str_(name, slot(offset)) for name, offset in arguments]
        return joined(saved(self.frame), stores, t.movw("r3", self.tile.count - AT_ONCE))

    def leave(self) -> Code:
        return restored(self.frame)

    def load_windows(self, windows: int) -> Repeated:
        # Groups are computed from the last to the first.
        addresses = (
            t.str_("r3", slot(_AT)),
            t.movw("r12", self.tile.rows),
            t.mla("r2", "r3", "r12", "r2"),
            t.str_("r2", slot(OUT)),
            t.movw("r12", self.tile.step),
            t.mla("lr", "r3", "r12", "r1"),
            t.add("r2", "sp", self.data),
        )
        return Repeated.once(addresses).followed_by(self.transformation).then((t.ldr("r0", slot(_STREAM)),))

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        block = block.then((t.add("r2", "r2", self.layout.groups[group][1]), t.str_("r2", slot(OUT))))
        return counted_in_memory(block, times, slot(_BLOCKS_LEFT), "r3", 2)

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        end = (
            t.ldr("r1", slot(_WINDOWS_AT)),
            t.ldr("r2", slot(_RESULTS_AT)),
            t.ldr("r3", slot(_AT)),
            t.cmp("r3", 0),
            t.sub("r3", "r3", AT_ONCE),
            t.usat("r3", 16, "r3"),
            t.bne(back=1),
        )
        return code.looped((), end, times, 1)
