"""The choice between several ways to compute a tile."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from tinyml.targets.composer.instructions import cycles_of_runs
from tinyml.targets.composer.tile_code import LoopedCode
from tinyml.targets.helium.boards import CORTEX_M55_TIMING
from tinyml.targets.makers import CACHED_KERNELS
from tinyml.targets.tiles import Tile


def quickest(*kinds: Callable[[Tile], LoopedCode]) -> Callable[[Tile], LoopedCode]:
    """A function that returns the code for a tile with the least product of modelled cycles and instructions.

    Instructions count, too, because a core may issue several in a cycle.

    kinds: functions that return code for a tile. If none of them fits a tile, the last one is returned.
    """

    @lru_cache(CACHED_KERNELS)
    def code(tile: Tile) -> LoopedCode:
        *others, last = (kind(tile) for kind in kinds)
        fitting = [each for each in (*others, last) if each.fits]
        return min(fitting, key=lambda each: each.time * cycles_of_runs(CORTEX_M55_TIMING, each.runs), default=last)

    return code
