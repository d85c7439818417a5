"""Tiles whose weights are code on ARMv6-M: registers, labels and the choice of the epilogue."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml.targets.cortex_m.composer.armv6m import Armv6mCode
from tinyml.targets.cortex_m.composer.epilogues import THIRDS_LIMIT
from tinyml.targets.tiles import Sums, Tile

PLACE, NOTHING = "r3", "r4"
"""The registers that hold the address of an element, and 0."""

FINISH = 20
"""The label of the first subroutine."""


@dataclass(frozen=True)
class CodedTileArmv6m(Armv6mCode):
    """The kernel of a tile; its arguments are pointers to windows and results."""

    tile: Tile
    given: Sums

    @cached_property
    def sums(self) -> Sums:
        """The sums, replaced by sums within the limit of the shorter epilogue if these give the same bytes."""
        return self.given.nearer(THIRDS_LIMIT, self.tile.zero) or self.given

    @property
    def by_thirds(self) -> bool:
        """True if all sums are within the limit of the shorter epilogue."""
        return self.sums.within(THIRDS_LIMIT)
