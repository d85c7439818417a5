"""Errors of programs that compute numbers instead of a class: against targets, and against the program on reals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.evaluator.evaluator import Outputs
    from tinyml.runtime.model.data import Data


def is_regression(outputs: Outputs, data: Data) -> bool:
    """True if data have real targets, or a program computes a single number and no label."""
    alone = outputs.labels is None and outputs.scores is not None and outputs.scores.shape[1] == 1
    return data.targets is not None or alone


def variances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The variance of each column (samples, outputs), over the samples; 1 for a constant column."""
    found = values.var(0)
    return np.where(found > 0, found, 1.0)


def shares_of_variance(
    values: NDArray[np.float64], targets: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The squared error of each sample as a share of the targets' variance, the mean over all outputs: (samples,).

    Its mean over the samples is 1 - R2.
    """
    return ((values - targets) ** 2 / variance).mean(1)


@dataclass(frozen=True)
class RegressionErrors:
    """Errors against targets: mean absolute error, root of the mean squared error, and coefficient of determination.

    With several outputs each is the mean over the outputs; rmse is the root of the mean. r2 is 1 for exact values and 0
    for the mean of the targets; with constant targets their squares count as they are.
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
