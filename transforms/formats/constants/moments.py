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
        total, root = weights.sum(), np.sqrt(weights)[:, None]
        # Pixels at the edge of an image are always zero, and a product of a matrix and itself takes half the time of
        # others.
        used = reals.any(0) | rounded.any(0)
        mean, rooted = (weights @ rounded) / total, rounded[:, used] * root
        some = slice(None) if used.all() else np.ix_(used, used)

        def shrunk(left: Reals, mean_of_left: Reals) -> NDArray[np.float64]:
            of_means = mean_of_left[:, None] * mean
            moments = -of_means
            moments[some] += left.T @ rooted / total
            variances = np.diag(moments).copy()
            moments *= 1 - SHRINKAGE
            np.fill_diagonal(moments, np.diag(moments) + SHRINKAGE * variances)
            moments += of_means
            return snapped(moments)

        of_rounded = shrunk(rooted, mean)
        if reals is rounded:
            return Moments(of_rounded, of_rounded, axes)
        return Moments(of_rounded, shrunk(reals[:, used] * root, (weights @ reals) / total), axes)


def snapped(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The numbers, rounded to `BITS` bits of the greatest of them."""
    greatest = max(float(numbers.max(initial=0.0)), -float(numbers.min(initial=0.0)))
    unit = math.ldexp(1.0, math.frexp(greatest)[1] - BITS)
    units = numbers / unit
    np.rint(units, out=units)
    units *= unit
    return units
