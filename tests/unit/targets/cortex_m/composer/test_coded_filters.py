"""Rows of a filter go together where pairs of products take fewer instructions."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.targets.cortex_m.composer.coded_filters import CodedFilter


@pytest.mark.parametrize(
    ("weights", "groups"),
    [
        # Three products for six, and any other row alone.
        ([[5, 6, 7], [8, 9, 10], [11, 12, 13]], [(0, 2), (1,)]),
        # The row that has but one weight goes alone, wherever it stands.
        ([[5, 6, 7], [0, 3, 0], [11, 12, 13]], [(0, 2), (1,)]),
        # Loads and pairs take as much as two products alone.
        ([[5, 0, 0], [0, 0, 0], [0, 0, 7]], [(0,), (2,)]),
    ],
)
def test_rows_go_together_where_it_pays(weights: list[list[int]], groups: list[tuple[int, ...]]):
    assert sorted(CodedFilter(np.array(weights), 1).groups) == groups


def test_constants_are_shared_and_powers_of_two_take_none():
    filter = CodedFilter(np.array([[5, 0, 5], [4, -8, 3]]), 1)
    assert filter.words([(0,), (1,)]) == [(3, 5)]
    assert filter.words([(0, 1)]) == [(0, -8), (5, 3), (5, 4)]
    assert CodedFilter(np.array([[1, -2, 64]]), 1).words([(0,)]) == []
