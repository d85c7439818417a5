"""The alternatives of `--format auto` on generated estimators: each results in a program, and a scaler in the model
does not make programs slower.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from importlib import import_module
from math import inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.digits import digits
from programs.estimators import sk
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed
from programs.problems import ESTIMATORS, SCALERS, Problem, fitted, problem
from programs.spread import spread
from xdsl.dialects.builtin import IndexType

from tinyml import load
from tinyml.dialects.context import context
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.program_data import load_program_data
from tinyml.tools.driver.choice.alternatives import (
    BUILT_IN,
    NARROW_WIDTH,
    ORDINARY_EXECUTION,
    considered,
)
from tinyml.tools.driver.choice.choose import AutoChoice, Bounds, CandidateQueue, NothingFitsError, choose
from tinyml.tools.driver.choice.trials import Trials
from tinyml.transforms.ir.outputs import CLASS, SCORES

BY_NAME = {alternative.name: alternative for alternative in BUILT_IN}

PROBLEMS = len(ESTIMATORS) * len(SCALERS) + 120
"""The number of problems: each estimator behind each scaler, and some once more with other data."""


def trials_of(given: Problem, folder: Path) -> Trials:
    module = load(given.estimator).module
    classifies = IndexType() in predict_function(module).function_type.outputs
    file = folder / "val.npz"
    arrays: dict[str, Any] = {"x": given.x}
    if classifies and given.y.dtype.kind == "i":
        arrays["y"] = given.y
    np.savez(file, **arrays)
    options = PipelineOptions(data=str(file), target="uno", outputs=CLASS if classifies else SCORES)
    return Trials(module, context(), options, load_program_data(module, str(file)))


def assert_all_make_programs(given: Problem, folder: Path) -> None:
    """Assert that each alternative can be lowered, estimated and evaluated."""
    trials = trials_of(given, folder)
    for alternative in BY_NAME.values():
        trial = trials.of(alternative)
        cost = trial.cost(ORDINARY_EXECUTION)
        assert cost.time is not None
        assert cost.time > 0
        assert trial.look().samples == len(given.x)


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize("number", spread(range(PROBLEMS), 3))
def test_every_alternative_makes_a_program(number: int, tmp_path: Path) -> None:
    assert_all_make_programs(problem(number), tmp_path)


@pytest.mark.long
def test_sums_of_32_bits_whose_start_is_far_greater_than_their_products(tmp_path: Path) -> None:
    """If features are about 1e-5 and the bias is much greater than the products, 32-bit operands are assigned fewer
    bits, so that the accumulator can represent the bias. No answer changes.
    """
    given = fitted("LinearSVC", "", 6, "tiny", 129)
    assert_all_make_programs(given, tmp_path)
    trials = trials_of(given, tmp_path)
    trial = trials.of(BY_NAME["fixed 32"])
    loss = trial.look()
    assert loss.lost == loss.gained == 0


WIDER_SUM = 1.15
"""How much longer a program may take whose sums have one byte more. The factor folded into a column of the weights lies
between 1 and 2, because the shift of its feature is a power of two, so a sum of products may no longer fit in 16 bits.
"""


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(
    ("estimator", "scaler"),
    spread(
        [
            (estimator, scaler)
            for estimator in ("SVC", "SVR", "KNeighborsClassifier", "MLPClassifier", "LogisticRegression")
            for scaler in ("StandardScaler", "MinMaxScaler", "RobustScaler")
        ],
        3,
    ),
)
@pytest.mark.parametrize("seed", spread(range(5), 1))
def test_a_scaler_is_as_good_as_scaling_by_hand(estimator: str, scaler: str, seed: int, tmp_path: Path) -> None:
    """For an estimator after a scaler, a program with feature scales is as fast as the program of the estimator alone,
    whose samples the caller scales, but for one byte more in its sums. Both times are those of a call with raws: the
    floats of the estimator alone would have to be scaled by the caller. Its loss is not significantly greater.

    Programs with row scales may be slower, because feature scales that are folded into a matrix may change its row
    scales.
    """
    piped = fitted(estimator, scaler, 6, "unlike", seed)
    first, last = piped.estimator[0], piped.estimator[-1]
    by_hand = Problem(piped.name, last, first.transform(piped.x).astype(np.float32), piped.y)
    (tmp_path / "piped").mkdir()
    both = trials_of(piped, tmp_path / "piped"), trials_of(by_hand, tmp_path)
    for alternative in BY_NAME.values():
        if (like := BY_NAME.get(f"{alternative.name}, feature scales")) is None:
            continue
        trial, hand = (trials.of(row) for trials, row in zip(both, (like, alternative), strict=True))
        costs = [each.cost(ORDINARY_EXECUTION) for each in (trial, hand)]
        times = [cost.time - cost.reading for cost in costs]  # type: ignore[operator]
        assert "row_scales" in alternative.options or times[0] <= WIDER_SUM * times[1]
        if alternative.name == NARROW_WIDTH:
            losses = [each.loss() for each in (trial, hand)]
            # Two standard deviations of the difference between two programs that round the same samples differently.
            changed = sum(loss.lost + loss.gained for loss in losses)
            if losses[1].counted:
                assert losses[0].points <= losses[1].points + max(1.5, 200 * sqrt(changed) / len(piped.x))
            else:
                assert losses[0].points <= 1.5 * losses[1].points + 5


def test_where_nothing_absorbs_scales_of_features_no_alternative_waits_for_them(tmp_path: Path) -> None:
    """For inputs that are integers of a sensor, no alternative with feature scales is estimated, and no other
    alternative depends on one.
    """
    trials = trials_of(fitted("LogisticRegression", "", 3, "like", 0), tmp_path)
    trials.options = replace(trials.options, input_unit="0.01:s10")
    contenders = CandidateQueue(trials, Bounds(inf, inf, 0.5))
    contenders.enter([row for row in BY_NAME.values() if not (row.last_resort or row.compact)])
    for refused in (NARROW_WIDTH, "fixed 8, row scales"):
        contenders.admit_deferred(next(row for row in contenders.tried if row.alternative.name == refused))
    estimated = {row.alternative.name for row in contenders.tried}
    assert "zeroskew 8" in estimated
    assert "fixed 8, feature scales" not in estimated
    assert {row.beside for row in contenders.deferred} <= estimated | {row.name for row in contenders.deferred}


@pytest.mark.long
def test_a_format_of_a_package_takes_part_where_its_class_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A format of a package is among the alternatives if its class has widths in `FOR_AUTO`. It is chosen if no other
    regular alternative exists.
    """
    monkeypatch.setattr(sys, "path", [str(ROOT / "tests" / "plugins" / "tapered"), *sys.path])
    with installed(*entry_points_of("tapered")):
        assert considered() == (*BY_NAME.values(),)
        monkeypatch.setattr(import_module("tapered").TaperedType, "FOR_AUTO", (12,))
        [*ours, row] = considered()
        assert ours == [*BY_NAME.values()]
        assert (row.name, row.options) == ("tapered 12", {"format": "tapered", "width": 12})
        trials = trials_of(fitted("LogisticRegression", "", 3, "like", 0), tmp_path)
        contenders = CandidateQueue(trials, Bounds(inf, inf, 0.5))
        contenders.enter([one for one in considered() if not (one.last_resort or one.compact)])
        assert row in [tried.alternative for tried in contenders.tried]
        alone = [one for one in considered() if one.last_resort or one == row]
        taken = choose(trials.program, trials.ctx, trials.options, trials.data, Bounds(inf, inf, 100.0), alone)
        assert taken.taken.alternative == row


