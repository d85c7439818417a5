"""Kernels of every kind that a target has, including kernels that are composed for tiles and for given weights."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from programs import coded_rows
from programs.kernel_tables import kernels_of, row_coder, tile_coders, tile_families
from programs.tile_cases import coded_tile_case
from tinyml.targets.kernel import Kernel
from tinyml.targets.tiles import Tile, TileFamily


def tiles_of(family: TileFamily) -> list[Tile]:
    """Some tiles that a family supports, chosen by whether its kernels are for depthwise filters, shift their sums, or
    compute several lines.
    """
    by_channel = "channel" in family.name
    if family.lines > 1:
        return [Tile(8, 3, 48, 160, 16, 8, 127, lines=family.lines)]
    if family.shifts:
        return [Tile(8, 3, 24, 112, 8, 12, 0, 9) if by_channel else Tile(16, 3, 24, 80, 8, 4, 0, 9)]
    if by_channel:
        return [Tile(8, 3, 24, 112, 8, 12, -128), Tile(4, 5, 20, 60, 4, 6, 5)]
    return [Tile(16, 3, 48, 160, 16, 8, -128), Tile(7, 1, 45, 0, 45, 3, 0), Tile(23, 1, 72, 0, 72, 1, -9)]


def kernels(target: str) -> Iterator[tuple[str, Kernel]]:
    """Yield the kernels of a target with their names: the listed kernels, some kernels for tiles, and some kernels with
    weights in their code, which are named after their coder.
    """
    for kernel in kernels_of(target):
        yield kernel.symbol, kernel
    for family in (family for large in (False, True) for family in tile_families(target, large=large)):
        for tile in tiles_of(family):
            if (kernel := family.kernel(tile)) is not None:
                yield kernel.symbol, kernel
    for coder in tile_coders(target):
        tile = Tile(4, 3, 12, 40, 4, 8, -128) if "channel" in coder.name else Tile(8, 3, 9, 102, 3, 9, -128)
        yield coder.name, coded_tile_case(coder, tile, np.random.default_rng(7)).kernel
    if (coder := row_coder(target)) is not None:
        [kernel] = coded_rows.kernels(target, [coded_rows.random_rows(np.random.default_rng(3), 13, [66])])
        yield coder.name, kernel
