"""Streams of transformed weights for `winograd_strips.py`, and the same sums of them in plain C.

The terms a, b, c and d are those of `winograd_groups.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.requantised import doubled, requantised_in_c
from tinyml.targets.cortex_m.composer.fetch import QUAD
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes, Numbers

TAPS = 3
"""The columns of weights, whose sums and differences are the weights of four terms."""


_ROWS = 4
"""The most rows that are taken at once."""


def transformed(weights: Numbers) -> Numbers:
    """The weights of a, b, c and d, of shape 4 x ..., from those of three columns, 3 x ..."""
    first, middle, last = weights
    return np.stack([first + middle + last, first - middle + last, first, last])


def row_blocks(rows: int) -> Sequence[tuple[int, int]]:
    """How often so many rows are taken at once, from the first ones on: by four, then by two and alone."""
    whole, rest = divmod(rows, _ROWS)
    return [*([(whole, _ROWS)] if whole else []), *((1, few) for few in (2, 1) if rest & few)]


def slices(rows: int) -> Iterator[slice]:
    """The rows of each block."""
    first = 0
    for times, count in row_blocks(rows):
        for _ in range(times):
            yield slice(first, first + count)
            first += count


def winograd_stream(tile: Tile, sums: Sums) -> Bytes:
    """Of each block twice the starts, the weights of a, b and c, the factors, the weights of d, and the factors.

    The weights of a term are halfwords: for every four elements those of 0 and 2 of each row, then those of 1 and 3.
    """
    parts: list[Bytes] = []
    columns = sums.weights.reshape(tile.rows, tile.runs, TAPS, -1, QUAD // 2, 2).transpose(2, 1, 3, 5, 4, 0)
    # Terms, groups of four elements, its halves (elements 0 and 2, 1 and 3), two elements, rows.
    terms = transformed(columns).reshape(4, -1, 2, 2, tile.rows)
    for rows in slices(tile.rows):
        shifts = np.zeros(4, np.int8)
        shifts[: rows.stop - rows.start] = -sums.shifts[rows] - 1
        multipliers = np.array([doubled(int(multiplier)) for multiplier in sums.multipliers[rows]], "<i4")
        factors = [multipliers.view(np.int8), shifts]
        plus, minus, before, behind = (
            np.ascontiguousarray(term[..., rows].swapaxes(2, 3), "<i2").reshape(-1).view(np.int8) for term in terms
        )
        starts = (2 * sums.starts[rows]).astype("<i4").view(np.int8)
        parts += [starts, plus, minus, before, *factors, behind, *factors]
    return np.concatenate(parts)


def winograd_in_c(tile: Tile) -> str:
    """The body of the function in C, by rows and by pairs of windows."""
    term = 2 * tile.runs * tile.step
    return f"""\
    for (int first = 0, rows; first < {tile.rows}; first += rows) {{
        const int left = {tile.rows} - first;
        rows = left >= 4 ? 4 : left >= 2 ? 2 : 1;
        for (int row = 0; row < rows; row++)
            for (int window = 0; window < {tile.count}; window += 2) {{
                const int at = window < {tile.count - 1} ? window : {tile.count - 2};
                const int8_t *factors = stream + {4 + 3 * term} * rows;
                const int32_t multiplier = tm_number(factors + 4 * row);
                const int right = factors[4 * rows + row];
                int32_t sums[4] = {{0}};
                for (int run = 0; run < {tile.runs}; run++)
                    for (int i = 0; i < {tile.step}; i++) {{
                        const int8_t *d = x + at * {tile.step} + run * {tile.pitch} + i;
                        const int32_t d0 = d[0], d1 = d[{tile.step}], d2 = d[{2 * tile.step}], d3 = d[{3 * tile.step}];
                        const int32_t terms[] = {{d1 + d2, d2 - d1, d0 - d2, d3 - d1}};
                        const int place = run * {tile.step} + i;
                        const int half = (place / 4 * 2 + place % 2) * rows + row;
                        for (int k = 0; k < 4; k++) {{
                            const int8_t *w = stream + 4 * rows + {term} * k * rows + (k == 3 ? 4 * rows + 4 : 0)
                                + 4 * half + place % 4 / 2 * 2;
                            sums[k] += (int16_t)((uint8_t)w[0] | w[1] * 256) * terms[k];
                        }}
                    }}
                const int32_t start = tm_number(stream + 4 * row);
                const int32_t finished[] = {{
                    start / 2 + (sums[0] + sums[1]) / 2 + sums[2], start / 2 + (sums[0] - sums[1]) / 2 + sums[3]
                }};
                for (int next = 0; next < 2; next++) {{
                    int32_t sum = finished[next];
{requantised_in_c(" " * 20, tile.zero, f"out[(at + next) * {tile.rows} + first + row]")}
                }}
            }}
        stream += {12 + 4 * term} * rows + 8;
    }}"""
