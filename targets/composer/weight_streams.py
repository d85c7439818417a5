"""Weight streams: all that belongs to the rows of a tile, in the order in which a kernel loads it.

A stream is a sequence of blocks of rows, a block a sequence of fields. From this one declaration follow the bytes, the
byte offsets that a composer needs, and the same sums in plain C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.stream_fields import Field, RowNumbers, Weights
from tinyml.targets.composer.streams_in_c import StreamInC, requantised, sums_in_c
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes, Numbers


@dataclass(frozen=True)
class WeightStream:
    """The weight stream of a tile.

    groups: how often so many rows are a block, from the first rows on. fields: of a block. by_channel: each row of
    weights is the filter of a channel, and the elements of a channel lie `tile.rows` apart. run_elements: the elements
    of a row of weights from a run to the next, as `elements` arranges them from shape rows x (runs x length).
    finish: the statements in C that store what becomes of `sum` at a location. in_c: the sums of all rows and windows.
    """

    tile: Tile
    groups: Sequence[tuple[int, int]]
    fields: Sequence[Field]
    by_channel: bool = False
    run_elements: int = 0
    elements: Callable[[Numbers], Numbers] = lambda weights: weights
    finish: Callable[[StreamInC, str], str] = requantised
    in_c: Callable[[StreamInC], str] = sums_in_c

    @property
    def length(self) -> int:
        """The elements of a run that a row of weights meets."""
        return self.tile.length // self.tile.rows if self.by_channel else self.tile.length

    def block_bytes(self, rows: int) -> int:
        """The bytes of a block."""
        return self._bounds(rows)[-1]

    def bytes(self, groups: int) -> int:
        """The bytes of the blocks of the first groups."""
        return sum(times * self.block_bytes(rows) for times, rows in self.groups[:groups])

    def offset(self, number: str, rows: int, row: int = 0) -> int:
        """The byte offset of a number of a row in a block of some rows; of several of a name, the first one's."""
        at, field = next((at, field) for at, field in enumerate(self.fields) if number in field.numbers)
        return self._bounds(rows)[at] + row * field.row_bytes + field.numbers[number][1]

    def end(self, number: str, rows: int) -> int:
        """The byte offset in a block behind the field that holds a number, with what aligns the next one."""
        return self._bounds(rows)[1 + next(at for at, field in enumerate(self.fields) if number in field.numbers)]

    def weights_end(self, rows: int) -> int:
        """The byte offset in a block behind its last weight; there is one field of them."""
        at, field = next((at, field) for at, field in enumerate(self.fields) if isinstance(field, Weights))
        return self._bounds(rows)[at] + rows * field.row_bytes

    def padding(self, field: int, rows: int) -> int:
        """The bytes that align a field of a block."""
        begin, end = self._bounds(rows)[field : field + 2]
        return end - begin - rows * self.fields[field].row_bytes

    def _bounds(self, rows: int) -> list[int]:
        """The byte offsets of the fields of a block, and its end."""

        def end(begin: int, field: Field) -> int:
            return -(-(begin + rows * field.row_bytes) // field.aligned) * field.aligned

        return list(accumulate(self.fields, end, initial=0))

    def blocks(self) -> Iterator[tuple[slice, bool]]:
        """The rows of each block; true for the last block of a group."""
        first = 0
        for times, rows in self.groups:
            for left in reversed(range(times)):
                yield slice(first, first + rows), left == 0
                first += rows

    def stream(self, sums: Sums) -> Bytes:
        """The bytes of all blocks."""
        weights = self.elements(sums.weights)
        parts: list[Bytes] = []
        for rows, is_last in self.blocks():
            part = Sums(sums.weights[rows], sums.starts[rows], sums.multipliers[rows], sums.shifts[rows])
            for number, field in enumerate(self.fields):
                stored = np.pad(field.stored(part, weights[rows]), (0, self.padding(number, rows.stop - rows.start)))
                if is_last and isinstance(field, RowNumbers) and field.end_mark:
                    stored[-1] = np.uint8(field.end_mark).astype(np.int8)
                parts += [stored]
        return np.concatenate(parts)

    @property
    def portable(self) -> str:
        """The sums of all rows and windows in C."""
        return self.in_c(StreamInC(self))
