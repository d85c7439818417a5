"""Code for tiles on AVR: it is worth its place only where it is faster than kernels for single sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tinyml.targets.avr.composer.assembly import bytes_of
from tinyml.targets.avr.composer.epilogues import COMPILED, requantised_in_c, shifted_in_c
from tinyml.targets.composer.lines import Lines
from tinyml.targets.composer.repeated import Run
from tinyml.targets.kernel import Kernel
from tinyml.targets.tiles import Tile

START_BYTES = 3
"""The bytes of a sum's start in a stream."""


class StripCode(ABC):
    """The code for a tile, as in `TileCode`.

    requantises: are sums requantised by factors in the stream, behind the weights? Else they are shifted.
    """

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        self.requantises = tile.right == 0

    @property
    @abstractmethod
    def has_registers(self) -> bool:
        """Are there enough registers, and do counters have one byte each?"""

    @property
    @abstractmethod
    def single(self) -> float:
        """About the cycles of a result, not requantised, by a kernel for single sums."""

    @property
    @abstractmethod
    def lines(self) -> Lines:
        """The function."""

    @property
    @abstractmethod
    def time(self) -> int:
        """The cycles from its first instruction until it has returned."""

    @property
    def fits(self) -> bool:
        usual = self.tile.rows * self.tile.count * (self.single + (COMPILED if self.requantises else 0))
        return self.has_registers and self.time <= usual

    @property
    def runs(self) -> Sequence[Run]:
        """Nothing: the time is in cycles."""
        return ()

    @property
    def bytes(self) -> int:
        return bytes_of(self.lines)

    def finished_in_c(self, indent: str, factors: str, out: str) -> str:
        """The statements that store `sum` in `out`. factors: where they are, if it is requantised."""
        if self.requantises:
            return requantised_in_c(indent, factors, out)
        return shifted_in_c(indent, self.tile.right, out)


def time_alone(kernel: Kernel, length: int) -> float:
    """The cycles of a call of a composed kernel for a single sum of so many products."""
    assert kernel.composed is not None
    costs = kernel.composed.costs
    return costs[""] + length * costs["element"]
