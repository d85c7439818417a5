"""Depthwise kernels for filters with more weights than registers: row by row, for several windows at once.

The weights of a filter row are fetched for up to three windows. Each element that these cover is loaded once, and its
products are added to the sums of all windows that contain it.
"""

from __future__ import annotations

from tinyml.targets.avr.assembly.instructions import copied, cycles, moved
from tinyml.targets.avr.assembly.loops import TimedCode
from tinyml.targets.avr.composer.fragments import accumulate
from tinyml.targets.avr.composer.fragments.epilogues import CALL, CALLED, FACTORS, SUM, ZERO, shifted
from tinyml.targets.avr.composer.fragments.fetch import FLASH, MovingPointer, next_byte
from tinyml.targets.avr.composer.tiles.channel_code import (
    COUNTER,
    ELEMENT,
    MOST,
    START,
    SUMS,
    WEIGHTS,
    AvrChannelCode,
)
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.nest import overlapping
from tinyml.targets.tiles import Tile

*_WEIGHTS, _ROWS = WEIGHTS
"""The last register counts rows."""


class AvrChannelsByRow(AvrChannelCode):
    """The code for a tile. at_once: windows in a group. groups: the number of groups."""

    def __init__(self, tile: Tile) -> None:
        super().__init__(tile)
        self.at_once = next(count for count in (3, 2, 1) if tile.count % count == 0)
        self.groups = tile.count // self.at_once

    @property
    def has_registers(self) -> bool:
        return self.is_regular and self.width <= len(_WEIGHTS) and max(self.groups, self.height) <= MOST

    @property
    def _row(self) -> TimedCode:
        """A filter row for all windows of a group."""
        tile, pointer = self.tile, MovingPointer("Y")
        weights = _WEIGHTS[: self.width]
        lines = joined(*(next_byte(FLASH, "Z")(weight) for weight in weights))
        for column in range((self.at_once - 1) * self.across + self.width):
            users = overlapping(column, self.at_once, self.across, self.width)
            products = [
                joined(f"muls {weights[tap]},{ELEMENT}", accumulate.three_bytes(SUMS[window], ZERO))
                for window, tap in users
            ]
            lines = joined(lines, pointer.load(ELEMENT, column * tile.rows) if users else (), *products)
        return TimedCode.once(lines, pointer.move(tile.pitch))

    @property
    def subroutine(self) -> Lines:
        """The subroutine that converts a sum to a byte and stores it."""
        if self.requantises:
            lines = joined(CALL, moved("r30", -FACTORS))
        else:
            lines = shifted(SUM, self.tile.right, ELEMENT, ZERO)
        return joined("50:", lines, f"st X,{ELEMENT}", moved("r26", self.tile.rows), "ret")

    @property
    def _group(self) -> TimedCode:
        """All windows of a group."""
        tile, sums = self.tile, SUMS[: self.at_once]
        begin = TimedCode.once(*(copied(START, sum) for sum in sums), f"ldi {_ROWS},{self.height}")
        code = begin.followed_by(self._row.looped(3, self.height, _ROWS)).then(
            *(joined(copied(sum, SUM) if number else (), "rcall 50f") for number, sum in enumerate(sums)),
            moved("r28", self.at_once * tile.step - self.height * tile.pitch),
            moved("r30", -self.taps),
        )
        finish = cycles(self.subroutine) + (CALLED if self.requantises else 0)
        return code.longer(self.at_once * finish)

    @property
    def windows(self) -> TimedCode:
        begin = TimedCode.once(f"ldi {ELEMENT},{self.groups}", f"mov {COUNTER},{ELEMENT}")
        return begin.followed_by(self._group.looped(2, self.groups, COUNTER))

    @property
    def distances(self) -> tuple[int, int]:
        return self.tile.count * self.tile.step, 0

    @property
    def calls(self) -> int:
        return 3 if self.requantises else 2
