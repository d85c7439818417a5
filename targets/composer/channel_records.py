"""Weight streams of channels: for each, the start, the multiplier, the shift amount and the weights of its filter."""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.composer.row_blocks import RowFactors
from tinyml.targets.composer.stream_fields import MULTIPLIER, RIGHT, START, WORD, RowNumbers, Weights
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.tiles import Tile

_NUMBERS = RowNumbers("numbers", content=(START, MULTIPLIER, RIGHT))
START_AT, MULTIPLIER_AT, RIGHT_AT = (offset for _, offset in _NUMBERS.numbers.values())
WEIGHTS_AT = _NUMBERS.row_bytes
"""Byte offsets in the record of a channel."""


class ChannelRecords:
    """The records of the channels of a tile.

    columns: of a filter; taps: the number of its weights. across: the columns between adjacent windows. bytes: the size
    of a record.
    """

    def __init__(self, tile: Tile, factors: RowFactors) -> None:
        self.tile = tile
        self.columns, self.across = tile.length // tile.rows, tile.step // tile.rows
        self.taps = tile.runs * self.columns
        fields = replace(_NUMBERS, content=(START, *factors)), Weights("weights", WORD, elements=self.taps)
        self.layout = WeightStream(tile, [(tile.rows, 1)], fields, by_channel=True)
        self.bytes = self.layout.block_bytes(1)

    @property
    def is_by_channel(self) -> bool:
        """True if windows consist of pixels of all channels, and all of them differ."""
        tile = self.tile
        return tile.length % tile.rows == tile.step % tile.rows == 0 and tile.step > 0
