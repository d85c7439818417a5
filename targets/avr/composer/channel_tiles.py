"""Depthwise kernels for AVR, which multiply each channel of all windows by its own filter.

`AvrSlidingChannels`: the weights of the filter remain in registers while a window slides along the tile. Each element
is loaded once. Its products are added to the sums of all windows that contain the element. When the sum of a window is
complete, the sums of later windows are moved by one position.

`AvrChannelsByRow`: for filters with more weights than registers, the code computes row by row, for up to three windows
at once. The weights of a filter row are loaded once for all of these windows. Each element that the windows cover is
also loaded once.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cache

from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import FLASH, TimedCode, copied, cycles, moved
from tinyml.targets.avr.composer.fragments import (
    FACTORS,
    NUMBER,
    RESULT,
    SIGN,
    SUM,
    ZERO,
    MovingPointer,
    accumulate_three_bytes,
    next_byte,
    shifted,
)
from tinyml.targets.avr.composer.sums import strided_dot
from tinyml.targets.avr.composer.tile_code import AvrTileCode, cycles_alone
from tinyml.targets.composer.instructions import Code, Line, joined
from tinyml.targets.composer.tile_code import overlapping
from tinyml.targets.composer.tile_composer import TileCode
from tinyml.targets.composer.weight_streams import BY_ROW, WeightStream
from tinyml.targets.tiles import Tile

SUMS = [SUM, ("r4", "r5", "r9"), ("r6", "r7", "r8")]
"""Registers for the sums of up to three windows."""

START = ("r12", "r13", "r11")
ELEMENT = RESULT
WEIGHTS = [f"r{number}" for number in range(16, 25)]
COUNTER = "r14"
_BEGIN = (a.movw("r30", "r24"), a.movw("r28", "r22"), a.movw("r26", "r20"), a.clr(ZERO))
"""Code after which Z points into the stream, Y into the input tile and X to the results."""

MOST = 255
"""The greatest count that fits in a byte."""

_FINISHED = 50
"""The approximate number of cycles that compiled C takes to start and finish the sum of a channel and to advance to the
next one.
"""


class _AvrChannelCode(AvrTileCode):
    """The base class of code for a depthwise tile.

    * height, width: the extents of a filter.
    * taps: the number of weights of a filter.
    * across: the number of columns between adjacent windows.
    """

    def __init__(self, tile: Tile) -> None:
        super().__init__(tile)
        self.height, self.width = tile.runs, tile.length // tile.rows
        self.taps = self.height * self.width
        self.across = tile.step // tile.rows

    @property
    def is_regular(self) -> bool:
        """True if each run of a window consists of whole pixels, no two windows coincide, and the number of channels
        fits in a byte.
        """
        tile = self.tile
        return tile.length % tile.rows == 0 and tile.step % tile.rows == 0 and tile.step > 0 and tile.rows <= MOST

    @property
    def single(self) -> float:
        return _cycles_of_channel(self.taps)

    @property
    def layout(self) -> WeightStream:
        return self.weight_stream((self.tile.rows, 1), self.taps, BY_ROW, by_channel=True)

    @property
    @abstractmethod
    def windows(self) -> TimedCode:
        """The code for all windows of a channel.

        Before this code, registers contain the start value of the channel's sums.
        """

    @property
    @abstractmethod
    def distances(self) -> tuple[int, int]:
        """The numbers of bytes by which the code for the windows of a channel advances two pointers: the pointer into
        the input tile, and the pointer into the stream.
        """

    def composed(self) -> TimedCode:
        tile, (along_input, along_stream) = self.tile, self.distances
        start = (next_byte(FLASH, "Z")(register) for register in START)
        record = self.layout.bytes(1) // tile.rows
        channel = (
            TimedCode.once(a.push(ELEMENT), *start)
            .followed_by(self.windows)
            .then(
                moved("r28", 1 - along_input),
                moved("r26", 1 - tile.count * tile.rows),
                moved("r30", record - len(START) - along_stream),
                a.pop(ELEMENT),
            )
        )
        begin = TimedCode.once(_BEGIN, a.ldi(ELEMENT, tile.rows))
        return begin.followed_by(channel.looped(1, tile.rows, ELEMENT))


@cache
def _cycles_of_channel(length: int) -> float:
    return cycles_alone(strided_dot(8, 8), length) + _FINISHED


*_WEIGHTS, _ROWS = WEIGHTS
"""The last register counts rows."""


class AvrChannelsByRow(_AvrChannelCode):
    """Code for a depthwise tile that computes row by row of the filter.

    at_once: the number of windows in a group.
    groups: the number of groups.
    """

    def __init__(self, tile: Tile) -> None:
        super().__init__(tile)
        self.at_once = next(count for count in (3, 2, 1) if tile.count % count == 0)
        self.groups = tile.count // self.at_once

    @property
    def has_registers(self) -> bool:
        return self.is_regular and self.width <= len(_WEIGHTS) and max(self.groups, self.height) <= MOST

    @property
    def _row(self) -> TimedCode:
        tile, pointer = self.tile, MovingPointer("Y")
        weights = _WEIGHTS[: self.width]
        lines = joined(*(next_byte(FLASH, "Z")(weight) for weight in weights))
        for column in range((self.at_once - 1) * self.across + self.width):
            users = overlapping(column, self.at_once, self.across, self.width)
            products = [
                joined(a.muls(weights[tap], ELEMENT), accumulate_three_bytes(SUMS[window], ZERO))
                for window, tap in users
            ]
            lines = joined(lines, pointer.load(ELEMENT, column * tile.rows) if users else (), *products)
        return TimedCode.once(lines, pointer.move(tile.pitch))

    @property
    def subroutine(self) -> Code:
        """The subroutine that converts a sum to a byte, stores the byte and advances to the next window's result."""
        if self.requantises:
            lines = joined(self.requantising.call, moved("r30", -FACTORS))
        else:
            lines = shifted(SUM, self.tile.right, ELEMENT, ZERO)
        return joined(a.label(50), lines, a.st("X", ELEMENT), moved("r26", self.tile.rows), a.ret())

    @property
    def _group(self) -> TimedCode:
        tile, sums = self.tile, SUMS[: self.at_once]
        begin = TimedCode.once(*(copied(START, sum) for sum in sums), a.ldi(_ROWS, self.height))
        code = begin.followed_by(self._row.looped(3, self.height, _ROWS)).then(
            *(joined(copied(sum, SUM) if number else (), a.rcall(ahead=50)) for number, sum in enumerate(sums)),
            moved("r28", self.at_once * tile.step - self.height * tile.pitch),
            moved("r30", -self.taps),
        )
        finish = cycles(self.subroutine) + (self.requantising.called if self.requantises else 0)
        return code.longer(self.at_once * finish)

    @property
    def windows(self) -> TimedCode:
        begin = TimedCode.once(a.ldi(ELEMENT, self.groups), a.mov(COUNTER, ELEMENT))
        return begin.followed_by(self._group.looped(2, self.groups, COUNTER))

    @property
    def distances(self) -> tuple[int, int]:
        return self.tile.count * self.tile.step, 0

    @property
    def calls(self) -> int:
        return 3 if self.requantises else 2


