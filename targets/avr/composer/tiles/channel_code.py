"""Filters of channels: what kernels for `num.channel_tiles` have in common, whatever the order of their loops."""

from __future__ import annotations

from functools import cache

from tinyml.targets.avr.composer.fragments.epilogues import RESULT, SUM, ZERO
from tinyml.targets.avr.composer.sums.dense import strided_dot
from tinyml.targets.avr.composer.tiles.tile_code import AvrTileCode, time_alone
from tinyml.targets.composer.row_blocks import BY_ROW
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.tiles import Tile

SUMS = [SUM, ("r4", "r5", "r9"), ("r6", "r7", "r8")]
"""Registers for the sums of windows."""

START = ("r12", "r13", "r11")
ELEMENT = RESULT
WEIGHTS = [f"r{number}" for number in range(16, 25)]
COUNTER = "r14"
BEGIN = ("movw r30,r24", "movw r28,r22", "movw r26,r20", f"clr {ZERO}")
"""Z walks along the stream, Y along the strip and X along the results."""

MOST = 255
"""The greatest count of a byte."""

_FINISHED = 50
"""About the cycles that compiled C takes to start and finish the sum of a channel, and to go on to the next."""


class AvrChannelCode(AvrTileCode):
    """The filters of a tile.

    height, width: of a filter. taps: its weights. across: columns from a window to the next.
    """

    def __init__(self, tile: Tile) -> None:
        super().__init__(tile)
        self.height, self.width = tile.runs, tile.length // tile.rows
        self.taps = self.height * self.width
        self.across = tile.step // tile.rows

    @property
    def is_regular(self) -> bool:
        """Do windows consist of whole pixels, and does each lie elsewhere?"""
        tile = self.tile
        return tile.length % tile.rows == 0 and tile.step % tile.rows == 0 and tile.step > 0 and tile.rows <= MOST

    @property
    def single(self) -> float:
        return _time_of_channel(self.taps)

    @property
    def layout(self) -> WeightStream:
        """Of each channel the start, the weights and the factors."""
        return self.weight_stream((self.tile.rows, 1), self.taps, BY_ROW, by_channel=True)


@cache
def _time_of_channel(length: int) -> float:
    """The cycles of a result by a kernel for a single channel of a window."""
    return time_alone(strided_dot(8, 8), length) + _FINISHED
