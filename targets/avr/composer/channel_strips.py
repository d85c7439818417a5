"""Channels along a strip: each meets a filter of its own, whose weights stay in registers along the strip's windows.

Each element of the strip is loaded once, and its products are added to the sums of all windows that it belongs to. When
the sum of a window is complete, those of the windows behind it move up.
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
from tinyml.targets.avr.composer.epilogues import CALL, CALLED, FACTORS, NUMBER, SIGN, ZERO, shifted
from tinyml.targets.avr.composer.fetch import FLASH, Places, next_byte
from tinyml.targets.avr.composer.loops import again, repeated
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.nest import overlapping
from tinyml.targets.tiles import Tile


class ChannelStrip(ChannelFilters):
    """The code for a tile. sums: of windows that overlap, the one that is complete first in front."""

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

    def _columns(self, first: int, end: int, places: Places) -> Lines:
        """The products of columns, which are counted from those of the window that is complete first."""
        lines: list[str] = []
        for column in range(first, end):
            users = overlapping(column, len(self.sums), self.across, self.width)
            for row in range(self.height):
                lines += places.load(ELEMENT, row * self.tile.pitch + column * self.tile.rows)
                for window, tap in users:
                    lines += [f"muls {self.weights[row * self.width + tap]},{ELEMENT}"]
                    lines += accumulate.three_bytes(self.sums[window], ZERO)
        return tuple(lines)

    @property
    def _finish(self) -> Lines:
        """Makes a byte of the sum that is complete."""
        if not self.requantises:
            return shifted(self.sums[0], self.tile.right, ELEMENT, ZERO)
        kept = [register for register in (*NUMBER, SIGN) if register in self.weights]
        pushes, pops = [f"push {register}" for register in kept], [f"pop {register}" for register in reversed(kept)]
        return joined(pushes, CALL, pops, moved("r30", -FACTORS))

    @cached_property
    def _parts(self) -> tuple[Lines, Lines, Lines, Lines]:
        """What runs once; for each channel in front of its windows; for each window; and for each channel behind."""
        tile, channels = self.tile, self.tile.rows
        ahead, places = max(self.width - self.across, 0), Places("Y")
        begin = (*BEGIN, f"ldi {ELEMENT},{channels}")
        before = joined(
            f"push {ELEMENT}",
            *(next_byte(FLASH, "Z")(register) for register in (*START, *self.weights)),
            *(copied(START, sum) for sum in self.sums),
            (f"ldi {ELEMENT},{tile.count}", f"mov {COUNTER},{ELEMENT}"),
            self._columns(0, ahead, places),
            places.move(ahead * channels),
        )
        window = joined(
            self._columns(ahead, self.width, places),
            places.move((ahead + self.across) * channels),
            self._finish,
            (f"st X,{ELEMENT}", *moved("r26", channels)),
            *(copied(after, sum) for sum, after in zip(self.sums, (*self.sums[1:], START), strict=True)),
            f"dec {COUNTER}",
        )
        behind = joined(
            moved("r28", 1 - (ahead + tile.count * self.across) * channels),
            moved("r26", 1 - tile.count * channels),
            moved("r30", FACTORS if self.requantises else 0),
            (f"pop {ELEMENT}", f"dec {ELEMENT}"),
        )
        return begin, before, window, behind

    @cached_property
    def _loops(self) -> tuple[Lines, Lines]:
        """The jumps back to the next window, and to the next channel."""
        _, before, window, behind = self._parts
        windows = again(2, bytes_of(window))
        return windows, again(1, bytes_of(joined(before, window, windows, behind)))

    @property
    def lines(self) -> Lines:
        begin, before, window, behind = self._parts
        windows, channels = self._loops
        return framed(joined(begin, "1:", before, "2:", window, windows, behind, channels))

    @property
    def stack(self) -> int:
        # Of weights that are saved, the counter of channels, and registers of the caller.
        calls = 2 if self.requantises else 1
        return calls * RETURN_ADDRESS + sum(line.startswith("push") for line in self.lines)

    @property
    def time(self) -> int:
        begin, before, window, behind = self._parts
        windows, channels = self._loops
        frame = cycles(framed(joined(*self._parts))) - cycles(joined(*self._parts))
        along = repeated(cycles(window) + (CALLED if self.requantises else 0), windows, self.tile.count)
        return cycles(begin) + repeated(cycles(before) + along + cycles(behind), channels, self.tile.rows) + frame
