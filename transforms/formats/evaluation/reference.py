"""The reference for losses: the results of the program on reals on a validation set.

The candidates of a classifier are compared by their classes or by a model of margins (`margins.py`). The candidates of
programs that compute numbers are compared by squared errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate_reals
from tinyml.transforms.formats.evaluation.answers import answers_of, has_answers, is_regression
from tinyml.transforms.formats.evaluation.margins import MarginModel, least_share
from tinyml.transforms.formats.evaluation.metrics import Measure, measure_of
from tinyml.transforms.formats.evaluation.regression_errors import mean_errors, shares_of_variance, variances

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.model.data import Data


@dataclass(frozen=True)
class CandidateOutcome:
    """The counts and errors of a candidate on the first `seen` samples, which are all samples unless the evaluation was
    stopped early.

    differ: the number of samples whose class differs from that on reals.
    wrong: the number of samples whose class differs from the label; 0 without labels.
    error: the sum over the samples of the mean absolute error of the outputs (`mean_errors`); 0 without scores.
    margin: the percentage of all samples that are expected to change their class, given the errors of the scores
        (`MarginModel`); 0 without scores.
    fault: the reason why there is no program; None if there is a program.
    departed, missed: for a program that computes numbers instead of a class, the squared errors against the results on
        reals and against the targets (`shares_of_variance`), summed over the samples.
    metric: the name of a metric that is computed from all answers; "" if none was computed.
    figure: the value of this metric; samples not seen count as right.
    """

    seen: int = 0
    differ: int = 0
    wrong: int = 0
    error: float = 0.0
    margin: float = 0.0
    fault: str | None = None
    departed: float = 0.0
    missed: float = 0.0
    metric: str = ""
    figure: float = 0.0


class Reference:
    """The program on reals and its results on a data set.

    order: the samples by ascending margin between the two greatest scores, so that bad candidates are recognised
        early.
    inputs, classes, labels, targets, scores, tensors: arrays in this order; tensors are the scores, then the other
        outputs.
    is_regressor: whether searches compare numbers instead of classes (`is_regression`).
    has_answers: whether there are classes to compare (`has_answers`).
    """

    def __init__(self, module: ModuleOp, data: Data):
        outputs = evaluate_reals(module, data.x)
        self.order = _order(outputs)
        self.samples = len(data)
        self.inputs = data.x[self.order]
        self.classes = outputs.classes[self.order]
        self.labels = None if data.y is None else data.y[self.order]
        self.tensors = [reals[self.order] for reals in outputs.tensors]
        self.scores = self.tensors[0] if self.tensors else None
        self.margin_model = None if self.scores is None else MarginModel(self.scores)
        self.wrong = 0 if self.labels is None else int(np.sum(self.classes != self.labels))
        self.is_regressor = is_regression(outputs, data)
        self.has_answers = has_answers(outputs, data)
        self.targets = None if data.targets is None else data.targets[self.order]
        self.data = replace(data, x=self.inputs, y=self.labels, targets=self.targets)
        self.interface = tdsl.read_interface(module)
        labels = None if outputs.labels is None else self.classes
        self.answers = answers_of(replace(outputs, labels=labels, scores=self.scores), self.data, self.interface)
        self._measures: dict[str, Measure] = {}
        self.missed = 0.0
        if self.targets is not None and self.scores is not None:
            self.missed = float(shares_of_variance(self.scores, self.targets, variances(self.targets)).sum())

    def check(self, metric: str) -> str:
        """Return the name of a metric unchanged. Raises `InputError` if the metric is unknown, or undefined for
        the data or the program.
        """
        self.measure(metric)
        if metric == "accuracy" and self.labels is None and self.targets is None:
            raise InputError("the metric 'accuracy' needs data with labels, or targets, `y`")
        if metric in ("error", "margin") and self.scores is None:
            raise InputError(f"the metric '{metric}' needs a program that returns scores")
        return metric

    def measure(self, metric: str) -> Measure:
        """The named metric with this reference's answers. Raises the errors of `measure_of`."""
        if metric not in self._measures:
            self._measures[metric] = measure_of(metric, self.answers)
        return self._measures[metric]

    def has_figure(self, metric: str) -> bool:
        return self.measure(metric).metric.figure is not None

    def with_figure(self, outcome: CandidateOutcome, metric: str, parts: Sequence[Outputs]) -> CandidateOutcome:
        """Return a copy of an outcome with the figure of a metric. The metric must have a figure.

        parts: the outputs of the samples seen, as reals.
        """
        scores = [part.scores for part in parts if part.scores is not None]
        labels = [part.labels for part in parts if part.labels is not None]
        together = replace(
            parts[0],
            labels=np.concatenate(labels) if labels else None,
            scores=np.concatenate(scores) if scores else None,
        )
        seen = answers_of(together, self.data.part(slice(outcome.seen)), self.interface)
        return replace(outcome, metric=metric, figure=self.measure(metric).figure(seen.completed(self.answers)))

    def is_known(self, outcome: CandidateOutcome, metric: str) -> bool:
        return outcome.seen == self.samples and (not self.has_figure(metric) or outcome.metric == metric)

    def extended(
        self, outcome: CandidateOutcome, outputs: Outputs, reals: Sequence[Any], compared: Any
    ) -> CandidateOutcome:
        """Add the outputs of the next samples to an outcome, and return the outcome.

        outputs: the outputs as raws.
        reals: the decoded scores and other outputs.
        compared: the scores in the form that determines the class.
        """
        classes = outputs.classes
        part = slice(outcome.seen, outcome.seen + len(classes))
        wrong = 0 if self.labels is None else int(np.sum(classes != self.labels[part]))
        error = float(mean_errors(reals, [tensor[part] for tensor in self.tensors]).sum()) if self.tensors else 0.0
        differ = int(np.sum(classes != self.classes[part]))
        margin = 0.0
        if self.margin_model is not None:
            margin = float(np.abs(self.margin_model.weighted_errors(compared, part)).sum())
        departed = missed = 0.0
        if self.is_regressor and self.scores is not None:
            departed = float(shares_of_variance(reals[0], self.scores[part], variances(self.scores)).sum())
        if self.targets is not None:
            missed = float(shares_of_variance(reals[0], self.targets[part], variances(self.targets)).sum())
        return CandidateOutcome(
            part.stop,
            outcome.differ + differ,
            outcome.wrong + wrong,
            outcome.error + error,
            outcome.margin + margin,
            departed=outcome.departed + departed,
            missed=outcome.missed + missed,
        )

    def loss(self, outcome: CandidateOutcome, metric: str) -> float:
        """A lower bound on a candidate's loss, which is exact once all samples have been seen. Infinite for a candidate
        without a program.

        For a metric with a figure, the loss is the loss of the figure (`Measure.loss`), or minus infinity if the
        outcome does not contain the figure. For the other metrics, it is the percentage of samples that differ
        (`disagreement`), the points of accuracy lost (`accuracy`), the mean absolute error of the outputs (`error`), or
        the percentage of samples whose class is expected to change (`margin`). `MarginModel` underestimates the latter
        if scores saturate, because most changed samples are then far from the border. The loss is therefore at least
        the lower bound that the number of changed samples implies (`least_share`).

        For a regressor, accuracy is R2 in percent, and the percentage of samples that differ is replaced by the mean
        squared difference, in percent of the variance of the outputs on reals. Without targets, the margin of a single
        number is still computed, since the number may be a decision.
        """
        if outcome.fault is not None:
            return float("inf")
        if self.has_figure(metric):
            return self.measure(metric).loss(outcome.figure) if outcome.metric == metric else float("-inf")
        if metric == "error":
            return outcome.error / self.samples
        if self.is_regressor and not (metric == "margin" and self.targets is None):
            worse = outcome.missed - self.missed if metric == "accuracy" else outcome.departed
            return 100.0 * worse / self.samples
        if metric == "margin":
            counted = 0.0 if self.is_regressor else 100.0 * least_share(outcome.differ, self.samples)
            return max(outcome.margin, counted)
        return 100.0 * (outcome.differ if metric == "disagreement" else outcome.wrong - self.wrong) / self.samples


def _order(outputs: Outputs) -> NDArray[np.int64]:
    if outputs.scores is None or outputs.scores.shape[1] < 2:
        return np.arange(len(outputs.classes))
    ordered = np.sort(outputs.scores, axis=1)
    return np.argsort(ordered[:, -1] - ordered[:, -2], kind="stable")
