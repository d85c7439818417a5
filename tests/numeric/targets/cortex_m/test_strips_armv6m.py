"""Kernels composed for tiles on ARMv6-M are exact: on an emulated M0+, and plain C on the host, against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from programs.strip_programs import ELEMENTS, build_strips, check, drawn_strips, inputs_of, spent_in
from programs.strips import Strip, strip_of
from programs.watched_cores import Watch

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.targets.cortex_m.composer.epilogues import SATURATED
from tinyml.targets.registry import tile_families
from tinyml.targets.tiles import Tile

TARGET = "cortex-m0"
DOTS, CHANNELS = tile_families(TARGET)
SHAPES = [
    # Runs in a row and in a loop; rows that fill blocks of four, and others; with and without gaps between runs.
    (DOTS, Tile(2, 1, 4, 0, 4, 2, 0)),
    (DOTS, Tile(3, 1, 45, 0, 45, 3, -128)),
    (DOTS, Tile(1, 2, 42, 60, 7, 4, 127)),
    (DOTS, Tile(5, 3, 9, 21, 3, 5, -5)),
    (DOTS, Tile(9, 3, 2, 40, 2, 6, 3)),
    (DOTS, Tile(4, 3, 96, 130, 32, 10, 0)),
    (DOTS, Tile(8, 2, 12, 12, 3, 8, 1)),
    (DOTS, Tile(7, 1, 16, 0, 16, 1, 1)),
    (DOTS, Tile(11, 1, 72, 0, 72, 1, -9)),
    (DOTS, Tile(10, 1, 1283, 0, 1283, 1, 127)),
    (DOTS, Tile(2, 2, 17, 600, 300, 2, 0)),
    # Filters whose rows stand one after the other and in a loop, of three columns and more, and along many windows.
    (CHANNELS, Tile(4, 3, 12, 40, 4, 8, -128)),
    (CHANNELS, Tile(3, 3, 9, 51, 6, 8, 5)),
    (CHANNELS, Tile(2, 5, 10, 40, 2, 11, 0)),
    (CHANNELS, Tile(2, 2, 4, 10, 12, 3, 0)),
    (CHANNELS, Tile(5, 1, 35, 0, 5, 9, 127)),
    (CHANNELS, Tile(2, 4, 2, 16, 2, 17, -1)),
    (CHANNELS, Tile(40, 3, 120, 400, 40, 3, 0)),
]


@pytest.fixture(scope="module")
def strips() -> list[Strip]:
    random = np.random.default_rng(4)
    return [strip_of(family, tile, random) for family, tile in SHAPES]


@pytest.mark.parametrize("device", ["host", TARGET])
def test_shapes(device: str, strips: list[Strip], tmp_path: Path):
    runner = HostRunner(sanitize=True) if device == "host" else runner_for(device)
    check(runner, build_strips(runner, strips, tmp_path), strips)


def test_the_time_of_a_call_is_known(strips: list[Strip], tmp_path: Path):
    """The cost model takes it that half of the results are saturated, which takes longer."""
    runner = runner_for(TARGET)
    build = build_strips(runner, strips, tmp_path)
    for strip, content in zip(strips, inputs_of(strips), strict=True):
        spent, size = spent_in(runner, build, TARGET, strip, content)
        kernel, results = strip.kernel, strip.unlimited(content[4 : 4 + strip.tile.elements])
        beyond = ((results < -128) | (results > 127)).sum() - results.size / 2
        assert kernel.composed is not None
        assert kernel.composed.costs[""] + SATURATED * beyond == spent, strip.tile
        assert size - 2 <= kernel.code <= size, strip.tile


@settings(max_examples=2)
@given(drawn_strips((DOTS, CHANNELS)))
def test_any_tiles(tmp_path_factory: pytest.TempPathFactory, strips: list[Strip]):
    for runner in (HostRunner(sanitize=True), runner_for(TARGET)):
        check(runner, build_strips(runner, strips, tmp_path_factory.mktemp("strips")), strips)


def test_calls_preserve_registers(strips: list[Strip], tmp_path: Path):
    """Loads of several words are aligned, and nothing beside the windows is read, either."""
    build = build_strips(runner_for(TARGET), strips, tmp_path)
    watch = Watch(TARGET, build, "strips", {"vector": ELEMENTS + 4}, "tm_cm_small_")
    for strip, content in zip(strips, inputs_of(strips), strict=True):
        watch.check(content, {"vector": (int(content[1]), strip.tile.elements)})
    assert min(watch.seen.values()) >= len(strips)


def test_shapes_without_a_kernel():
    # Filters so wide that branches do not reach, windows that lie on each other, and halves of pixels.
    assert CHANNELS.kernel(Tile(2, 2, 160, 400, 2, 11, 0)) is None
    assert CHANNELS.kernel(Tile(2, 3, 6, 20, 0, 2, 0)) is None
    assert CHANNELS.kernel(Tile(2, 3, 7, 20, 2, 2, 0)) is None
