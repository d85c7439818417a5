"""The statistics of `auto`: the expected loss, its bound, the permitted loss, and the groups of samples."""

from __future__ import annotations

from dataclasses import replace
from math import comb, erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tinyml.dialects.errors import InputError
from tinyml.tools.driver.choice.statistics import (
    FEW_SAMPLES,
    MARGIN_DISTANCE,
    MOST_NEEDED,
    NORMAL_SAMPLES,
    Loss,
    LossModel,
    are_probabilities,
    needed_samples,
    sample_groups,
    upper_bound,
)
from tinyml.tools.driver.request import USUAL_GROWTH


def judge(scores: Any, labels: Any = None, groups: Any = None) -> LossModel:
    """The loss model of a classifier whose scores on reals are `scores`.

    labels: the classes of the samples; None if they are unknown.
    groups: the group of each sample; None if each sample is a group of its own.
    """
    own = np.arange(len(scores)) if groups is None else groups
    return LossModel(scores.argmax(1), labels, scores, own, numbers=False)


def drawn(seed: int, samples: int, noise: float) -> tuple[LossModel, np.ndarray[Any, Any]]:
    """The loss model for random samples of two classes whose margins are normally distributed with mean 1, and the
    scores of a program.

    noise: the standard deviation of the errors of the program's margins.
    """
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
    share = upper_bound(count, 0, samples)
    fewer = sum(comb(samples, k) * share**k * (1 - share) ** (samples - k) for k in range(count + 1))
    assert fewer == pytest.approx(0.05, abs=1e-3)
    assert upper_bound(samples, 0, samples) == 1


@pytest.mark.parametrize("samples", [50, 1000])
@pytest.mark.parametrize("lost", [0.5, 3, 8])
@pytest.mark.parametrize("gained", [0, 0.5, 3, 8])
def test_the_bound_covers_what_is_lost_beside_gains(samples: int, lost: float, gained: float) -> None:
    """In at least 93.5 % of 2,000 random cases, the upper bound covers the expected net loss.

    lost, gained: the expected numbers of lost and gained samples.
    """
    shares = np.array([lost, gained, samples - lost - gained]) / samples
    drawn = np.random.default_rng(0).multinomial(samples, shares, size=2000)
    found, counts = np.unique(drawn[:, :2], axis=0, return_counts=True)
    covers = np.array([upper_bound(a, b, samples) >= shares[0] - shares[1] for a, b in found.tolist()])
    assert (counts * covers).sum() >= 0.935 * 2000


def test_the_bound_of_many_changes_is_that_of_a_normal_net_loss() -> None:
    exact, normal = upper_bound(210, NORMAL_SAMPLES - 210, 5000), upper_bound(211, NORMAL_SAMPLES - 210, 5000)
    assert upper_bound(9000, 1000, 10000) < 0.81
    assert normal - exact == pytest.approx(1 / 5000, abs=1e-4)


def test_what_is_expected_by_margins_never_contradicts_the_count() -> None:
    """For 150 samples and errors of margins with a known expected loss, the bound covers this loss in at least 95 % of
    300 cases. The expected loss by margins is never less than the counted net loss.
    """
    noise = 0.4
    true = 100 * (normal(1) - normal(1 / sqrt(1 + noise**2)))
    covered, likely = 0, 0
    for seed in range(300):
        model, computed = drawn(seed, 150, noise)
        loss = model.loss(computed.argmax(1), computed)
        assert loss.likely is not None
        assert loss.points >= loss.net == 100 * (loss.lost - loss.gained) / 150
        assert loss.bound >= max(loss.likely, 100 * upper_bound(loss.lost, loss.gained, 150))
        covered += loss.bound >= true
        likely += loss.likely >= true
    assert covered >= 0.95 * 300
    assert likely < covered


