"""Files that skl2onnx exports from scikit-learn's estimators have the results of `predict`."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import Halves, answers, answers_in, halves, in_format, scores_of, sk, skl2onnx
from programs.on_boards import difference, printed
from xdsl.dialects.builtin import ModuleOp

import tinyml
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate_reals

USUAL = {
    "logistic regression": lambda: sk.LogisticRegression(max_iter=20),
    "network": lambda: sk.MLPClassifier((16,), max_iter=60, random_state=0),
    "support vectors": lambda: sk.SVC(gamma=0.001),
    "forest": lambda: sk.RandomForestClassifier(20, max_depth=6, random_state=0),
    "scaler and network": lambda: sk.make_pipeline(
        sk.StandardScaler(), sk.MLPClassifier((16,), max_iter=60, random_state=0)
    ),
}
ZIPPED = {"zipped": None, "plain": {"zipmap": False}}
"""The options of the default, whose probabilities are a map, and of tensors."""

POINTS = 0.5
"""The points of accuracy that 16 bits may lose."""


@cache
def usual(name: str) -> Any:
    data = halves("digits")
    with warnings.catch_warnings(action="ignore"):
        return USUAL[name]().fit(data.x, data.y)


def content(estimator: Any, data: Halves, options: Any = None) -> bytes:
    with warnings.catch_warnings(action="ignore"):
        return skl2onnx.to_onnx(estimator, data.x[:1], options=options).SerializeToString()


def exported(estimator: Any, data: Halves, options: Any = None) -> ModuleOp:
    module = read_onnx(content(estimator, data, options), "model.onnx")
    module.verify()
    return module


@pytest.mark.long
@pytest.mark.parametrize("options", ZIPPED)
@pytest.mark.parametrize("name", USUAL)
def test_usual_files_answer_as_predict_does(name: str, options: str):
    data, estimator = halves("digits"), usual(name)
    module, expected = exported(estimator, data, ZIPPED[options]), estimator.predict(data.held_x)
    outputs = evaluate_reals(module, data.held_x)
    np.testing.assert_array_equal(answers(module, outputs), expected)
    assert tdsl.read_interface(module).classes == tuple(range(10))
    assert outputs.scores is not None
    assert outputs.scores.shape[1] == 10
    assert np.count_nonzero(answers_in(module, data, "f32") != expected) <= 1
    lost = (expected == data.held_y).mean() - (answers_in(module, data, "fixed", 16) == data.held_y).mean()
    assert 100 * lost <= POINTS


@pytest.mark.long
@pytest.mark.parametrize(("name", "options"), [("logistic regression", "zipped"), ("forest", "plain")])
def test_usual_files_compile(name: str, options: str, tmp_path: Path):
    """The C that is compiled from each file computes the evaluator's bits on this computer, and returns scikit-learn's
    labels for at least 99.5 % of the held-out samples.
    """
    data, file = halves("digits"), tmp_path / "model.onnx"
    file.write_bytes(content(usual(name), data, ZIPPED[options]))
    program = tinyml.compile(file, data.x[:300], data.y[:300], board="host", width=16)
    assert program.report.mismatch is None
    differing = program.predict(data.held_x) != usual(name).predict(data.held_x)
    assert np.count_nonzero(differing) <= 0.005 * len(differing)


@pytest.mark.long
@pytest.mark.parametrize("device", ["host", "uno"])
def test_devices_compute_the_same_bits(device: str, tmp_path: Path):
    """On devices, a neural network in 8 bits and a support vector machine in 16 bits compute the evaluator's bits."""
    data = halves("digits")
    few = Halves(data.x[:200], data.y[:200], data.held_x, data.held_y)
    vectors = sk.make_pipeline(sk.PCA(8, random_state=0), sk.SVC()).fit(few.x, few.y)
    for number, (estimator, width) in enumerate([(usual("scaler and network"), 8), (vectors, 16)]):
        module = in_format(exported(estimator, data), data, "fixed", width)
        pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": device}))
        source = printed(module, device, tmp_path / f"{number}")
        raws = encode_inputs(module, data.held_x[:3])
        assert difference(module, raws, source, runner_for(device), tmp_path) is None


