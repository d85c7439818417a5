"""The metrics by which programs are compared. Each metric is one row of `METRICS`.

Four metrics are sums over samples, which compare each sample with the program on reals (`Reference.loss`). Each other
metric is a figure, a number computed from all answers as scikit-learn defines it. Its loss is the decrease of the
figure, or the increase if the figure is an error. A ratio 0/0, such as the precision of a class that is never
predicted, counts as 0.

A package adds a metric by an entry point of the group `tinyml.metrics`, a `Metric` with a figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.plugins import METRICS as GROUP
from tinyml.dialects.plugins import PluginError, Row
from tinyml.dialects.tables import Table, check_hyphenated
from tinyml.transforms.formats.evaluation.answers import Answers

if TYPE_CHECKING:
    from numpy.typing import NDArray


Figure = Callable[[Answers, "int | None"], float]
"""A figure of answers: of the class with an index, or of all classes for None."""

CLASSES, SCORES, NUMBERS = "classes", "scores of classes", "numbers"
"""The inputs of figures: classes with labels, scores with labels, or numbers with targets."""


@dataclass(frozen=True)
class Metric:
    """A metric, which is either a sum over samples or a figure of all answers.

    loss: a description of a candidate's loss.
    unit: a description of the unit of losses.
    figure: the function that computes the figure of all answers; None for a sum over samples (`Reference.loss`). The
        right answers have the best possible figure.
    of: the kind of answers from which the figure is computed.
    by_class: whether `NAME:CLASS` denotes the figure of one class.
    falls: whether a lower figure is better.
    """

    name: str
    loss: str
    unit: str
    figure: Figure | None = None
    of: str = ""
    by_class: bool = False
    falls: bool = False

    @property
    def spelled(self) -> str:
        """The name of the metric, followed by `[:CLASS]` if the metric is defined for single classes."""
        return f"{self.name}[:CLASS]" if self.by_class else self.name


class Counts(NamedTuple):
    """Three numbers of samples for each class.

    hits: the samples of the class that are predicted correctly.
    predicted: the samples that are predicted as the class.
    there: the samples of the class.
    """

    hits: NDArray[np.int64]
    predicted: NDArray[np.int64]
    there: NDArray[np.int64]


def _counts(answers: Answers) -> Counts:
    assert answers.classes is not None
    assert answers.labels is not None
    classes, labels = answers.classes, answers.labels
    length = 1 + int(max(classes.max(initial=-1), labels.max(initial=-1)))
    parts = labels[classes == labels], classes, labels
    return Counts(*(np.bincount(part, minlength=length).astype(np.int64) for part in parts))


def _ratio(count: NDArray[np.int64], of: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.divide(count, of, out=np.zeros(len(count)), where=of > 0)


def _by_class(values: Callable[[Counts], NDArray[np.float64]]) -> Figure:
    def figure(answers: Answers, of: int | None) -> float:
        counts = _counts(answers)
        found, (_, predicted, there) = values(counts), counts
        if of is not None:
            return float(found[of]) if of < len(found) else 0.0
        known = found[(predicted > 0) | (there > 0)]
        return float(known.mean()) if len(known) else 0.0

    return figure


def _balanced_accuracy(answers: Answers, _: int | None) -> float:
    counts = _counts(answers)
    recalls = _ratio(counts.hits, counts.there)[counts.there > 0]
    return float(recalls.mean()) if len(recalls) else 0.0


def places(scores: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float64]:
    """For each score, the fraction of the elements of `others` that are greater than the score. Equal elements
    count half.
    """
    ordered = np.sort(others)
    below, upto = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return 1 - (below + upto) / (2 * len(others))


def area_under_curve(scores: NDArray[Any], positive: NDArray[np.bool_]) -> float:
    """The probability that a positive sample has a higher score than a negative sample. Equal scores count half."""
    return float(places(scores[~positive], scores[positive]).mean())


def _auc(answers: Answers, of: int | None) -> float:
    """The area under the ROC curve that separates class `of` from all other classes. It is 0 if the labels contain only
    samples of the class, or none.

    If `of` is None, the mean over all classes that occur. With two classes both areas are equal, and only one is
    computed.
    """
    assert answers.scores is not None
    assert answers.labels is not None
    scores = answers.scores
    if scores.shape[1] <= 2:
        second = scores[:, -1] if scores.shape[1] == 1 else scores[:, 1] - scores[:, 0]
        scores = np.stack([-second, second], 1)
        of = 1 if of is None else of
    wanted = list(range(scores.shape[1])) if of is None else [of]
    kinds = [(one, answers.labels == one) for one in wanted]
    areas = [area_under_curve(scores[:, one], own) for one, own in kinds if own.any() and not own.all()]
    return float(np.mean(areas)) if areas else 0.0


def r_squared(values: NDArray[np.float64], targets: NDArray[np.float64]) -> float:
    """The coefficient of determination: 1 - sum((y - predicted)^2) / sum((y - mean of y)^2), averaged over the outputs.

    For an output with constant targets, the coefficient is 1 if all values are right and otherwise 0, as in
    scikit-learn.

    values: the predictions, of shape (samples, outputs).
    targets: y, of the same shape.
    """
    spread: NDArray[np.float64] = np.square(targets - targets.mean(axis=0)).sum(axis=0)
    rest: NDArray[np.float64] = np.square(targets - values).sum(axis=0)
    return float(np.mean(np.where(spread > 0, 1 - rest / np.where(spread > 0, spread, 1), rest == 0)))


def _r2(answers: Answers, _: int | None) -> float:
    assert answers.scores is not None
    assert answers.targets is not None
    return r_squared(answers.scores, answers.targets)


def _mae(answers: Answers, _: int | None) -> float:
    assert answers.scores is not None
    assert answers.targets is not None
    return float(np.abs(answers.scores - answers.targets).mean())


_OVER_CLASSES = "decrease of the mean {0} over the classes (macro), or of the {0} of one class"
_RECALL = _by_class(lambda counts: _ratio(counts.hits, counts.there))
_PRECISION = _by_class(lambda counts: _ratio(counts.hits, counts.predicted))
_F1 = _by_class(lambda counts: _ratio(2 * counts.hits, counts.predicted + counts.there))

DECLARED_METRICS = (
    Metric("disagreement", "percentage of the samples for which the candidate returns another class", "% differ"),
    Metric("accuracy", "decrease of the accuracy in percentage points; needs labels", "points lost"),
    Metric("error", "mean absolute error of the outputs, in the unit of the model", "mean error"),
    Metric(
        "margin",
        "expected percentage of the samples for which the candidate returns another class, computed from the errors of "
        "their margins",
        "mean error of margins",
    ),
    Metric("recall", _OVER_CLASSES.format("recall"), "points of recall lost", _RECALL, CLASSES, by_class=True),
    Metric(
        "precision",
        _OVER_CLASSES.format("precision"),
        "points of precision lost",
        _PRECISION,
        CLASSES,
        by_class=True,
    ),
    Metric("f1", _OVER_CLASSES.format("F1"), "points of F1 lost", _F1, CLASSES, by_class=True),
    Metric(
        "balanced-accuracy",
        "decrease of the mean recall of the classes that occur in the data",
        "points of balanced accuracy lost",
        _balanced_accuracy,
        CLASSES,
    ),
    Metric(
        "auc",
        "decrease of the area under the ROC curve of a class against the rest, as the mean over the classes "
        "(macro) or for one class",
        "points of AUC lost",
        _auc,
        SCORES,
        by_class=True,
    ),
    Metric("r2", "decrease of R2; needs targets", "points of R2 lost", _r2, NUMBERS),
    Metric(
        "mae", "increase of the mean absolute error against the targets", "mean error gained", _mae, NUMBERS, falls=True
    ),
)

_DECLARED = {metric.name: metric for metric in DECLARED_METRICS}

ACCURACY = "accuracy"


def _loaded(row: Row) -> Metric:
    if row.is_built_in:
        return _DECLARED[row.name]
    metric = row.load(Metric)
    row.expect_fields(metric)
    if metric.figure is None or metric.of not in (CLASSES, SCORES, NUMBERS):
        raise PluginError(f"{row}: expected a metric with a figure of {CLASSES}, of {SCORES} or of {NUMBERS}")
    return replace(metric, name=row.name, figure=partial(_figure_of, row, metric.figure))


def _figure_of(row: Row, figure: Figure, answers: Answers, of: int | None) -> float:
    with row.blamed():
        found = row.expect(figure(answers, of), float)
    if not np.isfinite(found):
        raise PluginError(f"{row}: expected a finite figure, got {found}")
    return float(found)


METRICS = Table(
    GROUP,
    "metric",
    _loaded,
    home="tinyml.transforms.formats.evaluation",
    built_in=(Row(metric.name, "metrics", metric.loss) for metric in DECLARED_METRICS),
    check=check_hyphenated,
)
"""The metrics; those of other packages are figures of all answers."""


def metric_named(text: str) -> Metric:
    return METRICS.get(text.partition(":")[0])


def _spelled(names: Iterable[str]) -> list[str]:
    return [_DECLARED[name].spelled if name in _DECLARED else name for name in names]


def figures() -> str:
    """The names of the metrics that are figures of all answers, separated by commas."""
    sums = {metric.name for metric in DECLARED_METRICS if metric.figure is None}
    return ", ".join(_spelled(name for name in METRICS.names() if name not in sums))


def spelled_metrics() -> str:
    """The names of all metrics as one text, for help texts."""
    *names, last = _spelled(METRICS.names())
    return f"{', '.join(names)} or {last}"


@dataclass(frozen=True)
class Measure:
    """A metric on given data: the metric, the requested class, and the figure of the program on reals.

    name: the metric as the user spelled it, `NAME` or `NAME:CLASS`.
    of: the index of the class; None for all classes.
    on_reals: the figure of the program on reals.
    """

    name: str
    metric: Metric
    of: int | None
    on_reals: float

    def figure(self, answers: Answers) -> float:
        """The figure of answers to all samples. The metric must not be a sum over samples."""
        assert self.metric.figure is not None
        return self.metric.figure(answers, self.of)

    def loss(self, figure: float) -> float:
        """The loss of a figure: its difference from the figure of the program on reals, positive if the figure
        is worse.

        The unit is percentage points or, if the figure is an error, the unit of the error.
        """
        return figure - self.on_reals if self.metric.falls else 100 * (self.on_reals - figure)


def measure_of(text: str, reals: Answers) -> Measure:
    """The metric `NAME` or `NAME:CLASS`, with the answers of the program on reals as the reference.

    Raises `InputError` for an unknown metric or class, for a class of a metric that is not calculated for a single
    class, and for data and programs for which the figure is undefined.

    text: the name of the metric.
    """
    name, colon, one = text.partition(":")
    metric = metric_named(name)
    if colon and not metric.by_class:
        raise InputError(f"the metric '{name}' is not of a class: leave out ':{one}'")
    if metric.figure is None:
        return Measure(text, metric, None, 0.0)
    if metric.of == NUMBERS and (reals.targets is None or reals.scores is None):
        missing = "compares numbers, but the model returns classes" if reals.labels is not None else "needs targets `y`"
        raise InputError(f"the metric '{name}' {missing}")
    if metric.of != NUMBERS:
        _check_labels(metric, reals)
    of = _class_of(one, text, reals) if colon else None
    if metric.of == SCORES:
        _check_both(text, reals, of)
    measure = Measure(text, metric, of, 0.0)
    return replace(measure, on_reals=measure.figure(reals))


def _check_labels(metric: Metric, reals: Answers) -> None:
    if reals.targets is not None:
        raise InputError(f"the metric '{metric.name}' compares classes, but the model returns numbers")
    if reals.labels is None:
        raise InputError(f"the metric '{metric.name}' needs data with labels `y`")
    if metric.of == SCORES and reals.scores is None:
        raise InputError(f"the metric '{metric.name}' needs a program that returns scores")
    if metric.of == CLASSES and reals.classes is None:
        raise InputError(f"the metric '{metric.name}' compares classes, but the model returns a score")


def _class_of(one: str, text: str, reals: Answers) -> int:
    assert reals.labels is not None
    names = reals.names
    if names is None:
        scores = 0 if reals.scores is None else max(reals.scores.shape[1], 2)
        given = 0 if reals.classes is None else reals.classes.max(initial=0) + 1
        names = range(max(scores, int(given), int(reals.labels.max(initial=0)) + 1))
    known = [str(name) for name in names]
    if one not in known:
        raise unknown("class", one, known)
    if not (reals.labels == known.index(one)).any():
        raise InputError(f"the metric '{text}' needs samples of the class {one}, and the data have none")
    return known.index(one)


def _check_both(text: str, reals: Answers, of: int | None) -> None:
    """Raise `InputError` unless some samples belong to the class and some do not, because the ROC curve is
    otherwise undefined.

    of: the index of the class; None for all classes.
    """
    assert reals.labels is not None
    if len(np.unique(reals.labels)) < 2:
        other = "other samples" if of is not None else "samples of two classes"
        raise InputError(f"the metric '{text}' needs {other}, and the data have none")
