"""The task of a design: a checked table, the metric, the limits, and the parts into which the samples are split."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.lazy_numpy import np
from tinyml.tools.api.data_files import array_of, column_names
from tinyml.tools.design.families import TableShape
from tinyml.transforms.formats.evaluation.answers import Answers
from tinyml.transforms.formats.evaluation.metrics import ACCURACY, CLASSES, METRICS, NUMBERS, metric_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

RMSE = "rmse"
"""The metric of tables with target values, in the unit of the targets."""

MIN_SAMPLES = 20
"""The least number of samples: fewer cannot be split into training, validation and test."""

TEST_SHARE = 0.2
"""The share of the samples that only the final figure is computed from, unless the caller has a test set."""

MAX_VALIDATION = 1000
"""The greatest number of samples by which `auto` chooses the formats of the final programs; the models train on the
others.
"""


@dataclass(frozen=True)
class Limits:
    """The limits of a program: bytes of flash and RAM, and milliseconds of a call with floats; None for the board's."""

    flash: int | None = None
    ram: int | None = None
    milliseconds: float | None = None


@dataclass(frozen=True)
class Task:
    """A table, and what a program for it should do.

    x: the samples (samples, features).
    y: the index of the class of each sample, or its target value.
    classes: the labels of the classes, sorted; None for targets.
    names: the names of the features; None if unknown.
    groups: a number for each sample; samples of one group stay in one part. None if every sample is on its own.
    metric: the metric, as for `tinyml.compile`, or `RMSE`.
    at_least: the least values of metrics that a program must have, such as `recall:fall`.
    folds: the number of parts of the cross-validation.
    seed: the seed of splits, models and the search.
    """

    x: NDArray[np.float64]
    y: NDArray[Any]
    classes: Sequence[Any] | None
    names: Sequence[str] | None
    groups: NDArray[np.int64] | None
    metric: str
    at_least: Mapping[str, float]
    folds: int
    seed: int

    def __len__(self) -> int:
        return len(self.x)

    @property
    def shape(self) -> TableShape:
        return TableShape(len(self), self.x.shape[1], 0 if self.classes is None else len(self.classes))

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the table and the task, in hexadecimal."""
        asked = self.classes, self.metric, sorted(self.at_least.items()), self.folds, self.seed
        digest = hashlib.sha256(repr(asked).encode())
        for array in (self.x, self.y, self.groups):
            if array is not None:
                digest.update(f"{array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def part(self, samples: NDArray[np.intp]) -> Task:
        """The task of a part of the samples, by their indices."""
        groups = None if self.groups is None else self.groups[samples]
        return replace(self, x=self.x[samples], y=self.y[samples], groups=groups)

    def labelled(self, samples: NDArray[np.intp]) -> NDArray[Any]:
        """The labels or targets of samples, as the caller gave them."""
        return self.y[samples] if self.classes is None else np.asarray(self.classes)[self.y[samples]]

    @property
    def falls(self) -> bool:
        """Whether lower figures of the metric are better."""
        return self.metric == RMSE or METRICS.get(self.metric.partition(":")[0]).falls

    def figure(self, y: NDArray[Any], predicted: NDArray[Any], metric: str | None = None) -> float:
        """A metric, by default that of the task.

        y, predicted: class indices or target values (samples,).
        """
        name = self.metric if metric is None else metric
        if name == ACCURACY:
            return float((y == predicted).mean())
        if name == RMSE:
            return float(np.sqrt(np.square(y - predicted).mean()))
        family, _, of = name.partition(":")
        answers = (
            Answers(None, predicted[:, None], None, y[:, None])
            if self.classes is None
            else Answers(predicted, None, y, names=[*self.classes])
        )
        figure = metric_named(family).figure
        assert figure is not None
        return figure(answers, self.class_index(of) if of else None)

    def shortfall(self, y: NDArray[Any], predicted: NDArray[Any]) -> float:
        """The sum of the amounts by which answers miss the least values `at_least`; 0 if they reach all."""
        return sum(max(least - self.figure(y, predicted, name), 0.0) for name, least in self.at_least.items())

    def class_index(self, text: str) -> int:
        """The index of a class by its label as text; raises `InputError` for another class."""
        assert self.classes is not None
        names = [str(label) for label in self.classes]
        if text not in names:
            raise unknown("class", text, names)
        return names.index(text)

    @property
    def missed_classes(self) -> list[int]:
        """The indices of the classes of which `at_least` demands a recall."""
        wanted = (name.partition(":") for name in self.at_least)
        return [self.class_index(of) for name, _, of in wanted if name == "recall" and of]

    def splits(self, parts: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the indices of the other samples and of the part, for each of some parts of equal size. Groups stay
        together, and classes are spread evenly.
        """
        model_selection: Any = import_module("sklearn.model_selection")
        stratified = self.classes is not None and int(np.bincount(self.y).max()) >= parts
        if self.groups is not None:
            kind = model_selection.StratifiedGroupKFold if stratified else model_selection.GroupKFold
        else:
            kind = model_selection.StratifiedKFold if stratified else model_selection.KFold
        with warnings.catch_warnings():
            # Of a rare class, some parts have no sample.
            warnings.simplefilter("ignore")
            splitter = kind(parts, shuffle=True, random_state=self.seed)
            yield from splitter.split(self.x, self.y, self.groups)

    def share(self, samples: NDArray[np.intp], share: float) -> NDArray[np.intp]:
        """A share of the samples with all of their classes, at least two of each; greater shares contain it."""
        if share >= 1:
            return samples
        order = np.random.default_rng(self.seed).permutation(samples)
        if self.classes is None:
            return np.sort(order[: max(int(share * len(order)), 2)])
        kinds = (order[self.y[order] == each] for each in range(len(self.classes)))
        return np.sort(np.concatenate([kind[: max(round(share * len(kind)), 2)] for kind in kinds]))


