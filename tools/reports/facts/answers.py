"""The answers of a classifier on reals and as compiled: the confusion matrix and misclassified samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CLASSES = 40
"""Maximum number of classes in a confusion table; larger ones are unreadable."""

SHOWN_ERRORS = 12
"""Maximum number of misclassified samples that are stored and drawn."""


def confusion(
    wanted: NDArray[np.int64], reals: NDArray[np.int64], formats: NDArray[np.int64], names: Sequence[str | int] | None
) -> dict[str, Any] | None:
    """The confusion matrices `float` and `compiled`: the counts of answers, with a row for each class and a column for
    each answer.

    wanted, reals, formats: class indices (samples,).
    names: the names of the classes; None for indices.

    Returns None if there are more than `MAX_CLASSES` classes.
    """
    classes = max(len(names or ()), 1 + max(int(part.max(initial=0)) for part in (wanted, reals, formats)))
    if classes > MAX_CLASSES:
        return None

    def counts(given: NDArray[np.int64]) -> list[list[int]]:
        return np.bincount(wanted * classes + given, minlength=classes**2).reshape(classes, classes).tolist()

    spelled = [*map(str, names or ()), *map(str, range(len(names or ()), classes))]
    return {"classes": spelled, "float": counts(reals), "compiled": counts(formats)}


def wrong_samples(
    wanted: NDArray[np.int64] | None, reals: NDArray[np.int64], formats: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The indices of at most `SHOWN_ERRORS` samples to show: first the samples whose answers on reals and in formats
    differ, then other misclassified samples, if the right classes are known.

    wanted: the index of the right class of each sample; None if unknown.
    reals, formats: the class indices that are computed on reals and in formats, (samples,).
    """
    differ = np.flatnonzero(reals != formats)
    wrong = np.array([], np.int64) if wanted is None else np.flatnonzero((formats != wanted) & (reals == formats))
    return np.concatenate([differ, wrong])[:SHOWN_ERRORS]
