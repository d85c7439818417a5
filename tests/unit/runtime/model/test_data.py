"""Reading data sets: accepted files, and the one-line error for each fault."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tinyml.dialects.errors import InputError
from tinyml.runtime.model.data import load_data

X = np.arange(12.0).reshape(3, 4)
UNREADABLE = "not a readable .npz file of plain arrays"


def complaint(path: Path, classes: int | None = None) -> str:
    """The error message for a data set, without the file name at its start; asserts that the file name is there."""
    with pytest.raises(InputError) as caught:
        load_data(str(path), classes=classes)
    assert caught.value.file == str(path)
    assert str(caught.value) == f"{path}: {caught.value.message}"
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.npz"


def test_inputs_and_labels(path: Path):
    np.savez(path, x=X, y=np.array([0, 2, 1], np.uint8), other=np.ones(2))
    data = load_data(str(path), classes=3)
    assert len(data) == 3
    assert data.x.dtype == np.float32
    np.testing.assert_array_equal(data.x, X)
    assert data.y is not None
    assert data.y.dtype == np.int64
    assert data.y.tolist() == [0, 2, 1]


def test_images_of_integers_without_labels(path: Path):
    np.savez_compressed(path, x=np.arange(24, dtype=np.uint8).reshape(2, 3, 4))
    data = load_data(str(path))
    assert data.x.tolist() == np.arange(24).reshape(2, 12).tolist()
    assert data.integers == (slice(None),)
    assert data.y is None


def test_missing_file(path: Path):
    assert complaint(path) == "cannot read the data: No such file or directory"


def test_folder(path: Path):
    path.mkdir()
    assert complaint(path) == "cannot read the data: Is a directory"


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04"])
def test_files_of_something_else(path: Path, content: bytes):
    path.write_bytes(content)
    assert complaint(path) == f"{UNREADABLE}: File is not a zip file"


@pytest.mark.parametrize("length", [40, 300, -40])
def test_truncated_file(path: Path, length: int):
    np.savez(path, x=np.ones((100, 4)))
    path.write_bytes(path.read_bytes()[:length])
    assert complaint(path) == f"{UNREADABLE}: File is not a zip file"


def test_damaged_file(path: Path):
    np.savez(path, x=np.ones((100, 4)))
    content = bytearray(path.read_bytes())
    content[1000] ^= 0xFF
    path.write_bytes(content)
    assert complaint(path) == f"{UNREADABLE}: Bad CRC-32 for file 'x.npy'"


def test_damaged_compression(path: Path):
    np.savez_compressed(path, x=np.random.default_rng(0).normal(size=(100, 4)))
    content = bytearray(path.read_bytes())
    content[60:100] = bytes(40)
    path.write_bytes(content)
    assert complaint(path) == f"{UNREADABLE}: Error -3 while decompressing data: invalid code lengths set"


def test_npy_instead_of_npz(tmp_path: Path):
    path = tmp_path / "data.npy"
    np.save(path, X)
    assert complaint(path) == "expected an .npz file, not an .npy file; np.savez('data.npz', x=X, y=y) writes one"


def test_archive_of_something_else(path: Path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", "hello")
    assert complaint(path) == f"{UNREADABLE}: the header of the array is damaged"


class Trap:
    """An object whose unpickling fails the test."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("data were unpickled",)


@pytest.mark.parametrize("name", ["x", "y"])
def test_pickled_objects_are_not_loaded(path: Path, name: str):
    arrays: dict[str, Any] = {"x": X, name: np.array([[Trap()]], object)}
    np.savez(path, **arrays)
    assert complaint(path) == f"{UNREADABLE}: the array contains Python objects"


def test_no_inputs(path: Path):
    np.savez(path, y=np.zeros(3, int))
    assert complaint(path) == "has no array `x`, only `y`"


@pytest.mark.parametrize("shape", [(0, 4), (3, 0)])
def test_empty_inputs(path: Path, shape: tuple[int, ...]):
    np.savez(path, x=np.zeros(shape))
    assert complaint(path) == "`x` contains no samples"


@pytest.mark.parametrize("x", [np.zeros(4), np.array(1.0), X.astype(complex), X.astype(str), X > 3], ids=repr)
def test_inputs_that_are_no_numbers_per_sample(path: Path, x: Any):
    np.savez(path, x=x)
    assert complaint(path) == "expected `x` to contain numbers of shape (samples, elements)"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_inputs_that_are_not_finite(path: Path, value: float):
    x = X.copy()
    x[1:, 3] = value
    np.savez(path, x=x)
    help = ": NaN is a missing value where a model takes some and the validation data have some, too"
    assert complaint(path) == f"`x` contains NaN or infinity in sample 1{help if np.isnan(value) else ''}"


def test_inputs_beyond_single_precision(path: Path):
    np.savez(path, x=X * 1e300)
    assert complaint(path) == "`x` contains NaN or infinity in sample 0"


@pytest.mark.parametrize(
    ("y", "found"),
    [
        (np.zeros(2, int), "(2,) of int64"),
        (np.zeros((3, 2), int), "(3, 2) of int64"),
        (np.zeros(3, complex), "(3,) of complex128"),
    ],
)
def test_labels_of_wrong_shape_or_type(path: Path, y: Any, found: str):
    np.savez(path, x=X, y=y)
    assert complaint(path) == f"expected `y` to contain the classes of 3 samples, got shape {found}"


@pytest.mark.parametrize(("label", "sample"), [(3, 1), (-1, 2)])
def test_labels_out_of_range(path: Path, label: int, sample: int):
    y = np.zeros(3, int)
    y[sample] = label
    np.savez(path, x=X, y=y)
    expected = f"`y` contains {label} in sample {sample}, the classes of the program are 0 to 2"
    assert complaint(path, classes=3) == expected


def test_labels_are_not_judged_where_the_classes_are_unknown(path: Path):
    np.savez(path, x=X, y=np.array([0, 99, 1]))
    data = load_data(str(path))
    assert data.y is not None
    assert data.y.max() == 99
