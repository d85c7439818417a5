"""Depthwise kernels whose filter weights stay in registers while a window slides along the strip.

Each element of the strip is loaded once, and its products are added to the sums of all windows that contain it. When
the sum of a window is complete, those of later windows move up by one position.
"""

from __future__ import annotations

from tinyml.targets.avr.assembly.instructions import copied, moved
from tinyml.targets.avr.assembly.loops import TimedCode
from tinyml.targets.avr.composer.fragments import accumulate
from tinyml.targets.avr.composer.fragments.epilogues import CALL, CALLED, FACTORS, NUMBER, SIGN, ZERO, shifted
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


class AvrSlidingChannels(AvrChannelCode):
    """The code for a tile. sums: of overlapping windows, in order of completion."""

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

    def _columns(self, first: int, end: int, pointer: MovingPointer) -> Lines:
        """The products of columns, counted from the first column of the window to be completed next."""
        lines: list[str] = []
        for column in range(first, end):
            users = overlapping(column, len(self.sums), self.across, self.width)
            for row in range(self.height):
                lines += pointer.load(ELEMENT, row * self.tile.pitch + column * self.tile.rows)
                for window, tap in users:
                    lines += [f"muls {self.weights[row * self.width + tap]},{ELEMENT}"]
                    lines += accumulate.three_bytes(self.sums[window], ZERO)
        return tuple(lines)

    @property
    def _finish(self) -> Lines:
        """Convert the complete sum to a byte."""
        if not self.requantises:
            return shifted(self.sums[0], self.tile.right, ELEMENT, ZERO)
        kept = [register for register in (*NUMBER, SIGN) if register in self.weights]
        pushes, pops = [f"push {register}" for register in kept], [f"pop {register}" for register in reversed(kept)]
        return joined(pushes, CALL, pops, moved("r30", -FACTORS))

    @property
    def _ahead(self) -> int:
        """The number of columns that adjacent windows share."""
        return max(self.width - self.across, 0)

    @property
    def windows(self) -> TimedCode:
        channels, ahead, pointer = self.tile.rows, self._ahead, MovingPointer("Y")
        begin = TimedCode.once(
            *(next_byte(FLASH, "Z")(register) for register in self.weights),
            *(copied(START, sum) for sum in self.sums),
            (f"ldi {ELEMENT},{self.tile.count}", f"mov {COUNTER},{ELEMENT}"),
            self._columns(0, ahead, pointer),
            pointer.move(ahead * channels),
        )
        window = TimedCode.once(
            self._columns(ahead, self.width, pointer),
            pointer.move((ahead + self.across) * channels),
            self._finish,
            (f"st X,{ELEMENT}", *moved("r26", channels)),
            *(copied(after, sum) for sum, after in zip(self.sums, (*self.sums[1:], START), strict=True)),
        )
        called = window.longer(CALLED if self.requantises else 0)
        return begin.followed_by(called.looped(2, self.tile.count, COUNTER))

    @property
    def distances(self) -> tuple[int, int]:
        return (self._ahead + self.tile.count * self.across) * self.tile.rows, self.taps

    @property
    def calls(self) -> int:
        return 2 if self.requantises else 1
