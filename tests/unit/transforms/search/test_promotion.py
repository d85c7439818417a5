"""Promotions that are evaluated in parallel equal those of MinUn's algorithm 7, which evaluates one after another."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.search.search_promote import Promotion

LOW, HIGH = FixedType(8, 4), FixedType(16, 12)


@given(st.lists(st.tuples(st.integers(0, 20), st.floats(0, 1)), min_size=1, max_size=30), st.integers(0, 120))
def test_promotions_are_those_of_one_after_the_other(tensors: list[tuple[int, float]], limit: int):
    sizes, heat = zip(*tensors, strict=True)
    tried: list[Sequence[FormatChoice]] = []

    def taken(choices: Sequence[FormatChoice]) -> int:
        return sum(size for size, choice in zip(sizes, choices, strict=True) if choice.prototype == HIGH)

    def fits(choices: Sequence[FormatChoice]) -> bool:
        tried.append(choices)
        return taken(choices) <= limit

    search: Any = SimpleNamespace(choice=FormatChoice)
    found = Promotion(search, LOW, HIGH, heat).in_order(fits)
    expected, left = [FormatChoice(LOW)] * len(sizes), limit
    for i in sorted(range(len(sizes)), key=lambda i: -heat[i]):
        if sizes[i] <= left:
            expected[i], left = FormatChoice(HIGH), left - sizes[i]
    assert found == expected
    assert len(tried) == 1 or sum(sizes) > limit
