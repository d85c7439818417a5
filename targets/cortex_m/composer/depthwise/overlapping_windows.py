"""A sliding window along a channel: each column is loaded once, for the sums of all windows that overlap there.

As many sums as windows overlap are in registers, in turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tinyml.targets.composer.instructions import Code, Line
from tinyml.targets.composer.nest import overlapping


class OverlappingWindows(ABC):
    """The order of columns and windows. width: columns of a filter; across: columns from a window to the next."""

    def __init__(self, width: int, across: int, count: int) -> None:
        self.width, self.across = width, across
        self.rounds = min(-(-width // max(across, 1)), count)
        """The sums in registers at the same time."""

    @abstractmethod
    def products(self, column: int, users: Sequence[tuple[int, int]]) -> Code:
        """Adds the products of a column to the sums of windows, each by a column of the filter."""

    @abstractmethod
    def finish(self, window: int) -> Code:
        """Stores the result of a window. Registers of elements are free."""

    def columns(self, first: int, end: int, windows: int) -> Code:
        """The columns from first to end, for the windows below a number."""
        lines: list[Line] = []
        for column in range(first, end):
            if users := overlapping(column, windows, self.across, self.width):
                lines += self.products(column, users)
        return tuple(lines)

    def before(self) -> Code:
        """The columns that the first window shares with those behind it."""
        return self.columns(0, max(self.width - self.across, 0), self.rounds)

    def windows(self, count: int, further: int) -> Code:
        """The code for windows in order.

        The columns that the first window shares with earlier ones are already added. further: the windows behind them
        whose first columns are added, too.
        """
        lines: list[Line] = []
        for window in range(count):
            first = window * self.across + max(self.width - self.across, 0)
            lines += self.columns(first, window * self.across + self.width, count + further)
            lines += self.finish(window)
        return tuple(lines)
