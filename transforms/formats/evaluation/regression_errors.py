"""Errors of the numbers that a program computes, against targets or exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def variances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The variance of each column of an array (samples, outputs). It is 1 for a constant column."""
    found = values.var(0)
    return np.where(found > 0, found, 1.0)


def shares_of_variance(
    values: NDArray[np.float64], targets: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each sample, the mean over all outputs of the squared error divided by the variance of the output's
    targets. The mean of the result over the samples is 1 - R2.

    values, targets: the computed and the expected outputs, of shape (samples, outputs).
    variance: the variance of each output's targets.
    """
    return ((values - targets) ** 2 / variance).mean(1)


@dataclass(frozen=True)
class RegressionErrors:
    """Errors of computed numbers against targets.

    mae: the mean absolute error over all outputs.
    rmse: the root of the mean squared error over all outputs.
    r2: the coefficient of determination, averaged over the outputs. It is 1 for exact values and 0 if every value is
        the mean of the targets. For constant targets, it is computed with a variance of 1.
    """

    mae: float
    rmse: float
    r2: float

    @staticmethod
    def of(values: NDArray[np.float64], targets: NDArray[np.float64]) -> RegressionErrors:
        """The errors of values (samples, outputs) against targets of the same shape."""
        difference = values - targets
        shares = shares_of_variance(values, targets, variances(targets))
        return RegressionErrors(
            float(np.abs(difference).mean()), float(np.sqrt((difference**2).mean())), float(1 - shares.mean())
        )


def mean_errors(reals: Sequence[NDArray[Any]], exact: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """The mean absolute error of each sample's outputs, of shape (samples,). All outputs have equal weight.

    reals, exact: the computed and the exact outputs, at least one of each, of shape (samples, elements).
    """
    return np.mean([np.abs(mine - theirs).mean(1) for mine, theirs in zip(reals, exact, strict=True)], 0)
