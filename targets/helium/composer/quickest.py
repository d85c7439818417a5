"""The choice between several implementations of a tile."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from tinyml.targets.composer.instructions import cycles_of_runs
from tinyml.targets.composer.tile_code import LoopedCode
from tinyml.targets.helium.boards import CORTEX_M55_TIMING
from tinyml.targets.makers import CACHED_KERNELS
from tinyml.targets.tiles import Tile


def quickest(*kinds: Callable[[Tile], LoopedCode]) -> Callable[[Tile], LoopedCode]:
    """A function that chooses the code for a tile: the code with the least product of modelled cycles and instructions.

    kinds: functions that return code for a tile.

    The number of instructions is included, because a core may issue several in a cycle. If none of the functions
    supports a tile, the result of the last one is chosen.
    """

    @lru_cache(CACHED_KERNELS)
    def code(tile: Tile) -> LoopedCode:
        *others, last = (kind(tile) for kind in kinds)
        fitting = [each for each in (*others, last) if each.fits]
        return min(fitting, key=lambda each: each.time * cycles_of_runs(CORTEX_M55_TIMING, each.runs), default=last)

    return code
