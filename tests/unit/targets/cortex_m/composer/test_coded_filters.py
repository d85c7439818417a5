"""Two rows of a filter are computed together if their products then need fewer instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest

from tinyml.targets.cortex_m.composer.coded_depthwise import CodedFilter, Rows


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


class CountedFilter(CodedFilter):
    """A filter that counts the groupings of rows that it compares."""

    compared: ClassVar[list[Sequence[Rows]]] = []

    def cost(self, groups: Sequence[Rows]) -> tuple[int, int]:
        self.compared.append(groups)
        assert len(self.compared) < 200
        return super().cost(groups)


def test_many_rows_go_together_after_few_comparisons():
    """Of the 16 rows of a filter, 14 are computed in pairs. A row of powers of two is a group of its own, and a row of
    zeros needs no code.
    """
    weights = 2 * np.arange(3, 35).reshape(16, 2) + 1
    weights[3], weights[9] = 8, 0
    groups = CountedFilter(weights, 1).groups
    assert (3,) in groups
    assert sorted(row for rows in groups for row in rows) == [row for row in range(16) if row != 9]
    assert [len(rows) for rows in groups].count(2) == 7


def test_constants_are_shared_and_powers_of_two_take_none():
    filter = CodedFilter(np.array([[5, 0, 5], [4, -8, 3]]), 1)
    assert filter.words([(0,), (1,)]) == [(3, 5)]
    assert filter.words([(0, 1)]) == [(0, -8), (5, 3), (5, 4)]
    assert CodedFilter(np.array([[1, -2, 64]]), 1).words([(0,)]) == []
