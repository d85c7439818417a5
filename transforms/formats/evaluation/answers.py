"""The answers of a program to a data set, together with the right answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Answers:
    """The answers of a program to samples, together with the right answers.

    classes: the predicted classes (samples,); None for a program without classes. scores: reals (samples, scores), or
    None. labels: the right classes (samples,), or None. targets: the right numbers (samples, scores), or None. names:
    the names of the classes in order, or None.
    """

    classes: NDArray[np.int64] | None
    scores: NDArray[np.float64] | None
    labels: NDArray[np.int64] | None
    targets: NDArray[np.float64] | None = None
    names: Sequence[str | int] | None = None

    def completed(self, right: Answers) -> Answers:
        """Extend these answers to all samples: the right answers are used for the remaining samples.

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
        """The answers to some samples, selected by a mask or by indices."""
        arrays = {name: getattr(self, name) for name in ("classes", "scores", "labels", "targets")}
        return replace(self, **{name: array if array is None else array[samples] for name, array in arrays.items()})

    def ideal_scores(self, part: slice) -> NDArray[np.float64]:
        """The best possible scores of some samples: the targets or, for a classifier, infinity for the right class and
        minus infinity otherwise.
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
