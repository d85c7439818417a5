"""The code of tile kernels, independent of the instruction set.

`RowKernel` is the loop nest of a kernel for rows of weights, which is the same for every instruction set: groups of
windows x blocks of rows x runs x elements, and an epilogue. A register tile is the number of windows and rows that are
computed at once. An instruction set implements the abstract methods for this register tile.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from tinyml.targets.composer.instructions import Code, Lines, Repeated, Run, max_bytes, printed, stack_of
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.tiles import Tile


class Refused(Exception):
    """Raised if a composer cannot generate the requested kernel, for example because there are too few registers."""


class RepeatedCode(ABC):
    """The code of a kernel's function, with the number of executions of each instruction."""

    @abstractmethod
    def function(self) -> Repeated:
        """The kernel's complete function, including the code that saves and restores registers."""

    @cached_property
    def code(self) -> Repeated:
        """The complete function of the kernel, computed once and cached."""
        return self.function()

    @property
    def fits(self) -> bool:
        """True if the composer can generate the kernel, that is, `code` does not raise `Refused`."""
        try:
            return len(self.code.lines) > 0
        except Refused:
            return False

    @property
    def lines(self) -> Lines:
        return printed(self.code.lines)

    @property
    def time(self) -> float:
        """The number of instructions that a call executes."""
        return self.code.time

    @property
    def runs(self) -> Sequence[Run]:
        return self.code.runs

    @property
    def stack(self) -> int:
        return stack_of(self.code.lines)

    @property
    def bytes(self) -> int:
        """An upper bound on the flash of the function, in bytes."""
        return max_bytes(self.code.lines)


@dataclass(frozen=True)
class LoopedCode(RepeatedCode):
    """Code for a tile whose loops have known trip counts.

    SATURATED: the number of additional instructions that are executed for a saturated result.
    """

    tile: Tile
    SATURATED: ClassVar[int]

    @property
    @abstractmethod
    def layout(self) -> WeightStream:
        """The layout of the weight stream: its groups of blocks and the fields of each block."""

    @property
    def time(self) -> float:
        """The expected number of instructions that a call executes. Half of the results are assumed to be saturated."""
        return self.code.time - self.SATURATED / 2 * self.tile.rows * self.tile.count


@dataclass(frozen=True)
class RowKernel(LoopedCode):
    """The code for a tile that computes rows of weights block by block, in the order of the weight stream."""

    @property
    @abstractmethod
    def windows(self) -> Sequence[tuple[int, int]]:
        """Pairs (repetition count, number of windows that are computed at once), in the order of the windows."""

    @abstractmethod
    def enter(self) -> Code:
        """Code that saves registers and arguments."""

    @abstractmethod
    def leave(self) -> Code:
        """Code that restores the registers and returns."""

    @abstractmethod
    def load_windows(self, windows: int) -> Repeated:
        """Code that loads the pointers to `windows` windows before the first block, and sets the stream pointer to the
        start of the stream.
        """

    @abstractmethod
    def start(self, rows: int, windows: int) -> Code:
        """Code that loads the start values of the sums of a block."""

    @abstractmethod
    def products(self, rows: int, windows: int) -> Repeated:
        """Code that adds the products of all runs and elements to the sums of a block."""

    @abstractmethod
    def finish(self, rows: int, windows: int) -> Code:
        """Code, the epilogue, that converts the sums of a block to results and stores them."""

    @abstractmethod
    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        """A loop that executes the code of a block for `times` equal blocks.

        group: the index in the stream of the group that consists of these blocks.
        """

    @abstractmethod
    def over_windows(self, code: Repeated, times: int) -> Repeated:
        """A loop that executes `code` for `times` groups of windows of equal size."""

    def next_windows(self, windows: int) -> Code:
        """Code that advances the pointers by `windows` windows."""
        return ()

    def function(self) -> Repeated:
        code = Repeated.once(self.enter())
        for times, windows in self.windows:
            code = code.followed_by(self.over_windows(self.all_rows(windows), times))
        return code.then(self.leave())

    def all_rows(self, windows: int) -> Repeated:
        """The code that computes all rows for `windows` windows."""
        code = self.load_windows(windows)
        for group, (times, rows) in enumerate(self.layout.groups):
            code = code.followed_by(self.over_rows(self.block(rows, windows), times, group))
        return code.then(self.next_windows(windows))

    def block(self, rows: int, windows: int) -> Repeated:
        """The code that computes a block of rows for `windows` windows."""
        start = Repeated.once(self.start(rows, windows))
        return start.followed_by(self.products(rows, windows)).then(self.finish(rows, windows))


def unrolled(step: Code, count: int, at_once: int, loop: Callable[[Repeated, int], Repeated]) -> Repeated:
    """Code that executes a step `count` times.

    at_once: the number of steps per iteration of a loop.
    loop: a function that builds a loop from the code of an iteration and the number of iterations.

    If `count` is at most twice `at_once`, the code has no loop.
    """
    loops, single = divmod(count, at_once) if count > 2 * at_once else (0, count)
    code = Repeated.once(step * single)
    return code.followed_by(loop(Repeated.once(step * at_once), loops)) if loops else code


def overlapping(column: int, windows: int, across: int, width: int) -> list[tuple[int, int]]:
    """The windows that contain a given column of elements, each as a pair (index of the window, column of its filter).

    column: the index of the column, counted from the first column of the first window.
    windows: the number of windows.
    across: the number of columns between adjacent windows.
    width: the number of columns of a filter.
    """
    met = ((window, column - window * across) for window in range(windows))
    return [(window, tap) for window, tap in met if 0 <= tap < width]
