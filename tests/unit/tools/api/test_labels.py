"""Class labels that differ from class indices, for every way to compile. Labels must be converted exactly once."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import halves, sk

import tinyml

IRIS = halves("iris")
X, Y = IRIS.x, IRIS.y
ALL = [[-2, 3, 40], [1, 2, 3], [-1, 0, 1], [0, 2, 5], [-1.0, 1.0, 2.0], ["a b", "c", "é"]]


def fitted(labels: list[Any]) -> tuple[Any, Any]:
    """A decision tree whose classes are `labels`, and the label of each sample."""
    y = np.array(labels)[Y]
    return sk.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y), y


@pytest.mark.long
@pytest.mark.parametrize("labels", ALL, ids=str)
def test_labels_are_those_of_the_estimator(labels: list[Any], tmp_path: Path):
    model, y = fitted(labels)
    np.savez(tmp_path / "data.npz", x=X, y=y)
    for data in ((X, y), (tmp_path / "data.npz",)):
        program = tinyml.compile(model, *data, board="host", width=16)
        assert program.report.accuracy == pytest.approx(100 * model.score(X, y), abs=1e-3)
        assert program.score(X, y) == pytest.approx(model.score(X, y))
    assert (tinyml.open(program.folder).predict(X) == model.predict(X)).all()


@pytest.mark.long
@pytest.mark.parametrize("labels", [["a", "b", "c"], [False, True, True], [0, 1, 2], [1.0, 2.0, 3.0]], ids=str)
def test_score_takes_what_compile_takes(labels: list[Any]):
    """Labels may be arrays, lists and tuples of any type that represents them, or objects that convert to an array."""

    class Column:
        """A column of objects, such as a categorical column of pandas."""

        def __array__(self, dtype: object = None, copy: object = None) -> Any:
            return y.astype(object)

    model, y = fitted(labels)
    expected = pytest.approx(model.score(X, y))
    forms = y.astype(object), tuple(y.tolist()), Column(), y, y.tolist(), [*y], y[:, None]
    programs = [tinyml.compile(model, X, given, board="host", width=16) for given in forms[:3]]
    for program in programs:
        assert program.report.accuracy == pytest.approx(100 * model.score(X, y), abs=1e-3)
    for given in forms:
        assert programs[0].score(X, given) == expected


@pytest.mark.long
def test_samples_that_lack_a_class_have_the_same_labels():
    """If the data lack one class, labels still denote the same classes, although the remaining labels equal indices of
    other classes.
    """
    model, y = fitted([-1, 0, 1])
    some = Y != 2
    with warnings.catch_warnings(action="ignore"):
        program = tinyml.compile(model, X[some], y[some], board="host", width=16, X_test=X, y_test=y)
        assert program.report.accuracy == pytest.approx(100 * model.score(X, y), abs=1e-3)
        program = tinyml.compile(model, X[some], y[some], board="host", width=16)
        assert program.report.accuracy == pytest.approx(100 * model.score(X[some], y[some]), abs=1e-3)


@pytest.mark.long
def test_names_given_to_classes_keep_the_labels_of_data(tmp_path: Path):
    """In results, given names replace the integer labels of the model. Data may still contain the integers, also for
    the saved program.
    """
    model, y = fitted([1, 2, 3])
    names = ["setosa", "versicolor", "virginica"]
    program = tinyml.compile(model, X, y, board="host", width=16, classes=names)
    assert program.report.accuracy == pytest.approx(100 * model.score(X, y), abs=1e-3)
    opened = tinyml.open(program.save(tmp_path / "out"))
    assert opened.score(X, y) == opened.score(X, np.array(names)[Y]) == pytest.approx(model.score(X, y))
    again = tinyml.compile(model, X, np.array(names)[Y], board="host", width=16, classes=names)
    assert again.report.accuracy == program.report.accuracy


@pytest.mark.long
def test_a_sweep_and_training_read_labels_once():
    model, y = fitted([1, 2, 3])
    [row] = tinyml.sweep({"tree": model}, formats=["fixed:16"], boards=["host"], data=(X, y, X, y))
    assert row.error is None
    assert row.accuracy == pytest.approx(100 * model.score(X, y), abs=1e-3)
    with warnings.catch_warnings(action="ignore"):
        linear = sk.LogisticRegression(max_iter=300).fit(X, y)
    tuned = tinyml.finetune(linear, X, y, X, y, width=8, epochs=1)
    assert tinyml.compile(tuned, X, y, board="host").score(X, y) > 0.9
