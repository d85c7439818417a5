"""Kernels composed for tiles are exact: on an emulated M4, and plain C on the host, against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.strip_programs import ELEMENTS, build_strips, check_on, check_times, drawn_strips, inputs_of, strips_of
from programs.strips import Strip, strip_of
from programs.watched_cores import Watch

from tinyml.runtime.devices.registry import runner_for
from tinyml.targets.registry import HOST, tile_families
from tinyml.targets.tiles import Tile

DOTS, CHANNELS = tile_families("cortex-m4")
WIDE, WINOGRAD, SQUARES = tile_families("cortex-m4", large=True)
SHAPES = [
    # Windows widened once, with rests of one to three, and put together; long ones in loops, widened each time.
    (DOTS, Tile(2, 1, 4, 0, 4, 2, 0)),
    (DOTS, Tile(3, 1, 45, 0, 45, 3, -128)),
    (DOTS, Tile(1, 2, 42, 60, 7, 4, 127)),
    (DOTS, Tile(5, 3, 9, 21, 3, 5, -5)),
    (DOTS, Tile(2, 5, 5, 12, 1, 7, 3)),
    (DOTS, Tile(4, 3, 96, 130, 32, 2, 0)),
    (DOTS, Tile(3, 3, 131, 150, 9, 3, 1)),
    # Single windows: blocks of rows by eight, four, two and one, with and without loops and rests.
    (DOTS, Tile(7, 1, 13, 0, 13, 1, 1)),
    (DOTS, Tile(17, 1, 72, 0, 72, 1, -9)),
    (DOTS, Tile(10, 1, 1283, 0, 1283, 1, 127)),
    (DOTS, Tile(2, 2, 9, 30, 9, 1, 0)),
    # Filters that are kept in registers, that wait in the frame, without overlap, and along many windows.
    (CHANNELS, Tile(4, 3, 12, 40, 4, 8, -128)),
    (CHANNELS, Tile(3, 3, 9, 51, 6, 8, 5)),
    (CHANNELS, Tile(2, 5, 10, 40, 2, 11, 0)),
    (CHANNELS, Tile(2, 2, 4, 10, 12, 3, 0)),
    (CHANNELS, Tile(5, 1, 35, 0, 5, 9, 127)),
    (CHANNELS, Tile(2, 4, 2, 16, 2, 7, -1)),
    # Rows by four, two and one, put together or not, with rests; single windows with blocks of eight and loops.
    (WIDE, Tile(2, 1, 4, 0, 4, 2, 0)),
    (WIDE, Tile(7, 1, 45, 0, 45, 3, -128)),
    (WIDE, Tile(5, 3, 9, 21, 3, 5, -5)),
    (WIDE, Tile(4, 3, 131, 150, 9, 3, 1)),
    (WIDE, Tile(8, 2, 80, 100, 9, 2, 127)),
    (WIDE, Tile(23, 1, 72, 0, 72, 1, -9)),
    (WIDE, Tile(2, 2, 9, 30, 9, 1, 0)),
    (WIDE, Tile(16, 1, 1283, 0, 1283, 1, 127)),
    # Rows by four, two and one; loops over them and over elements; windows that overlap those before; one row of taps.
    (WINOGRAD, Tile(1, 1, 12, 0, 4, 4, 0)),
    (WINOGRAD, Tile(7, 3, 24, 50, 8, 7, -128)),
    (WINOGRAD, Tile(8, 3, 48, 100, 16, 4, 127)),
    (WINOGRAD, Tile(2, 5, 36, 140, 12, 9, 5)),
    (WINOGRAD, Tile(3, 2, 12, 61, 4, 14, 1)),
    # The same by squares: with and without loops over groups of elements, and with rests of them.
    (SQUARES, Tile(1, 3, 12, 24, 4, 4, 0, lines=2)),
    (SQUARES, Tile(7, 3, 24, 74, 8, 7, -128, lines=2)),
    (SQUARES, Tile(8, 3, 48, 100, 16, 4, 127, lines=2)),
    (SQUARES, Tile(2, 3, 120, 241, 40, 4, 5, lines=2)),
]


@pytest.fixture(scope="module")
def strips() -> list[Strip]:
    return strips_of(SHAPES)


@pytest.mark.parametrize("device", [HOST, "cortex-m4"])
def test_shapes(device: str, strips: list[Strip], tmp_path: Path):
    check_on([device], strips, tmp_path)


def test_the_time_of_a_call_is_known(strips: list[Strip], tmp_path: Path):
    for tile, code, size in check_times("cortex-m4", strips, tmp_path):
        assert size <= code <= 1.35 * size, tile


def test_loads_and_registers(strips: list[Strip], tmp_path: Path):
    """Loads of several words are aligned, nothing beside the windows is read, and calls preserve registers."""
    runner = runner_for("cortex-m4")
    build = build_strips(runner, strips, tmp_path)
    watch = Watch("cortex-m4", build, "strips", {"vector": ELEMENTS + 4}, "tm_cm_")
    for strip, one_input in zip(strips, inputs_of(strips), strict=True):
        watch.check(one_input, {"vector": (int(one_input[1]), strip.tile.elements)})
    assert min(watch.seen.values()) >= len(strips)


@st.composite
def drawn_winograd(draw: st.DrawFn) -> Strip:
    family = draw(st.sampled_from([WINOGRAD, SQUARES]))
    rows, count = draw(st.integers(1, 7)), draw(st.integers(4, 9))
    runs = 3 if family is SQUARES else draw(st.integers(1, 4))
    channels = 4 * draw(st.integers(1, 6))
    pitch = (count + 2 + draw(st.integers(0, 2))) * channels
    tile = Tile(rows, runs, 3 * channels, pitch, channels, count, draw(st.integers(-128, 127)), lines=family.lines)
    return strip_of(family, tile, np.random.default_rng(draw(st.integers(0, 1 << 20))))


@settings(max_examples=2)
@given(drawn_strips((DOTS, CHANNELS)), drawn_strips((WIDE, CHANNELS)), st.lists(drawn_winograd(), max_size=4))
def test_any_tiles(
    tmp_path_factory: pytest.TempPathFactory, strips: list[Strip], wide: list[Strip], winograd: list[Strip]
):
    drawn = [*strips, *wide, *winograd]
    check_on([HOST, "cortex-m4"], drawn, tmp_path_factory.mktemp("strips"))


def test_shapes_without_a_kernel():
    # More sums and taps than registers; loads that do not reach; windows that lie on each other.
    assert CHANNELS.kernel(Tile(2, 9, 18, 80, 2, 8, 0)) is None
    assert CHANNELS.kernel(Tile(256, 3, 768, 8192, 256, 8, 0)) is None
    assert CHANNELS.kernel(Tile(2, 3, 6, 20, 0, 2, 0)) is None
    assert DOTS.kernel(Tile(2, 40, 3, 20, 1, 2, 0)) is None
    assert DOTS.named("tm_cm_dot_strip_s8_2_1") is None
    assert WIDE.kernel(Tile(4092, 1, 4, 0, 4, 2, 0)) is not None
    assert WIDE.kernel(Tile(4093, 1, 4, 0, 4, 2, 0)) is None
    assert DOTS.kernel(Tile(2, 1, 4, 0, 4, 1 << 16, 0)) is None
    assert CHANNELS.kernel(Tile(2, 3, 6, 20, 2, 1 << 16, 0)) is None
    # Two taps, a step of two pixels, three channels, three windows, more than the frame holds.
    assert WINOGRAD.kernel(Tile(4, 3, 16, 80, 8, 8, 0)) is None
    assert WINOGRAD.kernel(Tile(4, 3, 24, 160, 16, 8, 0)) is None
    assert WINOGRAD.kernel(Tile(4, 3, 9, 30, 3, 8, 0)) is None
    assert WINOGRAD.kernel(Tile(4, 3, 24, 40, 8, 3, 0)) is None
    assert WINOGRAD.kernel(Tile(4, 3, 3 * 128, 1280, 128, 8, 0)) is not None
    assert WINOGRAD.kernel(Tile(4, 3, 3 * 132, 1320, 132, 8, 0)) is None
    # Two rows of taps, one line, three windows, three channels, more than loads and stores reach.
    assert SQUARES.kernel(Tile(4, 2, 24, 80, 8, 8, 0, lines=2)) is None
    assert SQUARES.kernel(Tile(4, 3, 24, 80, 8, 8, 0)) is None
    assert SQUARES.kernel(Tile(4, 3, 24, 40, 8, 3, 0, lines=2)) is None
    assert SQUARES.kernel(Tile(4, 3, 9, 30, 3, 8, 0, lines=2)) is None
    assert SQUARES.kernel(Tile(4, 3, 192, 4000, 64, 8, 0, lines=2)) is None
    assert SQUARES.kernel(Tile(4, 3, 192, 800, 64, 8, 0, lines=2)) is not None
    assert SQUARES.kernel(Tile(4, 3, 204, 800, 68, 8, 0, lines=2)) is None
