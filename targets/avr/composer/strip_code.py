"""Code for tiles on AVR: it is worth its place only where it is faster than kernels for single sums."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tinyml.targets.avr.composer.assembly import bytes_of
from tinyml.targets.composer.lines import Lines
from tinyml.targets.tiles import Tile


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
    def usual(self) -> float:
        """About the cycles of the same results by kernels for single sums."""

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
        return self.has_registers and self.time <= self.usual

    @property
    def bytes(self) -> int:
        return bytes_of(self.lines)
