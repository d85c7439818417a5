"""Tables of designs: what is wrong with them is told in one line, with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tinyml
from tinyml.tools.main import main

ROWS = 40
X = np.arange(2.0 * ROWS).reshape(ROWS, 2)
Y = np.arange(ROWS) % 2
MANY = "40 classes for 40 samples: for target values, choose metric rmse"


def changed(place: tuple[int, int], value: object) -> Any:
    table: Any = X.astype(object)
    table[place] = value
    return table


BAD: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "missing value": (
        np.where(X == 7, np.nan, X),
        Y,
        {},
        "X, sample 3, feature 1: expected a number, got a missing value (NaN): fill in missing values, "
        "or leave the sample out",
    ),
    "text": (
        changed((2, 0), "red"),
        Y,
        {},
        "X, sample 2, feature 0: expected a number, got 'red': map texts to numbers, or leave the column out",
    ),
    "few samples": (X[:3], Y[:3], {}, "X: expected at least 20 samples, got 3"),
    "one class": (X, 0 * Y, {}, "y: all samples are of the class 0: expected two classes or more"),
    "constant target": (X, 0 * Y, {"metric": "rmse"}, "y: all targets are 0: expected different values"),
    "many classes": (X, np.arange(ROWS), {}, f"y: {MANY}"),
    "lengths": (X, Y[:-1], {}, "y: expected one value for each of the 40 samples, got shape (39,)"),
    "texts as targets": (
        X,
        np.where(Y, "a", "b"),
        {"metric": "rmse"},
        "y: the metric 'rmse' needs numbers, got texts such as 'b'",
    ),
    "class of a metric": (X, Y, {"metric": "f1:3"}, "unknown class '3' (one of 0, 1)"),
    "metric of targets": (
        X,
        X[:, 0] + 0.5,
        {"metric": "f1"},
        f"y: {MANY}",
    ),
    "demand": (
        X,
        Y,
        {"at_least": ["recall:1"]},
        "at_least: expected METRIC=VALUE with a value from 0 to 1, got 'recall:1'",
    ),
    "family": (X, Y, {"families": ["tre"]}, "unknown family of models 'tre', did you mean 'tree'?"),
    "seconds": (X, Y, {"seconds": -1.0}, "seconds: expected a number from 0 up, got '-1.0'"),
    "groups": (X, Y, {"groups": Y}, "groups: 2 groups for 5 folds: expected more groups than folds"),
}


@pytest.mark.parametrize(("x", "y", "options", "message"), BAD.values(), ids=BAD)
def test_a_bad_table_has_one_line(x: Any, y: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(tinyml.InputError) as caught:
        tinyml.design(x, y, verbose=False, candidates=1, jobs=1, **options)
    assert str(caught.value) == message


FILES = {
    "text": ("a,b,label\n" + "1,2,x\n" * 4 + "1,red,y\n", 6, "column 'b': expected a number, got 'red'"),
    "missing": ("a,b,label\n" + "1,2,x\n" * 30 + "1,,y\n", 32, "column 'b': expected a number, got a missing value"),
    "label": ("a,b,label\n1,2,x\n1,2,\n", 3, "column 'label': expected a label, got a missing value"),
    "columns": ("a,b,label\n1,2,x\n1,2\n", 3, "expected 3 values, got 2"),
    "heading": ("1,2,3\n1,2,4\n", 1, "expected a heading with a name for each column"),
}


@pytest.mark.parametrize(("content", "line", "message"), FILES.values(), ids=FILES)
def test_a_bad_file_has_one_line_and_exit_code_1(
    content: str, line: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(content)
    assert main(["design", str(file), "-o", str(tmp_path / "out")]) == 1
    [told] = capsys.readouterr().err.splitlines()
    assert told.startswith(f"error: {file}:{line}: {message}")
    assert not (tmp_path / "out").exists()


def test_a_file_without_labels_names_its_arrays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.npz"
    np.savez(file, x=X)
    assert main(["design", str(file), "-o", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == f"error: {file}: has no array `y`, only `x`\n"
