"""Weight streams of Winograd's kernels, and the sums over these streams in plain C.

The terms a, b, c and d are those of `window_groups.py`. Their weights are halfwords.
"""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.row_blocks import in_powers_of_two, multipliers_and_shifts
from tinyml.targets.composer.stream_fields import WORD, Number, RowNumbers, Weights, word
from tinyml.targets.composer.weight_streams import StreamInC, WeightStream, requantised
from tinyml.targets.cortex_m.composer.rows.quads import FACTORS, PARTED_PAIRS
from tinyml.targets.tiles import Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Numbers

TAPS = 3
"""The number of columns of weights, whose sums and differences are the weights of four terms."""

TERMS = 4
"""The number of terms along an axis: a to d."""

_ROWS = 4
"""The greatest number of rows in a block."""

_MULTIPLIER, _ = FACTORS
_TWICE = Number("start", WORD, lambda sums: 2 * sums.starts, word)
_FOUR_TIMES = Number("start", WORD, lambda sums: 4 * sums.starts, word)
"""Multiples of the start of a sum."""

_RIGHT = Number("right", WORD, lambda sums: -sums.shifts - 1, lambda pointer, offset: f"(int){word(pointer, offset)}")
"""The amount of the right shift minus 1, as a word."""


def transformed(weights: Numbers) -> Numbers:
    """The weights of a, b, c and d, of shape 4 x ..., from three columns of weights, of shape 3 x ..."""
    first, middle, last = weights
    return np.stack([first + middle + last, first - middle + last, first, last])


def lines_stream(tile: Tile) -> WeightStream:
    """The weight stream of `Winograd1d`.

    Each block consists of the doubled starts, the weights of a, b and c, the factors, the weights of d, and the factors
    once more.
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
    """The weight stream of `Winograd2d`.

    Each block consists of the weights of all terms, of which those along rows of pixels vary fastest, and the factors.
    The factors of a row are four times the start, the multiplier and the shift amount.
    """

    def terms(weights: Numbers) -> Numbers:
        filters = weights.reshape(-1, TAPS, TAPS, tile.step).transpose(1, 2, 0, 3)
        squares = np.stack([transformed(columns) for columns in transformed(filters)])
        return squares.transpose(2, 0, 1, 3).reshape(len(weights), -1)

    weights = Weights("weights", elements=TERMS * TERMS * tile.step, order=PARTED_PAIRS, bytes=2)
    fields = weights, RowNumbers("factors", content=(_FOUR_TIMES, _MULTIPLIER, _RIGHT))
    return WeightStream(tile, in_powers_of_two(tile.rows, _ROWS), fields, elements=terms, in_c=_squares_in_c)


def _lines_in_c(c: StreamInC) -> str:
    """The sums of all rows by pairs of windows."""
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
    """The sums of all rows by squares of windows."""
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
