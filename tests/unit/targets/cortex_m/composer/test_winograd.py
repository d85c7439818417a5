"""Winograd's F(2, 3) in integers: terms, exact halves, and the instructions of its fragments."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tinyml.targets.composer.lines import instructions
from tinyml.targets.cortex_m.composer.winograd_streams import transformed
from tinyml.targets.cortex_m.composer.winograd_strips import WinogradStrip
from tinyml.targets.tiles import Sums, Tile

BYTES = st.integers(-128, 127) | st.sampled_from([-128, 127])
TILE = Tile(6, 3, 48, 160, 16, 8, -5)


@given(st.lists(st.tuples(*[BYTES] * 7), min_size=1, max_size=9))
def test_halves_are_exact_and_terms_fit_halfwords(numbers: list[tuple[int, ...]]):
    d0, d1, d2, d3, *columns = np.array(numbers, np.int64).T
    g = np.stack(columns)
    pixels = np.stack([d1 + d2, d2 - d1, d0 - d2, d3 - d1])
    weights = transformed(g)
    assert np.abs(pixels).max() < 1 << 15
    assert np.abs(weights).max() < 1 << 15
    a, b, c, d = (pixels * weights).sum(1)
    assert (a + b) % 2 == (a - b) % 2 == 0
    assert (a + b) // 2 + c == (d0 * g[0] + d1 * g[1] + d2 * g[2]).sum()
    assert (a - b) // 2 + d == (d1 * g[0] + d2 * g[1] + d3 * g[2]).sum()


def test_six_pixels_become_the_terms_of_two_pairs_of_windows():
    lines = WinogradStrip(TILE).terms(["r0", "r3", "r5", "r7", "r9", "r11"], 8, "[r2, #8]")
    assert lines[:2] == ("ssub16 r0, r0, r5", "str r0, [r2, #40]")
    assert lines[-3:] == ("ssub16 r5, r5, r3", "ssub16 r9, r9, r7", "strd r5, r9, [r2, #8]")
    assert instructions(lines) == 13


def test_four_rows_meet_two_pairs_of_windows():
    strip = WinogradStrip(TILE)
    lines = strip.products(4, 32).lines
    at = lines.index("ldrd r1, r3, [r2, #8]")
    assert lines[0] == "add r2, sp, #96"
    assert lines[at + 1 : at + 4] == ("ldm r0!, {r12, lr}", "smlad r4, r12, r1, r4", "smlad r5, r12, r3, r5")
    # Twelve groups of four elements, six at once: 22 instructions each, and a loop around them.
    assert strip.products(4, 32).time == 1 + 2 + 2 * (6 * 22 + 4)
    assert "ldr r12, [r0], #4" in strip.products(1, 32).lines


def test_the_stream_has_blocks_of_rows_with_their_terms_one_after_the_other():
    weights = np.arange(6 * 144).reshape(6, 144) % 251 - 125
    factors = np.full(6, 1 << 30), np.full(6, -4)
    stream = WinogradStrip(TILE).stream(Sums(weights, np.arange(6), *factors))
    four, two = (rows * (4 + 4 * 144 // 3 * 2 + 2 * 4) + 2 * 4 for rows in (4, 2))
    assert stream.size == four + two
    assert list(stream[:16].view("<i4")) == [0, 2, 4, 6]
    # Elements 0 and 2 of the first group under all columns, of the first row, then of the second.
    first = [weights[row, element : element + 48 : 16].sum() for row in range(2) for element in (0, 2)]
    assert list(stream[16:24].view("<i2")) == first
    assert list(stream[four : four + 8].view("<i4")) == [8, 10]