class AvrSlidingChannels(_AvrChannelCode):
    """Code for a depthwise tile that slides one window along the tile.

    sums: the registers of the sums of overlapping windows, in the order in which the sums are completed.
    """

    def __init__(self, tile: Tile) -> None:
        super().__init__(tile)
        self.sums = SUMS[: min(-(-self.width // max(self.across, 1)), tile.count)]
        self.weights = WEIGHTS[: self.taps]

    @property
    def has_registers(self) -> bool:
        if not self.is_regular or self.tile.count > MOST:
            return False
        overlapping = min(-(-self.width // self.across), self.tile.count)
        return self.taps == len(self.weights) and overlapping == len(self.sums)

    def _columns(self, first: int, end: int, pointer: MovingPointer) -> Code:
        """Code that adds the products of the columns from `first` up to but excluding `end`.

        Columns are counted from the first column of the window that is completed next.
        """
        lines: list[Line] = []
        for column in range(first, end):
            users = overlapping(column, len(self.sums), self.across, self.width)
            for row in range(self.height):
                lines += pointer.load(ELEMENT, row * self.tile.pitch + column * self.tile.rows)
                for window, tap in users:
                    lines += [a.muls(self.weights[row * self.width + tap], ELEMENT)]
                    lines += accumulate_three_bytes(self.sums[window], ZERO)
        return tuple(lines)

    @property
    def _finish(self) -> Code:
        if not self.requantises:
            return shifted(self.sums[0], self.tile.right, ELEMENT, ZERO)
        kept = [register for register in (*NUMBER, SIGN) if register in self.weights]
        return joined(map(a.push, kept), self.requantising.call, map(a.pop, reversed(kept)), moved("r30", -FACTORS))

    @property
    def _ahead(self) -> int:
        return max(self.width - self.across, 0)

    @property
    def windows(self) -> TimedCode:
        channels, ahead, pointer = self.tile.rows, self._ahead, MovingPointer("Y")
        begin = TimedCode.once(
            *(next_byte(FLASH, "Z")(register) for register in self.weights),
            *(copied(START, sum) for sum in self.sums),
            (a.ldi(ELEMENT, self.tile.count), a.mov(COUNTER, ELEMENT)),
            self._columns(0, ahead, pointer),
            pointer.move(ahead * channels),
        )
        window = TimedCode.once(
            self._columns(ahead, self.width, pointer),
            pointer.move((ahead + self.across) * channels),
            self._finish,
            (a.st("X", ELEMENT), *moved("r26", channels)),
            *(copied(after, sum) for sum, after in zip(self.sums, (*self.sums[1:], START), strict=True)),
        )
        called = window.longer(self.requantising.called if self.requantises else 0)
        return begin.followed_by(called.looped(2, self.tile.count, COUNTER))

    @property
    def distances(self) -> tuple[int, int]:
        return (self._ahead + self.tile.count * self.across) * self.tile.rows, self.taps

    @property
    def calls(self) -> int:
        return 2 if self.requantises else 1


def channels(tile: Tile) -> TileCode[Line]:
    """The code for a depthwise tile: `AvrSlidingChannels` if it fits, otherwise `AvrChannelsByRow`."""
    sliding = AvrSlidingChannels(tile)
    return sliding if sliding.fits else AvrChannelsByRow(tile)
