"""The margins of a classifier: the differences of the two greatest scores of samples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals

NEAR_BORDER_PERCENT = 25.0
"""The percentage of the samples whose margins are within one standard deviation of the border."""

DEVIATIONS = 2.0
"""The number of standard deviations within which the number of changed samples agrees with its expectation."""


def least_share(changed: int, samples: int) -> float:
    """A lower bound on the expected share of changed samples: that of Wilson's score interval ("Probable Inference, the
    Law of Succession, and Statistical Inference", 1927) for `DEVIATIONS` standard deviations. It is 0 if no sample
    changed, and increases with `changed`.

    changed: the number of samples, of `samples`, whose class changed.
    """
    share, weight = changed / samples, DEVIATIONS**2 / samples
    return (share + weight / 2 - math.sqrt(weight * share * (1 - share) + weight**2 / 4)) / (1 + weight)


class MarginModel:
    """The margins between the two best classes of samples on reals, and the errors of a candidate's margins.

    To first order, the fraction of samples that change their class is a product of two factors. The first is the
    density of margins at the border. The second is half the mean absolute error of the margins near the border. The
    errors of many samples thus predict how many samples of other data will change. Shiftry instead counts the
    samples of the given data that change. This number is small and predicts the changes on other data less well.

    scores: reals of shape (samples, classes).
    margins: an array of shape (samples,).
    weights: an array of shape (samples,). The absolute errors, multiplied by these weights, add up to the percentage
        of samples that is expected to change.
    """

    def __init__(self, scores: Reals):
        self.classes = scores.shape[1]
        self.single = self.classes == 1
        ordered = np.argsort(scores, axis=1)
        self.best, self.second = ordered[:, -1], ordered[:, 0 if self.single else -2]
        self.margins = self._margins(scores, slice(None))
        near = float(np.percentile(np.abs(self.margins), NEAR_BORDER_PERCENT)) or 1.0
        kernel = np.sqrt(2 / np.pi) / near * np.exp(-0.5 * (self.margins / near) ** 2)
        self.weights = 100.0 / 2 * kernel / len(scores)

    def _margins(self, scores: Reals, part: slice) -> Reals:
        if self.single:
            return scores[:, 0]
        rows = np.arange(len(scores))
        return scores[rows, self.best[part]] - scores[rows, self.second[part]]

    def direction(self) -> Reals:
        """The derivative of each sample's margin with respect to its scores, of shape (samples, classes)."""
        direction = np.zeros((len(self.margins), self.classes))
        rows = np.arange(len(direction))
        direction[rows, self.best] = 1.0
        if not self.single:
            direction[rows, self.second] -= 1.0
        return direction

    def errors(self, scores: Reals, part: slice) -> Reals:
        return self._margins(scores, part) - self.margins[part]

    def weighted_errors(self, scores: Reals, part: slice) -> Reals:
        """The errors of the margins of the samples `part`, times the weights of the samples.

        scores: a candidate's scores for these samples.
        """
        return self.errors(scores, part) * self.weights[part]