def task_of(
    x: object,
    y: object,
    groups: object,
    *,
    metric: str | None,
    at_least: Mapping[str, float] | None,
    folds: int,
    seed: int,
    places: Places | None = None,
) -> Task:
    """The task of a table. Raises `InputError`, with the place in the table, for a table from which no model can be
    trained, for a metric that does not suit it, and for an unknown class.

    x: numbers (samples, features), as an array, a data frame or lists.
    y: labels or targets (samples,).
    groups: a label of the group of each sample, or None.
    places: the names of the places of a file, for messages.
    """
    at = places or Places("X", "y", "groups")
    names = at.names or column_names(x)
    samples, answers = array_of(x, at.x), array_of(y, at.y)
    samples = _numbers(samples, at, names)
    if answers.shape[:1] != samples.shape[:1] or answers.size != len(samples):
        raise InputError(
            f"expected one value for each of the {len(samples)} samples, got shape {answers.shape}", file=at.y
        )
    if len(samples) < MIN_SAMPLES:
        raise InputError(f"expected at least {MIN_SAMPLES} samples, got {len(samples)}", file=at.x)
    answers = answers.reshape(-1)
    targets = _are_targets(answers, metric)
    classes: list[Any] | None = None
    if answers.dtype.kind == "f" and not (finite := np.isfinite(answers)).all():
        raise InputError(f"expected a number, got {answers[~finite][0]}", **at.of_y(int(np.argmin(finite))))
    if answers.dtype.kind not in "fiubU":
        raise InputError("expected numbers or texts of one kind", file=at.y)
    if targets:
        if answers.dtype.kind == "U":
            raise InputError(f"the metric '{metric}' needs numbers, got texts such as {str(answers[0])!r}", file=at.y)
        values = answers.astype(np.float64)
        if np.ptp(values) == 0:
            raise InputError(f"all targets are {values[0]:g}: expected different values", file=at.y)
    else:
        found, values = np.unique(answers, return_inverse=True)
        classes = [label.item() for label in found]
        if all(isinstance(label, float) and label.is_integer() for label in classes):
            classes = [int(label) for label in classes]
        if len(classes) < 2:
            raise InputError(f"all samples are of the class {classes[0]!r}: expected two classes or more", file=at.y)
        if 2 * len(classes) > len(samples):
            help = "for target values, choose metric rmse"
            raise InputError(f"{len(classes)} classes for {len(samples)} samples: {help}", file=at.y)
    numbers = None
    if groups is not None:
        labels = array_of(groups, at.groups)
        if labels.shape != (len(samples),):
            raise InputError(f"expected a group for each of the {len(samples)} samples", file=at.groups)
        _, numbers = np.unique(labels, return_inverse=True)
        if (count := int(numbers.max()) + 1) <= folds:
            raise InputError(f"{count} groups for {folds} folds: expected more groups than folds", file=at.groups)
    named = metric or (RMSE if targets else ACCURACY)
    task = Task(samples, values, classes, names, numbers, named, dict(at_least or {}), folds, seed)
    for each in (named, *task.at_least):
        _check_metric(task, each)
    if falling := [each for each in task.at_least if each == RMSE or METRICS.get(each.partition(":")[0]).falls]:
        raise InputError(f"lower values of '{falling[0]}' are better: it has no least value", file="at_least")
    return task


