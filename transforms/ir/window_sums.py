"""Sums of windows multiplied by rows of constant weights, and the tile kernels that compute them (L1 to L3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects import num
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.tiles import Sums, Tile, TileFamily
from tinyml.transforms.ir.sum_starts import Start

if TYPE_CHECKING:
    from tinyml.targets.tiles import Numbers


@dataclass(frozen=True)
class WindowSums:
    """Sums of products of bytes, each finished in the format of the result.

    channels: true if each row is multiplied by a single channel of a window. weights: rows x elements. run: the number
    of elements in a run of a window. count: the number of windows in each line.
    """

    channels: bool
    weights: Numbers
    start: Start
    accumulator: Accumulator
    result: NumberFormat
    run: int
    spaces: num.Spacing
    count: int
    lines: int = 1

    def fitted(self, family: TileFamily) -> tuple[Tile, Sums] | None:
        """The tile and sums for a family's kernels, which may compute some lines at a time; None without one."""
        (runs, pitch, step), rows = self.spaces, len(self.weights)
        if family.channels != self.channels or self.lines % family.lines:
            return None
        if (finish := family.finish(self.accumulator, self.result, rows)) is None:
            return None
        if family.shifts:
            half = 1 << -int(finish.shifts[0]) - 1
            sums = Sums(self.weights, self.start.sums(self.accumulator) + half, finish.multipliers, finish.shifts)
        else:
            sums = Sums.requantised(self.weights, self.start.raws.astype(np.int64), finish)
        if (bounded := family.bounded(sums, finish.zero)) is None:
            return None
        # Windows of one run in one line have no pitch.
        places = pitch if max(runs, family.lines) > 1 else 0, step, self.count
        return family.tile(finish, rows, runs, self.run, places), bounded
