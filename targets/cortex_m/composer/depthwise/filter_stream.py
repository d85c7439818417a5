"""Weight streams of channels for the DSP extension: words that SXTB16 splits into registers with two weights each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml.targets.composer.stream_fields import DOUBLED, RIGHT_LESS_1, START, ListedBytes, Number, RowNumbers
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.tiles import Tile

Half = int | Number | None
"""Half of a register: a weight, by its index in the filter, the shift amount, or nothing."""


@dataclass(frozen=True)
class ChannelFilter:
    """The filter of a channel in pairs of rows; an odd last row is in pairs of columns."""

    tile: Tile

    @property
    def rows(self) -> int:
        return self.tile.runs

    @property
    def columns(self) -> int:
        return self.tile.length // self.tile.rows

    def weight(self, row: int, column: int) -> int:
        """The index of a weight."""
        return row * self.columns + column

    @cached_property
    def registers(self) -> list[tuple[Half, Half]]:
        """The low and the high half of each register; the last holds the shift amount and an unpaired weight."""
        columns = range(self.columns)
        pairs = [
            (self.weight(row, column), self.weight(row + 1, column))
            for row in range(0, self.rows - 1, 2)
            for column in columns
        ]
        if self.rows % 2 == 0:
            return [*pairs, (RIGHT_LESS_1, None)]
        last = [self.weight(self.rows - 1, column) for column in columns]
        beside = list(zip(last[::2], last[1::2], strict=False))
        return [*pairs, *beside, (RIGHT_LESS_1, last[-1] if len(last) % 2 else None)]

    @property
    def layout(self) -> WeightStream:
        """The stream: for each channel its words, of two registers each, then the start and the multiplier."""
        halves = [*self.registers, *[(None, None)] * (len(self.registers) % 2)]
        words = zip(halves[::2], halves[1::2], strict=True)
        content = tuple(byte for first, second in words for byte in (first[0], second[0], first[1], second[1]))
        fields = ListedBytes("weights", content=content), RowNumbers("numbers", content=(START, DOUBLED))
        return WeightStream(self.tile, [(self.tile.rows, 1)], fields, by_channel=True)
