"""A sliding window along a channel: each column is loaded once, for the sums of all windows that contain it.

There is a register for the sum of each of the overlapping windows; they rotate from window to window.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tinyml.targets.composer.instructions import Code, Line
from tinyml.targets.composer.nest import overlapping


class OverlappingWindows(ABC):
    """The order of columns and windows.

    width: the columns of a filter. across: the columns from one window to the next. count: the windows of a channel.
    """

    def __init__(self, width: int, across: int, count: int) -> None:
        self.width, self.across = width, across
        self.rounds = min(-(-width // max(across, 1)), count)
        """The number of sums that are in registers at the same time."""

    @abstractmethod
    def products(self, column: int, users: Sequence[tuple[int, int]]) -> Code:
        """Adds the products of a column of elements. users: windows that contain it, each with its filter column."""

    @abstractmethod
    def finish(self, window: int) -> Code:
        """Stores the result of a window; may clobber the registers of elements."""

    def columns(self, first: int, end: int, windows: int) -> Code:
        """The code for the columns from `first` to `end`, exclusive, of the given number of windows."""
        lines: list[Line] = []
        for column in range(first, end):
            if users := overlapping(column, windows, self.across, self.width):
                lines += self.products(column, users)
        return tuple(lines)

    def before(self) -> Code:
        """The code for the columns that the first window shares with the next ones."""
        return self.columns(0, max(self.width - self.across, 0), self.rounds)

    def windows(self, count: int, further: int) -> Code:
        """The code for windows in order.

        The columns that the first window shares with earlier ones have been added before. further: the number of
        windows after these whose first columns are added, too.
        """
        lines: list[Line] = []
        for window in range(count):
            first = window * self.across + max(self.width - self.across, 0)
            lines += self.columns(first, window * self.across + self.width, count + further)
            lines += self.finish(window)
        return tuple(lines)