def encoded(task: Task, labels: Any, name: str) -> NDArray[Any]:
    """The indices of the classes of labels; targets are unchanged.

    name: the name of the labels, for messages.

    Raises `InputError` for a label that is none of the classes.
    """
    values = np.asarray(labels)
    if task.classes is None:
        return values.astype(np.float64).reshape(-1)
    indices = {_spelled(label): i for i, label in enumerate(task.classes)}
    found = [indices.get(_spelled(label)) for label in values.tolist()]
    if None in found:
        missing = values.tolist()[found.index(None)]
        raise InputError(f"the class {missing!r} does not occur in the training samples", file=name)
    return np.array(found, np.int64)


def _spelled(label: Any) -> str:
    """A label as text; numbers that are whole have no point, whatever their type."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


@dataclass(frozen=True)
class Places:
    """The names of the parts of a table for messages.

    x, y, groups: the arguments, or the file.
    names: the names of the columns of samples in a file.
    line: the line of the first sample in a text file; None for arrays.
    """

    x: str
    y: str
    groups: str
    names: Sequence[str] | None = None
    line: int | None = None

    def of_y(self, sample: int) -> dict[str, Any]:
        """The location of the label of a sample, as arguments of `InputError`."""
        return (
            {"file": f"{self.y}, sample {sample}"}
            if self.line is None
            else {"file": self.y, "line": self.line + sample}
        )

    def of_x(self, sample: int, column: str) -> dict[str, Any]:
        """The location of a value, as arguments of `InputError`."""
        if self.line is not None:
            return {"file": self.x, "line": self.line + sample}
        return {"file": f"{self.x}, sample {sample}, {column}"}


def _numbers(samples: NDArray[Any], at: Places, names: Sequence[str] | None) -> NDArray[np.float64]:
    if samples.ndim != 2 or not samples.size:
        raise InputError(f"expected shape (samples, features), got {samples.shape}", file=at.x)

    def column(number: int) -> str:
        return f"column {names[number]!r}" if names is not None else f"feature {number}"

    if samples.dtype.kind not in "fiub":
        for (row, number), value in np.ndenumerate(samples):
            try:
                float(value)
            except (TypeError, ValueError):
                told = f"{column(number)}: " if at.line is not None else ""
                help = "map texts to numbers, or leave the column out"
                raise InputError(
                    f"{told}expected a number, got {str(value)!r}: {help}", **at.of_x(row, column(number))
                ) from None
    numbers = samples.astype(np.float64)
    if not (finite := np.isfinite(numbers)).all():
        row, number = (int(place) for place in np.argwhere(~finite)[0])
        told = f"{column(number)}: " if at.line is not None else ""
        help = "fill in missing values, or leave the sample out"
        value = "a missing value (NaN)" if np.isnan(numbers[row, number]) else "infinity"
        raise InputError(f"{told}expected a number, got {value}: {help}", **at.of_x(row, column(number)))
    return numbers


def _are_targets(answers: NDArray[Any], metric: str | None) -> bool:
    """Whether y has target values: the metric says so or, without a metric, some number is not whole."""
    if metric is not None:
        return metric == RMSE or METRICS.get(metric.partition(":")[0]).of == NUMBERS
    return answers.dtype.kind == "f" and not bool((answers == np.floor(answers)).all())


def _check_metric(task: Task, name: str) -> None:
    family, _, of = name.partition(":")
    if name == RMSE or (name == ACCURACY and task.classes is not None):
        return
    metric = METRICS.get(family)
    suits = metric.figure is not None and metric.of == (NUMBERS if task.classes is None else CLASSES)
    if not suits:
        kind = "target values" if task.classes is None else "classes"
        raise InputError(f"the metric '{name}' does not apply to {kind}", file="metric")
    if of and task.classes is not None:
        task.class_index(of)
