"""The array `y` of a data set: the class of each sample, or the targets of a regressor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyml.dialects.errors import InputError
from tinyml.runtime.model.wanted_outputs import WantedOutput, class_axis, classes_of_elements, read_further
from tinyml.runtime.readers.arrays import ArrayHeader, read_npz

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Answers:
    """The kinds of results that a program returns for a sample. They determine the interpretation of a data set's `y`.

    * classes: the number of classes; None if unknown.
    * labels: the labels of the classes; None if the classes are only numbered.
    * values: the number of values that the program computes per sample; None if unknown or none.
    * has_label: true if the program itself computes a class.
    * clusters: true if the program's classes are clusters, which are unrelated to `y`.
    * detects: true if the program's value is the score of an anomaly detector. `y` then contains 1 for normal samples,
      and -1 for anomalies.
    * trained: the integers that represent the classes in data, if `labels` are names that the user assigned to them;
      None if the indices of the classes represent them.
    * shape: the shape of a sample's values; empty for scalars.
    * further: the shapes of the outputs after the first.
    """

    classes: int | None = None
    labels: Sequence[str | int] | None = None
    values: int | None = None
    has_label: bool = True
    clusters: bool = False
    detects: bool = False
    trained: Sequence[int] | None = None
    shape: Sequence[int] = ()
    further: Sequence[Sequence[int]] = ()

    @property
    def only_one_value(self) -> bool:
        return self.values == 1 and not self.has_label


def read_answers(
    path: str, samples: int, known: Answers
) -> tuple[NDArray[np.int64] | None, NDArray[np.float64] | None, Sequence[WantedOutput]]:
    """The array `y` of an .npz file, as a triple (class indices, targets, other expected values). At least one of the
    first two is None.

    samples: the number of samples in the file.
    known: what the program returns.

    In the file, a class is a label or an integer. The integer is a label of the model or, if the labels are text, the
    index of a label. For a program that computes a class, rows with a one (one-hot) are classes, too. Targets have the
    shape (samples, values). In the file, they have the shape of the program's
    values, where axes of extent 1 are ignored, or one row per sample. Integers in the shape of the values without the
    axis of classes are the classes of elements, such as pixels.

    Raises `InputError` for an array of any other type or shape, for targets that are NaN or infinite, and for a class
    that the program does not have.
    """

    def are_targets(shape: Sequence[int], kind: str) -> bool:
        several = known.values is not None and known.values > 1 and len(shape) > 1
        if not (several or known.only_one_value) or kind not in "iufb" or not shape or shape[0] != samples:
            return False
        if prod(shape[1:]) != known.values:
            return False
        given, own = ([extent for extent in each if extent != 1] for each in (shape[1:], known.shape))
        return len(given) <= 1 or len(own) <= 1 or given == own

    def axis_of(shape: Sequence[int], kind: str) -> int | None:
        if known.has_label or not shape or shape[0] != samples or prod(shape[1:]) == 1:
            return None
        return class_axis(shape[1:], kind, known.shape)

    def may_be_one_hot(shape: Sequence[int], kind: str) -> bool:
        return known.has_label and kind in "iufb" and (*shape,) == (samples, known.classes) and shape[1] > 1

    def accept(header: ArrayHeader) -> None:
        if header.dtype.kind in "iufbU" and header.shape[:1] == (samples,):
            if may_be_one_hot(header.shape, header.dtype.kind):
                return
            if header.shape in ((samples,), (samples, 1)) and not (known.only_one_value and header.dtype.kind == "U"):
                return
            if are_targets(header.shape, header.dtype.kind) or axis_of(header.shape, header.dtype.kind) is not None:
                return
        wanted = f"{samples} numbers" if known.only_one_value else f"the classes of {samples} samples"
        if known.values is not None and known.values > 1:
            wanted += f" or {known.values} numbers for each"
        advice = _order_advice(header.shape[1:], known.shape)
        got = f"got shape {header.shape} of {header.dtype}{advice}"
        raise InputError(f"expected `y` to contain {wanted}, {got}", file=path)

    y = read_npz(path, "data", "y", accept)
    further: Sequence[WantedOutput] = ()
    if known.further:
        further = read_further(path, samples, known.further)
    if y is None:
        return None, None, further
    if (axis := axis_of(y.shape, y.dtype.kind)) is not None:
        return None, None, [classes_of_elements(path, "y", y, 0, known.shape, axis), *further]
    if may_be_one_hot(y.shape, y.dtype.kind):
        if are_one_hot(y):
            return y.argmax(1).astype(np.int64), None, further
        if not are_targets(y.shape, y.dtype.kind):
            raise InputError(f"expected `y` to contain the classes of {samples} samples, or rows with a one", file=path)
    if not are_targets(y.shape, y.dtype.kind):
        return _indices(path, y.reshape(samples), known), None, further
    targets = y.reshape(samples, -1).astype(np.float64)
    if not np.isfinite(targets).all():
        sample = int(np.argwhere(~np.isfinite(targets))[0][0])
        raise InputError(f"`y` contains NaN or infinity in sample {sample}", file=path)
    if known.detects and (other := np.flatnonzero(np.abs(targets[:, 0]) != 1)).size:
        got = f"{targets[other[0], 0]:g} in sample {other[0]}"
        ones = set(np.unique(targets[:, 0])) <= {0.0, 1.0}
        advice = ": np.where(y == 1, -1, 1) if 1 stands for an anomaly" if ones else ""
        raise InputError(f"expected `y` to contain 1, and -1 for anomalies, got {got}{advice}", file=path)
    return None, targets, further


def are_one_hot(rows: NDArray[Any]) -> bool:
    return bool(((rows == 0) | (rows == 1)).all() and (rows.sum(1) == 1).all())


def _order_advice(given: Sequence[int], wanted: Sequence[int]) -> str:
    """The end of an error message about targets of the wrong shape (samples, *given).

    It contains advice if the axes are a permutation of `wanted`, or if the file contains the class of each pixel;
    otherwise it is "".
    """
    shape = (*wanted,)
    if len(shape) < 3:
        return ""
    if (*given,) in ((*shape[1:], shape[0]), (shape[-1], *shape[:-1])):
        moved = "np.moveaxis(y, -1, 1)" if (*given,) == (*shape[1:], shape[0]) else "np.moveaxis(y, 1, -1)"
        return f": the values of a sample have the shape {shape}, {moved} gives it to `y`"
    if (*given,) in (shape[:-1], shape[1:]):
        return f": the values of a sample have the shape {shape}, classes of pixels are integers"
    return ""


def _indices(path: str, y: NDArray[Any], known: Answers) -> NDArray[np.int64]:
    """The class index of each sample, from the array `y` of classes that `known` describes. Raises `InputError` for a
    class that the program does not have, and for numbers that are not integers.
    """
    if y.dtype.kind == "U":
        if known.labels is None:
            raise InputError(
                f"`y` contains text such as '{y[0]}', but the model has no class names: name them with --classes",
                file=path,
            )
        labels = known.labels
        if not isinstance(labels[0], str):
            raise InputError(f"`y` contains text such as '{y[0]}', the classes are {_listed(labels)}", file=path)
        return _found(path, y.tolist(), labels)
    if y.dtype.kind == "f" and (broken := np.flatnonzero(~np.isfinite(y) | (y != np.round(y)))).size:
        raise InputError(f"expected `y` to contain classes, got {y[broken[0]]} in sample {broken[0]}", file=path)
    classes: list[int] = [int(label) for label in y.tolist()]
    labels = known.labels if known.labels is not None and isinstance(known.labels[0], int) else known.trained
    if labels is not None:
        return _found(path, classes, labels)
    if known.classes is not None:
        for sample, label in enumerate(classes):
            if not 0 <= label < known.classes:
                raise InputError(
                    f"`y` contains {label} in sample {sample}, the classes of the program are 0 to {known.classes - 1}",
                    file=path,
                )
    return np.array(classes, np.int64)


def _found(path: str, classes: Sequence[str | int], labels: Sequence[str | int]) -> NDArray[np.int64]:
    index = {label: number for number, label in enumerate(labels)}
    indices = [index.get(label, -1) for label in classes]
    if -1 in indices:
        wrong = indices.index(-1)
        raise InputError(
            f"`y` contains {classes[wrong]!r} in sample {wrong}, not one of the classes {_listed(labels)}",
            file=path,
        )
    return np.array(indices, np.int64)


def _listed(labels: Sequence[str | int]) -> str:
    return ", ".join(map(repr, labels))
