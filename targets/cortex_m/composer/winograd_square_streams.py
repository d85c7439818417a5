"""Streams of weights for `winograd_squares.py`, transformed along rows and columns, and the same sums in plain C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.requantised import doubled, requantised_in_c
from tinyml.targets.cortex_m.composer.fetch import QUAD
from tinyml.targets.cortex_m.composer.winograd_streams import TAPS, slices, transformed
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

TERMS = 4
"""The terms a to d along each axis."""

FACTORS = 12
"""The bytes of four times the start of a row, its multiplier and its shift."""


def squares_stream(tile: Tile, sums: Sums) -> Bytes:
    """Of each block the weights of all terms, those along rows of pixels inside those along columns, and the factors.

    The weights of a term are halfwords: for every four elements those of 0 and 2 of each row, then those of 1 and 3.
    """
    # Rows and columns of a filter; fours of elements, halves of words, elements 0 and 1, rows of weights.
    weights = sums.weights.reshape(tile.rows, TAPS, TAPS, -1, QUAD // 2, 2).transpose(1, 2, 3, 5, 4, 0)
    terms = np.stack([transformed(columns) for columns in transformed(weights)])
    parts: list[Bytes] = []
    for rows in slices(tile.rows):
        halfwords = np.ascontiguousarray(terms[..., rows].swapaxes(4, 5), "<i2")
        multipliers = [doubled(int(multiplier)) for multiplier in sums.multipliers[rows]]
        factors = np.stack([4 * sums.starts[rows], multipliers, -sums.shifts[rows] - 1], 1).astype("<i4")
        parts += [halfwords.reshape(-1).view(np.int8), factors.reshape(-1).view(np.int8)]
    return np.concatenate(parts)


def squares_in_c(tile: Tile) -> str:
    """The body of the function in C, by rows and by squares."""
    term = 2 * tile.step
    return f"""\
    for (int first = 0, rows; first < {tile.rows}; first += rows) {{
        const int left = {tile.rows} - first;
        rows = left >= 4 ? 4 : left >= 2 ? 2 : 1;
        const int8_t *factors = stream + {TERMS * TERMS * term} * rows;
        for (int row = 0; row < rows; row++, factors += {FACTORS})
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
                            const int8_t *w = stream + {term} * rows * (4 * j + k)
                                + 4 * ((i / 4 * 2 + i % 2) * rows + row) + i % 4 / 2 * 2;
                            sums[4 * j + k] += (int16_t)((uint8_t)w[0] | w[1] * 256) * terms[j];
                        }}
                    }}
                }}
                sums[0] += tm_number(factors);
                for (int k = 0; k < 4; k++) {{
                    const int32_t half = (sums[k] + sums[4 + k]) / 2;
                    lines[0][k] = half + sums[8 + k];
                    lines[1][k] = sums[k] - half + sums[12 + k];
                }}
                for (int line = 0; line < 2; line++)
                    for (int next = 0; next < 2; next++) {{
                        const int32_t multiplier = tm_number(factors + 4), right = tm_number(factors + 8);
                        const int32_t *terms = lines[line], half = (terms[0] + terms[1]) / 2;
                        int32_t sum = next ? terms[0] - half + terms[3] : half + terms[2];
{requantised_in_c(" " * 24, tile.zero, f"out[(line * {tile.count} + at + next) * {tile.rows} + first + row]")}
                    }}
            }}
        stream = factors;
    }}"""
