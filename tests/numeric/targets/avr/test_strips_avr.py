"""Kernels that requantise the sums of tiles are exact: on a simulated AVR, and plain C on the host, against numpy."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.strip_programs import INTERFACE, build_strips, check, check_on, inputs_of, strips_of
from programs.strips import Strip

from tinyml.runtime.devices.avr import AvrRunner
from tinyml.runtime.devices.toolchain import symbol_table
from tinyml.targets.registry import HOST, tile_families
from tinyml.targets.tiles import Tile

DEVICE = "atmega1284p"
CALL = 10
"""The cycles of a call and its arguments."""

DOTS, CHANNELS = (family for family in tile_families(DEVICE) if not family.shifts)
SHAPES = [
    # Runs of even and odd lengths, one and several; an odd last window; rows far apart.
    (DOTS, Tile(4, 1, 40, 0, 40, 4, 0)),
    (DOTS, Tile(2, 3, 15, 60, 5, 7, -128)),
    (DOTS, Tile(6, 2, 21, 75, 7, 5, 127)),
    (DOTS, Tile(2, 7, 64, 90, 2, 2, -5)),
    (DOTS, Tile(20, 1, 30, 0, 30, 2, 3)),
    # Three, two and one window that overlap; all weights in registers that a requantisation needs, and none.
    (CHANNELS, Tile(4, 3, 12, 40, 4, 8, -128)),
    (CHANNELS, Tile(3, 3, 9, 51, 6, 8, 5)),
    (CHANNELS, Tile(2, 2, 4, 10, 12, 3, 0)),
    (CHANNELS, Tile(5, 2, 20, 100, 10, 9, 127)),
    (CHANNELS, Tile(30, 3, 90, 130, 30, 2, -1)),
    (CHANNELS, Tile(1, 7, 1, 16, 1, 16, 1)),
    # Weights of a row for three, two and one window, which overlap or leave columns out.
    (CHANNELS, Tile(4, 5, 20, 60, 4, 9, -3)),
    (CHANNELS, Tile(3, 4, 12, 150, 15, 4, 127)),
    (CHANNELS, Tile(2, 5, 16, 40, 4, 5, -128)),
    (CHANNELS, Tile(20, 1, 160, 0, 20, 3, 0)),
]


@pytest.fixture(scope="module")
def strips() -> list[Strip]:
    return strips_of(SHAPES)


@pytest.mark.parametrize("optimize", ["-Os", "-O2"])
def test_shapes_and_their_time(optimize: str, strips: list[Strip], tmp_path: Path):
    """Every kernel runs for one input."""
    runner = AvrRunner(DEVICE)
    build = build_strips(runner, strips, tmp_path, optimize)
    check(runner, build, strips)
    profile = runner.profile(build, INTERFACE, inputs_of(strips))
    places = {symbol.name: symbol for symbol in symbol_table(runner.chip, build.elf)}
    for strip in strips:
        kernel, place = strip.family.kernel(strip.tile), places[strip.symbol]
        assert kernel is not None
        assert kernel.composed is not None
        within = range(place.address, place.address + place.size)
        # What it calls belongs to the same call of the program.
        sites = {site for site, pc in profile.spent if pc in within}
        spent = sum(cycles for (site, pc), cycles in profile.spent.items() if site in sites and pc != site)
        assert round(spent * len(strips)) == kernel.composed.costs[""] - CALL, strip.tile


def test_plain_c_has_the_same_bits(strips: list[Strip], tmp_path: Path):
    check_on([HOST], strips, tmp_path)


def test_shifts_that_are_too_wide_have_no_kernel():
    assert (DOTS.right, CHANNELS.right) == (16, 16)
    assert DOTS.limit == CHANNELS.limit == 1 << 23