@pytest.mark.long(seconds=5)
def test_weights_of_4_bits_are_considered_where_the_flash_holds_no_other(tmp_path: Path) -> None:
    """For a perceptron for digits, alternatives with 4-bit weights are estimated only if no alternative with 8-bit
    weights fits the flash.
    """
    x, y = (part[:200] for part in digits().val)
    with warnings.catch_warnings(action="ignore"):
        estimator = sk.MLPClassifier((40,), max_iter=20, random_state=0).fit(x, y)
    trials = trials_of(Problem("digits", estimator, x.astype(np.float32), y), tmp_path)
    rows = [row for row in BY_NAME.values() if row.compact or row.name in (NARROW_WIDTH, "fixed 16", "fixed 32")]
    narrow = trials.of(BY_NAME[NARROW_WIDTH]).cost(ORDINARY_EXECUTION).flash

    def chosen(flash: float) -> AutoChoice:
        return choose(trials.program, trials.ctx, trials.options, trials.data, Bounds(flash, inf, 5.0), rows)

    roomy, small = chosen(narrow), chosen(narrow - 1)
    assert roomy.taken.alternative.name == NARROW_WIDTH
    assert {row.name for row in roomy.late} == {row.name for row in rows if row.compact or row.last_resort}
    assert small.taken.alternative.compact
    assert small.taken.cost.flash < narrow
    assert small.qualifies
    with pytest.raises(NothingFitsError):
        chosen(narrow / 4)
