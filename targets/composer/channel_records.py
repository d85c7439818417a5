"""Streams of channels: of each the start, the multiplier, the shift and the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.requantised import Factors, requantised_in_c
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

START_AT, MULTIPLIER_AT, RIGHT_AT, WEIGHTS_AT = 0, 4, 8, 9
"""Places in the record of a channel."""


@dataclass(frozen=True)
class ChannelRecords:
    """The layout of the channels of a tile. factors: how multipliers and shifts stand there."""

    tile: Tile
    factors: Factors

    @property
    def is_by_channel(self) -> bool:
        """Do windows consist of pixels of all channels, without lying on each other?"""
        tile = self.tile
        return tile.length % tile.rows == tile.step % tile.rows == 0 and tile.step > 0

    @property
    def columns(self) -> int:
        """The columns of a filter."""
        return self.tile.length // self.tile.rows

    @property
    def across(self) -> int:
        """The columns from a window to the next."""
        return self.tile.step // self.tile.rows

    @property
    def taps(self) -> int:
        """The weights of a filter."""
        return self.tile.runs * self.columns

    @property
    def bytes(self) -> int:
        """The bytes of a channel."""
        return -(-(WEIGHTS_AT + self.taps) // 4) * 4

    def stream(self, sums: Sums) -> Bytes:
        """All channels."""
        records: list[Bytes] = []
        for weights, start, multiplier, shift in sums:
            numbers = np.array([int(start), self.factors.multiplier(int(multiplier))], "<i4")
            rest = [0] * (self.bytes - WEIGHTS_AT - self.taps)
            bytes = np.array([self.factors.right(int(shift)), *map(int, weights), *rest], np.int8)
            records += [numbers.view(np.int8), bytes]
        return np.concatenate(records)

    @property
    def portable(self) -> str:
        """The products of the channels and all windows in C, by `stream`, `x` and `out`."""
        tile, columns, factors = self.tile, self.columns, self.factors
        return f"""\
    for (int channel = 0; channel < {tile.rows}; channel++, stream += {self.bytes})
        for (int window = 0; window < {tile.count}; window++) {{
            const int32_t multiplier = {factors.multiplier_in_c(f"tm_number(stream + {MULTIPLIER_AT})")};
            const int right = {factors.right_in_c(f"stream[{RIGHT_AT}]")};
            int32_t sum = tm_number(stream);
            for (int i = 0; i < {tile.runs}; i++)
                for (int j = 0; j < {columns}; j++)
                    sum += stream[{WEIGHTS_AT} + i * {columns} + j]
                        * (int32_t)x[window * {tile.step} + i * {tile.pitch} + j * {tile.rows} + channel];
{requantised_in_c(" " * 12, tile.zero, f"out[window * {tile.rows} + channel]")}
        }}"""
