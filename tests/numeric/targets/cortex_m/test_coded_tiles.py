"""Tile kernels whose weights are instructions are exact, on emulated chips and in plain C on the host, compared with
numpy.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.kernel_tables import tile_coders
from programs.spread import examples, spread
from programs.tile_cases import CodedTileCase, coded_tile_case
from programs.tile_programs import ELEMENTS, RESULTS, build_cases, check_on, check_times

from tinyml.runtime.devices.registry import runner_for
from tinyml.targets.cortex_m.composer.epilogues_armv6m import SATURATED
from tinyml.targets.registry import HOST
from tinyml.targets.tiles import Tile, TileCoder

CODERS = [(target, coder) for target in ("cortex-m4", "cortex-m0") for coder in tile_coders(target)]
EACH = pytest.mark.parametrize(("target", "coder"), CODERS, ids=[coder.name for _, coder in CODERS])
CHANNELS = [
    # Straight windows, loops with and without a rest, windows apart from each other, single rows and columns, and more
    # rows than all ways to pair them are tried of.
    Tile(4, 3, 12, 40, 4, 8, -128),
    Tile(9, 3, 27, 120, 9, 6, 5),
    Tile(3, 3, 9, 63, 6, 10, 127),
    Tile(2, 5, 10, 44, 2, 17, 0),
    Tile(6, 2, 12, 50, 18, 3, 1),
    Tile(5, 1, 35, 0, 5, 9, -7),
    Tile(2, 4, 2, 40, 2, 20, 3),
    Tile(7, 5, 35, 70, 7, 4, -128),
    Tile(30, 3, 90, 150, 30, 3, -1),
    Tile(2, 16, 2, 14, 2, 5, 4),
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
    return CHANNELS if coder.family.channels else ROWS


def cases_of(coder: TileCoder) -> list[CodedTileCase]:
    random = np.random.default_rng(7)
    return [coded_tile_case(coder, tile, random) for tile in spread(shapes_of(coder), 5)]


@pytest.mark.long
@EACH
def test_shapes(target: str, coder: TileCoder, tmp_path: Path):
    check_on([HOST, target], cases_of(coder), tmp_path)


@pytest.mark.long
@EACH
def test_the_time_of_a_call_is_known(target: str, coder: TileCoder, tmp_path: Path):
    """A call of each kernel takes the predicted time. On an M0+ the time also depends on the number of saturated
    results in channels whose weights are not all zero; the test counts these results. The modelled size of the code
    is at least the real one and at most 1.45 times as large.
    """
    saturated = SATURATED if target == "cortex-m0" else 0
    cases = [case.with_weights() if saturated else case for case in cases_of(coder)]
    runner = runner_for(target)
    build = build_cases(runner, cases, tmp_path)
    for tile, code, size in check_times(runner, build, cases, saturated):
        assert size <= code <= 1.45 * size, tile


@st.composite
def drawn_case(draw: st.DrawFn, coder: TileCoder) -> CodedTileCase:
    """A random tile whose windows and results fit the memory of the test program. Rows of windows may be followed by up
    to two elements that belong to no window.
    """
    rows, runs, length, step = (draw(st.integers(1, most)) for most in (8, 5, 5, 4))
    beside, zero = draw(st.integers(0, 2)), draw(st.integers(-128, 127))
    apart = rows if shapes_of(coder) is CHANNELS else 1
    tiles = [
        Tile(rows, runs, length * apart, ((count - 1) * step + length + beside) * apart, step * apart, count, zero)
        for count in range(1, 15)
    ]
    fitting = [tile for tile in tiles if tile.elements <= ELEMENTS and tile.rows * tile.count <= RESULTS]
    return coded_tile_case(coder, draw(st.sampled_from(fitting)), np.random.default_rng(draw(st.integers(0, 1 << 20))))


@pytest.mark.long
@EACH
@settings(max_examples=examples(1), deadline=None)
@given(data=st.data())
def test_any_tiles(tmp_path_factory: pytest.TempPathFactory, target: str, coder: TileCoder, data: st.DataObject):
    cases = data.draw(st.lists(drawn_case(coder), min_size=5, max_size=10))
    check_on([HOST, target], cases, tmp_path_factory.mktemp("tiles"))
