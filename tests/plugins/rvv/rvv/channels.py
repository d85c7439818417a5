"""Depthwise filters with a channel in each lane, for blocks of up to 32 channels. The number of windows is limited by
the registers for sums.

The weights of a tap are loaded once for all windows. Elements of adjacent channels are adjacent in memory, so they are
loaded and widened like weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rvv.requantise import SCRATCH, STREAM
from rvv.rows import AT, MOST_ROWS, RUNS, WINDOW, Rows
from rvv.vectors import counted, moved, op
from tinyml.extend.chips import (
    BY_ELEMENT,
    MULTIPLIER,
    RIGHT,
    Code,
    Repeated,
    WeightStream,
    balanced,
    joined,
    row_blocks,
)

_RUN, _ELEMENT = "a6", "t0"
_WEIGHTS, _WEIGHT_BYTES, _ELEMENTS, _ELEMENT_BYTES = "v0", "v2", "v4", "v6"
"""The first registers of weights and elements; the bytes of full groups are in the upper halves of these groups."""

_UNROLLED = 12
"""The maximum number of taps of a filter whose code has no loop over runs."""


@dataclass(frozen=True)
class Channels(Rows):
    """The code for a tile of a depthwise convolution."""

    @property
    def columns(self) -> int:
        """The number of taps in a contiguous run."""
        return self.tile.length // self.tile.rows

    @property
    def layout(self) -> WeightStream:
        taps, groups = replace(self.tile, length=self.columns), balanced(self.tile.rows, MOST_ROWS)
        return replace(row_blocks(taps, groups, (MULTIPLIER, RIGHT), BY_ELEMENT), tile=self.tile, by_channel=True)

    @property
    def fits(self) -> bool:
        return self.tile.length % self.tile.rows == 0

    @property
    def reach(self) -> int:
        return self.most_windows

    def load_windows(self, windows: int) -> Repeated:
        return super().load_windows(windows).then((op("mv", AT, WINDOW),))

    def start(self, rows: int, windows: int) -> Code:
        return joined(self.starts(rows, windows), op("mv", _RUN, AT))

    def products(self, rows: int, windows: int) -> Repeated:
        tile = self.tile
        if tile.runs * self.columns <= _UNROLLED:
            return Repeated.once(joined(*(self._run(rows, windows, run * tile.pitch) for run in range(tile.runs))))
        run = joined(self._run(rows, windows, 0), moved(_RUN, tile.pitch, SCRATCH))
        return counted(Repeated.once(run), tile.runs, RUNS, 2)

    def _run(self, rows: int, windows: int, offset: int) -> Code:
        """Code that adds the products of one contiguous run of elements.

        offset: the distance of the run's first element from the pointer.
        """
        lines: list[Code] = []
        for column in range(self.columns):
            lines += [
                (op("vle8.v", _WEIGHT_BYTES, f"({STREAM})"), op("addi", STREAM, STREAM, rows)),
                (op("vsext.vf2", _WEIGHTS, _WEIGHT_BYTES),),
            ]
            for window, sum in enumerate(self.sums[:windows]):
                at = offset + column * self.tile.rows + window * self.tile.step
                lines += [
                    moved(_ELEMENT, at, SCRATCH, _RUN),
                    (op("vle8.v", _ELEMENT_BYTES, f"({_ELEMENT})"), op("vsext.vf2", _ELEMENTS, _ELEMENT_BYTES)),
                    (op("vwmacc.vv", sum, _ELEMENTS, _WEIGHTS),),
                ]
        return joined(*lines)

    def finish(self, rows: int, windows: int) -> Code:
        return joined(super().finish(rows, windows), moved(AT, rows, SCRATCH))
