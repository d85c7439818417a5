"""Second moments of the vectors by which the rows of a constant are multiplied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals

SHRINKAGE = 0.1
"""The share by which correlations are shrunk: those of a few samples are partly chance (Ledoit and Wolf, 2004)."""

BITS = 40
"""The bits of the greatest moment to which all are rounded, so that a machine's order of additions is immaterial."""


@dataclass
class Moments:
    """Second moments of an input vector x and its rounded values y; each of shape (length, length).

    axes: the axes of the constant along which its products are summed. rounded: E[y y^T]. crossed: E[x y^T]. further:
    the moments of further groups of rows, of equal size, whose inputs differ from those of the first.
    """

    rounded: NDArray[np.float64]
    crossed: NDArray[np.float64]
    axes: tuple[int, ...] = (-1,)
    further: Sequence[Moments] = ()

    @staticmethod
    def of(reals: Reals, rounded: Reals, weights: Reals, axes: tuple[int, ...] = (-1,)) -> Moments:
        """The moments of weighted samples of shape (samples, length), with covariances shrunk towards the diagonal."""
        total = weights.sum()
        means = [(weights @ samples) / total for samples in (reals, rounded)]
        # Pixels at the edge of an image are always zero, and a product of a matrix and itself takes half the time of
        # others.
        used = reals.any(0) | rounded.any(0)
        rooted = [samples[:, used] * np.sqrt(weights)[:, None] for samples in (reals, rounded)]

        def shrunk(left: Reals, mean: Reals) -> NDArray[np.float64]:
            of_means = mean[:, None] * means[1]
            covariance = -of_means
            covariance[np.ix_(used, used)] += left.T @ rooted[1] / total
            return snapped((1 - SHRINKAGE) * covariance + np.diag(SHRINKAGE * np.diag(covariance)) + of_means)

        of_rounded = shrunk(rooted[1], means[1])
        return Moments(of_rounded, of_rounded if reals is rounded else shrunk(rooted[0], means[0]), axes)


def snapped(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The numbers, rounded to `BITS` bits of the greatest of them."""
    unit = math.ldexp(1.0, math.frexp(float(np.abs(numbers).max(initial=0.0)))[1] - BITS)
    return np.rint(numbers / unit) * unit
