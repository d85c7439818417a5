"""The nest of a kernel for rows of weights: groups of windows x blocks of rows x runs x elements, and an epilogue.

The nest is the same on every instruction set. A register tile says how many windows and rows are taken at once; the
fragments below are what an instruction set offers for it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinyml.targets.composer.instructions import Code
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.composer.tile_code import LoopedCode


@dataclass(frozen=True)
class RowNest(LoopedCode):
    """The code for a tile. The rows of a block are those of the weight stream."""

    @property
    @abstractmethod
    def windows(self) -> Sequence[tuple[int, int]]:
        """How often so many windows are taken at once, from the first ones on."""

    @abstractmethod
    def enter(self) -> Code:
        """Saves registers and arguments."""

    @abstractmethod
    def leave(self) -> Code:
        """Restores the registers and returns."""

    @abstractmethod
    def load_windows(self, windows: int) -> Repeated:
        """What windows need before the first block; the stream begins anew."""

    @abstractmethod
    def start(self, rows: int, windows: int) -> Code:
        """Loads the starts of the sums of a block."""

    @abstractmethod
    def products(self, rows: int, windows: int) -> Repeated:
        """Adds the products of all runs and elements to the sums."""

    @abstractmethod
    def finish(self, rows: int, windows: int) -> Code:
        """The epilogue: stores the results of a block."""

    @abstractmethod
    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        """The loop over equal blocks, those of a group of the stream."""

    @abstractmethod
    def over_windows(self, code: Repeated, times: int) -> Repeated:
        """The loop over groups of as many windows."""

    def next_windows(self, windows: int) -> Code:
        """Moves on to the windows behind these."""
        return ()

    def function(self) -> Repeated:
        code = Repeated.once(self.enter())
        for times, windows in self.windows:
            code = code.followed_by(self.over_windows(self.all_rows(windows), times))
        return code.then(self.leave())

    def all_rows(self, windows: int) -> Repeated:
        """All rows by some windows."""
        code = self.load_windows(windows)
        for group, (times, rows) in enumerate(self.layout.groups):
            code = code.followed_by(self.over_rows(self.block(rows, windows), times, group))
        return code.then(self.next_windows(windows))

    def block(self, rows: int, windows: int) -> Repeated:
        """A block of rows by some windows."""
        start = Repeated.once(self.start(rows, windows))
        return start.followed_by(self.products(rows, windows)).then(self.finish(rows, windows))


def unrolled(step: Code, count: int, at_once: int, loop: Callable[[Repeated, int], Repeated]) -> Repeated:
    """A step `count` times, in a loop over `at_once` steps where there are more than twice as many."""
    loops, single = divmod(count, at_once) if count > 2 * at_once else (0, count)
    code = Repeated.once(step * single)
    return code.followed_by(loop(Repeated.once(step * at_once), loops)) if loops else code


def overlapping(column: int, windows: int, across: int, width: int) -> list[tuple[int, int]]:
    """The windows that a column of elements belongs to, each with the column of its filter.

    across: columns from a window to the next. width: columns of a filter.
    """
    met = ((window, column - window * across) for window in range(windows))
    return [(window, tap) for window, tap in met if 0 <= tap < width]
