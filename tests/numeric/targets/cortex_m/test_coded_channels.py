"""Filters of channels that are code are exact, on emulated chips and in plain C on the host, against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.strip_programs import ELEMENTS, RESULTS, check_on, check_times
from programs.strips import CodedStrip, coded_strip

from tinyml.targets.cortex_m.composer.epilogues import SATURATED
from tinyml.targets.registry import HOST, channel_coders
from tinyml.targets.tiles import Tile

TARGETS = pytest.mark.parametrize("target", ["cortex-m4", "cortex-m0"])
SHAPES = [
    # Straight windows, loops with and without a rest, windows apart from each other, and single rows and columns.
    Tile(4, 3, 12, 40, 4, 8, -128),
    Tile(9, 3, 27, 120, 9, 6, 5),
    Tile(3, 3, 9, 63, 6, 10, 127),
    Tile(2, 5, 10, 44, 2, 17, 0),
    Tile(6, 2, 12, 50, 18, 3, 1),
    Tile(5, 1, 35, 0, 5, 9, -7),
    Tile(2, 4, 2, 40, 2, 20, 3),
    Tile(7, 5, 35, 70, 7, 4, -128),
    Tile(30, 3, 90, 150, 30, 3, -1),
]


def strips_of(target: str) -> list[CodedStrip]:
    random = np.random.default_rng(7)
    [coder] = channel_coders(target)
    return [coded_strip(coder, tile, random) for tile in SHAPES]


@TARGETS
def test_shapes(target: str, tmp_path: Path):
    check_on([HOST, target], strips_of(target), tmp_path)


@TARGETS
def test_the_time_of_a_call_is_known(target: str, tmp_path: Path):
    """On an M0+ it depends on results beyond a byte, of channels with weights, as the sums are that the kernel has."""
    saturated = SATURATED if target == "cortex-m0" else 0
    strips = [strip.with_weights() if saturated else strip for strip in strips_of(target)]
    for tile, code, size in check_times(target, strips, tmp_path, saturated):
        assert size <= code <= 1.45 * size, tile


@st.composite
def drawn(draw: st.DrawFn) -> tuple[Tile, int]:
    channels, runs, columns = (draw(st.integers(1, most)) for most in (8, 5, 5))
    across, count = draw(st.integers(1, 4)), draw(st.integers(1, 14))
    pitch = ((count - 1) * across + columns + draw(st.integers(0, 2))) * channels
    tile = Tile(channels, runs, columns * channels, pitch, across * channels, count, draw(st.integers(-128, 127)))
    if tile.elements > ELEMENTS or channels * count > RESULTS:
        tile = SHAPES[0]
    return tile, draw(st.integers(0, 1 << 20))


@TARGETS
@settings(max_examples=3, deadline=None)
@given(st.lists(drawn(), min_size=5, max_size=10))
def test_any_filters(tmp_path_factory: pytest.TempPathFactory, target: str, tiles: list[tuple[Tile, int]]):
    [coder] = channel_coders(target)
    strips = [coded_strip(coder, tile, np.random.default_rng(seed)) for tile, seed in tiles]
    check_on([HOST, target], strips, tmp_path_factory.mktemp("channels"))
