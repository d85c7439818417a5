"""The statistics of a choice: what a program loses on samples, what it may lose, and what that proves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.transforms.formats.evaluation.reference import Reference

CONFIDENCE = 0.95

FEW = 600
"""Samples below which a loss of half a point cannot be decided: none lost of 598 bounds the loss at 0.5 points."""


@dataclass(frozen=True)
class Loss:
    """The loss of a program on samples, compared with the model on reals.

    points: accuracy lost in percentage points, net; without labels the percentage of other answers; for numbers instead
    of classes 100 times the fall of R2. lost, gained: samples, 0 for numbers. samples: how many there are. counted:
    False for numbers.
    """

    points: float
    lost: int
    gained: int
    samples: int
    counted: bool = True

    def allowed(self, loss: float) -> bool:
        """True if no more than `loss` points are lost; among few samples one may be lost, unless `loss` is 0."""
        if not self.counted:
            return self.points <= loss
        most = max(loss * self.samples / 100, 1) if self.samples < FEW and loss > 0 else loss * self.samples / 100
        return self.lost - self.gained <= most

    @property
    def bound(self) -> float | None:
        """The points lost at most, with 95 % confidence, on data of the same kind; None for numbers."""
        return 100 * upper_bound(self.lost, self.samples) if self.counted else None


def upper_bound(count: int, samples: int) -> float:
    """The greatest plausible share of lost samples: Clopper and Pearson's one-sided exact bound.

    count: the number of lost samples among `samples`. Gained samples do not count, so the net loss is less.
    """
    if count >= samples:
        return 1.0
    low, high = count / samples, 1.0
    while high - low > 1e-6:
        share = (low + high) / 2
        low, high = (share, high) if _at_most(count, samples, share) > 1 - CONFIDENCE else (low, share)
    return high


def _at_most(count: int, samples: int, share: float) -> float:
    """The probability of at most `count` of `samples`, each of which counts with probability `share`."""
    logarithms = (
        math.lgamma(samples + 1)
        - math.lgamma(k + 1)
        - math.lgamma(samples - k + 1)
        + k * math.log(share)
        + (samples - k) * math.log1p(-share)
        for k in range(count + 1)
    )
    return sum(map(math.exp, logarithms))


def deciding_samples(loss: float) -> float:
    """The number of samples that prove a loss of at most `loss` points if none is lost; infinite for a loss of 0."""
    if loss <= 0:
        return math.inf
    return math.ceil(math.log(1 - CONFIDENCE) / math.log1p(-loss / 100)) if loss < 100 else 1


def loss_of_classes(reference: Reference, classes: NDArray[np.int64], mask: NDArray[np.bool_]) -> Loss:
    """The loss of predicted classes on the samples of a mask; classes and mask come in the order of the reference."""
    mask = mask[: len(classes)]
    exact = reference.classes[: len(classes)]
    right = exact if reference.labels is None else reference.labels[: len(classes)]
    lost = int(((exact == right) & (classes != right) & mask).sum())
    gained = int(((exact != right) & (classes == right) & mask).sum())
    samples = max(int(mask.sum()), 1)
    return Loss(100 * (lost - gained) / samples, lost, gained, samples)


def loss_of_numbers(exact: NDArray[np.float64], computed: NDArray[np.float64], mask: NDArray[np.bool_]) -> Loss:
    """The loss of outputs that are numbers: 100 times what R2 falls by where the model on reals is right.

    exact, computed: of shape (samples, outputs). The fall of R2 is the mean square of the error over the variance, each
    output counting alike, and so the relative increase of the squared error where the model explains nothing.
    """
    exact, computed = exact[mask], computed[mask]
    spread = exact.var(0)
    falls = ((computed - exact) ** 2).mean(0) / np.where(spread > 0, spread, 1.0)
    return Loss(100 * float(falls.mean()), 0, 0, int(mask.sum()), counted=False)
