"""The programs of the estimators compute what the estimators do, on the evaluator and on a simulated Uno."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs.estimators import datasets, scores_of, sk

import tinyml
from tinyml.models import Bonsai, FastGRNN, ProtoNN
from tinyml.runtime.evaluator.evaluator import evaluate_reals

IMAGES, Y = datasets.load_digits(return_X_y=True)
X = IMAGES[:, ::3]
MODELS = {
    "bonsai": Bonsai(5, 1, epochs=10, random_state=0),
    "root": Bonsai(5, 0, sigma=0.5, epochs=10, random_state=0),
    "sparse": Bonsai(6, 2, z_density=0.2, wv_density=0.5, epochs=12, random_state=0),
    "protonn": ProtoNN(6, 15, epochs=10, random_state=0),
    "fastgrnn": FastGRNN(2, 12, epochs=20, random_state=0),
    "ranks": FastGRNN(11, 12, w_rank=2, u_rank=3, epochs=20, random_state=0),
}


@pytest.mark.parametrize("classes", [2, 10])
@pytest.mark.parametrize("name", MODELS)
def test_the_program_on_reals_is_the_decision_function(name: str, classes: int):
    labels = Y % classes
    model = MODELS[name].fit(X[:900], labels[:900])
    outputs = evaluate_reals(tinyml.load(model).module, X[900:].astype(np.float32))
    expected = model.decision_function(X[900:]).reshape(len(X) - 900, -1)
    np.testing.assert_allclose(scores_of(outputs).reshape(expected.shape), expected, rtol=1e-6, atol=1e-6)
    assert np.array_equal(model.classes_[np.asarray(outputs.labels).ravel()], model.predict(X[900:]))


@pytest.mark.long(seconds=3)
@pytest.mark.parametrize("name", MODELS)
def test_the_uno_computes_the_bits_of_the_evaluator(name: str):
    model = MODELS[name].fit(X[:900], Y[:900])
    program = tinyml.compile(model, X[900:], Y[900:], board="uno", width=16)
    assert program.report.fits
    assert program.report.mismatch is None
    assert program.score(X[900:], Y[900:]) > model.score(X[900:], Y[900:]) - 0.01


def test_features_of_unlike_units_and_labels_of_text():
    """The scaling is part of the program, also behind another scaler."""
    x, y = datasets.load_iris(return_X_y=True)
    x = x * [1e3, 1, 1e-3, 1] + [0, 50, 0, 0]
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    for model in (
        Bonsai(3, 1, epochs=40, random_state=0),
        sk.make_pipeline(sk.StandardScaler(), ProtoNN(3, 6, random_state=0)),
    ):
        fitted: Any = model.fit(x, labels)
        program = tinyml.compile(fitted, x, labels, board="uno", width=16, feature_scales=True)
        assert program.classes == ["setosa", "versicolor", "virginica"]
        assert program.score(x, labels) > fitted.score(x, labels) - 0.02
