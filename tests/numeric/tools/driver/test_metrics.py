"""For a metric, searches, `--format auto`, `score` and reports compute scikit-learn's value for the program's
outputs.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.estimators import halves, sk

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.tools.main import main

pytestmark = pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")

CANCER, WINE, DIABETES = halves("cancer"), halves("wine"), halves("diabetes")
NAMES = np.array(["malignant", "benign"])
FIGURES: dict[str, Any] = {
    "recall:malignant": partial(sk.recall_score, pos_label="malignant"),
    "precision": partial(sk.precision_score, average="macro"),
    "f1": partial(sk.f1_score, average="macro"),
    "f1:benign": partial(sk.f1_score, pos_label="benign"),
    "balanced-accuracy": sk.balanced_accuracy_score,
}


@pytest.fixture(scope="module")
def classifier() -> Any:
    return sk.LogisticRegression(max_iter=50).fit(CANCER.x / 100, NAMES[CANCER.y])


@pytest.fixture(scope="module")
def narrow(classifier: Any) -> tinyml.Program:
    return tinyml.compile(
        classifier, CANCER.held_x / 100, NAMES[CANCER.held_y], board="host", format="fixed", width=5, outputs="scores",
        metric="f1",
    )  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("metric", FIGURES)
def test_score_is_scikit_learns(narrow: tinyml.Program, metric: str):
    x, y = CANCER.held_x / 100, NAMES[CANCER.held_y]
    expected = FIGURES[metric](y, narrow.predict(x))
    assert 0.3 < expected < 1
    assert narrow.score(x, y, metric=metric) == pytest.approx(expected)


def test_score_of_areas(narrow: tinyml.Program):
    x, y = CANCER.held_x / 100, NAMES[CANCER.held_y]
    expected = sk.roc_auc_score(y == "malignant", _second(narrow.scores(x)))
    assert narrow.score(x, y, metric="auc") == narrow.score(x, y, metric="auc:malignant") == pytest.approx(expected)


def _second(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return scores if scores.ndim == 1 else scores[:, 1] - scores[:, 0]


def test_the_report_gives_the_figure(narrow: tinyml.Program, classifier: Any):
    metric = narrow.report.metric
    x, y = CANCER.held_x / 100, NAMES[CANCER.held_y]
    assert metric is not None
    expected = [sk.f1_score(y, one.predict(x), average="macro") for one in (classifier, narrow)]
    assert (metric["reals"], metric["formats"]) == pytest.approx(tuple(expected))
    assert f"{narrow.name}: f1 {100 * expected[1]:.2f} % (float model {100 * expected[0]:.2f} %)" in str(narrow.report)


@pytest.mark.long(seconds=5)
def test_auto_keeps_points_of_the_metric(classifier: Any):
    x, y = CANCER.held_x / 100, NAMES[CANCER.held_y]
    program = tinyml.compile(classifier, x, y, board="host", metric="recall:malignant", loss=1.0)
    metric = program.report.metric
    assert metric is not None
    assert 100 * (metric["reals"] - metric["formats"]) <= 1.0
    assert "no loss of recall:malignant seen" in program.report.lines[0]
    # The area needs scores, which are the outputs then.
    program = tinyml.compile(classifier, x, y, board="host", metric="auc")
    assert "no loss of auc seen" in program.report.lines[0]
    assert program.scores(x).shape[0] == len(x)


@pytest.mark.long
def test_a_search_keeps_points_of_the_metric():
    model = sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression()).fit(WINE.x, WINE.y)
    options: dict[str, Any] = {"board": "host", "search": "demote", "widths": (3, 12), "jobs": 1, "metric": "recall:2"}
    program = tinyml.compile(model, WINE.held_x, WINE.held_y, loss=2.0, **options)
    metric = program.report.metric
    assert metric is not None
    assert metric["formats"] == pytest.approx(sk.recall_score(WINE.held_y == 2, program.predict(WINE.held_x) == 2))
    assert 100 * (metric["reals"] - metric["formats"]) <= 2.0


@pytest.mark.long
def test_regressors_have_figures_of_numbers():
    x, y = DIABETES.held_x, np.c_[DIABETES.held_y, 100 * DIABETES.held_x[:, 2]]
    model = sk.Ridge().fit(DIABETES.x, np.c_[DIABETES.y, 100 * DIABETES.x[:, 2]])
    program = tinyml.compile(model, x, y, board="host", search="uniform", widths=(8,), metric="mae", jobs=1)
    found = program.predict(x)
    assert program.score(x, y, metric="mae") == pytest.approx(sk.mean_absolute_error(y, found))
    assert program.score(x, y, metric="r2") == program.score(x, y) == pytest.approx(sk.r2_score(y, found))
    metric = program.report.metric
    assert metric is not None
    assert metric["formats"] == pytest.approx(sk.mean_absolute_error(y, found))
    with pytest.raises(InputError, match="the metric 'f1' compares classes, but the model returns numbers"):
        program.score(x, y, metric="f1")
    chosen = tinyml.compile(model, x, y, board="host", metric="r2", loss=1.0)
    assert "points of r2" in chosen.report.lines[0]


@pytest.mark.long
def test_detectors_have_areas():
    random = np.random.default_rng(0)
    usual = random.normal(size=(200, 3)).astype(np.float32)
    x = np.concatenate([usual, random.normal(1.5, size=(40, 3)).astype(np.float32)])
    y = np.repeat([1, -1], [200, 40])
    model = sk.EllipticEnvelope(random_state=0).fit(usual)
    program = tinyml.compile(model, x, y, board="host", format="fixed", width=8, metric="auc")
    metric = program.report.metric
    assert metric is not None
    assert metric["reals"] == pytest.approx(sk.roc_auc_score(y == 1, model.score_samples(x)), abs=1e-6)
    assert program.score(x, y, metric="auc") == pytest.approx(sk.roc_auc_score(y == 1, program.scores(x)))


REFUSED = {
    "error": "--metric error is for searches: --format auto and reports have recall[:CLASS], precision",
    "mae": "--format auto counts points: --metric mae is for searches and given formats",
    "f2": "unknown metric 'f2' (one of disagreement,",
    "r2": "val.npz: the metric 'r2' compares numbers, but the model returns classes",
    "f1:7": "val.npz: unknown class '7' (one of 0, 1)",
}


@pytest.mark.parametrize("metric", REFUSED)
def test_refusals_are_one_line(metric: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "net.sd").write_text("let X = (2, 1) in [-1, 1] in\nargmax(X)\n")
    random = np.random.default_rng(0)
    np.savez(tmp_path / "val.npz", x=random.normal(size=(40, 2)).astype(np.float32), y=np.arange(40) % 2)
    arguments = ["compile", str(tmp_path / "net.sd"), "--val", str(tmp_path / "val.npz"), "--metric", metric]
    assert main([*arguments, "-o", str(tmp_path / "out")]) == 1
    [line] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error:")]
    assert REFUSED[metric] in line
    assert not (tmp_path / "out").exists()
