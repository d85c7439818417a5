"""Tiles whose weights are code are exact, on emulated chips and in plain C on the host, against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.strip_programs import ELEMENTS, RESULTS, check_on, check_times
from programs.strips import CodedStrip, coded_strip

from tinyml.targets.cortex_m.composer.epilogues import SATURATED
from tinyml.targets.registry import HOST, tile_coders
from tinyml.targets.tiles import Tile, TileCoder

CODERS = [(target, coder) for target in ("cortex-m4", "cortex-m0") for coder in tile_coders(target)]
EACH = pytest.mark.parametrize(("target", "coder"), CODERS, ids=[coder.prefix for _, coder in CODERS])
CHANNELS = [
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
ROWS = [
    # Blocks of one to six rows, one or two sizes of them; runs far from each other, single ones and single windows.
    Tile(1, 1, 4, 0, 4, 2, 0),
    Tile(8, 3, 9, 102, 3, 9, -128),
    Tile(6, 2, 30, 600, 7, 3, 127),
    Tile(16, 1, 48, 0, 48, 5, -5),
    Tile(13, 5, 5, 28, 1, 6, 3),
    Tile(70, 1, 9, 0, 9, 1, 1),
]


def shapes_of(coder: TileCoder) -> list[Tile]:
    return CHANNELS if coder.family.op == "num.channel_tiles" else ROWS


def strips_of(coder: TileCoder) -> list[CodedStrip]:
    random = np.random.default_rng(7)
    return [coded_strip(coder, tile, random) for tile in shapes_of(coder)]


@EACH
def test_shapes(target: str, coder: TileCoder, tmp_path: Path):
    check_on([HOST, target], strips_of(coder), tmp_path)


@EACH
def test_the_time_of_a_call_is_known(target: str, coder: TileCoder, tmp_path: Path):
    """On an M0+ it depends on results beyond a byte, of channels with weights, as the sums are that the kernel has."""
    saturated = SATURATED if target == "cortex-m0" else 0
    strips = [strip.with_weights() if saturated else strip for strip in strips_of(coder)]
    for tile, code, size in check_times(target, strips, tmp_path, saturated):
        assert size <= code <= 1.45 * size, tile


@st.composite
def drawn(draw: st.DrawFn) -> tuple[int, int, int, int, int, int, int, int]:
    """Rows, runs, elements of a run, those to the next window, windows, those beside them, zero point and seed."""
    sizes = ((1, 8), (1, 5), (1, 5), (1, 4), (1, 14), (0, 2), (-128, 127), (0, 1 << 20))
    return tuple(draw(st.integers(*size)) for size in sizes)  # pyright: ignore[reportReturnType]


def tile_of(coder: TileCoder, drawn: tuple[int, ...]) -> Tile:
    rows, runs, length, step, count, beside, zero, _ = drawn
    shapes = shapes_of(coder)
    apart = rows if shapes is CHANNELS else 1
    tile = Tile(rows, runs, length * apart, ((count - 1) * step + length + beside) * apart, step * apart, count, zero)
    return tile if tile.elements <= ELEMENTS and rows * count <= RESULTS else shapes[0]


@EACH
@settings(max_examples=2, deadline=None)
@given(drawn=st.lists(drawn(), min_size=5, max_size=10))
def test_any_tiles(
    tmp_path_factory: pytest.TempPathFactory, target: str, coder: TileCoder, drawn: list[tuple[int, ...]]
):
    strips = [coded_strip(coder, tile_of(coder, one), np.random.default_rng(one[-1])) for one in drawn]
    check_on([HOST, target], strips, tmp_path_factory.mktemp("tiles"))
