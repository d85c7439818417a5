"""Regressors from end to end: errors compared with those of the float program, and searches whose loss is a difference
of R² in points.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import halves, in_format, joblib, sk

import tinyml
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, in_reals
from tinyml.runtime.model.data import Data
from tinyml.tools.driver.measure import accuracy
from tinyml.tools.main import main
from tinyml.transforms.formats.evaluation.reference import CandidateOutcome, Reference

DATA = halves("diabetes")
TARGETS = np.c_[DATA.y, 900 * DATA.x[:, 2] + DATA.y]
HELD = np.c_[DATA.held_y, 900 * DATA.held_x[:, 2] + DATA.held_y]


@pytest.mark.parametrize("outputs", [1, 2])
def test_errors_are_those_of_sklearns_metrics(outputs: int):
    model = sk.make_pipeline(sk.StandardScaler(), sk.Ridge()).fit(DATA.x, TARGETS[:, :outputs])
    reals, y = import_estimator(model), HELD[:, :outputs]
    formats = in_format(reals, DATA, "fixed", 8)
    found = accuracy(reals, formats, Data(DATA.held_x, None, targets=y))
    assert (found.reals, found.formats) == (None, None)
    assert found.regression is not None
    values = in_reals(formats, evaluate(formats, encode_inputs(formats, DATA.held_x))).scores
    exact = model.predict(DATA.held_x).reshape(-1, outputs)
    assert values is not None
    for errors, predicted in ((found.regression.reals, exact), (found.regression.formats, values)):
        assert errors is not None
        expected = (
            sk.mean_absolute_error(y, predicted),
            np.sqrt(((y - predicted) ** 2).mean()),
            sk.r2_score(y, predicted),
        )
        np.testing.assert_allclose((errors.mae, errors.rmse, errors.r2), expected, rtol=1e-4)
        if outputs == 1:
            assert errors.rmse == pytest.approx(sk.root_mean_squared_error(y, predicted), rel=1e-4)
    assert found.regression.difference == pytest.approx(np.abs(values - exact).mean(), rel=1e-3)


def test_losses_of_candidates_are_points_of_r2():
    """The loss of a candidate is R² of the model on reals minus that of the candidate, in points, also if samples are
    evaluated in another order. After only some of the samples it is a lower bound of this difference.
    """
    reals = import_estimator(sk.Ridge().fit(DATA.x, TARGETS))
    formats = in_format(reals, DATA, "fixed", 8)
    reference = Reference(reals, Data(DATA.x, None, targets=TARGETS))
    outputs = evaluate(formats, encode_inputs(formats, reference.inputs))
    values = in_reals(formats, outputs)
    outcome, bounds = CandidateOutcome(), list[float]()
    for part in (slice(0, 100), slice(100, None)):
        some = [tensor[part] for tensor in values.tensors]
        assert outputs.scores is not None
        taken = type(outputs)(None, outputs.scores[part])
        outcome = reference.extended(outcome, taken, some, some[0])
        bounds.append(reference.loss(outcome, reference.check("accuracy")))
    exact, ordered = evaluate_reals(reals, reference.inputs).scores, TARGETS[reference.order]
    lost = 100 * (sk.r2_score(ordered, exact) - sk.r2_score(ordered, values.scores))
    assert bounds[0] <= bounds[1] == pytest.approx(lost)
    assert reference.loss(outcome, "disagreement") == pytest.approx(100 * (1 - sk.r2_score(exact, values.scores)))


@pytest.mark.long
def test_commands_report_regressors(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A search keeps its limit on lost points of R², and the program has the predicted errors."""
    model, val, out = tmp_path / "ridge.joblib", tmp_path / "val.npz", tmp_path / "out"
    joblib.dump(sk.make_pipeline(sk.StandardScaler(), sk.Ridge()).fit(DATA.x, DATA.y), model)
    np.savez(val, x=DATA.held_x, y=DATA.held_y)
    arguments = ["--val", str(val), "--target", "host", "--search", "demote", "--loss", "1.0", "-o", str(out)]
    assert main(["compile", str(model), "--trust-pickle", *arguments]) == 0
    report: dict[str, Any] = json.loads((out / "report.json").read_text())
    errors = report["regression"]
    assert report["accuracy"] is None
    assert report["search"]["candidates"] > 5
    assert 100 * (errors["reals"]["r2"] - errors["formats"]["r2"]) <= 1.0
    printed = capsys.readouterr().out
    assert f"R2 {errors['formats']['r2']:.4g} (float {errors['reals']['r2']:.4g})" in printed
    assert main(["run", str(out), "--data", str(val), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["regression"] == pytest.approx(errors["formats"])


def calibration(samples: int, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Raw readings of a pressure and humidity sensor, and both quantities in hPa and %RH, with the noise of the
    reference.
    """
    random = np.random.default_rng(seed)
    low, high = [950, 20, -10], [1050, 90, 40]
    pressure, humidity, kelvin = random.uniform(low, high, (samples, 3)).T
    raw = np.c_[30 * pressure + 2 * kelvin + 0.01 * kelvin**2, 0.8 * humidity + 0.1 * kelvin, kelvin]
    return raw.astype(np.float32), np.c_[pressure, humidity] + random.normal(0, [0.2, 0.15], (samples, 2))


@pytest.mark.long(seconds=5)
def test_a_calibration_keeps_its_error():
    """`auto` increases the mean absolute error of a calibration model by at most 10 %, and 8 bits cause a warning. A
    limit on the loss of R² would permit a multiple of the error, to save about 200 cycles.
    """
    x, y = calibration(900, 0)
    model = sk.make_pipeline(sk.StandardScaler(), sk.PolynomialFeatures(2, include_bias=False), sk.Ridge(1e-3))
    model.fit(x[:300], y[:300])
    program = tinyml.compile(model, x[300:600], y[300:600], board="uno")
    exact, computed = (np.abs(each.predict(x[600:]) - y[600:]).mean(0) for each in (model, program))
    assert (computed <= 1.1 * exact).all()
    assert "RMSE of output" in program.report.lines[0]
    assert "the error grows by" in program.report.lines[0]
    with (
        pytest.warns(tinyml.CompileWarning, match="one scale for all features is too coarse for 2 of 3"),
        pytest.warns(tinyml.CompileWarning, match=r"RMSE of output 2 .* instead of .*: the error grows by"),
    ):
        tinyml.compile(model, x[300:600], y[300:600], board="uno", width=8)


@pytest.mark.long
@pytest.mark.filterwarnings("error")
def test_the_greatest_of_several_values_is_no_answer():
    """If data without y are given for a regressor with several outputs, the report compares values and not classes, and
    there is no warning.
    """
    x, _ = calibration(600, 1)
    y = x[:, :1] / 1000 + np.array([-1.0, 0, 1])
    model = sk.make_pipeline(sk.StandardScaler(), sk.Ridge()).fit(x, y)
    for width in (None, 8):
        report = tinyml.compile(model, x, board="uno", width=width).report
        assert (report.disagreements, report.accuracy) == (0, None)
        assert report.regression is not None
        assert report.regression["difference"] > 0


@pytest.mark.long(seconds=5)
def test_scores_that_are_asked_for_are_judged():
    """With `outputs="scores"`, `auto` judges the probabilities and not the classes. Those of the chosen program differ
    by at most 0.05, and its log-loss grows by at most 0.005.
    """
    data = halves("cancer")
    model = sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression()).fit(data.x, data.y)
    program = tinyml.compile(model, data.held_x, data.held_y, board="uno", outputs="scores")
    off = np.abs(program.scores(data.held_x).reshape(-1) - model.predict_proba(data.held_x)[:, 1]).max()
    assert off <= 0.05
    assert f"scores differ by up to {off:.1%} of their range" in program.report.lines[0]
    own, found = (
        -np.log(np.clip(np.where(data.held_y == 1, each, 1 - each), 2.0**-10, None)).mean()
        for each in (model.predict_proba(data.held_x)[:, 1], program.scores(data.held_x).reshape(-1))
    )
    assert f"log-loss {found:.4f} instead of {own:.4f}, 0.0050 more permitted" in program.report.lines[0]
    assert found - own <= 0.005
