"""Streams of rows in blocks: of each block the starts, the weights, the multipliers and the shifts of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.requantised import Factors, requantised_in_c
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

_WORD = 4


@dataclass(frozen=True)
class RowBlocks:
    """The layout of the rows of a tile.

    groups: how often so many rows are a block, from the first ones on. by_element: does each element of a block's rows
    stand together, instead of each row? factors: how multipliers and shifts stand there.
    """

    tile: Tile
    groups: Sequence[tuple[int, int]]
    factors: Factors
    by_element: bool

    @property
    def length(self) -> int:
        """The weights of a row."""
        return self.tile.runs * self.tile.length

    def gap(self, rows: int) -> int:
        """The bytes behind the weights of a block up to the next word."""
        return -rows * self.length % _WORD

    def factor_bytes(self, rows: int) -> int:
        """The bytes of the multipliers and the shifts of a block."""
        return _WORD * rows + -(-rows // _WORD) * _WORD

    def block_bytes(self, rows: int) -> int:
        return _WORD * rows + rows * self.length + self.gap(rows) + self.factor_bytes(rows)

    def bytes(self, groups: int) -> int:
        """The bytes of the first groups."""
        return sum(times * self.block_bytes(rows) for times, rows in self.groups[:groups])

    def _blocks(self) -> Iterator[slice]:
        first = 0
        for times, rows in self.groups:
            for _ in range(times):
                yield slice(first, first + rows)
                first += rows

    def stream(self, sums: Sums) -> Bytes:
        """All blocks."""
        parts: list[Bytes] = []
        for rows in self._blocks():
            count, weights = rows.stop - rows.start, sums.weights[rows]
            shifts = np.zeros(-(-count // _WORD) * _WORD, np.int8)
            shifts[:count] = [self.factors.right(int(shift)) for shift in sums.shifts[rows]]
            multipliers = [self.factors.multiplier(int(number)) for number in sums.multipliers[rows]]
            parts += [
                sums.starts[rows].astype("<i4").view(np.int8),
                (weights.T if self.by_element else weights).astype(np.int8).reshape(-1),
                np.zeros(self.gap(count), np.int8),
                np.array(multipliers, "<i4").view(np.int8),
                shifts,
            ]
        return np.concatenate(parts)

    @property
    def portable(self) -> str:
        """The products of the rows and all windows in C, by `stream`, `x` and `out`."""
        tile, factors = self.tile, self.factors
        (larger, most), (smaller, least) = self.groups[0], self.groups[-1]
        blocks = larger + (smaller if len(self.groups) > 1 else 0)
        rows = str(most) if len(self.groups) == 1 else f"block < {larger} ? {most} : {least}"
        place = "at * rows + row" if self.by_element else f"row * {self.length} + at"
        return f"""\
    for (int block = 0; block < {blocks}; block++) {{
        const int rows = {rows};
        const int8_t *w = stream + 4 * rows, *factors = w + ({self.length} * rows + 3) / 4 * 4;
        for (int row = 0; row < rows; row++)
            for (int window = 0; window < {tile.count}; window++) {{
                const int32_t multiplier = {factors.multiplier_in_c("tm_number(factors + 4 * row)")};
                const int right = {factors.right_in_c("factors[4 * rows + row]")};
                int32_t sum = tm_number(stream + 4 * row);
                for (int run = 0; run < {tile.runs}; run++)
                    for (int i = 0; i < {tile.length}; i++) {{
                        const int at = run * {tile.length} + i;
                        sum += w[{place}] * (int32_t)x[window * {tile.step} + run * {tile.pitch} + i];
                    }}
{requantised_in_c(" " * 16, tile.zero, f"out[window * {tile.rows} + row]")}
            }}
        out += rows;
        stream = factors + 4 * rows + (rows + 3) / 4 * 4;
    }}"""