def test_an_error_in_one_direction_is_counted_where_margins_expect_a_gain() -> None:
    """Four of 200 samples are lost because the scores of one class are shifted. They count as a loss of 2 points,
    although margins predict a gain.
    """
    random = np.random.default_rng(1)
    labels = np.repeat([0, 1], 100)
    scores = random.normal(0, 0.05, (200, 2)) + 2 * np.eye(2)[labels]
    scores[100:104] = [[0.9, 1.0]] * 4
    model, computed = judge(scores, labels), scores.copy()
    computed[100:104, 1] -= 0.2
    loss = model.loss(computed.argmax(1), computed)
    assert (loss.lost, loss.gained, loss.net) == (4, 0, 2.0)
    assert loss.points >= 2
    assert loss.bound >= 100 * upper_bound(4, 0, 200) > 4.5
    assert not loss.allowed(0.5)


@given(st.integers(0, 1000), st.floats(0.01, 100))
@example(436, 1.0)  # The model is wrong far from the border, and nowhere near it.
def test_a_factor_of_all_scores_loses_nothing(seed: int, factor: float) -> None:
    model, _ = drawn(seed, 40, 0)
    assert model.scores is not None
    loss = model.loss(model.classes, factor * model.scores)
    assert loss.likely is not None
    assert abs(loss.points) < 1e-9
    assert loss.likely < 1e-9
    assert loss.bound == 100 * upper_bound(0, 0, 40)


def test_a_lost_sample_of_few_is_not_allowed_and_a_small_error_of_all_margins_is() -> None:
    """For 22 samples with great margins, one lost sample is not permitted. For 66 such samples, a change of every
    margin by about a hundredth is.
    """
    random = np.random.default_rng(0)
    labels = np.arange(66) % 3
    scores = random.uniform(0, 0.2, (66, 3)) + np.eye(3)[labels]
    model, wrong = judge(scores[:22], labels[:22]), scores[:22].copy()
    wrong[0, 1] = 2.0
    lost = model.loss(wrong.argmax(1), wrong)
    assert (lost.lost, lost.gained) == (1, 0)
    assert not lost.allowed(0.5)
    moved = scores + random.normal(0, 0.005, scores.shape)
    found = judge(scores, labels).loss(moved.argmax(1), moved)
    assert found.bound > 4
    assert found.certain(0.5)


def test_saturated_margins_far_from_the_border_lose_nothing() -> None:
    """Great margins that shrink by saturation do not increase the expected loss of samples with margins near 0. A
    sample that is lost counts nevertheless.
    """
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
    model = LossModel(classes, classes, None, np.arange(100), numbers=False)
    other = classes.copy()
    other[:2] = 1 - other[:2]
    loss = model.loss(other, None)
    assert loss.points == 2.0
    assert loss.bound == pytest.approx(100 * upper_bound(2, 0, 100), abs=0.01)


def test_samples_of_a_group_make_the_bound_wider() -> None:
    model, computed = drawn(2, 400, 0.5)
    assert model.scores is not None
    twice: list[Any] = [np.repeat(each, 4, 0) for each in (model.scores, model.right, computed, np.arange(400))]
    alone, grouped = (judge(twice[0], twice[1], groups) for groups in (None, twice[3]))
    bounds = [each.loss(twice[2].argmax(1), twice[2]).bound for each in (alone, grouped)]
    assert bounds[0] < bounds[1]


