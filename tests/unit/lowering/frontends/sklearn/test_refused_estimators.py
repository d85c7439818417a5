"""Messages about estimators that cannot be imported, and about their files."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import assert_refused, halves, joblib, sk

import tinyml
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.importers import TRUST_PICKLE
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.tools.driver.stages import load_program
from tinyml.tools.main import main

IRIS = halves("iris")
BOTH = np.c_[IRIS.y, IRIS.y > 0]


class Changed(sk.StandardScaler):
    """A class derived from one of scikit-learn's classes."""


def fitted(estimator: Any, y: Any = IRIS.y) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return estimator.fit(IRIS.x, y)


def drawn_by_real_adaboost() -> Any:
    """An AdaBoost with the algorithm SAMME.R, the default of scikit-learn before 1.6."""
    estimator = fitted(sk.AdaBoostClassifier(n_estimators=2))
    estimator.algorithm = "SAMME.R"
    return estimator


REFUSED: dict[str, tuple[Any, str]] = {
    "no estimator": ({}, r"expected an estimator of scikit-learn, got builtins\.dict"),
    "own class": (fitted(Changed()), "Changed is not a class of scikit-learn: what it changes of StandardScaler"),
    "not fitted": (sk.LogisticRegression(), r"LogisticRegression: .*is it fitted\? Call fit"),
    "not fitted inside": (
        sk.make_pipeline(fitted(sk.StandardScaler()), sk.LogisticRegression()),
        r"LogisticRegression: it is not fitted \(it has no coef_\): call fit",
    ),
    "regressor": (
        fitted(sk.GaussianProcessRegressor()),
        r"GaussianProcessRegressor: the estimator is not supported: the nearest that is supported is SVR\(\)",
    ),
    "step": (
        fitted(sk.make_pipeline(sk.QuantileTransformer(n_quantiles=5), sk.SVC())),
        r"Pipeline: QuantileTransformer is not supported as a transformer: leave it out: trees ask only for the order",
    ),
    "norm": (fitted(sk.Normalizer("max")), "Normalizer: norm='max' is not supported, only 'l2'"),
    "outputs": (
        fitted(sk.MultiOutputClassifier(sk.RidgeClassifier()), BOTH),
        "MultiOutputClassifier: the estimator is not",
    ),
    "many labels": (
        fitted(sk.MLPClassifier((2,), max_iter=2), BOTH > 0),
        "MLPClassifier: it has several outputs",
    ),
    "function": (
        fitted(sk.make_pipeline(sk.FunctionTransformer(np.cbrt), sk.RidgeClassifier())),
        "FunctionTransformer: the function cbrt is not supported, only exp, .*: compute it outside of the model",
    ),
    "soft votes of margins": (
        fitted(sk.VotingClassifier([("a", sk.LogisticRegression()), ("b", sk.GaussianProcessClassifier())])),
        "GaussianProcessClassifier: the estimator is not supported",
    ),
    "bags of other estimators": (
        fitted(sk.BaggingClassifier(sk.RidgeClassifier(), 2)),
        r"BaggingClassifier: an ensemble of RidgeClassifier is .* VotingClassifier\(estimators, voting='hard'\) is$",
    ),
    "bags of probabilities": (
        fitted(sk.BaggingClassifier(sk.LogisticRegression(), 2)),
        r"only of DecisionTreeClassifier; in place of it VotingClassifier\(estimators, voting='soft'\) is$",
    ),
    "bags of values": (
        fitted(sk.BaggingRegressor(sk.Ridge(), 2)),
        r"only of DecisionTreeRegressor; in place of it VotingRegressor\(estimators\) is$",
    ),
    "one class": (fitted(sk.DecisionTreeClassifier(), 0 * IRIS.y), "DecisionTreeClassifier: .* of one class alone"),
    "AdaBoost of probabilities": (drawn_by_real_adaboost(), "algorithm='SAMME.R' is not supported, only 'SAMME'"),
    "clusters as features": (
        fitted(sk.make_pipeline(sk.FeatureUnion([("a", sk.KMeans(2, n_init=1))]), sk.RidgeClassifier())),
        r"FeatureUnion: KMeans is not supported as a transformer: supported are StandardScaler\(\)",
    ),
    "discriminants as features": (
        fitted(sk.make_pipeline(sk.make_pipeline(sk.LinearDiscriminantAnalysis()), sk.RidgeClassifier())),
        "LinearDiscriminantAnalysis is not supported as a transformer",
    ),
    "random start": (
        fitted(sk.GradientBoostingClassifier(n_estimators=1, init=sk.DummyClassifier(strategy="stratified"))),
        "strategy='stratified' is not supported, which predicts at random",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_one_line_says_what_is_wrong_and_what_helps(name: str):
    assert_refused(*REFUSED[name])


def test_features_are_counted():
    scaler, model = fitted(sk.StandardScaler()), sk.LinearRegression().fit(IRIS.x[:, :2], IRIS.y)
    with pytest.raises(InputError, match="LinearRegression: it was fitted on 2 features, and gets 4"):
        import_estimator(sk.make_pipeline(scaler, model))


@pytest.mark.long
@pytest.mark.parametrize("labels", [IRIS.y, np.array(["a", "b", "c"])[IRIS.y]])
def test_programs_that_differ_from_predict_are_refused(labels: Any):
    """A compilation is rejected if results on its data differ from those of `predict`. The test changes some results of
    `predict`.
    """
    estimator = fitted(sk.LogisticRegression(), labels)
    tinyml.compile(estimator, IRIS.x, labels, board="host", format="fixed")
    right: Any = estimator.predict

    def predict(x: Any) -> Any:
        answers: Any = right(x)
        answers[:9] = labels[0]
        return answers

    estimator.predict = predict
    with pytest.raises(InputError, match=r"answers otherwise than its own predict for \d of 75 samples") as error:
        tinyml.compile(estimator, IRIS.x, labels, board="host", format="fixed")
    assert "\n" not in str(error.value)


def renamed(estimator: Any) -> Any:
    """A classifier of iris whose `classes_` was replaced by names after the fit."""
    made = fitted(estimator)
    made.classes_ = np.array(["setosa", "versicolor", "virginica"])
    return made


ANSWERING_OLD_LABELS: dict[str, Any] = {
    "perceptron": sk.MLPClassifier((3,), max_iter=5, random_state=0),
    "votes": sk.VotingClassifier([("a", sk.GaussianNB()), ("b", sk.LogisticRegression())], voting="soft"),
    "stack": sk.StackingClassifier([("a", sk.GaussianNB())], sk.LogisticRegression()),
}
"""Estimators whose `predict` does not read `classes_`."""


@pytest.mark.parametrize("name", ANSWERING_OLD_LABELS)
def test_renamed_classes_that_predict_ignores_are_refused(name: str):
    estimator = renamed(ANSWERING_OLD_LABELS[name])
    with pytest.raises(InputError, match=r"predict answers \d, which is none of its classes_: were these renamed\?"):
        tinyml.compile(estimator, IRIS.x, IRIS.y, board="host", format="fixed")


def test_renamed_classes_of_boosted_votes_are_refused():
    """The trees of AdaBoost vote for the labels of the fit."""
    estimator = renamed(sk.AdaBoostClassifier(n_estimators=2))
    with pytest.raises(InputError, match="the class 0 of its estimators_ is none of its classes_"):
        tinyml.compile(estimator, IRIS.x, IRIS.y, board="host", format="fixed")


@pytest.mark.long
@pytest.mark.parametrize(
    "estimator",
    [sk.DecisionTreeClassifier(), sk.GradientBoostingClassifier(n_estimators=2), sk.KNeighborsClassifier(), sk.SVC()],
    ids=str,
)
def test_renamed_classes_that_predict_reads_are_names(estimator: Any):
    made = renamed(estimator)
    program = tinyml.compile(made, IRIS.x, IRIS.y, board="host", format="fixed", width=16)
    assert program.classes == ["setosa", "versicolor", "virginica"]
    assert (program.predict(IRIS.x) == made.predict(IRIS.x)).mean() > 0.95


def test_a_regressor_is_compared_too():
    estimator = fitted(sk.Ridge(), IRIS.x[:, 0])
    right = estimator.predict

    def predict(x: Any) -> Any:
        return 1.01 * right(x)

    estimator.predict = predict
    with pytest.raises(InputError, match="otherwise than its own predict for 75 of 75 samples"):
        tinyml.compile(estimator, IRIS.x, IRIS.x[:, 0], board="host", format="fixed")


class Hostile:
    """An object whose pickle creates the file `touched` when it is loaded."""

    def __reduce__(self) -> tuple[Any, Any]:
        return Path.touch, (Path("touched"),)


@pytest.fixture
def trusted() -> Iterator[None]:
    token = TRUST_PICKLE.set(True)
    yield
    TRUST_PICKLE.reset(token)


@pytest.mark.parametrize("suffix", ["pkl", "joblib"])
def test_nothing_is_unpickled_without_a_request(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / f"model.{suffix}"
    file.write_bytes(pickle.dumps(Hostile()))
    with pytest.raises(InputError, match=r"runs the code that it holds: give --trust-pickle if you trust") as caught:
        load_program(file, context())
    assert caught.value.file == str(file)
    assert not Path("touched").exists()


class Raises:
    """An object whose unpickling raises an exception."""

    def __init__(self, source: str):
        self.source = source

    def __reduce__(self) -> tuple[Any, Any]:
        return exec, (self.source,)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import sys; sys.exit(0)", "cannot be unpickled: it ends the program with exit code 0"),
        ("raise GeneratorExit", "cannot be unpickled: GeneratorExit:"),
        (
            "class E(Exception):\n  def __str__(self): raise E\nraise E",
            "cannot be unpickled: E, whose message raises ",
        ),
        (
            "raise ModuleNotFoundError('no evil', name='evil-package')",
            "cannot be unpickled: ModuleNotFoundError: no evil",
        ),
        ("import sklearn.not_there", "cannot be unpickled: ModuleNotFoundError: No module named 'sklearn.not_there'"),
        (
            "raise ModuleNotFoundError('no', name='xgboost')",
            "needs the package xgboost: pip install xgboost",
        ),
    ],
)
def test_a_trusted_file_ends_nothing_and_names_no_package(
    source: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file, out = tmp_path / "model.pkl", tmp_path / "out"
    file.write_bytes(pickle.dumps(Raises(source)))
    np.savez(tmp_path / "val.npz", x=np.zeros((3, 4)))
    options = ["--val", str(tmp_path / "val.npz"), "--target", "host", "-o", str(out)]
    assert main(["compile", str(file), "--trust-pickle", *options]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"error: {file}: {said}")
    assert not out.exists()


class Array:
    """An object that is not an array but has an array's attributes."""

    def __init__(self, error: type[BaseException]):
        self.error = error

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self.error("deliberately")


TREES = [
    sk.RandomForestClassifier(2, max_depth=2),
    sk.ExtraTreesRegressor(2),
    sk.GradientBoostingClassifier(n_estimators=2),
]


@pytest.mark.parametrize(
    ("estimator", "attribute", "value"),
    [
        (sk.LogisticRegression(max_iter=500), "coef_", np.zeros(4)),
        (sk.LogisticRegression(max_iter=500), "coef_", np.zeros((3, 4), complex)),
        (sk.LogisticRegression(max_iter=500), "coef_", Array(KeyError)),
        (sk.LogisticRegression(max_iter=500), "coef_", Array(SystemExit)),
        (sk.LogisticRegression(max_iter=500), "intercept_", np.zeros((3, 2, 2))),
        (sk.LogisticRegression(max_iter=500), "n_features_in_", "x"),
        (sk.LogisticRegression(max_iter=500), "n_features_in_", None),
        (sk.LogisticRegression(max_iter=500), "classes_", np.array([0.0, np.nan, 1.0])),
        (sk.LogisticRegression(max_iter=500), "classes_", np.zeros(3, complex)),
        (sk.StandardScaler(), "scale_", [1, 2]),
        (sk.StandardScaler(), "mean_", {"a": 1}),
        *((tree, "estimators_", value) for tree in TREES for value in (None, 5, [None, None], [3])),
        (sk.HistGradientBoostingClassifier(max_iter=2), "_predictors", [[None]]),
        (sk.PCA(), "components_", np.zeros((4, 4), complex)),
    ],
)
def test_attributes_that_no_fit_sets(estimator: Any, attribute: str, value: object):
    estimator = fitted(estimator)
    setattr(estimator, attribute, value)
    with pytest.raises(InputError) as caught:
        tinyml.load(estimator)
    assert str(caught.value).startswith("model: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("error", [NameError, AttributeError, TypeError, AssertionError])
def test_a_defect_of_the_importer_is_none_of_the_estimator(error: type[Exception], monkeypatch: pytest.MonkeyPatch):
    def broken(*_: Any) -> Any:
        raise error("a defect")

    monkeypatch.setattr("tinyml.lowering.frontends.sklearn.importer.fitted_classes", broken)
    estimator = fitted(sk.make_pipeline(sk.StandardScaler(), sk.RidgeClassifier()))
    with pytest.raises(error, match="a defect"):
        tinyml.load(estimator)


@pytest.mark.usefixtures("trusted")
def test_trusted_files_are_read(tmp_path: Path):
    estimator = fitted(sk.make_pipeline(sk.StandardScaler(), sk.RidgeClassifier()))
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(estimator))
    joblib.dump(estimator, tmp_path / "model.joblib", compress=3)
    for file in tmp_path.iterdir():
        module = load_program(file, context())
        assert predict_function(module).sym_name.data == "model"
        assert tdsl.read_interface(module).classes == (0, 1, 2)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no pickle", "cannot be unpickled"),
        (pickle.dumps([1]), r"expected an estimator of scikit-learn, got builtins"),
    ],
)
def test_files_with_something_else_are_refused(content: bytes, message: str, tmp_path: Path):
    file = tmp_path / "model.pkl"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        load_program(file, context())
    assert str(caught.value).startswith(f"{file}: ")
