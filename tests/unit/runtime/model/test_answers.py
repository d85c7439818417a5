"""The array `y` of a data set contains classes by index or label, or numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tinyml.dialects.errors import InputError
from tinyml.runtime.model.answers import Answers
from tinyml.runtime.model.data import load_data

X = np.arange(12.0).reshape(3, 4)
ANIMALS = Answers(3, ["cat", "dog", "owl"], 3)
NUMBERED = Answers(3, [10, 20, 30], 3)
VALUE, VALUES = Answers(None, None, 1, has_label=False), Answers(2, None, 2, has_label=False)
TWO = Answers(2, None, 1)


def read(path: Path, y: Any, answers: Answers):
    np.savez(path, x=X, y=np.array(y))
    return load_data(str(path), answers=answers)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.npz"


@pytest.mark.parametrize(
    ("y", "answers", "expected"),
    [
        (["owl", "cat", "cat"], ANIMALS, [2, 0, 0]),
        ([2, 0, 0], ANIMALS, [2, 0, 0]),
        ([30, 10, 10], NUMBERED, [2, 0, 0]),
        ([30.0, 10, 10], NUMBERED, [2, 0, 0]),
        ([1.0, 0.0, 1.0], TWO, [1, 0, 1]),
        ([1, 0, 1], VALUES, [1, 0, 1]),
        ([[1], [0], [2]], ANIMALS, [1, 0, 2]),
        ([True, False, True], TWO, [1, 0, 1]),
        ([-2, 7, 3], Answers(3, [-2, 3, 7], 3), [0, 2, 1]),
        ([10, 30, 20], Answers(3, ["cat", "dog", "owl"], 3, trained=[10, 20, 30]), [0, 2, 1]),
        (["cat", "owl", "dog"], Answers(3, ["cat", "dog", "owl"], 3, trained=[10, 20, 30]), [0, 2, 1]),
    ],
)
def test_classes_are_indices_or_labels(y: Any, answers: Answers, expected: list[int], path: Path):
    data = read(path, y, answers)
    assert data.targets is None
    assert data.y is not None
    assert data.y.dtype == np.int64
    assert data.y.tolist() == expected


@pytest.mark.parametrize(
    ("y", "answers"),
    [
        ([0.5, 1.5, -2], VALUE),
        ([3, 4, 5], VALUE),
        ([[3.5], [4], [5]], VALUE),
        ([[1.5, 2], [3, 4], [5, 6]], VALUES),
        ([[1, 2], [3, 4], [5, 6]], VALUES),
        ([[[1, 2]], [[3, 4]], [[5, 6]]], VALUES),
        ([True, False, True], VALUE),
    ],
)
def test_regressors_have_targets(y: Any, answers: Answers, path: Path):
    data = read(path, y, answers)
    assert data.y is None
    assert data.targets is not None
    np.testing.assert_array_equal(data.targets, np.array(y, np.float64).reshape(3, -1))


IMAGE = Answers(None, None, 12, has_label=False, shape=(2, 3, 2))


@pytest.mark.parametrize("shape", [(3, 2, 3, 2), (3, 1, 2, 3, 2), (3, 12), (3, 12, 1)])
def test_values_have_the_shape_of_an_image_or_are_a_row(shape: tuple[int, ...], path: Path):
    y = np.arange(36.0)
    data = read(path, y.reshape(shape), IMAGE)
    assert data.targets is not None
    assert data.targets.ravel().tolist() == y.tolist()


@pytest.mark.parametrize(
    ("shape", "advice"),
    [
        ((3, 3, 2, 2), r"the values of a sample have the shape \(2, 3, 2\), np.moveaxis\(y, -1, 1\) gives it to `y`"),
        ((3, 2, 2, 3), r"\(2, 3, 2\), np.moveaxis\(y, 1, -1\) gives it to `y`"),
        ((3, 3, 2), r"classes of pixels are integers"),
        ((3, 2, 3), r"classes of pixels are integers"),
        ((3, 2, 6), r"got shape \(3, 2, 6\) of float64$"),
    ],
)
def test_images_whose_axes_are_in_another_order_are_refused(shape: tuple[int, ...], advice: str, path: Path):
    with pytest.raises(InputError, match=advice):
        read(path, np.zeros(shape), IMAGE)


@pytest.mark.parametrize(
    ("y", "answers", "message"),
    [
        (
            ["owl", "cow", "cat"],
            ANIMALS,
            "`y` contains 'cow' in sample 1, not one of the classes 'cat', 'dog', 'owl'",
        ),
        ([30, 0, 10], NUMBERED, "`y` contains 0 in sample 1, not one of the classes 10, 20, 30"),
        ([3, 0, 0], ANIMALS, "`y` contains 3 in sample 0, the classes of the program are 0 to 2"),
        ([0.0, 0.5, 1.0], TWO, r"expected `y` to contain classes, got 0.5 in sample 1"),
        (
            ["a", "b", "c"],
            TWO,
            "`y` contains text such as 'a', but the model has no class names: name them with --classes",
        ),
        ([[0.5, 1.0]] * 3, VALUE, r"expected `y` to contain 3 numbers, got shape \(3, 2\) of float64"),
        ([0.5, np.nan, 1.0], VALUE, "`y` contains NaN or infinity in sample 1"),
        ([0.5, 1.5, 1.0], Answers(3), "expected `y` to contain classes, got 0.5 in sample 0"),
        ([0.0, np.inf, 1.0], Answers(3), "expected `y` to contain classes, got inf in sample 1"),
        (["10", "20", "30"], NUMBERED, "`y` contains text such as '10', the classes are 10, 20, 30"),
        ([[0, 1], [1, 2], [2, 0]], Answers(3), r"expected `y` to contain the classes of 3 samples, got shape \(3, 2\)"),
        (["a", "b", "c"], VALUE, r"expected `y` to contain 3 numbers, got shape \(3,\) of <U1"),
    ],
)
def test_anything_else_is_refused_in_one_line(y: Any, answers: Answers, message: str, path: Path):
    with pytest.raises(InputError, match=message) as caught:
        read(path, y, answers)
    assert caught.value.file == str(path)
