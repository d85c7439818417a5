"""Kernels composed for tiles compute exact results, on their chips and in plain C on the host, compared with numpy.

Calls take the time of the cost model, preserve registers and read nothing outside the windows.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import watched_cores, watched_riscv
from programs.kernel_tables import tile_families, window_families
from programs.spread import spread
from programs.tile_cases import TileCase, tile_case
from programs.tile_programs import (
    ELEMENTS,
    INTERFACE,
    build_cases,
    cases_of,
    check,
    check_on,
    check_times,
    drawn_cases,
    inputs_of,
)

from tinyml.runtime.devices.registry import Build, runner_for
from tinyml.runtime.devices.toolchain import symbol_table
from tinyml.targets.cortex_m.composer import epilogues_armv6m as armv6m
from tinyml.targets.registry import HOST
from tinyml.targets.riscv.composer import fragments as riscv
from tinyml.targets.tiles import Sums, Tile, TileFamily

AVR, M0, M4, RISCV = "atmega1284p", "cortex-m0", "cortex-m4", "riscv"
AVR_DOTS, AVR_CHANNELS = (family for family in tile_families(AVR) if not family.shifts)
WIDE, WINOGRAD, SQUARES = tile_families(M4, large=True)

DOTS = [
    # Short runs and long ones, in a row and in a loop; rows that fill blocks, and others; gaps; a single window.
    Tile(2, 1, 4, 0, 4, 2, 0),
    Tile(3, 1, 45, 0, 45, 3, -128),
    Tile(1, 2, 42, 60, 7, 4, 127),
    Tile(5, 3, 9, 21, 3, 5, -5),
    Tile(10, 1, 1283, 0, 1283, 1, 127),
]
CHANNELS = [
    # Filters that are kept in registers, that are fetched row by row, without overlap, and along many windows.
    Tile(4, 3, 12, 40, 4, 8, -128),
    Tile(3, 3, 9, 51, 6, 8, 5),
    Tile(2, 5, 10, 40, 2, 11, 0),
    Tile(2, 2, 4, 10, 12, 3, 0),
    Tile(5, 1, 35, 0, 5, 9, 127),
]
OWN_DOTS = {
    M0: [
        Tile(9, 3, 2, 40, 2, 6, 3),
        Tile(4, 3, 96, 130, 32, 10, 0),
        Tile(8, 2, 12, 12, 3, 8, 1),
        Tile(7, 1, 16, 0, 16, 1, 1),
        Tile(11, 1, 72, 0, 72, 1, -9),
        Tile(2, 2, 17, 600, 300, 2, 0),
    ],
    M4: [
        # Windows widened once; single ones in blocks of rows by eight, four, two and one.
        Tile(2, 5, 5, 12, 1, 7, 3),
        Tile(4, 3, 96, 130, 32, 2, 0),
        Tile(3, 3, 131, 150, 9, 3, 1),
        Tile(7, 1, 13, 0, 13, 1, 1),
        Tile(17, 1, 72, 0, 72, 1, -9),
        Tile(2, 2, 9, 30, 9, 1, 0),
    ],
    RISCV: [
        # The last ones: blocks of eight rows, and of fewer; windows too far apart to be taken at once.
        Tile(9, 3, 2, 40, 2, 6, 3),
        Tile(4, 3, 96, 130, 32, 10, 0),
        Tile(8, 2, 12, 80, 3, 8, 1),
        Tile(7, 1, 13, 0, 13, 1, 1),
        Tile(18, 1, 72, 0, 72, 1, -9),
        Tile(2, 2, 9, 1300, 9, 2, 0),
    ],
}
OWN_CHANNELS = {
    M0: [Tile(2, 4, 2, 16, 2, 17, -1), Tile(40, 3, 120, 400, 40, 3, 0)],
    # The second one has fewer windows than share a column.
    M4: [Tile(2, 4, 2, 16, 2, 7, -1), Tile(3, 1, 30, 0, 3, 8, 5)],
    RISCV: [Tile(2, 4, 2, 16, 2, 17, -1), Tile(40, 3, 120, 400, 40, 3, 0)],
}
SHIFTED = [
    # Windows widened once, or for each pair of rows; odd rows and windows; single ones in blocks of eight to one.
    Tile(2, 1, 4, 0, 4, 2, 0, right=1),
    Tile(3, 1, 45, 0, 45, 3, 0, right=8),
    Tile(5, 3, 9, 21, 3, 5, 0, right=7),
    Tile(3, 3, 131, 150, 9, 3, 0, right=12),
    Tile(17, 1, 72, 0, 72, 1, 0, right=9),
    Tile(11, 1, 13, 0, 13, 1, 0, right=31),
    Tile(6, 1, 64, 0, 64, 4, 0, right=8),
]
SHIFTED_CHANNELS = [
    # Filters of odd and even numbers of rows, with all weights in registers and not; strides and gaps; loops over
    # windows; fewer windows than share a column.
    Tile(4, 3, 12, 40, 4, 8, 0, right=1),
    Tile(3, 3, 9, 51, 6, 8, 0, right=7),
    Tile(2, 5, 10, 40, 2, 11, 0, right=9),
    Tile(2, 2, 4, 10, 12, 3, 0, right=31),
    Tile(2, 4, 2, 16, 2, 7, 0, right=8),
    Tile(5, 1, 35, 0, 5, 9, 0, right=6),
    Tile(3, 1, 27, 0, 3, 8, 0, right=12),
    Tile(16, 3, 48, 160, 16, 6, 0, right=10),
]
LARGE = [
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
BY_ONE_FACTOR, PAIRS, TO_HALFWORDS, CHANNELS_S8, CHANNELS_S16, SHIFTED_PAIRS = window_families(M4)
WINDOWS = [
    # Blocks of eight, four, two and one row, with rests of elements and without, short and in loops.
    *(
        (family, Tile(rows, 1, length, 0, length, 1, zero))
        for family in (BY_ONE_FACTOR, PAIRS)
        for rows, length, zero in ((17, 72, -9), (7, 13, 1), (64, 72, 0), (10, 257, 127), (2, 4, -128))
    ),
    # Blocks of eight, four, two and one row, with rests of elements; shifts to the left, by 0, 1 and more bits.
    (TO_HALFWORDS, Tile(17, 1, 72, 0, 72, 1, -9, 5)),
    (TO_HALFWORDS, Tile(7, 1, 13, 0, 13, 1, 0, -3)),
    (TO_HALFWORDS, Tile(8, 1, 6, 0, 6, 1, 127, 0)),
    (TO_HALFWORDS, Tile(2, 1, 4, 0, 4, 1, -128, 1)),
    (TO_HALFWORDS, Tile(32, 1, 160, 0, 160, 1, 0, 2)),
    # The register tile of pairs, with results in fixed point; a last row alone.
    (SHIFTED_PAIRS, Tile(17, 1, 72, 0, 72, 1, 0, 9)),
    (SHIFTED_PAIRS, Tile(7, 1, 13, 0, 13, 1, 0, 1)),
    (SHIFTED_PAIRS, Tile(10, 1, 257, 0, 257, 1, 0, 31)),
    (SHIFTED_PAIRS, Tile(2, 1, 4, 0, 4, 1, 0, 7)),
    # Channels by four, two and one; pixels with and without loops, odd ones, and those that leave words incomplete.
    *(
        (family, Tile(rows, 1, rows * pixels, 0, 0, 1, zero, right))
        for family in (CHANNELS_S8, CHANNELS_S16)
        for rows, pixels, zero, right in (
            (7, 8, -128, 13),
            (4, 35, 3, 15),
            (2, 17, 127, 2),
            (1, 6, 0, 20),
            (13, 1, 0, 9),
        )
    ),
]
AVR_SHAPES = [
    # Runs of even and odd lengths, one and several; an odd last window; rows far apart.
    (AVR_DOTS, Tile(4, 1, 40, 0, 40, 4, 0)),
    (AVR_DOTS, Tile(2, 3, 15, 60, 5, 7, -128)),
    (AVR_DOTS, Tile(6, 2, 21, 75, 7, 5, 127)),
    (AVR_DOTS, Tile(2, 7, 64, 90, 2, 2, -5)),
    (AVR_DOTS, Tile(20, 1, 30, 0, 30, 2, 3)),
    # Three, two and one window that overlap; all weights in registers that a requantisation needs, and none.
    (AVR_CHANNELS, Tile(4, 3, 12, 40, 4, 8, -128)),
    (AVR_CHANNELS, Tile(3, 3, 9, 51, 6, 8, 5)),
    (AVR_CHANNELS, Tile(2, 2, 4, 10, 12, 3, 0)),
    (AVR_CHANNELS, Tile(5, 2, 20, 100, 10, 9, 127)),
    (AVR_CHANNELS, Tile(30, 3, 90, 130, 30, 2, -1)),
    (AVR_CHANNELS, Tile(1, 7, 1, 16, 1, 16, 1)),
    # Weights of a row for three, two and one window, which overlap or leave columns out.
    (AVR_CHANNELS, Tile(4, 5, 20, 60, 4, 9, -3)),
    (AVR_CHANNELS, Tile(3, 4, 12, 150, 15, 4, 127)),
    (AVR_CHANNELS, Tile(2, 5, 16, 40, 4, 5, -128)),
    (AVR_CHANNELS, Tile(20, 1, 160, 0, 20, 3, 0)),
]
CALL = 10
"""The cycles of a call and its arguments on an AVR."""

SATURATED = {
    M0: (armv6m.SATURATED, armv6m.SATURATED),
    M4: (0, 0),
    RISCV: (riscv.SATURATED, riscv.SATURATED_SHIFTED),
}
"""Instructions that a saturated result takes besides, where sums are requantised and where they are shifted; the cost
model takes half of them to be.
"""

CODE = {M0: (-2, 1), M4: (0, 1.35), RISCV: (0, 1.35)}
"""The least bytes of code in the model beyond those of a kernel, and the greatest ratio to them."""


def shapes_of(target: str) -> list[tuple[TileFamily, Tile]]:
    if target == AVR:
        return AVR_SHAPES
    dots, channels, *shifted = tile_families(target)
    shapes = [(dots, tile) for tile in (*DOTS, *OWN_DOTS[target])]
    shapes += [(channels, tile) for tile in (*CHANNELS, *OWN_CHANNELS[target])]
    shapes += [(family, tile) for family in shifted for tile in (SHIFTED_CHANNELS if family.channels else SHIFTED)]
    shapes += [*LARGE, *WINDOWS] if target == M4 else []
    return [*shapes, *((family, replace(tile, to_even=1)) for family, tile in shapes[::2] if family.to_even)]


def check_calls(target: str, build: Build, cases: list[TileCase]) -> None:
    """Assert that calls preserve registers. On ARM, also assert that loads of several words are aligned and that
    nothing outside the windows is read.
    """
    if target == RISCV:
        watch = watched_riscv.Watch(build, "tiles")
        for content in inputs_of(cases):
            watch.check(content)
        assert watch.returned == len(cases)
        return
    prefix = "tm_cm_small_" if target == M0 else "tm_cm_"
    watch = watched_cores.Watch(target, build, "tiles", {"vector": ELEMENTS + 4}, prefix)
    for case, content in zip(cases, inputs_of(cases), strict=True):
        watch.check(content, {"vector": (int(content[1]), case.input_bytes)})
    assert min(watch.seen.values()) >= len(cases)


@pytest.mark.long
@pytest.mark.parametrize("target", [M0, M4, RISCV])
def test_results_times_and_calls(target: str, tmp_path: Path):
    runner, cases = runner_for(target), cases_of(shapes_of(target))
    build = build_cases(runner, cases, tmp_path)
    check(runner, build, cases)
    more, ratio = CODE[target]
    for tile, code, size in check_times(runner, build, cases, *SATURATED[target]):
        assert size + more <= code <= ratio * size, tile
    check_calls(target, build, cases)


@pytest.mark.long
@pytest.mark.parametrize("target", spread([AVR, M0, M4, RISCV], 1))
def test_plain_c_has_the_same_bits(target: str, tmp_path: Path):
    check_on([HOST], cases_of(shapes_of(target)), tmp_path)


@pytest.mark.parametrize("optimize", ["-Os", "-O2"])
def test_results_and_times_of_avr(optimize: str, tmp_path: Path):
    """Every kernel returns the expected results and takes the number of cycles that its composer computes. One input
    runs all kernels.
    """
    runner, cases = runner_for(AVR), cases_of(AVR_SHAPES)
    build = build_cases(runner, cases, tmp_path, optimize)
    check(runner, build, cases)
    profile = runner.profile(build, INTERFACE, inputs_of(cases))
    places = {symbol.name: symbol for symbol in symbol_table(runner.chip, build.elf)}
    for case in cases:
        place, composed = places[case.symbol], case.kernel.composed
        assert composed is not None
        within = range(place.address, place.address + place.size)
        # What it calls belongs to the same call of the program.
        sites = {site for site, pc in profile.spent if pc in within}
        spent = sum(cycles for (site, pc), cycles in profile.spent.items() if site in sites and pc != site)
        assert round(spent * len(cases)) == composed.costs[""] - CALL, case.tile


@st.composite
def drawn_winograd(draw: st.DrawFn) -> TileCase:
    family = draw(st.sampled_from([WINOGRAD, SQUARES]))
    rows, count = draw(st.integers(1, 7)), draw(st.integers(4, 9))
    runs = 3 if family is SQUARES else draw(st.integers(1, 4))
    channels = 4 * draw(st.integers(1, 6))
    pitch = (count + 2 + draw(st.integers(0, 2))) * channels
    tile = Tile(rows, runs, 3 * channels, pitch, channels, count, draw(st.integers(-128, 127)), lines=family.lines)
    return tile_case(family, tile, np.random.default_rng(draw(st.integers(0, 1 << 20))))


@pytest.mark.long
@pytest.mark.parametrize("target", [M0, M4, RISCV])
def test_any_tiles(target: str, tmp_path_factory: pytest.TempPathFactory):
    dots, channels, *shifted = tile_families(target)
    kinds = [drawn_cases((dots, channels)), *([drawn_cases(shifted)] if shifted else [])]
    if target == M4:
        kinds += [drawn_cases((WIDE, channels)), st.lists(drawn_winograd(), max_size=4)]

    @settings(max_examples=2)
    @given(st.tuples(*kinds))
    def run(drawn: tuple[list[TileCase], ...]) -> None:
        cases = [case for some in drawn for case in some]
        check_on([HOST, target], cases, tmp_path_factory.mktemp("tiles"))

    run()


def test_shapes_without_a_kernel_on_armv7em():
    dots, channels, *_ = tile_families(M4)
    # More sums and taps than registers; loads that do not reach; windows that lie on each other.
    assert channels.kernel(Tile(2, 9, 18, 80, 2, 8, 0)) is None
    assert channels.kernel(Tile(256, 3, 768, 8192, 256, 8, 0)) is None
    assert channels.kernel(Tile(2, 3, 6, 20, 0, 2, 0)) is None
    assert dots.kernel(Tile(2, 40, 3, 20, 1, 2, 0)) is None
    assert WIDE.kernel(Tile(4092, 1, 4, 0, 4, 2, 0)) is not None
    assert WIDE.kernel(Tile(4093, 1, 4, 0, 4, 2, 0)) is None
    assert dots.kernel(Tile(2, 1, 4, 0, 4, 1 << 16, 0)) is None
    assert channels.kernel(Tile(2, 3, 6, 20, 2, 1 << 16, 0)) is None
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


def test_shapes_without_a_kernel_for_single_windows():
    # A single row, several windows or runs, fewer than four elements, and pixels so far apart that loads do not reach.
    others = Tile(4, 1, 8, 0, 8, 2, 0), Tile(4, 2, 8, 8, 8, 1, 0), Tile(4, 1, 3, 0, 3, 1, 0), Tile(1, 1, 8, 0, 8, 1, 0)
    for tile in others:
        assert BY_ONE_FACTOR.kernel(tile) is None
        assert PAIRS.kernel(tile) is None
        assert SHIFTED_PAIRS.kernel(replace(tile, right=9)) is None
        assert TO_HALFWORDS.kernel(tile) is None
    for family in (CHANNELS_S8, CHANNELS_S16):
        assert family.kernel(Tile(4, 1, 32, 0, 4, 2, 0, 9)) is None
        assert family.kernel(Tile(4, 2, 8, 8, 0, 1, 0, 9)) is None
        assert family.kernel(Tile(4, 1, 16, 0, 0, 1, 0, 9, filters=2)) is None
        assert family.kernel(Tile(127, 1, 127 * 40, 0, 0, 1, 0, 9)) is not None
        assert family.kernel(Tile(128, 1, 128 * 40, 0, 0, 1, 0, 9)) is None


def test_sums_without_pairs():
    """In kernels for pairs of rows, sums of second rows have 24 bits: `admits` rejects rows whose sums may exceed them.
    Sums of first rows, and of a last row without a second one, have 32 bits.
    """
    assert PAIRS.admits is not None
    for start, admitted in (((1 << 23) - 1 - 127 * 128, True), ((1 << 23) - 127 * 128, False)):
        weights, starts = np.array([[-128], [127], [-128]]), np.array([1 << 30, start, 1 << 30])
        sums = Sums(weights, starts, np.full(3, 1 << 30), np.full(3, -8))
        assert PAIRS.admits(sums) == admitted
        assert BY_ONE_FACTOR.admits is not None
        assert BY_ONE_FACTOR.admits(sums) == admitted


@pytest.mark.parametrize(
    ("multipliers", "shifts"), [((1 << 30, 1 << 30), (-8, -9)), ((1 << 30, (1 << 30) + 1), (-8, -8))]
)
def test_sums_with_two_factors(multipliers: tuple[int, int], shifts: tuple[int, int]):
    sums = Sums(np.array([[1], [2]]), np.zeros(2, np.int64), np.array(multipliers), np.array(shifts))
    assert BY_ONE_FACTOR.admits is not None
    assert PAIRS.admits is not None
    assert not BY_ONE_FACTOR.admits(sums)
    assert PAIRS.admits(sums)


def test_shapes_without_a_kernel_on_armv6m():
    _, channels, *_ = tile_families(M0)
    # Filters so wide that branches do not reach, windows that lie on each other, and halves of pixels.
    assert channels.kernel(Tile(2, 2, 160, 400, 2, 11, 0)) is None
    assert channels.kernel(Tile(2, 3, 6, 20, 0, 2, 0)) is None
    assert channels.kernel(Tile(2, 3, 7, 20, 2, 2, 0)) is None


def test_shapes_without_a_kernel_on_riscv():
    dots, channels, *_ = tile_families(RISCV)
    # Loads that do not reach, and windows that lie on each other.
    assert dots.kernel(Tile(4, 4, 2, 900, 2, 2, 0)) is None
    assert channels.kernel(Tile(256, 3, 256 * 9, 8192, 256, 8, 0)) is None
    assert channels.kernel(Tile(2, 3, 6, 20, 0, 2, 0)) is None
    assert channels.kernel(Tile(2, 1, 20, 0, 2, 2, 0)) is None


def test_shifts_that_are_too_wide_have_no_kernel_on_avr():
    assert (AVR_DOTS.max_right, AVR_CHANNELS.max_right) == (16, 16)
    assert AVR_DOTS.limit == AVR_CHANNELS.limit == 1 << 23
