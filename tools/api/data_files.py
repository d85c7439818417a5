"""Temporary .npz files with arrays from memory, since passes read their data from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Labels: TypeAlias = Sequence[str | int] | None
"""The labels of a model's classes in order; None for a model without labels, whose classes are indices."""


def write_data(file: Path, x: object, y: object, classes: Labels, labels: tuple[str, str]) -> Path:
    """Write inputs and, unless y is None, their classes or values; returns the file.

    x: numbers (samples, ...), as an array, a data frame, a sparse matrix or nested lists. y: the class of each sample,
    one of `classes` if these are given, or its values. labels: the names of both arguments, for messages. Raises
    `InputError` for anything but numbers, for a different number of samples in y, and for an unknown class.
    """
    x_label, y_label = labels
    arrays: dict[str, Any] = {"x": _numbers(x, x_label)}
    if y is not None:
        values = np.asarray(y)
        values = values.astype(np.int8) if values.dtype.kind == "b" else values
        if values.ndim == 0 or len(values) != len(arrays["x"]):
            given = "a single value" if values.ndim == 0 else f"{len(values)}"
            raise InputError(f"expected a value for each of the {len(arrays['x'])} samples, got {given}", file=y_label)
        arrays["y"] = values if classes is None else indices_of(values, classes, y_label)
        if arrays["y"].dtype.kind not in "fiu":
            raise InputError(f"expected numbers, got {arrays['y'].dtype}: the model has no labels", file=y_label)
    np.savez(file, **arrays)
    return file


def indices_of(y: NDArray[Any], classes: Sequence[str | int], label: str) -> NDArray[np.int64]:
    """The index of each sample's class; raises `InputError` for one that the model does not have."""
    known: dict[str | int | None, int] = {name: index for index, name in enumerate(classes)}
    given = y.ravel().tolist()
    found = [known.get(_plain(value)) for value in given]
    if None in found:
        sample = found.index(None)
        names = ", ".join(map(repr, classes))
        raise InputError(f"{given[sample]!r} of sample {sample} is none of the classes {names}", file=label)
    return np.array(found, np.int64)


def _plain(value: Any) -> str | int | None:
    """A label as programs hold it; classes that scikit-learn stores as floats are integers."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value


def _numbers(x: object, label: str) -> NDArray[Any]:
    """An array of numbers with an axis over the samples."""
    dense = getattr(x, "toarray", None)
    array = np.asarray(dense() if callable(dense) else x)
    if array.dtype.kind == "b":
        array = array.astype(np.int8)
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError("expected numbers, got objects", file=label) from error
    if array.dtype.kind not in "fiu":
        raise InputError(f"expected numbers, got {array.dtype}", file=label)
    if array.ndim < 2:
        raise InputError(f"expected shape (samples, elements), got {array.shape}", file=label)
    return array
