"""Winograd's F(2, 3) and F(2x2, 3x3) in integers: their terms, exact halves, and weight streams."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tinyml.targets.cortex_m.composer.winograd import transformed
from tinyml.targets.cortex_m.composer.winograd_1d import Winograd1d
from tinyml.targets.cortex_m.composer.winograd_2d import Winograd2d
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
