"""Tiles of random shapes with random weights, and what numpy makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.machine.runtime_functions import requantize
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import known_kernel
from tinyml.targets.tiles import Sums, Tile, TileFamily

Values = NDArray[Any]


@dataclass(frozen=True)
class Strip:
    """A kernel of a family, with the weights that it meets."""

    family: TileFamily
    tile: Tile
    sums: Sums

    @property
    def kernel(self) -> Kernel:
        kernel = self.family.kernel(self.tile)
        assert kernel is not None
        assert known_kernel(kernel.symbol) is kernel
        return kernel

    @property
    def symbol(self) -> str:
        return self.kernel.symbol

    @property
    def by_channel(self) -> bool:
        return "channel" in self.family.op

    @property
    def stream(self) -> Values:
        return self.family.stream(self.tile, self.sums)

    def expected(self, x: Values) -> Values:
        """The results for the elements of the windows, window by window."""
        return np.clip(self.unlimited(x), -128, 127)

    def unlimited(self, x: Values) -> Values:
        """The results before they are limited to bytes."""
        tile = self.tile
        rows: list[Values] = []
        for window in range(tile.lines * tile.count):
            line, number = divmod(window, tile.count)
            first = line * tile.pitch + number * tile.step
            starts = [first + run * tile.pitch for run in range(tile.runs)]
            runs = np.stack([x[start : start + tile.length] for start in starts]).astype(np.int64)
            if self.by_channel:
                sums = (self.sums.weights * runs.reshape(-1, tile.rows).T).sum(1)
            else:
                sums = self.sums.weights @ runs.reshape(-1)
            rows.append(requantize((self.sums.starts + sums).astype(np.int32), *self.factors))
        return (np.array(rows, np.int64) + tile.zero).reshape(-1)

    @property
    def factors(self) -> tuple[Values, Values]:
        return self.sums.multipliers.astype(np.int32), self.sums.shifts.astype(np.int8)


def strip_of(family: TileFamily, tile: Tile, random: np.random.Generator) -> Strip:
    """Random weights, starts and factors, the greatest and the least among them."""
    length = tile.runs * tile.length // (tile.rows if "channel" in family.op else 1)
    weights = random.integers(-128, 128, (tile.rows, length))
    weights[0] = random.choice([-128, 127])
    room = min(family.limit - 1 - 128 * int(np.abs(weights).sum(1).max()), 1 << 30)
    starts = random.integers(-room >> 4, room >> 4, tile.rows)
    starts[-1] = random.choice([-1, 1]) * room
    shifts = -random.integers(1, 16, tile.rows)
    shifts[0], shifts[-1] = random.choice([-family.right, -1, -11]), random.choice([-1, -min(family.right, 23)])
    multipliers = random.integers(1 << 30, 1 << 31, tile.rows)
    multipliers[0] = random.choice([1 << 30, (1 << 31) - 1])
    return Strip(family, tile, Sums(weights, starts, multipliers, shifts))
