"""Channels along a strip: each meets a filter of its own, whose weights stay in registers along the strip's windows.

Each element of the strip is loaded once, and its products are added to the sums of all windows that it belongs to. When
the sum of a window is complete, those of the windows behind it move up. A filter that has too many weights, or too many
windows that overlap, has no kernel.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr.composer import accumulate
from tinyml.targets.avr.composer.assembly import Lines, bytes_of, copied, cycles, joined, moved
from tinyml.targets.avr.composer.calls import RETURN_ADDRESS, framed
from tinyml.targets.avr.composer.dense import strided_dot
from tinyml.targets.avr.composer.epilogues import (
    CALL,
    CALLED,
    COMPILED,
    FACTORS,
    NUMBER,
    RESULT,
    SIGN,
    SUM,
    ZERO,
    factors,
    requantised_in_c,
    shifted,
    shifted_in_c,
)
from tinyml.targets.avr.composer.fetch import FLASH, Places, next_byte
from tinyml.targets.avr.composer.loops import again, repeated
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

_SUMS = [SUM, ("r4", "r5", "r9"), ("r6", "r7", "r8")]
"""The sums of windows that overlap, the one that is complete first in front."""

_START = ("r12", "r13", "r11")
_COUNTER, _ZERO = "r14", ZERO
_WEIGHTS = [f"r{number}" for number in range(16, 25)]
_ELEMENT = RESULT
_START_BYTES, _MOST = 3, 255
_FINISHED = 50
"""About the cycles that compiled C takes to start and finish the sum of a channel, and to go on to the next."""


class ChannelStrip:
    """The code for a tile: Z walks along the stream, Y along the strip and X along the results.

    height, width: of a filter. across: columns from a window to the next. sums: of windows that overlap. requantises:
    are sums requantised by factors in the stream, behind the weights?
    """

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        self.height, self.width = tile.runs, tile.length // tile.rows
        self.across = tile.step // tile.rows
        overlapping = -(-self.width // max(self.across, 1))
        self.sums = _SUMS[: min(overlapping, tile.count)]
        self.weights = _WEIGHTS[: self.height * self.width]
        self.requantises = tile.right == 0

    @property
    def fits(self) -> bool:
        """Are there enough registers, and do counters have one byte each?"""
        tile = self.tile
        if tile.length % tile.rows or tile.step % tile.rows or tile.step == 0 or max(tile.rows, tile.count) > _MOST:
            return False
        overlapping = min(-(-self.width // self.across), tile.count)
        return self.height * self.width == len(self.weights) and overlapping == len(self.sums)

    @property
    def usual(self) -> float:
        time = _time_of_channel(len(self.weights)) + (COMPILED if self.requantises else 0)
        return self.tile.rows * self.tile.count * time

    def _columns(self, first: int, end: int, places: Places) -> Lines:
        """The products of columns, which are counted from those of the window that is complete first."""
        lines: list[str] = []
        for column in range(first, end):
            taps = [column - self.across * number for number in range(len(self.sums))]
            for row in range(self.height):
                lines += places.load(_ELEMENT, row * self.tile.pitch + column * self.tile.rows)
                for sum, tap in zip(self.sums, taps, strict=True):
                    if 0 <= tap < self.width:
                        lines += [f"muls {self.weights[row * self.width + tap]},{_ELEMENT}"]
                        lines += accumulate.three_bytes(sum, _ZERO)
        return tuple(lines)

    @property
    def _finish(self) -> Lines:
        """Makes a byte of the sum that is complete."""
        if not self.requantises:
            return shifted(self.sums[0], self.tile.right, _ELEMENT, _ZERO)
        kept = [register for register in (*NUMBER, SIGN) if register in self.weights]
        pushes, pops = [f"push {register}" for register in kept], [f"pop {register}" for register in reversed(kept)]
        return joined(pushes, CALL, pops, moved("r30", -FACTORS))

    @cached_property
    def _parts(self) -> tuple[Lines, Lines, Lines, Lines]:
        """What runs once; for each channel in front of its windows; for each window; and for each channel behind."""
        tile, channels = self.tile, self.tile.rows
        ahead, places = max(self.width - self.across, 0), Places("Y")
        begin = ("movw r30,r24", "movw r28,r22", "movw r26,r20", f"clr {_ZERO}", f"ldi {_ELEMENT},{channels}")
        before = joined(
            f"push {_ELEMENT}",
            *(next_byte(FLASH, "Z")(register) for register in (*_START, *self.weights)),
            *(copied(_START, sum) for sum in self.sums),
            (f"ldi {_ELEMENT},{tile.count}", f"mov {_COUNTER},{_ELEMENT}"),
            self._columns(0, ahead, places),
            places.move(ahead * channels),
        )
        window = joined(
            self._columns(ahead, self.width, places),
            places.move((ahead + self.across) * channels),
            self._finish,
            (f"st X,{_ELEMENT}", *moved("r26", channels)),
            *(copied(after, sum) for sum, after in zip(self.sums, (*self.sums[1:], _START), strict=True)),
            f"dec {_COUNTER}",
        )
        behind = joined(
            moved("r28", 1 - (ahead + tile.count * self.across) * channels),
            moved("r26", 1 - tile.count * channels),
            moved("r30", FACTORS if self.requantises else 0),
            (f"pop {_ELEMENT}", f"dec {_ELEMENT}"),
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

    def stream(self, sums: Sums) -> Bytes:
        """Of each channel the start, the weights and the factors."""
        starts = sums.starts.astype("<i4").reshape(-1, 1).view(np.int8)[:, :_START_BYTES]
        parts = [starts, sums.weights.astype(np.int8), *([factors(sums, self.tile.zero)] if self.requantises else [])]
        return np.concatenate(parts, axis=1).reshape(-1)

    @property
    def portable(self) -> str:
        tile, indent, out = self.tile, " " * 12, f"out[window * {self.tile.rows} + channel]"
        place = _START_BYTES + len(self.weights)
        if self.requantises:
            record, finish = place + FACTORS, requantised_in_c(indent, f"stream + {place}", out)
        else:
            record, finish = place, shifted_in_c(indent, tile.right, out)
        return f"""\
    for (int channel = 0; channel < {tile.rows}; channel++, stream += {record}) {{
        const uint8_t *start = (const uint8_t *)stream;
        for (int window = 0; window < {tile.count}; window++) {{
            int32_t sum = (int32_t)(start[0] | start[1] << 8) + (int8_t)start[2] * (int32_t)65536;
            for (int i = 0; i < {self.height}; i++)
                for (int j = 0; j < {self.width}; j++)
                    sum += (int32_t)stream[{_START_BYTES} + i * {self.width} + j]
                        * x[window * {tile.step} + i * {tile.pitch} + j * {tile.rows} + channel];
{finish}
        }}
    }}"""


@cache
def _time_of_channel(length: int) -> float:
    """The cycles of a result by a kernel for a single channel of a window."""
    kernel = strided_dot(8, 8)
    assert kernel.composed is not None
    costs = kernel.composed.costs
    return costs[""] + length * costs["element"] + _FINISHED
