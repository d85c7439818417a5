"""Filters of channels: what kernels for channels of windows have in common, whatever the order of their loops."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr.composer.dense import strided_dot
from tinyml.targets.avr.composer.epilogues import (
    FACTORS,
    RESULT,
    SUM,
    ZERO,
    factors,
)
from tinyml.targets.avr.composer.strip_code import START_BYTES, StripCode, time_alone
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

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


class ChannelFilters(StripCode):
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

    def stream(self, sums: Sums) -> Bytes:
        """Of each channel the start, the weights and the factors."""
        starts = sums.starts.astype("<i4").reshape(-1, 1).view(np.int8)[:, :START_BYTES]
        parts = [starts, sums.weights.astype(np.int8), *([factors(sums, self.tile.zero)] if self.requantises else [])]
        return np.concatenate(parts, axis=1).reshape(-1)

    @property
    def portable(self) -> str:
        tile, indent, out = self.tile, " " * 12, f"out[window * {self.tile.rows} + channel]"
        place = START_BYTES + self.taps
        record = place + (FACTORS if self.requantises else 0)
        finish = self.finished_in_c(indent, f"stream + {place}", out)
        return f"""\
    for (int channel = 0; channel < {tile.rows}; channel++, stream += {record}) {{
        const uint8_t *start = (const uint8_t *)stream;
        for (int window = 0; window < {tile.count}; window++) {{
            int32_t sum = (int32_t)(start[0] | (uint32_t)start[1] << 8) + (int8_t)start[2] * (int32_t)65536;
            for (int i = 0; i < {self.height}; i++)
                for (int j = 0; j < {self.width}; j++)
                    sum += (int32_t)stream[{START_BYTES} + i * {self.width} + j]
                        * x[window * {tile.step} + i * {tile.pitch} + j * {tile.rows} + channel];
{finish}
        }}
    }}"""


@cache
def _time_of_channel(length: int) -> float:
    """The cycles of a result by a kernel for a single channel of a window."""
    return time_alone(strided_dot(8, 8), length) + _FINISHED
