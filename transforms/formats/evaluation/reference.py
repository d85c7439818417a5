"""The reference that losses are measured against: the program on reals, on a validation set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.evaluation.margins import MarginModel

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.evaluator.evaluator import Outputs
    from tinyml.runtime.model.data import Data

Metric: TypeAlias = Literal["disagreement", "accuracy", "error", "margin"]
METRICS: tuple[Metric, ...] = get_args(Metric)


@dataclass(frozen=True)
class CandidateOutcome:
    """The counts and errors of a candidate on the first `seen` samples.

    These are all samples, unless the candidate was abandoned as hopeless.

    differ: samples with another class than on reals. wrong: samples with another class than the label, 0 without
    labels. error: sum over the samples of the mean absolute error of the outputs (`mean_errors`). margin: percentage of
    all samples that are expected to differ, given the errors of the scores (`MarginModel`). Both are 0 without scores.
    fault: the reason why there is no program.
    """

    seen: int = 0
    differ: int = 0
    wrong: int = 0
    error: float = 0.0
    margin: float = 0.0
    fault: str | None = None


class Reference:
    """The program on reals and its results on a data set.

    order: the samples by ascending margin between the two greatest scores, so that bad candidates are recognised early;
    inputs, classes, labels, scores and tensors (the scores, then the other outputs) have this order.
    """

    def __init__(self, module: ModuleOp, data: Data):
        from tinyml.runtime.evaluator.evaluator import evaluate_reals

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

    def check(self, metric: str) -> Metric:
        """The metric of a name; raises `InputError` if unknown, or if data or program do not permit it."""
        for known in METRICS:
            if metric == known:
                if metric == "accuracy" and self.labels is None:
                    raise InputError("the metric 'accuracy' needs data with labels `y`")
                if metric in ("error", "margin") and self.scores is None:
                    raise InputError(f"the metric '{metric}' needs a program that returns scores")
                return known
        raise InputError(f"unknown metric '{metric}'; the metrics are {', '.join(METRICS)}")

    def extended(
        self, outcome: CandidateOutcome, outputs: Outputs, reals: Sequence[Any], compared: Any
    ) -> CandidateOutcome:
        """The outcome extended by the next samples.

        reals: their decoded scores and other outputs. compared: their scores in the form that determines the class.
        """
        classes = outputs.classes
        part = slice(outcome.seen, outcome.seen + len(classes))
        wrong = 0 if self.labels is None else int(np.sum(classes != self.labels[part]))
        error = float(mean_errors(reals, [tensor[part] for tensor in self.tensors]).sum()) if self.tensors else 0.0
        differ = int(np.sum(classes != self.classes[part]))
        margin = 0.0
        if self.margin_model is not None:
            margin = float(np.abs(self.margin_model.weighted_errors(compared, part)).sum())
        return CandidateOutcome(
            part.stop, outcome.differ + differ, outcome.wrong + wrong, outcome.error + error, outcome.margin + margin
        )

    def loss(self, outcome: CandidateOutcome, metric: Metric) -> float:
        """A lower bound on a candidate's loss, exact once all samples have been seen; infinite without a program.

        By metric: the percentage of samples that differ, points of accuracy, the mean absolute error of the outputs, or
        the percentage of samples expected to differ by their margins.
        """
        if outcome.fault is not None:
            return float("inf")
        if metric == "error":
            return outcome.error / self.samples
        if metric == "margin":
            return outcome.margin
        return 100.0 * (outcome.differ if metric == "disagreement" else outcome.wrong - self.wrong) / self.samples


def mean_errors(reals: Sequence[NDArray[Any]], exact: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """The mean absolute error of each sample's outputs, of shape (samples,); all outputs have equal weight.

    reals, exact: the outputs, at least one, each of shape (samples, elements).
    """
    return np.mean([np.abs(mine - theirs).mean(1) for mine, theirs in zip(reals, exact, strict=True)], 0)


def _order(outputs: Outputs) -> NDArray[np.int64]:
    if outputs.scores is None or outputs.scores.shape[1] < 2:
        return np.arange(len(outputs.classes))
    ordered = np.sort(outputs.scores, axis=1)
    return np.argsort(ordered[:, -1] - ordered[:, -2], kind="stable")
