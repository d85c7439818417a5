"""Sums of windows multiplied by rows of constant weights, and the tile kernels that compute them (L1 to L3).

A sum has a constant start value in the units of its accumulator; windows share memory at a constant spacing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.tiles import Sums, Tile, TileFamily

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws
    from tinyml.targets.tiles import Numbers


@dataclass(frozen=True)
class Start:
    """The start values of sums: constants of a format."""

    format: NumberFormat
    raws: Raws

    def recoded(self, accumulator: Accumulator) -> Start:
        """The same start values in the format that an accumulator loads at the least cost."""
        from tinyml.dialects.machine.numpy_machine import NumpyMachine

        format = accumulator.start_format(self.format)
        return Start(format, format.recode(NumpyMachine(), self.raws, self.format))

    def plus(self, integers: NDArray[np.int64]) -> Start | None:
        """The start values with integers added to their raws; None if the format cannot hold the sums."""
        raws = self.raws.astype(np.int64) + integers
        try:
            self.format.verify_raws(raws)
        except VerifyException:
            return None
        return Start(self.format, raws.astype(self.format.dtype))

    def sums(self, accumulator: Accumulator) -> NDArray[np.int64]:
        """The raws of sums with these start values."""
        from tinyml.dialects.machine.numpy_machine import NumpyMachine

        raws = self.raws.astype(self.format.dtype)
        return accumulator.widened(32).start(NumpyMachine(), raws, self.format).astype(np.int64)


def zero_start(accumulator: Accumulator, weights: NumberFormat) -> Start:
    """The start value 0 for sums of products with weights of a format."""
    format = accumulator.start_format(weights)
    return Start(format, np.zeros((), format.dtype))


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


def spacing(filter: tdsl.Shape, image: tdsl.Shape, across: int) -> tuple[num.Spacing, int]:
    """The layout of the windows of an undilated filter, `across` pixels apart, and the number of lines of windows.

    filter: its shape, O x KH x KW x C. image: 1 x H x W x C with a line of windows for each row starting at row KH - 1,
    or a single line for a 1x1 filter; or N x KH x KW x C, with separate windows.
    """
    count, rows, columns, channels = image
    _, height, width, length = filter
    if count > 1:
        runs = 1 if length == channels else height
        return num.Spacing(runs, columns * channels if runs > 1 else 0, rows * columns * channels), 1
    lines = 1 if (height, width) == (1, 1) else rows - height + 1
    return num.Spacing(height, columns * channels if max(height, lines) > 1 else 0, across * channels), lines
