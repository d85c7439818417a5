"""Streams of rows in groups of four weights, and the same sums of them in plain C.

`dot_strips.py` takes two rows at a time, in bytes, `wide_strips.py` more of them, widened.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.requantised import doubled, requantised_in_c
from tinyml.targets.cortex_m.composer.fetch import QUAD
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes, Numbers

SUMS = 8
"""The sums that widened rows have in registers."""

_DENSE = 64
"""The most elements of windows whose runs are put together where they are no whole fours."""

_LAST = 0x80
"""The mark of the last pair of rows, in the topmost byte of its shifts."""


@dataclass(frozen=True)
class QuadRows(ABC):
    """Rows whose weights stand in fours, as each meets the elements of windows."""

    tile: Tile

    @property
    def is_dense(self) -> bool:
        """Are runs put together, without gaps?"""
        return self.tile.length % QUAD != 0 and self.tile.runs * self.tile.length <= _DENSE

    @property
    def gap(self) -> int:
        """The places from a run to the next."""
        return self.tile.length if self.is_dense else -(-self.tile.length // QUAD) * QUAD

    @property
    def quads(self) -> int:
        """Groups of four elements of a window."""
        return -(-self.tile.runs * self.gap // QUAD)

    def filled(self, weights: Numbers) -> Numbers:
        """The groups of each row, filled up with zeros: rows x groups x 4."""
        rows = len(weights)
        runs = weights.reshape(rows, 1 if self.is_dense else self.tile.runs, -1)
        return np.pad(runs, ((0, 0), (0, 0), (0, -runs.shape[2] % QUAD))).reshape(rows, self.quads, QUAD)

    @abstractmethod
    def stream(self, sums: Sums) -> Bytes:
        """All that belongs to rows."""

    @property
    @abstractmethod
    def portable(self) -> str:
        """The products of the rows and all windows in C, by `stream`, `x` and `out`."""


@dataclass(frozen=True)
class RowPairs(QuadRows):
    """The layout of bytes."""

    @property
    def order(self) -> list[int]:
        """The element of each byte in a group of four weights: the halfwords of joined runs are in order.

        SXTB16 takes bytes 0 and 2, then 1 and 3.
        """
        return [0, 2, 1, 3] if self.is_dense else [0, 1, 2, 3]

    def stream(self, sums: Sums) -> Bytes:
        """Of each two rows the starts, the weights, the multipliers and the shifts."""
        tile, filled = self.tile, self.filled(sums.weights)
        weights = filled[:, :, self.order].astype(np.int8)
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
        gap = self.gap
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


@dataclass(frozen=True)
class WideRows(QuadRows):
    """The layout of halfwords."""

    @property
    def blocks(self) -> Sequence[tuple[int, int]]:
        """How often so many rows are taken at once, from the first ones on."""
        whole, rest = divmod(self.tile.rows, self.most)
        return [*([(whole, self.most)] if whole else []), *((1, rows) for rows in (4, 2, 1) if rest & rows)]

    @property
    def most(self) -> int:
        """The most rows that are taken at once."""
        return SUMS // min(self.tile.count, 2)

    @property
    def halves(self) -> Sequence[Sequence[int]]:
        """The elements of each word of a group of four: the halfwords of joined runs are in order, others as SXTB16
        parts them."""
        return [[0, 1], [2, 3]] if self.is_dense else [[0, 2], [1, 3]]

    def stream(self, sums: Sums) -> Bytes:
        """Of each block the starts, for every two elements the weights of each row, the multipliers and the shifts."""
        quads = self.filled(sums.weights)[:, :, np.array(self.halves)]
        # Words of two weights, rows, the two weights.
        words = quads.reshape(self.tile.rows, 2 * self.quads, 2).transpose(1, 0, 2)
        parts: list[Bytes] = []
        first = 0
        for times, count in self.blocks:
            for _ in range(times):
                rows = slice(first, first + count)
                shifts = np.zeros(shift_bytes(count), np.int8)
                shifts[:count] = -sums.shifts[rows] - 1
                multipliers = [doubled(int(multiplier)) for multiplier in sums.multipliers[rows]]
                parts += [
                    sums.starts[rows].astype("<i4").view(np.int8),
                    np.ascontiguousarray(words[:, rows], "<i2").reshape(-1).view(np.int8),
                    np.array(multipliers, "<i4").view(np.int8),
                    shifts,
                ]
                first += count
        return np.concatenate(parts)

    @property
    def portable(self) -> str:
        tile, quads = self.tile, self.quads
        gap = self.gap
        half, place = ("at % 4 / 2", "at % 2") if self.is_dense else ("at % 2", "at % 4 / 2")
        rows = " : ".join([*(f"left >= {size} ? {size}" for size in (8, 4, 2) if size <= self.most), "1"])
        return f"""\
    for (int first = 0, rows; first < {tile.rows}; first += rows) {{
        const int left = {tile.rows} - first;
        rows = {rows};
        const int8_t *w = stream + 4 * rows, *factors = w + {8 * quads} * rows;
        for (int row = 0; row < rows; row++)
            for (int window = 0; window < {tile.count}; window++) {{
                const int32_t multiplier = tm_number(factors + 4 * row);
                const int right = factors[4 * rows + row];
                int32_t sum = tm_number(stream + 4 * row);
                for (int run = 0; run < {tile.runs}; run++)
                    for (int i = 0; i < {tile.length}; i++) {{
                        const int at = run * {gap} + i;
                        /* The low byte of a widened weight is the weight. */
                        sum += w[4 * ((at / 4 * 2 + {half}) * rows + row) + 2 * ({place})]
                            * (int32_t)x[window * {tile.step} + run * {tile.pitch} + i];
                    }}
{requantised_in_c(" " * 16, tile.zero, f"out[window * {tile.rows} + first + row]")}
            }}
        stream = factors + 4 * rows + (rows + 3) / 4 * 4;
    }}"""


def shift_bytes(rows: int) -> int:
    """The bytes of the shifts of a block, whole words."""
    return -(-rows // 4) * 4
