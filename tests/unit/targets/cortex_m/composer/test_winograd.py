"""Winograd's F(2, 3) and F(2x2, 3x3) in integers: terms, exact halves, and the instructions of their fragments."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tinyml.targets.composer.lines import instructions
from tinyml.targets.cortex_m.composer.winograd.transformed_weights import transformed
from tinyml.targets.cortex_m.composer.winograd.window_groups import slot
from tinyml.targets.cortex_m.composer.winograd.winograd_1d import Winograd1d
from tinyml.targets.cortex_m.composer.winograd.winograd_2d import Winograd2d, halved
from tinyml.targets.tiles import Sums, Tile

BYTES = st.integers(-128, 127) | st.sampled_from([-128, 127])
TILE = Tile(6, 3, 48, 160, 16, 8, -5)
SQUARES = Tile(6, 3, 48, 160, 16, 8, -5, lines=2)


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
    lines = Winograd1d(TILE).terms(["r0", "r3", "r5", "r7", "r9", "r11"], 8, "[r2, #8]")
    assert lines[:2] == ("ssub16 r0, r0, r5", "str r0, [r2, #40]")
    assert lines[-3:] == ("ssub16 r5, r5, r3", "ssub16 r9, r9, r7", "strd r5, r9, [r2, #8]")
    assert instructions(lines) == 13


def test_four_rows_meet_two_pairs_of_windows():
    strip = Winograd1d(TILE)
    lines = strip.term(4, 32).lines
    at = lines.index("ldrd r1, r3, [r2, #8]")
    assert lines[0] == "add r2, sp, #96"
    assert lines[at + 1 : at + 4] == ("ldm r0!, {r12, lr}", "smlad r4, r12, r1, r4", "smlad r5, r12, r3, r5")
    # Twelve groups of four elements, six at once: 22 instructions each, and a loop around them.
    assert strip.term(4, 32).time == 1 + 2 + 2 * (6 * 22 + 4)
    assert "ldr r12, [r0], #4" in strip.term(1, 32).lines


def test_the_stream_has_blocks_of_rows_with_their_terms_one_after_the_other():
    weights = np.arange(6 * 144).reshape(6, 144) % 251 - 125
    factors = np.full(6, 1 << 30), np.full(6, -4)
    stream = Winograd1d(TILE).layout.stream(Sums(weights, np.arange(6), *factors))
    four, two = (rows * (4 + 4 * 144 // 3 * 2 + 2 * 4) + 2 * 4 for rows in (4, 2))
    assert stream.size == four + two
    assert list(stream[:16].view("<i4")) == [0, 2, 4, 6]
    # Elements 0 and 2 of the first group under all columns, of the first row, then of the second.
    first = [weights[row, element : element + 48 : 16].sum() for row in range(2) for element in (0, 2)]
    assert list(stream[16:24].view("<i2")) == first
    assert list(stream[four : four + 8].view("<i4")) == [8, 10]


@given(st.lists(st.tuples(*[BYTES] * 25), min_size=1, max_size=4))
def test_halves_along_both_axes_are_exact(numbers: list[tuple[int, ...]]):
    values = np.array(numbers, np.int64)
    d, g = values[:, :16].reshape(-1, 4, 4), values[:, 16:].reshape(-1, 3, 3)

    def pixels(rows: np.ndarray) -> np.ndarray:
        d0, d1, d2, d3 = rows
        return np.stack([d1 + d2, d2 - d1, d0 - d2, d3 - d1])

    def windows(terms: np.ndarray) -> np.ndarray:
        a, b, c, d = terms
        assert ((a + b) % 2 == 0).all()
        half = (a + b) // 2
        return np.stack([half + c, a - half + d])

    def along_both(function: Callable[[np.ndarray], np.ndarray], square: np.ndarray) -> np.ndarray:
        return function(function(square).swapaxes(0, 1)).swapaxes(0, 1)

    terms, weights = (along_both(f, x.transpose(1, 2, 0)) for f, x in ((pixels, d), (transformed, g)))
    assert max(np.abs(terms).max(), np.abs(weights).max()) < 1 << 15
    expected = [[(d[:, y : y + 3, x : x + 3] * g).sum() for x in range(2)] for y in range(2)]
    assert along_both(windows, (terms * weights).sum(2)).tolist() == expected


def test_six_columns_become_the_terms_of_two_squares():
    strip = Winograd2d(SQUARES)
    lines = strip.column(1)
    # The third and the fourth row lie behind r12; a, b, c and d of elements 0 and 2 wait in column 1 of four halves.
    assert lines[6:8] == ("ldr r10, [r12, #16]", "sxtb16 r6, r10")
    assert lines[12:17] == (
        "ssub16 r4, r4, r6",
        "ssub16 r7, r7, r5",
        "ssub16 r3, r6, r5",
        "sadd16 r6, r5, r6",
        f"str r6, {slot(36)}",
    )
    # Four groups of four elements: a term takes 64 bytes.
    assert strip.line(1, 0)[:4] == (
        "sadd16 r10, r5, r6",
        "sadd16 r11, r7, r8",
        "str r10, [r2, #256]",
        "str r11, [r2, #260]",
    )
    assert instructions(lines) + 2 * instructions(strip.line(0, 0)) == 28 + 32


def test_four_rows_meet_two_squares():
    strip = Winograd2d(SQUARES)
    lines = strip.quad(4, first=True)
    assert lines[:4] == ("ldrd r1, r3, [r2], #8", "ldm r0!, {r12, lr}", "smuad r4, r12, r1", "smuad r5, r12, r3")
    assert lines[12:14] == ("ldm r0!, {r12, lr}", "smlad r4, r12, r1, r4")
    # Sixteen terms of four groups of four elements, without a loop over these: 22 instructions each.
    assert strip.products(4, 4).time == 3 + 16 * (4 * 22 + 6)
    assert halved("r1", "r3", "r4", "r8") == (
        "add r3, r1, r3",
        "add r4, r4, r3, asr #1",
        "sub r1, r1, r3, asr #1",
        "add r8, r8, r1",
    )


def test_the_stream_of_squares_has_sixteen_terms_of_each_block_of_rows():
    weights = np.arange(6 * 144).reshape(6, 144) % 251 - 125
    stream = Winograd2d(SQUARES).layout.stream(Sums(weights, np.arange(6), np.full(6, 1 << 30), np.full(6, -4)))
    assert stream.size == 6 * (16 * 16 * 2 + 12)
    filter = weights.reshape(6, 3, 3, 16)
    first = [filter[row, ..., element].sum() for row in range(2) for element in (0, 2)]
    assert list(stream[:8].view("<i2")) == first
    # The last term has the weights of the last row and column; four times the start comes behind it.
    last = [filter[row, 2, 2, element] for row in range(4) for element in (13, 15)]
    factors = 4 * 16 * 16 * 2
    assert list(stream[factors - 16 : factors].view("<i2")) == last
    assert list(stream[factors : factors + 48].view("<i4"))[::3] == [0, 4, 8, 12]
    assert stream[factors + 8 : factors + 12].view("<i4")[0] == 3
