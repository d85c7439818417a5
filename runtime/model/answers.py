"""The array `y` of a data set: the class of each sample, or the targets of a regressor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyml.dialects.errors import InputError
from tinyml.runtime.readers.arrays import ArrayHeader, read_npz

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Answers:
    """The kind of a program's answers, which determines how `y` is read.

    classes: the number of classes; None if unknown. labels: the labels of the classes; None if they are only numbered.
    values: the number of values that the program computes per sample; None if unknown or none. has_label: true if the
    program computes a class itself. clusters: true if its classes are clusters, on which `y` has no bearing. detects:
    true if its value is the score of a detector of anomalies, for which `y` holds 1, and -1 for anomalies.
    """

    classes: int | None = None
    labels: Sequence[str | int] | None = None
    values: int | None = None
    has_label: bool = True
    clusters: bool = False
    detects: bool = False

    @property
    def only_one_value(self) -> bool:
        """True for a program that computes a single number and no class."""
        return self.values == 1 and not self.has_label


def read_answers(
    path: str, samples: int, known: Answers
) -> tuple[NDArray[np.int64] | None, NDArray[np.float64] | None]:
    """The class indices or the targets (samples, values), whichever the array `y` of an .npz file holds.

    Classes are spelled as integers or by their labels. Raises `InputError` for another type or shape, for targets that
    are NaN or infinite, and for a class that the program does not have.
    """

    def are_targets(header: ArrayHeader) -> bool:
        several = known.values is not None and known.values > 1 and header.shape == (samples, known.values)
        return header.dtype.kind in "iuf" and (
            several or (known.only_one_value and header.shape in ((samples,), (samples, 1)))
        )

    def accept(header: ArrayHeader) -> None:
        kinds = "iu" + ("f" if known.values is not None else "") + ("U" if known.labels is not None else "")
        if are_targets(header) or (header.shape == (samples,) and header.dtype.kind in kinds):
            return
        wanted = f"{samples} numbers" if known.only_one_value else f"{samples} class indices"
        got = f"got shape {header.shape} of {header.dtype}{one_hot_advice(header.shape, known.classes)}"
        raise InputError(f"expected `y` to hold {wanted}, {got}", file=path)

    y = read_npz(path, "data", "y", accept)
    if y is None:
        return None, None
    if known.has_label and y.ndim == 2 and y.shape[1] > 1 and ((y == 0) | (y == 1)).all() and (y.sum(1) == 1).all():
        advice = one_hot_advice(y.shape, y.shape[1])
        raise InputError(f"expected `y` to hold {samples} class indices, got rows with a one{advice}", file=path)
    if are_targets(ArrayHeader(y.dtype, y.shape, False)):
        targets = y.reshape(samples, -1).astype(np.float64)
        if not np.isfinite(targets).all():
            sample = int(np.argwhere(~np.isfinite(targets))[0][0])
            raise InputError(f"`y` holds NaN or infinity in sample {sample}", file=path)
        if known.detects and (other := np.flatnonzero(np.abs(targets[:, 0]) != 1)).size:
            got = f"{targets[other[0], 0]:g} in sample {other[0]}"
            ones = set(np.unique(targets[:, 0])) <= {0.0, 1.0}
            advice = ": np.where(y == 1, -1, 1) if 1 stands for an anomaly" if ones else ""
            raise InputError(f"expected `y` to hold 1, and -1 for anomalies, got {got}{advice}", file=path)
        return None, targets
    return _indices(path, y, known), None


def one_hot_advice(shape: Sequence[int], classes: int | None) -> str:
    """Advice for a message about classes of a wrong shape: how to get them from rows that look one-hot encoded."""
    return ": y.argmax(axis=1) gives the classes of rows with a one" if len(shape) == 2 and shape[1] == classes else ""


def _indices(path: str, y: NDArray[Any], known: Answers) -> NDArray[np.int64]:
    """The class index of each sample."""
    if y.dtype.kind == "f" and (broken := np.flatnonzero(y != np.round(y))).size:
        raise InputError(f"expected `y` to hold classes, got {y[broken[0]]} in sample {broken[0]}", file=path)
    labels = known.labels
    if labels is not None and (y.dtype.kind == "U") == isinstance(labels[0], str):
        index = {label: number for number, label in enumerate(labels)}
        found = [index.get(label, -1) for label in (y if y.dtype.kind == "U" else y.astype(np.int64)).tolist()]
        if -1 in found:
            wrong, classes = found.index(-1), ", ".join(map(str, labels))
            raise InputError(f"label {y[wrong]} of sample {wrong} is none of the classes {classes}", file=path)
        return np.array(found, np.int64)
    if y.dtype.kind == "U":
        assert labels is not None
        classes = ", ".join(map(str, labels))
        raise InputError(f"expected `y` to hold some of the classes {classes}, got text such as '{y[0]}'", file=path)
    if known.classes is not None and (bad := np.flatnonzero((y < 0) | (y >= known.classes))).size:
        raise InputError(
            f"label {y[bad[0]]} of sample {bad[0]} is out of range: the program has {known.classes} classes", file=path
        )
    return y.astype(np.int64)
