"""Regressors from end to end: errors beside the float program's, and searches that count points of R2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import halves, in_format, joblib, sk

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
    """In any order of the samples, and from below while not all of them were seen."""
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


def test_commands_report_regressors(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A search keeps the points of R2 that it may lose, and what runs has the errors that were promised."""
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