def test_samples_of_a_group_that_change_together_count_as_one() -> None:
    classes = np.arange(200) % 2
    other = classes.copy()
    other[:10] = 1 - other[:10]
    for groups, counts in ((np.arange(200), (10, 0, 200)), (np.arange(200) // 10, (1, 0, 20))):
        model = LossModel(classes, classes, None, groups, numbers=False)
        assert model.loss(other, None).bound == pytest.approx(100 * upper_bound(*counts))


@pytest.mark.parametrize(
    ("points", "likely", "bound", "groups", "loss", "allowed", "certain"),
    [
        (0.4, 0.4 + MARGIN_DISTANCE - 0.01, 3.0, FEW_SAMPLES, 0.5, True, True),
        (0.4, 0.4 + MARGIN_DISTANCE + 0.01, 3.0, FEW_SAMPLES, 0.5, True, False),
        (0.4, None, 3.0, FEW_SAMPLES, 0.5, True, False),
        (0.4, None, 0.5, FEW_SAMPLES, 0.5, True, True),
        (-3.6, 1.7, 3.0, FEW_SAMPLES, 0.5, True, False),
        (0.4, 0.4 + MARGIN_DISTANCE - 0.01, 3.0, FEW_SAMPLES - 1, 0.5, True, False),
        (0.4, 0.5, 0.5, FEW_SAMPLES - 1, 0.5, True, True),
        (0.6, 0.6, 0.6, FEW_SAMPLES, 0.5, False, False),
    ],
)
def test_what_the_bound_does_not_decide_margins_of_enough_samples_may_tell(
    points: float, likely: float | None, bound: float, groups: int, loss: float, allowed: bool, certain: bool
) -> None:
    found = Loss(points, bound, 0, 0, 1000, groups, likely=likely)
    assert (found.allowed(loss), found.certain(loss)) == (allowed, certain)


def test_gains_make_no_program_safer() -> None:
    unchanged = Loss(0.0, 0.99, 0, 0, 300, 300, likely=0.1)
    gaining = Loss(-1.0, 0.69, 0, 3, 300, 300, likely=-0.4)
    losing = Loss(-1.0, 0.5, 1, 4, 300, 300, likely=-0.4)
    assert sorted([losing, gaining, unchanged], key=lambda loss: loss.risk) == [unchanged, gaining, losing]


def test_no_loss_means_that_no_sample_is_lost() -> None:
    assert Loss(0.01, 0.02, 1, 1, 1000, 1000).allowed(0)
    assert not Loss(-0.01, 0.02, 1, 0, 1000, 1000).allowed(0)


def numbers(seed: int, samples: int, own: float) -> tuple[LossModel, np.ndarray[Any, Any]]:
    """The loss model of a regressor with two outputs whose units differ by a factor of 100, and its exact outputs.

    own: the error of the model itself as a fraction of the standard deviation.
    """
    random = np.random.default_rng(seed)
    exact = random.standard_normal((samples, 2)) * [1, 100]
    targets = exact + own * random.standard_normal((samples, 2)) * [1, 100]
    return LossModel(np.zeros(samples, np.int64), None, exact, np.arange(samples), True, targets=targets), exact


@pytest.mark.parametrize(("own", "added", "growth"), [(0.1, 0.1, 41.4), (0.1, 0.03, 4.4), (0.01, 0.1, 905)])
def test_the_loss_of_numbers_is_the_growth_of_the_models_own_error(own: float, added: float, growth: float) -> None:
    model, exact = numbers(1, 4000, own)
    computed = exact + np.random.default_rng(2).normal(0, [added, 100 * added], exact.shape)
    loss = model.loss(model.classes, computed)
    assert loss.error is not None
    assert loss.points == pytest.approx(growth, rel=0.1)
    assert loss.bound > loss.points
    assert (loss.allowed(USUAL_GROWTH), loss.change) == (growth < 5, f"the error grows by {loss.points:.1f}%")


def test_each_output_is_judged_by_its_own_error() -> None:
    """An error that is negligible for the output with large values is judged as a loss for the output with small
    values, although it hardly reduces the R² of both outputs together.
    """
    model, exact = numbers(1, 500, 0.02)
    loss = model.loss(model.classes, exact + 0.2)
    assert loss.error is not None
    assert (loss.error.number, loss.error.outputs) == (1, 2)
    assert loss.error.exact == pytest.approx(0.02, rel=0.1)
    assert loss.error.computed == pytest.approx(0.2, rel=0.1)
    assert str(loss.error) == "RMSE of output 1 0.1999 instead of 0.02044"
    assert loss.points > 500


def test_pixels_are_judged_together_and_targets_may_be_unknown() -> None:
    random = np.random.default_rng(3)
    exact = random.standard_normal((300, 16)) * ([1.0] * 15 + [0.001])
    model = LossModel(np.zeros(300, np.int64), None, exact, np.arange(300), numbers=True)
    loss = model.loss(model.classes, exact + 0.005)
    assert loss.error is not None
    assert loss.error.outputs == 1
    assert str(loss.error) == "RMS difference 0.005"
    assert loss.certain(USUAL_GROWTH)
    assert not model.loss(model.classes, exact + 0.02).allowed(USUAL_GROWTH)


def test_an_exact_model_allows_what_is_far_below_the_spread() -> None:
    model, exact = numbers(4, 300, 0.0)
    assert model.loss(model.classes, exact * (1 + 1e-4)).allowed(USUAL_GROWTH)
    assert not model.loss(model.classes, exact * (1 + 1e-2)).allowed(USUAL_GROWTH)
    constant = LossModel(np.zeros(9, np.int64), None, np.zeros((9, 1)), np.arange(9), numbers=True)
    assert constant.loss(constant.classes, np.zeros((9, 1))).points == 0


@pytest.mark.parametrize(("error", "allowed"), [(0.04, True), (0.3, False)])
def test_scores_that_callers_get_are_judged(error: float, allowed: bool) -> None:
    """If the caller uses the scores, a program with one probability wrong by 0.3 is rejected, although all its classes
    are right. An error of 0.04 is permitted.
    """
    scores = np.tile([[0.05, 0.95], [0.95, 0.05]], (400, 1))
    computed = scores.copy()
    computed[0] = [0.05 + error, 0.95 - error]
    model = replace(judge(scores), scored=True)
    loss = replace(model.loss(computed.argmax(1), computed), scores=model.scores_off(computed))
    assert loss.scores == pytest.approx(error / 0.9)
    assert loss.allowed(0.5) == allowed
    assert (loss.change == "scores differ by up to 33% of their range") != allowed


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
    with pytest.raises(InputError, match="expected `groups` to contain 6 numbers"):
        sample_groups(str(file), 6)


def test_limit_and_measure_of_a_regression_have_one_unit() -> None:
    """An error of the model below 0.3 % of the standard deviation counts as this share, in the text as in the limit."""
    model, exact = numbers(1, 4000, 0.0)
    loss = model.loss(model.classes, exact + np.array([0.001, 0]))
    assert loss.error is not None
    deviation = float(exact[:, 0].std())
    assert loss.error.base == pytest.approx(0.003 * deviation)
    growth = 100 * (sqrt(1 + (0.001 / (0.003 * deviation)) ** 2) - 1)
    assert loss.change == f"the error, which counts as {0.003 * deviation:.4g}, grows by {growth:.1f}%"
    assert loss.error.most == f"at most {loss.bound:.1f}%"


def test_a_gain_is_told_only_where_the_samples_prove_it() -> None:
    assert Loss(-1.5, 0.4, 1, 4, 200, 200).change == "no loss seen"
    assert Loss(-1.5, -0.1, 1, 4, 200, 200).change == "gains 1.50 points"
    assert Loss(0.0, 0.4, 1, 1, 200, 200).change == "no loss seen"
    assert Loss(0.25, 0.4, 1, 0, 400, 400).change == "loses 0.25 points"
    assert Loss(-0.2, 0.3, 0, 0, 90, 90, counted=False, metric="f1").change == "no loss of f1 seen"


@given(st.integers(0, 6), st.integers(0, 6), st.integers(60, 400))
def test_the_samples_that_would_do_rule_out_the_loss(lost: int, gained: int, samples: int) -> None:
    """With as many samples as `needed_samples` states, and the same shares of changed answers, the bound is at most the
    limit; with a tenth fewer, it is not, unless so few samples that the bound jumps with a single one.
    """
    limit = 2.0
    loss = Loss(
        100 * (lost - gained) / samples, 100 * upper_bound(lost, gained, samples), lost, gained, samples, samples
    )
    needed = needed_samples(loss, limit)

    def bound(count: float) -> float:
        return 100 * upper_bound(round(lost * count / samples), round(gained * count / samples), round(count))

    if needed is None:
        # A loss near the limit takes more samples than are worth naming.
        assert loss.points >= limit or bound(MOST_NEEDED * samples) > limit
        return
    if loss.bound <= limit:
        assert needed <= 1.1 * samples + 10
        return

    assert bound(needed) <= 1.15 * limit
    assert bound(0.8 * needed) > 0.9 * limit


def test_no_loss_in_any_sample_needs_the_rule_of_three() -> None:
    """(1 - 0.005)^598 is below 5 %, so that 598 samples without a loss rule out more than 0.5 points."""
    loss = Loss(0.0, 100 * upper_bound(0, 0, 45), 0, 0, 45, 45)
    assert needed_samples(loss, 0.5) == 600


def probabilities(seed: int, samples: int, columns: int) -> np.ndarray[Any, Any]:
    """Random probabilities of classes or, in a single column, of the second of two classes."""
    drawn = np.random.default_rng(seed).dirichlet(np.ones(max(columns, 2)), samples)
    return drawn[:, 1:] if columns == 1 else drawn


@pytest.mark.parametrize("columns", [1, 3])
def test_probabilities_that_callers_read_are_judged_by_their_log_loss(columns: int) -> None:
    """No class changes, but the probabilities move by up to 0.28: the log-loss grows beyond the limit."""
    exact = probabilities(1, 400, columns)
    classes = (exact[:, 0] > 0.5).astype(np.int64) if columns == 1 else exact.argmax(1)
    # Labels are drawn from the probabilities, which are therefore calibrated.
    chances = np.hstack([1 - exact, exact]) if columns == 1 else exact
    labels = (np.random.default_rng(2).random((400, 1)) > chances.cumsum(1)).sum(1)
    model = LossModel(classes, labels, exact, np.arange(400), numbers=False, scored=True)
    assert model.by_probabilities
    wrong = exact.copy()
    middle = 0.5 if columns == 1 else 1 / 3
    wrong += (middle - exact) * 0.9
    assert ((wrong[:, 0] > 0.5) == classes).all() if columns == 1 else (wrong.argmax(1) == classes).all()
    loss = model.loss_of_probabilities(classes, wrong)
    own = -np.log(np.clip(chances[np.arange(400), labels], 2.0**-10, None)).mean()
    assert loss.log_losses is not None
    assert loss.log_losses[0] == pytest.approx(own)
    assert loss.points == pytest.approx(100 * (loss.log_losses[1] - own))
    assert (loss.lost, loss.gained, loss.changed) == (0, 0, 0)
    assert not loss.allowed(0.5)
    assert loss.change == f"log-loss {loss.log_losses[1]:.4f} instead of {own:.4f}"
    near = model.loss_of_probabilities(classes, exact + (middle - exact) * 0.001)
    assert near.certain(0.5)
    # A greatest difference of 28 % is refused whatever the log-loss.
    assert not replace(near, scores=0.28).allowed(0.5)


def test_without_labels_the_probabilities_on_reals_are_the_right_ones() -> None:
    exact = probabilities(3, 200, 3)
    model = LossModel(exact.argmax(1), None, exact, np.arange(200), numbers=False, scored=True)
    computed = probabilities(4, 200, 3)
    loss = model.loss_of_probabilities(computed.argmax(1), computed)
    divergence = (exact * np.log(np.clip(exact, 2.0**-10, None) / np.clip(computed, 2.0**-10, None))).sum(1).mean()
    assert loss.points == pytest.approx(100 * divergence)
    assert model.loss_of_probabilities(model.classes, exact).points == 0


@pytest.mark.parametrize(
    ("scores", "classes", "expected"),
    [
        ([[0.2, 0.8], [0.6, 0.4]], [1, 0], True),
        ([[0.2, 0.9], [0.6, 0.4]], [1, 0], False),
        ([[-0.2, 1.2], [0.6, 0.4]], [1, 0], False),
        ([[0.8], [0.4]], [1, 0], True),
        # A decision value is positive for the second class.
        ([[0.8], [-0.4]], [1, 0], False),
        ([[0.8], [0.4]], [1, 1], False),
    ],
)
def test_probabilities_are_told_from_other_scores(scores: Any, classes: Any, expected: bool) -> None:
    assert are_probabilities(np.array(scores), np.array(classes)) == expected
