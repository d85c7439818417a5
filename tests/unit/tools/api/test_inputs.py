"""Inputs and results in Python: numbers are reals, columns are features, and other values are rejected in one line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import halves, sk
from programs.paths import ROOT
from xdsl.dialects.builtin import ModuleOp

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.tools.api.data_files import array_of
from tinyml.tools.driver.stages import load_program

IRIS = halves("iris")
X, Y = np.round(4 * IRIS.x), IRIS.y
NAMES = ["sepal length", "sepal width", "petal length", "pétale"]


@cache
def _fitted() -> Any:
    with warnings.catch_warnings(action="ignore"):
        return sk.LogisticRegression(max_iter=500).fit(X, Y)


def estimator(names: list[str] | None = None) -> Any:
    fitted = deepcopy(_fitted())
    if names is not None:
        fitted.feature_names_in_ = np.array(names, object)
    return fitted


@pytest.mark.long
def test_a_module_of_pytorch_gets_its_example_from_the_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    kind = type("Module", (), {"__module__": "torch.nn.modules.module"})
    given: list[Any] = []

    def imported(module: object, example: object, _: str) -> ModuleOp:
        given.append(example)
        return load_program(ROOT / "docs/tour/tour.sd", context())

    monkeypatch.setattr("tinyml.lowering.frontends.torch.import_torch", imported)
    x = np.random.default_rng(0).normal(size=(32, 2, 2))
    np.savez(tmp_path / "x.npz", x=x.reshape(32, 4))
    for data in (x, x.tolist(), tmp_path / "x.npz"):
        tinyml.compile(kind(), data, board="host", width=8)
    assert [example.dtype for example in given] == [np.float32] * 3
    assert [example.shape for example in given] == [(1, 2, 2), (1, 2, 2), (1, 4)]
    with pytest.raises(InputError, match=r"^X_val: expected numbers, got <U1$"):
        tinyml.compile(kind(), [["a"] * 4], board="host", width=8)


@dataclass
class Frame:
    """A substitute for a data frame, with the attributes that tinyml reads."""

    numbers: np.ndarray
    columns: list[Any]

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        return self.numbers

    def __getitem__(self, names: list[str]) -> Frame:
        return Frame(self.numbers[:, [self.columns.index(name) for name in names]], names)


@pytest.fixture(scope="module")
def program() -> tinyml.Program:
    return tinyml.compile(estimator(), X, Y, board="host", format="fixed", width=8)


def raws_of(program: tinyml.Program, x: np.ndarray) -> np.ndarray:
    return encode_inputs(load_program(program.folder / "ir" / "1-formats.mlir", context()), x)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["u1", "i8", "f8", object])
def test_inputs_are_reals_whatever_their_type(program: tinyml.Program, dtype: Any):
    given = X.astype(dtype)
    assert np.array_equal(program.scores(given), program.scores(X))
    assert program.score(given, Y) == program.score(X, Y)
    assert program.measure(given, limit=2).samples == 2
    again = tinyml.compile(estimator(), given, Y, board="host", format="fixed", width=8, X_test=given, y_test=Y)
    assert (again.c, again.report.accuracy) == (program.c, program.report.accuracy)


def test_raws_are_given_on_request(program: tinyml.Program):
    raws = raws_of(program, X.astype("f4"))
    assert np.array_equal(program.scores(raws, raw=True), program.scores(X))
    assert np.array_equal(program.predict(raws.astype("i8"), raw=True), program.predict(X))
    assert program.score(raws, Y, raw=True) == program.score(X, Y)
    assert program.measure(raws, limit=3, raw=True).samples == 3
    with pytest.warns(tinyml.CompileWarning, match="pass raw=True for raws"):
        assert not np.array_equal(program.scores(raws), program.scores(X))
    untyped: Callable[..., Any] = program.predict
    with pytest.raises(InputError, match=r"^X contains integers, .* -128 is not the raw value of any !fixed"):
        program.predict(np.full((1, 4), -128), raw=True)
    with pytest.raises(InputError, match=r"^X: expected integers, got float32: with raw=True they are raws"):
        program.predict(X, raw=True)
    with pytest.raises(TypeError, match=r"^raw: expected True or False, got str"):
        untyped(X, raw="yes")


@pytest.mark.long
def test_a_model_in_formats_takes_reals_or_raws(program: tinyml.Program):
    """For a model in formats, integers in an array are reals, unless `raw=True` states that they are raws."""
    kept = program.folder / "ir" / "1-formats.mlir"
    reals, raws = X.astype("i8"), raws_of(program, X.astype("f4"))
    accuracy = tinyml.compile(kept, X, Y, board="host").report.accuracy
    assert tinyml.compile(kept, reals, Y, board="host").report.accuracy == accuracy
    assert tinyml.compile(kept, raws, Y, board="host", raw=True).report.accuracy == accuracy
    with pytest.warns(tinyml.CompileWarning, match=r"^X_val: the float model is right about 30\.7% of it"):
        assert tinyml.compile(kept, raws, Y, board="host").report.accuracy != accuracy


@pytest.mark.long
def test_integers_of_a_sensor_are_its_own():
    """For the sensor unit `0.25:int16`, integers in arrays are those of the sensor: 4 represents the real 1. Floats are
    reals.
    """
    with warnings.catch_warnings(action="ignore"):
        model = sk.LogisticRegression(max_iter=500).fit(X / 4, Y)
    program = tinyml.compile(model, X / 4, Y, board="host", width=16, input_unit="0.25:int16")
    integers = X.astype(np.int64)
    assert np.array_equal(program.scores(integers), program.scores(X / 4))
    assert np.array_equal(program.scores(integers, raw=True), program.scores(X / 4))
    assert program.measure(integers, limit=2).samples == 2
    same = tinyml.compile(model, integers, Y, board="host", width=16, input_unit="0.25:int16")
    assert same.report.accuracy == program.report.accuracy
    assert same.c == program.c


def test_the_columns_of_a_frame_are_the_features(tmp_path: Path):
    """The columns of a data frame are selected by the feature names of the model, unless the names of the columns are
    not strings. A saved program stores the feature names.

    A missing, unknown or repeated column is an error, in data for compilation and for a program.
    """
    model = estimator(NAMES)
    assert tinyml.load(model).feature_names == NAMES
    program = tinyml.compile(model, Frame(X, NAMES), Y, board="host", format="fixed", width=8)
    opened = tinyml.open(program.save(tmp_path / "out"))
    assert program.feature_names == opened.feature_names == NAMES
    known = opened.predict(X)
    assert np.array_equal(opened.predict(Frame(X, NAMES)), known)
    assert np.array_equal(opened.predict(Frame(X, [*range(4)])), known)
    assert np.array_equal(opened.predict(Frame(X[:, ::-1], NAMES[::-1])), known)
    assert opened.score(Frame(X[:, ::-1], NAMES[::-1]), Y) == opened.score(X, Y)
    first, second, third, _ = NAMES
    for columns, message in (
        (
            [first, second, third, "pedal length"],
            r"the column 'pedal length' is not one of .*, did you mean 'petal length'\?",
        ),
        (NAMES[:3], "there is no column 'pétale', which is a feature of the model"),
        ([*NAMES, "colour"], "the column 'colour' is not one of the model's features"),
        ([*NAMES, first], "there are 5 columns for the 4 features of the model"),
    ):
        frame = Frame(np.resize(X, (len(X), len(columns))), columns)
        calls: list[Callable[[], Any]] = [
            lambda frame=frame: opened.predict(frame),
            lambda frame=frame: opened.score(frame, Y),
            lambda frame=frame: opened.measure(frame),
        ]
        for call in calls:
            with pytest.raises(InputError, match=f"^X: {message}"):
                call()
        with pytest.raises(InputError, match=f"^X_val: {message}"):
            tinyml.compile(model, frame, Y, board="host")
        with pytest.raises(InputError, match=f"^X_test: {message}"):
            tinyml.compile(model, X, Y, X_test=frame, y_test=Y, board="host")


@pytest.mark.long
def test_a_frame_names_the_features_of_a_model_without():
    program = tinyml.compile(estimator(), Frame(X, NAMES), Y, board="host", format="fixed", width=8)
    assert program.feature_names == NAMES
    reversed_frame = Frame(X[:, ::-1], NAMES[::-1])
    assert np.array_equal(program.predict(reversed_frame), program.predict(X))
    again = tinyml.compile(
        estimator(), Frame(X, NAMES), Y, X_test=reversed_frame, y_test=Y, board="host", format="fixed", width=8
    )
    assert again.report.accuracy == program.report.accuracy
    assert tinyml.compile(estimator(), X, Y, board="host", format="fixed", width=8).feature_names is None


NAType = type("NAType", (), {})
"""The type of `pandas.NA`, as far as it is looked at."""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([1, 2.5, None], [1, 2.5, np.nan]),
        ([1, NAType(), True], [1, np.nan, 1]),
        ([True, False], [True, False]),
        (["a", "b"], ["a", "b"]),
        ([np.str_("a"), "b", StrEnum("Label", "C").C], ["a", "b", "c"]),
        ([np.True_, False], [True, False]),
        ([np.int32(1), np.float32(2.5), None], [1, 2.5, np.nan]),
    ],
)
def test_nullable_types_are_those_that_they_stand_for(given: list[Any], found: list[Any]):
    """Arrays of objects, to which frames with nullable or text columns convert, become arrays of numbers, truth values
    or text. Missing values become NaN.
    """
    array = np.empty(len(given), object)
    array[:] = given
    taken, expected = array_of(array, "X"), np.array(found)
    assert taken.dtype == expected.dtype
    assert np.array_equal(taken, expected, equal_nan=taken.dtype.kind == "f")


def test_a_missing_number_is_named(program: tinyml.Program):
    rows = X.astype(object)
    rows[7, 2] = NAType()
    with pytest.raises(InputError, match=r"^X contains NaN or infinity in sample 7"):
        program.predict(rows)
    labels = Y.astype(object)
    assert program.score(X, labels) == program.score(X, Y)


class Lying:
    """An object that has the attributes of an array but raises an exception when it is converted."""

    def __init__(self, error: type[BaseException]):
        self.error = error

    shape, ndim, dtype = (10, 4), 2, np.dtype("f4")

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise self.error("deliberately")

    def __getattr__(self, name: str) -> Any:
        raise self.error(name)


HOSTILE: dict[str, object] = {
    "none": None,
    "ragged": [[1, 2], [3]],
    "text": "abc",
    "dictionary": {"x": X},
    "generator": (row for row in X),
    "lying": Lying(KeyError),
    "ending": Lying(SystemExit),
    "complex": X.astype(complex),
    "dates": np.zeros((5, 4), "M8[s]"),
    "records": np.zeros((5, 4), [("a", "f4")]),
    "bytes": b"abc",
    "objects": np.array([[{}] * 4], object),
    "infinite": X + np.inf,
    "huge": X.astype("f8") * 1e300,
    "one": X[0],
    "nothing": X[:0],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_array_is_one_line(program: tinyml.Program, name: str):
    hostile = HOSTILE[name]
    calls: list[Callable[[], Any]] = [
        lambda: program.predict(hostile),
        lambda: program.scores(hostile, raw=True),
        lambda: program.score(X, hostile),
    ]
    if name not in ("none", "text"):
        calls += [
            lambda: tinyml.compile(estimator(), hostile, Y, board="host"),
            lambda: tinyml.compile(estimator(), X, hostile, board="host"),
            lambda: tinyml.compile(estimator(), X, hostile, board="host", classes=["a", "b", "c"]),
        ]
    for call in calls:
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value).removeprefix("expected ").startswith(("X", "y"))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("board", [5, b"uno", ["uno"], 1.5])
def test_boards_are_text(program: tinyml.Program, board: Any):
    for call in (lambda: tinyml.compile(estimator(), X, Y, board=board), lambda: program.measure(board=board)):
        with pytest.raises(TypeError, match=r"^board: expected a string, got"):
            call()
    untyped: Callable[..., Any] = program.measure
    with pytest.raises(TypeError, match=r"^limit: expected an integer"):
        untyped(limit="all")
    with pytest.raises(InputError, match=r"^limit: expected a positive integer"):
        program.measure(limit=-1)


@pytest.mark.long
def test_answers_of_another_kind(program: tinyml.Program, tmp_path: Path):
    """Classes as text, for a model with integer classes, are rejected, as is a file without the array `x`. One-hot rows
    are classes. If the option `classes` names the classes, text and indices are accepted.
    """
    text = np.array(["a", "b", "c"])[Y]
    with pytest.raises(InputError, match=r"^y contains text such as '.', the classes are 0, 1, 2$"):
        program.score(X, text)
    for one_hot in (np.eye(3)[Y], np.eye(3, dtype=int)[Y]):
        assert program.score(X, one_hot) == program.score(X, Y)
    np.savez(tmp_path / "text.npz", x=X, y=text)
    with pytest.raises(InputError, match=r"text\.npz: `y` contains text such as '.', the classes are 0, 1, 2$"):
        tinyml.compile(estimator(), tmp_path / "text.npz", board="host")
    np.savez(tmp_path / "capital.npz", X=X, Y=Y)
    with pytest.raises(InputError, match=r"capital\.npz: has no array `x`, only `X`, `Y`$"):
        tinyml.compile(estimator(), tmp_path / "capital.npz", board="host")
    named = tinyml.compile(estimator(), X, text, board="host", classes=["a", "b", "c"], format="fixed", width=8)
    assert named.score(X, text.astype(object)) == named.score(X, text) == program.score(X, Y)
    assert named.score(X, Y) == program.score(X, Y)


@pytest.mark.long
def test_recordings_are_reals_too():
    """`listen` is rejected for a program that does not stream, and samples that are not a sequence of finite numbers
    are rejected.
    """
    with np.load(ROOT / "docs/tour/val.npz") as file:
        x, y = file["x"], file["y"]
    streams = tinyml.compile(ROOT / "docs/tour/tour.sd", x, y, board="host")
    with pytest.raises(InputError, match="does not stream"):
        streams.listen([1, 2, 3], rate=10)
    for wrong in ([[1.0]], None, ["a"], [1.0, np.nan], Lying(ValueError)):
        with pytest.raises(InputError, match=r"^samples: "):
            streams.listen(wrong, rate=10)
