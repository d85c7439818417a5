"""The loop nest of depthwise kernels: channels, each with its own filter, by all windows."""

from __future__ import annotations

from abc import abstractmethod
from functools import cache

from tinyml.targets.avr.assembly.instructions import moved
from tinyml.targets.avr.assembly.loops import TimedCode
from tinyml.targets.avr.composer.fragments.epilogues import RESULT, SUM, ZERO
from tinyml.targets.avr.composer.fragments.fetch import FLASH, next_byte
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
_BEGIN = ("movw r30,r24", "movw r28,r22", "movw r26,r20", f"clr {ZERO}")
"""Z points into the stream, Y into the strip and X to the results."""

MOST = 255
"""The greatest count in a byte."""

_FINISHED = 50
"""The approximate cycles that compiled C takes to start and finish the sum of a channel and to advance to the next."""


class AvrChannelCode(AvrTileCode):
    """The code for a tile.

    height, width: of a filter. taps: the number of its weights. across: columns between adjacent windows.
    """

    def __init__(self, tile: Tile) -> None:
        super().__init__(tile)
        self.height, self.width = tile.runs, tile.length // tile.rows
        self.taps = self.height * self.width
        self.across = tile.step // tile.rows

    @property
    def is_regular(self) -> bool:
        """True if windows consist of whole pixels, and all of them differ."""
        tile = self.tile
        return tile.length % tile.rows == 0 and tile.step % tile.rows == 0 and tile.step > 0 and tile.rows <= MOST

    @property
    def single(self) -> float:
        return _time_of_channel(self.taps)

    @property
    def layout(self) -> WeightStream:
        """The start, the weights and the factors of each channel in turn."""
        return self.weight_stream((self.tile.rows, 1), self.taps, BY_ROW, by_channel=True)

    @property
    @abstractmethod
    def windows(self) -> TimedCode:
        """The code for all windows of a channel, whose start is in registers."""

    @property
    @abstractmethod
    def distances(self) -> tuple[int, int]:
        """The bytes by which the windows of a channel move the pointers into the strip and into the stream."""

    def composed(self) -> TimedCode:
        tile, (along_strip, along_stream) = self.tile, self.distances
        start = (next_byte(FLASH, "Z")(register) for register in START)
        record = self.layout.bytes(1) // tile.rows
        channel = (
            TimedCode.once(f"push {ELEMENT}", *start)
            .followed_by(self.windows)
            .then(
                moved("r28", 1 - along_strip),
                moved("r26", 1 - tile.count * tile.rows),
                moved("r30", record - len(START) - along_stream),
                f"pop {ELEMENT}",
            )
        )
        begin = TimedCode.once(_BEGIN, f"ldi {ELEMENT},{tile.rows}")
        return begin.followed_by(channel.looped(1, tile.rows, ELEMENT))


@cache
def _time_of_channel(length: int) -> float:
    """The cycles per result of a kernel for a single channel of a window."""
    return time_alone(strided_dot(8, 8), length) + _FINISHED
