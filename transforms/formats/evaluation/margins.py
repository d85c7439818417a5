"""How near samples are to the border between two classes, and how far the errors of their scores move them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals

NEAR = 25.0
"""Percent of the samples whose margins are within one standard deviation of the border."""


class Border:
    """How near samples are to the border between their two best classes on reals, and how far a candidate moves them.

    To first order, what part of all samples gets another class is the density of margins at the border, times half the
    mean absolute error of the margins nearby. So the errors of many samples say how many of other data will differ; the
    few that differ here, which Shiftry counts, say less of that.

    scores: reals of shape (samples, classes). weights: of the samples, so that the absolute errors add up to the
    percentage that is expected to differ.
    """

    def __init__(self, scores: Reals):
        import numpy as np

        self.classes = scores.shape[1]
        self.single = self.classes == 1
        ordered = np.argsort(scores, axis=1)
        self.best, self.second = ordered[:, -1], ordered[:, 0 if self.single else -2]
        self.margins = self._margins(scores, slice(None))
        near = float(np.percentile(np.abs(self.margins), NEAR)) or 1.0
        kernel = np.sqrt(2 / np.pi) / near * np.exp(-0.5 * (self.margins / near) ** 2)
        self.weights = 100.0 / 2 * kernel / len(scores)

    def _margins(self, scores: Reals, part: slice) -> Reals:
        import numpy as np

        if self.single:
            return scores[:, 0]
        rows = np.arange(len(scores))
        return scores[rows, self.best[part]] - scores[rows, self.second[part]]

    def direction(self) -> Reals:
        """By what each score counts in the margin of each sample, of shape (samples, classes)."""
        import numpy as np

        found = np.zeros((len(self.margins), self.classes))
        rows = np.arange(len(found))
        found[rows, self.best] = 1.0
        if not self.single:
            found[rows, self.second] -= 1.0
        return found

    def moved(self, scores: Reals, part: slice) -> Reals:
        """The errors of the margins of some samples."""
        return self._margins(scores, part) - self.margins[part]

    def errors(self, scores: Reals, part: slice) -> Reals:
        """The same times the weights of the samples."""
        return self.moved(scores, part) * self.weights[part]
