"""The statistics of `auto`: what is expected to be lost, its bound, what is allowed, and the groups of samples."""

from __future__ import annotations

from math import comb, erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tinyml.dialects.errors import InputError
from tinyml.tools.driver.choice.statistics import FEW, Judge, Loss, sample_groups, upper_bound


def judge(scores: Any, labels: Any = None, groups: Any = None) -> Judge:
    """The judge of a model of several classes with given scores."""
    own = np.arange(len(scores)) if groups is None else groups
    return Judge(scores.argmax(1), labels, scores, own, numbers=False)


def drawn(seed: int, samples: int, noise: float) -> tuple[Judge, np.ndarray[Any, Any]]:
    """Samples of two classes whose margin is normal with mean 1, and scores with an error in a program."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, samples)
    margins, errors = random.normal(1, 1, samples), random.normal(0, noise, samples)
    exact, computed = (
        np.where(labels[:, None] == [0, 1], m[:, None] / 2, -m[:, None] / 2) for m in (margins, margins + errors)
    )
    return judge(exact, labels), computed


def normal(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2


@given(st.integers(1, 60), st.data())
def test_the_bound_is_where_so_few_have_a_probability_of_5_percent(samples: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, samples - 1))
    share = upper_bound(count, samples)
    fewer = sum(comb(samples, k) * share**k * (1 - share) ** (samples - k) for k in range(count + 1))
    assert fewer == pytest.approx(0.05, abs=1e-3)
    assert upper_bound(samples, samples) == 1


def test_margins_estimate_a_loss_better_than_its_count() -> None:
    """Of 150 samples, with an error of the margins whose loss is known."""
    noise = 0.4
    true = 100 * (normal(1) - normal(1 / sqrt(1 + noise**2)))
    expected: list[float] = []
    counted: list[float] = []
    covered = 0
    for seed in range(300):
        model, computed = drawn(seed, 150, noise)
        loss = model.loss(computed.argmax(1), computed)
        expected.append(loss.points)
        counted.append(100 * (loss.lost - loss.gained) / loss.samples)
        covered += loss.bound >= true
    errors = [np.sqrt(np.mean((np.array(found) - true) ** 2)) for found in (expected, counted)]
    assert abs(np.mean(expected) - true) < 0.3
    assert errors[0] < 0.8 * errors[1]
    assert covered >= 0.85 * 300


@given(st.integers(0, 1000), st.floats(0.01, 100))
@example(436, 1.0)  # The model is wrong far from the border, and nowhere near it.
def test_a_factor_of_all_scores_loses_nothing(seed: int, factor: float) -> None:
    model, _ = drawn(seed, 40, 0)
    assert model.scores is not None
    loss = model.loss(model.classes, factor * model.scores)
    assert abs(loss.points) < 1e-9
    assert loss.bound < 1e-9


def test_a_lost_sample_of_few_is_not_allowed_and_a_small_error_of_all_margins_is() -> None:
    """A model that is sure of all 22 samples: one answer changes, or every margin by a hundredth."""
    random = np.random.default_rng(0)
    labels = np.arange(22) % 3
    scores = random.uniform(0, 0.2, (22, 3)) + np.eye(3)[labels]
    model, wrong = judge(scores, labels), scores.copy()
    wrong[0, 1] = 2.0
    lost = model.loss(wrong.argmax(1), wrong)
    assert (lost.lost, lost.gained) == (1, 0)
    assert not lost.allowed(0.5)
    moved = scores + random.normal(0, 0.005, scores.shape)
    found = model.loss(moved.argmax(1), moved)
    assert found.certain(0.5)


def test_saturated_margins_far_from_the_border_lose_nothing() -> None:
    """A great margin that shrinks says nothing of those near the border; a sample that is lost counts all the same."""
    model, computed = drawn(3, 60, 0.01)
    assert model.scores is not None
    margins = np.abs(model.scores[:, 0] - model.scores[:, 1])
    far = margins > np.quantile(margins, 0.35)
    limit = 0.5 * margins[far].min()
    saturated = np.where(far[:, None], model.scores * (limit / margins)[:, None], computed)
    before, after = (model.loss(each.argmax(1), each) for each in (computed, saturated))
    assert (before.lost, before.gained) == (after.lost, after.gained)
    assert abs(after.points - before.points) < 0.1
    lost = saturated.copy()
    sample = int(np.flatnonzero(far & (model.classes == model.right))[0])
    lost[sample] = -lost[sample]
    assert model.loss(lost.argmax(1), lost).points > after.points + 0.8 * 100 / 60


def test_without_labels_every_other_answer_counts() -> None:
    model, computed = drawn(1, 400, 0.5)
    assert model.scores is not None
    alone = judge(model.scores)
    assert alone.loss(computed.argmax(1), computed).points > 2 * model.loss(computed.argmax(1), computed).points


def test_without_scores_samples_are_counted() -> None:
    classes = np.arange(100) % 2
    model = Judge(classes, classes, None, np.arange(100), numbers=False)
    other = classes.copy()
    other[:2] = 1 - other[:2]
    loss = model.loss(other, None)
    assert loss.points == 2.0
    assert loss.bound == pytest.approx(100 * upper_bound(2, 100), abs=0.01)


def test_samples_of_a_group_make_the_bound_wider() -> None:
    model, computed = drawn(2, 400, 0.5)
    assert model.scores is not None
    twice: list[Any] = [np.repeat(each, 4, 0) for each in (model.scores, model.right, computed, np.arange(400))]
    alone, grouped = (judge(twice[0], twice[1], groups) for groups in (None, twice[3]))
    bounds = [each.loss(twice[2].argmax(1), twice[2]).bound for each in (alone, grouped)]
    assert bounds[0] < bounds[1]


@pytest.mark.parametrize(
    ("points", "bound", "groups", "loss", "allowed", "certain"),
    [
        (0.4, 1.375, FEW, 0.5, True, True),
        (0.4, 1.425, FEW, 0.5, True, False),
        (-3.6, 1.7, FEW, 0.5, True, False),
        (0.4, 1.375, FEW - 1, 0.5, True, False),
        (0.4, 0.5, FEW - 1, 0.5, True, True),
        (0.6, 2.0, FEW, 0.5, False, False),
    ],
)
def test_of_few_samples_the_bound_decides(
    points: float, bound: float, groups: int, loss: float, allowed: bool, certain: bool
) -> None:
    found = Loss(points, bound, 0, 0, 1000, groups)
    assert (found.allowed(loss), found.certain(loss)) == (allowed, certain)


def test_no_loss_means_that_no_sample_is_lost() -> None:
    assert Loss(0.01, 0.02, 1, 1, 1000, 1000).allowed(0)
    assert not Loss(-0.01, 0.02, 1, 0, 1000, 1000).allowed(0)


def test_the_loss_of_numbers_is_what_r2_falls_by() -> None:
    exact = np.random.default_rng(1).standard_normal((200, 2)) * [1, 100]
    model = Judge(np.zeros(200, np.int64), None, exact, np.arange(200), numbers=True)
    loss = model.loss(model.classes, exact + 0.1 * exact.std(0))
    assert loss.points == pytest.approx(1.0)
    assert not loss.allowed(0.5)
    assert loss.allowed(1.1)
    assert loss.bound > loss.points


def test_data_files_say_which_samples_depend_on_each_other(tmp_path: Path) -> None:
    file = tmp_path / "val.npz"
    np.savez(file, x=np.zeros((6, 1)))
    assert sample_groups(str(file), 6)[0].tolist() == list(range(6))
    np.savez(file, x=np.zeros((6, 1)), time=np.array([5, 3, 9, 1, 2, 8]))
    groups, division = sample_groups(str(file), 6)
    assert (groups.tolist(), division) == ([1, 1, 2, 0, 0, 2], "by time")
    np.savez(file, x=np.zeros((6, 1)), groups=np.array([7, 7, 2, 2, 3, 3]))
    groups, division = sample_groups(str(file), 6)
    assert (groups.tolist(), division) == ([2, 2, 0, 0, 1, 1], "by groups")
    np.savez(file, x=np.zeros((6, 1)), groups=np.ones(6))
    with pytest.raises(InputError, match="a single group"):
        sample_groups(str(file), 6)
    np.savez(file, x=np.zeros((6, 1)), groups=np.ones(5))
    with pytest.raises(InputError, match="expected `groups` to hold 6 numbers"):
        sample_groups(str(file), 6)
