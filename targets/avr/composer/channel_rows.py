"""Channels along a strip whose filters have more weights than registers: row by row, for several windows at once.

The weights of a row of the filter are fetched for up to three windows. Each element under them is loaded once, and its
products are added to the sums of all windows that it belongs to.
"""

from __future__ import annotations

from functools import cached_property

from tinyml.targets.avr.composer import accumulate
from tinyml.targets.avr.composer.assembly import bytes_of, copied, cycles, moved
from tinyml.targets.avr.composer.calls import RETURN_ADDRESS, framed
from tinyml.targets.avr.composer.channel_filters import (
    BEGIN,
    COUNTER,
    ELEMENT,
    MOST,
    START,
    SUMS,
    WEIGHTS,
    ChannelFilters,
)
from tinyml.targets.avr.composer.epilogues import CALL, CALLED, FACTORS, SUM, ZERO, shifted
from tinyml.targets.avr.composer.fetch import FLASH, Places, next_byte
from tinyml.targets.avr.composer.loops import again, repeated
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.nest import overlapping
from tinyml.targets.tiles import Tile

*_WEIGHTS, _ROWS = WEIGHTS
"""The last one counts rows."""


class ChannelRows(ChannelFilters):
    """The code for a tile. at_once: windows; groups: of windows."""

    def __init__(self, tile: Tile) -> None:
        super().__init__(tile)
        self.at_once = next(count for count in (3, 2, 1) if tile.count % count == 0)
        self.groups = tile.count // self.at_once

    @property
    def has_registers(self) -> bool:
        return self.is_regular and self.width <= len(_WEIGHTS) and max(self.groups, self.height) <= MOST

    @property
    def _row(self) -> Lines:
        """A row of the filter under all windows of a group."""
        tile, places = self.tile, Places("Y")
        weights = _WEIGHTS[: self.width]
        lines = joined(*(next_byte(FLASH, "Z")(weight) for weight in weights))
        for column in range((self.at_once - 1) * self.across + self.width):
            users = overlapping(column, self.at_once, self.across, self.width)
            products = [
                joined(f"muls {weights[tap]},{ELEMENT}", accumulate.three_bytes(SUMS[window], ZERO))
                for window, tap in users
            ]
            lines = joined(lines, places.load(ELEMENT, column * tile.rows) if users else (), *products)
        return joined(lines, places.move(tile.pitch), f"dec {_ROWS}")

    @property
    def _finish(self) -> Lines:
        """Makes a byte of a sum and stores it."""
        if self.requantises:
            lines = joined(CALL, moved("r30", -FACTORS))
        else:
            lines = shifted(SUM, self.tile.right, ELEMENT, ZERO)
        return joined("50:", lines, f"st X,{ELEMENT}", moved("r26", self.tile.rows), "ret")

    @cached_property
    def _group(self) -> tuple[Lines, int]:
        """All windows of a group, and their time."""
        tile, row = self.tile, self._row
        back = again(3, bytes_of(row))
        begin = joined(*(copied(START, sum) for sum in SUMS[: self.at_once]), f"ldi {_ROWS},{self.height}")
        end = joined(
            *(
                joined(copied(sum, SUM) if number else (), "rcall 50f")
                for number, sum in enumerate(SUMS[: self.at_once])
            ),
            moved("r28", self.at_once * tile.step - self.height * tile.pitch),
            moved("r30", -self.taps),
            f"dec {COUNTER}",
        )
        finish = cycles(self._finish) + (CALLED if self.requantises else 0)
        time = cycles(begin) + repeated(cycles(row), back, self.height) + cycles(end) + self.at_once * finish
        return joined(begin, "3:", row, back, end), time

    @cached_property
    def _channels(self) -> tuple[Lines, int]:
        """All channels, and their time."""
        tile, (group, time) = self.tile, self._group
        windows = again(2, bytes_of(group))
        before = joined(
            f"push {ELEMENT}",
            *(next_byte(FLASH, "Z")(register) for register in START),
            (f"ldi {ELEMENT},{self.groups}", f"mov {COUNTER},{ELEMENT}"),
        )
        behind = joined(
            moved("r28", 1 - tile.count * tile.step),
            moved("r26", 1 - tile.count * tile.rows),
            moved("r30", self.taps + (FACTORS if self.requantises else 0)),
            (f"pop {ELEMENT}", f"dec {ELEMENT}"),
        )
        body = joined(before, "2:", group, windows, behind)
        back = again(1, bytes_of(body))
        time = cycles(before) + repeated(time, windows, self.groups) + cycles(behind)
        begin = (*BEGIN, f"ldi {ELEMENT},{tile.rows}")
        return joined(begin, "1:", body, back), cycles(begin) + repeated(time, back, tile.rows)

    @property
    def lines(self) -> Lines:
        return joined(framed(self._channels[0]), self._finish)

    @property
    def stack(self) -> int:
        # The counter of channels and registers of the caller are pushed.
        calls = 3 if self.requantises else 2
        return calls * RETURN_ADDRESS + sum(line.startswith("push") for line in self.lines)

    @property
    def time(self) -> int:
        lines, time = self._channels
        return cycles(framed(lines)) - cycles(lines) + time