OTHERS = {
    "discriminant": ("wine", sk.LinearDiscriminantAnalysis()),
    "ridge": ("wine", sk.RidgeClassifier()),
    "ridge of two": ("cancer", sk.RidgeClassifier()),
    "stochastic gradients": (
        "wine",
        sk.make_pipeline(sk.MinMaxScaler(), sk.SGDClassifier(random_state=0)),
    ),
    "perceptron of two": (
        "cancer",
        sk.make_pipeline(sk.RobustScaler(), sk.MaxAbsScaler(), sk.Perceptron(random_state=0)),
    ),
    "linear SVC": ("iris", sk.LinearSVC(random_state=0)),
    "linear SVC of two": ("cancer", sk.LinearSVC(random_state=0)),
    "logistic regression of two": (
        "cancer",
        sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression()),
    ),
    "network of two": (
        "cancer",
        sk.make_pipeline(sk.Normalizer(), sk.MLPClassifier((8,), random_state=0)),
    ),
    "SVC of two": ("cancer", sk.make_pipeline(sk.StandardScaler(), sk.SVC())),
    "SVC of polynomials": (
        "wine",
        sk.make_pipeline(sk.StandardScaler(), sk.SVC(kernel="poly", coef0=1.0)),
    ),
    "SVC of sigmoids": ("wine", sk.make_pipeline(sk.StandardScaler(), sk.SVC(kernel="sigmoid"))),
    "linear SVC of libsvm": ("iris", sk.SVC(kernel="linear")),
    "naive Bayes": ("wine", sk.GaussianNB()),
}


@pytest.mark.long
@pytest.mark.parametrize("name", OTHERS)
def test_strings_are_looked_up(name: str):
    data, estimator = halves(OTHERS[name][0]), OTHERS[name][1]
    labels = np.array([f"class {label}" for label in data.y])
    with warnings.catch_warnings(action="ignore"):
        estimator.fit(data.x, labels)
    module = exported(estimator, data)
    assert tdsl.read_interface(module).classes == tuple(estimator.classes_.tolist())
    outputs = evaluate_reals(module, data.held_x)
    np.testing.assert_array_equal(answers(module, outputs), estimator.predict(data.held_x))


def test_clusters_are_those_of_predict():
    data = halves("iris")
    estimator = sk.KMeans(3, n_init=1, random_state=0).fit(data.x)
    outputs = evaluate_reals(exported(estimator, data), data.held_x)
    np.testing.assert_array_equal(outputs.labels, estimator.predict(data.held_x))


REGRESSORS = {
    "least squares": (sk.LinearRegression(), 1),
    "ridge": (sk.make_pipeline(sk.StandardScaler(), sk.Ridge()), 2),
    "SVR": (sk.SVR(C=100.0), 1),
    "network": (sk.MLPRegressor(hidden_layer_sizes=(8,), max_iter=30, random_state=0), 2),
}


@pytest.mark.parametrize("name", REGRESSORS)
def test_values_are_those_of_predict(name: str):
    data, (estimator, outputs) = halves("diabetes"), REGRESSORS[name]
    with warnings.catch_warnings(action="ignore"):
        estimator.fit(data.x, data.y if outputs == 1 else np.c_[data.y, data.y + 500 * data.x[:, 2]])
    found = evaluate_reals(exported(estimator, data), data.held_x)
    assert found.labels is None
    expected = estimator.predict(data.held_x).reshape(-1, outputs)
    np.testing.assert_allclose(scores_of(found), expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (sk.KNeighborsClassifier(3), "Sqrt"),
        (sk.make_pipeline(sk.Normalizer("l1"), sk.Ridge()), "Normalizer"),
    ],
)
def test_what_is_not_supported_names_itself_and_the_way_round_it(estimator: Any, name: str):
    data = halves("iris")
    with pytest.raises(InputError, match=rf"model\.onnx: {name} .* not supported.*tinyml\.load\(estimator\)") as caught:
        exported(estimator.fit(data.x, data.y), data)
    assert "\n" not in str(caught.value)
