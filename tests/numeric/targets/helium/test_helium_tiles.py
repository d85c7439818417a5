"""Tile kernels on a Cortex-M55 are exact, take the counted instructions, and read nothing outside the windows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from programs.devices import need_tools
from programs.kernel_tables import tile_families
from programs.spread import spread
from programs.tile_cases import tile_case
from programs.tile_programs import build_cases, cases_of, check, check_on, check_times

from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.headers import texts_of
from tinyml.targets.registry import HOST
from tinyml.targets.tiles import Tile, TileFamily

M55 = "cortex-m55"
END_OF_RAM = 0x21400000
"""The end of the memory of the emulated machine, behind which every access is a fault."""

DOTS = [
    # Whole vectors and rests; a window, pairs of windows and a last one; blocks of four rows, and fewer.
    Tile(4, 1, 16, 0, 16, 2, 0),
    Tile(2, 1, 4, 0, 4, 2, 0),
    Tile(3, 1, 45, 0, 45, 3, -128),
    Tile(1, 2, 42, 60, 7, 4, 127),
    Tile(5, 3, 9, 21, 3, 5, -5),
    Tile(8, 3, 48, 160, 16, 4, -128),
    # Short runs that are gathered, and those that are too far apart.
    Tile(6, 10, 4, 10, 2, 5, 3),
    Tile(4, 5, 5, 28, 1, 4, 0),
    Tile(4, 5, 5, 80, 1, 3, 0),
    # Loops over runs, over vectors, and over vectors of each run; steps beyond an immediate.
    Tile(6, 5, 64, 70, 8, 3, -7),
    Tile(10, 1, 1283, 0, 1283, 1, 127),
    Tile(5, 2, 300, 320, 40, 3, 9),
    Tile(8, 1, 320, 0, 320, 4, 1),
    # Windows that share pixels: with whole vectors of channels, with others on the stack, and only with these.
    Tile(21, 5, 96, 160, 32, 3, -113),
    Tile(13, 1, 288, 672, 96, 5, -9),
    Tile(18, 3, 90, 150, 30, 3, -83),
    Tile(15, 3, 102, 340, 34, 8, 125),
    Tile(9, 4, 45, 105, 9, 12, 89),
    # The same in loops over runs.
    Tile(9, 3, 128, 352, 32, 8, 111),
    Tile(5, 5, 60, 255, 15, 14, 95),
    Tile(1, 2, 148, 629, 37, 14, 28),
    Tile(1, 4, 18, 96, 6, 14, -90),
]

CHANNELS = [
    # Groups of four windows and fewer; taps in registers together and in turn; strides, gaps and a single row of taps.
    Tile(4, 3, 12, 40, 4, 8, -128),
    Tile(8, 3, 24, 160, 16, 7, 5),
    Tile(16, 5, 80, 240, 16, 3, 0),
    Tile(4, 2, 4, 10, 12, 3, 0),
    Tile(4, 1, 28, 0, 4, 9, 127),
    Tile(64, 1, 192, 0, 64, 2, -1),
    Tile(128, 2, 256, 300, 128, 1, 3),
    # Channels that are no multiple of four: with blocks of four before them, and alone.
    Tile(7, 3, 21, 70, 7, 5, 4),
    Tile(15, 2, 45, 120, 30, 3, -128),
    Tile(2, 3, 10, 24, 2, 9, 0),
    Tile(1, 5, 5, 12, 1, 7, -7),
    # A channel at a time: eight columns and more; offsets in registers throughout, for each channel, and one vector of
    # them at a time.
    Tile(5, 5, 25, 100, 5, 16, 0),
    Tile(2, 7, 14, 60, 2, 20, 127),
    Tile(2, 10, 8, 34, 2, 13, -1),
    # Filters of one vector to four; strides and gaps; a single window.
    Tile(7, 4, 28, 70, 14, 5, 4),
    Tile(6, 8, 48, 60, 6, 1, -7),
    Tile(1, 1, 64, 0, 1, 40, 9),
    # Loops over gathers, and steps beyond an immediate.
    Tile(2, 5, 10, 100, 2, 45, 3),
    Tile(1, 3, 9, 300, 50, 7, 0),
    # Several filters for each channel.
    Tile(8, 3, 12, 40, 4, 8, -128, filters=2),
    Tile(6, 5, 10, 30, 4, 9, 5, filters=3),
    Tile(8, 2, 2, 90, 1, 3, 1, filters=8),
]


def drawn(seed: int) -> list[Tile]:
    """Tiles of random shapes."""
    random = np.random.default_rng(seed)
    tiles: list[Tile] = []
    while len(tiles) < 12:
        rows, runs, length, step, count = (int(random.integers(1, most)) for most in (10, 6, 90, 50, 6))
        tile = Tile(rows, runs, length, length + int(random.integers(40)), step, count, int(random.integers(-128, 128)))
        if tile.elements <= 1400 and tile.rows * tile.count <= 128:
            tiles.append(tile)
    return tiles


def shapes() -> list[tuple[TileFamily, Tile]]:
    """Pairs of a family of kernels and a tile, with and without rounding to even. In families for fixed point, sums are
    shifted instead of multiplied by factors.
    """
    dots, channels, shifted_dots, shifted_channels, *_ = tile_families(M55)
    assert shifted_dots.shifts
    assert shifted_channels.shifts
    return [
        *((family, tile) for family, tiles in ((dots, DOTS), (channels, CHANNELS)) for tile in tiles),
        *((dots, replace(tile, to_even=1)) for tile in spread(DOTS[::3], 3)),
        *((channels, replace(tile, to_even=1)) for tile in spread(CHANNELS[::3], 3)),
        *(
            (family, replace(tile, zero=0, right=1 + 7 * number % 31))
            for family, tiles in ((shifted_dots, DOTS), (shifted_channels, CHANNELS))
            for number, tile in spread(enumerate(tiles), 6)
        ),
    ]


def test_filters_are_computed_in_the_quicker_way():
    """The kernel of a depthwise filter computes four channels at once for 4 windows, and one channel at a time for 16
    windows.
    """
    channels = next(family for family in tile_families(M55) if family.channels)
    ways = {tile: channels.kernel(tile) for tile in (Tile(16, 3, 48, 300, 16, count, 0) for count in (4, 16))}
    texts = {tile.count: texts_of(kernel, M55)[-1][1] for tile, kernel in ways.items() if kernel is not None}
    assert "vmul.i32" in texts[4]
    assert "vmladav.s8" not in texts[4]
    assert "vmladav.s8" in texts[16]


@pytest.mark.long
def test_results_and_times(tmp_path: Path):
    need_tools(M55)
    runner = runner_for(M55)
    dots, *_ = tile_families(M55)
    cases = cases_of([*shapes(), *((dots, tile) for tile in spread(drawn(3), 4))])
    build = build_cases(runner, cases, tmp_path, end=END_OF_RAM)
    check(runner, build, cases)
    for tile, code, size in check_times(runner, build, cases, 0):
        assert size <= code <= 1.35 * size, tile


@pytest.mark.long
def test_plain_c_has_the_same_bits(tmp_path: Path):
    check_on([HOST], cases_of(shapes()), tmp_path)


def test_negative_halves_round_away_from_zero(tmp_path: Path):
    """Requantised sums equal the reference if VQRDMULH halves them exactly and the shift then leads to ties between two
    bytes.
    """
    need_tools(M55)
    runner, random = runner_for(M55), np.random.default_rng(8)
    dots, *_ = tile_families(M55)
    cases = [tile_case(dots, Tile(12, 1, 16, 0, 16, 4, zero), random) for zero in (0, -3)]
    for case in cases:
        case.sums.weights[:] = random.integers(-1, 2, case.sums.weights.shape)
        case.sums.multipliers[:] = 1 << 30
        case.sums.shifts[:] = -1 - np.arange(12) % 5
        case.sums.starts[:] = -2 * random.integers(0, 40, 12)
    build = build_cases(runner, cases, tmp_path, end=END_OF_RAM)
    check(runner, build, cases)
