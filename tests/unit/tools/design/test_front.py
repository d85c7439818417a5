"""The front, the winner's curse and intervals, against definitions and published numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyml.tools.design.families import Choices, Interval
from tinyml.tools.design.front import Judged, front, interval, luck_of_winner
from tinyml.tools.design.task import Task
from tinyml.tools.design.trials import Candidate, Cost, Trained

NUMBERS = st.integers(0, 3).map(float)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=12))
def test_a_front_has_exactly_the_members_that_none_dominates(members: list[tuple[float, float, float, float]]):
    found = front(members, lambda each: ((each[0],), Cost(*each[1:])))

    def dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
        return one != other and one[0] >= other[0] and all(a <= b for a, b in zip(one[1:], other[1:], strict=True))

    assert {*found} == {one for one in members if not any(dominates(other, one) for other in members)}
    assert len({*found}) == len(found)
    assert [each[1] for each in found] == sorted(each[1] for each in found)


def candidate(name: str, *figures: float) -> Judged:
    made = Candidate.of(name, {})
    rows = {
        fold: Trained(family=name, parameters="{}", repeats=1, share=1, fold=fold, program=figure, key="")
        for fold, figure in enumerate(figures)
    }
    return Judged(made, rows)


def test_the_luck_of_a_winner_is_what_others_are_better_on_single_folds():
    winner, other = candidate("a", 0.9, 0.8), candidate("b", 0.7, 0.9)
    assert luck_of_winner([winner, other], winner, falls=False) == pytest.approx(0.05)
    # For errors, the other one is better on the first fold.
    assert luck_of_winner([winner, other], winner, falls=True) == pytest.approx(0.1)
    assert luck_of_winner([winner], winner, falls=False) is None


def task(y: np.ndarray, metric: str, groups: np.ndarray | None = None) -> Task:
    return Task(np.zeros((len(y), 1)), y, [0, 1], None, groups, metric, {}, 5, 0)


def test_the_interval_of_an_accuracy_is_that_of_wilson():
    # Newcombe 1998, Two-sided confidence intervals for the single proportion, table I: 81 of 263.
    y = np.ones(263, int)
    low, high = interval(task(y, "accuracy"), np.repeat([1, 0], [81, 182]))
    assert (low, high) == pytest.approx((0.2553, 0.3662), abs=5e-4)


def test_an_interval_of_groups_is_wider():
    y, predicted = np.ones(200, int), np.repeat([1, 0], 100)
    own = interval(task(y, "accuracy"), predicted)
    low, high = interval(task(y, "accuracy", np.repeat(np.arange(10), 20)), predicted)
    assert high - low > 1.5 * (own[1] - own[0])


@given(st.floats(0, 1, exclude_max=True), st.booleans(), st.booleans())
def test_a_place_of_a_parameter_is_found_again(place: float, whole: bool, by_factor: bool):
    for axis in (Interval(2, 90, whole=whole, by_factor=by_factor), Choices((0, "a", None))):
        value = axis.at(place)
        found = axis.at(axis.place(value))
        assert found == pytest.approx(value, rel=1e-2) if isinstance(value, float) else found == value
