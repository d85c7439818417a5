"""The answers of a program to the samples of a data set, and the right answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.tdsl import ProgramInterface
    from tinyml.runtime.evaluator.evaluator import Outputs
    from tinyml.runtime.model.data import Data


@dataclass(frozen=True)
class Answers:
    """The answers of a program to samples, together with the right answers.

    classes: the predicted classes (samples,); None for a program without classes.
    scores: reals (samples, scores); None for a program without scores.
    labels: the right classes (samples,); None for data without labels.
    targets: the right numbers (samples, scores); None for data without targets.
    names: the names of the classes in order; None if they have no names.
    """

    classes: NDArray[np.int64] | None
    scores: NDArray[np.float64] | None
    labels: NDArray[np.int64] | None
    targets: NDArray[np.float64] | None = None
    names: Sequence[str | int] | None = None

    def completed(self, right: Answers) -> Answers:
        """Extend these answers to all samples. For the samples without an answer, the right answers are used.

        right: the right answers to all samples.
        """
        seen = len(right) - len(self)
        rest = slice(len(self), None)
        classes, scores = self.classes, self.scores
        if seen and classes is not None and right.labels is not None:
            classes = np.concatenate([classes, right.labels[rest]])
        if seen and scores is not None:
            scores = np.concatenate([scores, right.ideal_scores(rest)])
        return replace(right, classes=classes, scores=scores)

    def part(self, samples: NDArray[Any]) -> Answers:
        """The answers for a subset of the samples.

        samples: a mask or indices of the samples.
        """
        arrays = {name: getattr(self, name) for name in ("classes", "scores", "labels", "targets")}
        return replace(self, **{name: array if array is None else array[samples] for name, array in arrays.items()})

    def ideal_scores(self, part: slice) -> NDArray[np.float64]:
        """The best possible scores of some samples: the targets or, for a classifier, infinity for the right
        class and minus infinity for the others.
        """
        assert self.scores is not None
        if self.targets is not None:
            return self.targets[part]
        assert self.labels is not None
        columns = self.scores.shape[1]
        first = 1 if columns == 1 else 0
        own = np.equal(self.labels[part, None], np.arange(first, first + columns))
        return np.where(own, np.inf, -np.inf)

    def __len__(self) -> int:
        some = self.scores if self.classes is None else self.classes
        assert some is not None
        return len(some)


def is_regression(outputs: Outputs, data: Data) -> bool:
    """Whether outputs are compared as numbers. This is the case if the data have real targets, or if the program
    computes a single number and no label.
    """
    alone = outputs.labels is None and outputs.scores is not None and outputs.scores.shape[1] == 1
    return data.targets is not None or alone


def has_answers(outputs: Outputs, data: Data) -> bool:
    """Whether there are classes to compare. Outputs must not be compared as numbers (`is_regression`). In addition, the
    program must return a label, or the data must have labels to compare with the class of the greatest score.
    """
    return not is_regression(outputs, data) and (outputs.labels is not None or data.y is not None)


def labelled_anomalies(data: Data) -> NDArray[np.bool_] | None:
    """A mask of the samples that are labelled as anomalies by a negative target, of shape (samples,). None if the data
    have no targets.
    """
    return None if data.targets is None else data.targets[:, 0] < 0


def answers_of(outputs: Outputs, data: Data, interface: ProgramInterface) -> Answers:
    """The answers of a program to the samples of a data set, for metrics.

    For an anomaly detector and data with labels, class 1 is the anomaly. The score of class 1 is the negated score of
    the detector.

    outputs: the outputs as reals.
    """
    anomalous = labelled_anomalies(data)
    if interface.threshold is not None and anomalous is not None and outputs.scores is not None:
        return Answers(None, -outputs.scores, anomalous.astype(np.int64), names=("normal", "anomaly"))
    classes = outputs.classes if has_answers(outputs, data) else None
    return Answers(classes, outputs.scores, data.y, data.targets, interface.classes)
