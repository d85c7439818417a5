"""Tiles of random shapes with random weights, and numpy's results for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from programs.devices import owner
from tinyml.dialects.layouts.coded_rows import CodedTile
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.machine.runtime_functions import requantize, requantize_even
from tinyml.runtime.model.headers import texts_of
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import known_kernel
from tinyml.targets.tiles import Sums, Tile, TileCoder, TileFamily, coded_tile

Values = NDArray[Any]


@dataclass(frozen=True)
class TileCase:
    """A kernel of a family, with the weights by which it multiplies."""

    family: TileFamily
    tile: Tile
    sums: Sums

    @property
    def kernel(self) -> Kernel:
        return self.of_family

    @property
    def of_family(self) -> Kernel:
        """The kernel of the family for the tile."""
        kernel = self.family.kernel(self.tile)
        assert kernel is not None
        assert known_kernel(kernel.attribute, owner(kernel.attribute)) is kernel
        return kernel

    @property
    def target(self) -> str:
        """A board whose chip has the family."""
        return owner(self.of_family.attribute)

    @property
    def symbol(self) -> str:
        return self.kernel.symbol

    @property
    def texts(self) -> Sequence[tuple[str, str]]:
        """The names and the texts of the functions that the kernel needs, the kernel itself last."""
        return texts_of(self.kernel, self.target)

    @property
    def by_channel(self) -> bool:
        return self.family.channels

    @property
    def stream(self) -> Values | None:
        return self.family.stream(self.tile, self.sums)

    @property
    def input_bytes(self) -> int:
        """The number of bytes from the first element of the first window to the last element of the last one."""
        return self.tile.elements * self.family.widths.vector // 8

    def elements(self, x: Values) -> Values:
        """The elements in the bytes x."""
        return x.view(f"<i{self.family.widths.vector // 8}")

    def expected(self, x: Values) -> Values:
        """The bytes of the results that numpy computes from the bytes x of the elements, window by window."""
        bits = self.family.widths.results
        least, most = limits(bits)
        results = np.clip(self.unlimited(self.elements(x)), -most if self.family.shifts else least, most)
        return results.astype(f"<i{bits // 8}").view(np.int8)

    def unlimited(self, x: Values) -> Values:
        """The results before they are limited to the range of stored integers."""
        tile = self.tile
        rows: list[Values] = []
        for window in range(tile.lines * tile.count):
            line, number = divmod(window, tile.count)
            first = line * tile.pitch + number * tile.step
            starts = [first + run * tile.pitch for run in range(tile.runs)]
            runs = np.stack([x[start : start + tile.length] for start in starts]).astype(np.int64)
            if self.by_channel:
                channels = np.repeat(runs.reshape(-1, tile.channels), tile.filters, axis=1)
                sums = (self.sums.weights * channels.T).sum(1)
            else:
                sums = self.sums.weights @ runs.reshape(-1)
            rows.append(self.finished(self.sums.starts + sums))
        return (np.array(rows, np.int64) + tile.zero).reshape(-1)

    def finished(self, sums: Values) -> Values:
        if self.family.shifts:
            return sums >> self.tile.right
        return (requantize_even if self.tile.to_even else requantize)(sums.astype(np.int32), *self.factors)

    @property
    def factors(self) -> tuple[Values, Values]:
        return self.sums.multipliers.astype(np.int32), self.sums.shifts.astype(np.int8)


@dataclass(frozen=True)
class CodedTileCase(TileCase):
    """A kernel whose code contains its weights."""

    coder: TileCoder

    @property
    def kernel(self) -> Kernel:
        return self.composed

    @cached_property
    def composed(self) -> Kernel:
        code = coded_tile(self.tile, self.sums)
        kernel = self.coder.kernel(CodedTile.of(code.attribute))
        assert kernel is not None
        assert kernel.symbol == f"{self.coder.name}_{code.digest}"
        return kernel

    @property
    def stream(self) -> None:
        return None

    def with_weights(self) -> CodedTileCase:
        """A copy of the case in which every channel has a nonzero weight, and initial values are so small that the
        kernel need not adjust them.
        """
        weights: Values = self.sums.weights
        some = np.where(np.any(weights, axis=1, keepdims=True), weights, 1)
        return replace(self, sums=replace(self.sums, weights=some, starts=np.clip(self.sums.starts, -9999, 9999)))


def coded_tile_case(coder: TileCoder, tile: Tile, random: np.random.Generator) -> CodedTileCase:
    """A case with random rows of different density. The weights of a row are arbitrary bytes, small numbers, powers of
    two, or all equal.
    """
    case = tile_case(coder.family, tile, random)
    shape = case.sums.weights.shape
    kinds = [
        case.sums.weights,
        random.integers(-3, 4, shape),
        random.choice([*(1 << np.arange(7)), *-(1 << np.arange(8))], shape),
        np.full(shape, random.choice([1, -1, 127, -128])),
    ]
    chosen = np.choose(random.choice(4, (tile.rows, 1), p=[0.4, 0.3, 0.2, 0.1]), kinds)
    weights = chosen * (random.random(shape) < random.choice([1, 0.6, 0.3, 0], (tile.rows, 1), p=[0.4, 0.3, 0.2, 0.1]))
    sums = replace(case.sums, weights=weights)
    room = coder.family.limit - 1 - sums.reach
    return CodedTileCase(coder.family, tile, replace(sums, starts=np.clip(sums.starts, -room, room)), coder)


def tile_case(family: TileFamily, tile: Tile, random: np.random.Generator) -> TileCase:
    """A case with random weights, initial values and factors, for which most results fit a byte.

    The weights of the first row are extreme. If there are several rows, the last row has an extreme initial value.
    """
    length = tile.runs * tile.length // (tile.channels if family.channels else 1)
    if family.common:
        return _common_case(family, tile, length, random)
    weights = random.integers(-128, 128, (tile.rows, length))
    weights[0] = random.choice([-128, 127])
    room = min(family.limit - 1 - 128 * int(np.abs(weights).sum(1).max()), 1 << 30)
    usual = min(int(128 * 128 * np.sqrt(length)) // 3, room)
    starts = random.integers(-usual, usual + 1, tile.rows)
    shifts = -np.clip(usual.bit_length() - 7 + random.integers(-1, 3, tile.rows), 1, family.max_right)
    multipliers = random.integers(1 << 30, 1 << 31, tile.rows)
    if tile.rows > 1:
        # Small sums, in which roundings before the last one show.
        row = min(1, tile.rows - 2)
        weights[row], starts[row], shifts[row] = random.integers(-1, 2, length), random.integers(-9, 10), -2
        starts[-1] = random.choice([-1, 1]) * room
        shifts[-1] = random.choice([-1, -min(family.max_right, 23)])
    if tile.rows > 2:
        shifts[0] = random.choice([-family.max_right, -1, -11])
        multipliers[0] = random.choice([1 << 30, (1 << 31) - 1])
    if tile.to_even:
        # The half of a result is not the product of a sum and an odd multiplier.
        multipliers |= 1
    sums = Sums(weights, starts, multipliers, shifts, bool(tile.to_even))
    return TileCase(family, tile, _admitted(family, sums))


def _admitted(family: TileFamily, sums: Sums) -> Sums:
    """Sums that a family supports: the initial values are limited if the given ones are too large, and all rows have
    the factor of the last one if the family requires one factor.
    """
    if family.admits is None:
        return sums
    smaller = replace(sums, starts=sums.starts % 1000 - 500)
    last = (np.full_like(numbers, numbers[-1]) for numbers in (sums.multipliers, sums.shifts))
    multipliers, shifts = last
    by_one = [replace(each, multipliers=multipliers, shifts=shifts) for each in (sums, smaller)]
    return next(each for each in (sums, smaller, *by_one) if family.admits(each))


def _common_case(family: TileFamily, tile: Tile, length: int, random: np.random.Generator) -> TileCase:
    """A case with random weights and initial values and one factor. Sums that are shifted to the right by at least two
    bits exceed 32 bits and wrap around; other sums are small.
    """
    least, most = limits(family.widths.weights)
    weights = random.integers(least, most + 1, (tile.rows, length))
    weights[0] = random.choice([least, most])
    start = (1 << 31) - 1 if tile.right > 1 else 1 << 20 >> max(-tile.right, 0)
    starts = random.integers(-start, start, tile.rows)
    if tile.right <= 1:
        weights = weights // 8
    multipliers = np.full(tile.rows, random.integers(1 << 30, 1 << 31))
    shifts, widths = np.full(tile.rows, -tile.right), family.widths
    sums = Sums(weights, starts, multipliers, shifts, vector=widths.vector, results=widths.results)
    return TileCase(family, tile, _admitted(family, sums))
