"""The answers of a classifier on reals and as compiled: confusion, and the samples that came out wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CLASSES = 40
"""The most classes whose confusion is counted: a larger table shows nothing."""

SHOWN_ERRORS = 12
"""The most wrong samples that are kept and drawn."""


def confusion(
    wanted: NDArray[np.int64], reals: NDArray[np.int64], formats: NDArray[np.int64], names: Sequence[str | int] | None
) -> dict[str, Any] | None:
    """The counts of answers by class, `float` and `compiled`, with a row for each class and a column for each answer.

    wanted, reals, formats: class indices (samples,). names: of the classes; indices without them. None for more classes
    than are worth a table.
    """
    classes = max(len(names or ()), 1 + max(int(part.max(initial=0)) for part in (wanted, reals, formats)))
    if classes > MOST_CLASSES:
        return None

    def counts(given: NDArray[np.int64]) -> list[list[int]]:
        return np.bincount(wanted * classes + given, minlength=classes**2).reshape(classes, classes).tolist()

    spelled = [*map(str, names or ()), *map(str, range(len(names or ()), classes))]
    return {"classes": spelled, "float": counts(reals), "compiled": counts(formats)}


@dataclass(frozen=True)
class WrongAnswer:
    """A sample that came out wrong: its index, its input in the shape of the file, and class indices; wanted may be
    unknown."""

    sample: int
    x: NDArray[Any]
    wanted: int | None
    reals: int
    formats: int


def wrong_samples(
    wanted: NDArray[np.int64] | None, reals: NDArray[np.int64], formats: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The indices of the samples to show: those first that the compiled program answers otherwise than on reals."""
    differ = np.flatnonzero(reals != formats)
    wrong = np.array([], np.int64) if wanted is None else np.flatnonzero((formats != wanted) & (reals == formats))
    return np.concatenate([differ, wrong])[:SHOWN_ERRORS]


def wrong_answers(arrays: Mapping[str, NDArray[Any]]) -> list[WrongAnswer]:
    """The samples in an `errors.npz`: `sample`, `x`, `float`, `compiled` and, with labels, `y`."""
    wanted = arrays.get("y")
    return [
        WrongAnswer(
            int(sample),
            arrays["x"][i],
            None if wanted is None else int(wanted[i]),
            int(arrays["float"][i]),
            int(arrays["compiled"][i]),
        )
        for i, sample in enumerate(arrays["sample"])
    ]
