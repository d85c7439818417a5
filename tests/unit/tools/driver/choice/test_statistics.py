"""The statistics of `auto`: bounds of a loss, what is allowed, and the division of a validation set."""

from __future__ import annotations

from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyml.dialects.errors import InputError
from tinyml.tools.driver.choice.split import choosing_half, halves_of_groups, stratified_half
from tinyml.tools.driver.choice.statistics import Loss, deciding_samples, loss_of_numbers, upper_bound


def test_none_lost_of_50_bounds_the_loss_at_5_8_points() -> None:
    assert 100 * upper_bound(0, 50) == pytest.approx(5.8, abs=0.05)
    assert deciding_samples(0.5) == 598
    assert 100 * upper_bound(0, 598) <= 0.5 < 100 * upper_bound(0, 597)


@given(st.integers(1, 60), st.data())
def test_the_bound_is_where_so_few_have_a_probability_of_5_percent(samples: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, samples - 1))
    share = upper_bound(count, samples)
    fewer = sum(comb(samples, k) * share**k * (1 - share) ** (samples - k) for k in range(count + 1))
    assert fewer == pytest.approx(0.05, abs=1e-3)
    assert upper_bound(samples, samples) == 1


@pytest.mark.parametrize(
    ("lost", "gained", "samples", "loss", "allowed"),
    [
        (1, 0, 50, 0.5, True),
        (2, 0, 50, 0.5, False),
        (3, 2, 50, 0.5, True),
        (1, 0, 50, 0.0, False),
        (3, 0, 599, 0.5, False),
        (3, 0, 600, 0.5, True),
        (4, 0, 600, 0.5, False),
        (1, 0, 600, 0.1, False),
        (2, 0, 50, 5.0, True),
    ],
)
def test_of_few_samples_one_may_be_lost(lost: int, gained: int, samples: int, loss: float, allowed: bool) -> None:
    assert Loss(100 * (lost - gained) / samples, lost, gained, samples).allowed(loss) == allowed


def test_the_loss_of_numbers_is_what_r2_falls_by() -> None:
    exact = np.random.default_rng(1).standard_normal((200, 2)) * [1, 100]
    loss = loss_of_numbers(exact, exact + 0.1 * exact.std(0), np.ones(200, bool))
    assert loss.points == pytest.approx(1.0)
    assert not loss.allowed(0.5)
    assert loss.allowed(1.1)
    assert loss.bound is None


@given(st.lists(st.integers(0, 4), min_size=2, max_size=300))
def test_each_class_stands_in_both_halves(classes: list[int]) -> None:
    labels = np.array(classes)
    half = stratified_half(labels)
    for label in set(classes):
        assert abs(int(half[labels == label].sum()) - int((~half)[labels == label].sum())) <= 1
    assert np.array_equal(half, stratified_half(labels))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=200))
def test_no_group_stands_in_both_halves(samples: list[tuple[int, int]]) -> None:
    groups, classes = np.array(samples).T
    half = halves_of_groups(groups, classes)
    assert not set(groups[half]) & set(groups[~half])
    if len(set(groups)) > 1:
        assert 0 < half.sum() < len(half)


def test_data_files_say_how_to_divide(tmp_path: Path) -> None:
    file, classes = tmp_path / "val.npz", np.arange(6) % 2
    np.savez(file, x=np.zeros((6, 1)), time=np.array([5, 3, 9, 1, 2, 8]))
    half, division = choosing_half(str(file), classes)
    assert (half.tolist(), division) == ([False, True, False, True, True, False], "by time")
    np.savez(file, x=np.zeros((6, 1)), groups=np.array([1, 1, 2, 2, 3, 3]))
    assert choosing_half(str(file), classes)[1] == "by groups"
    np.savez(file, x=np.zeros((6, 1)), groups=np.ones(6))
    with pytest.raises(InputError, match="a single group"):
        choosing_half(str(file), classes)
    np.savez(file, x=np.zeros((6, 1)), groups=np.ones(5))
    with pytest.raises(InputError, match="expected `groups` to hold 6 numbers"):
        choosing_half(str(file), classes)
