"""The loss of a program that computes numbers: the growth of the error of an output.

The outputs of the model itself differ from the targets in the validation set. The formats add a further error, which is
compared with the error of the model. Each output is compared separately, because each output has its own units. R²
would be misleading: a loss of half a point is negligible for a poor model, but many times the error of a well-fitted
calibration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

LEAST_ERROR = 0.003
"""The least error of a model, as a share of the deviation of an output's targets; an exact model would allow no
format.
"""

UNKNOWN_ERROR = 0.03
"""The assumed error of a model without targets, as a share of the deviation of an output: R2 is 0.999."""

MAX_SEPARATE_OUTPUTS = 8
"""The number of outputs up to which each has its own units; squares of more outputs, such as pixels, are added."""


@dataclass(frozen=True)
class OutputError:
    """The error of the output whose error grows most.

    number, outputs: the number of this output, from 1, and the number of compared outputs; 1 of 1 if all are compared
        together.
    exact: the mean absolute error of the model on reals; None without targets.
    computed: the mean absolute error of the program; None without targets.
    difference: the mean absolute difference between model and program.
    growth: the percentage by which the root of the mean squared error grows.
    bound: the upper bound of the growth with 95 % confidence.
    share: the fraction of the targets' standard deviation to which the growth relates, if the model's own error is
        smaller; None if the growth relates to the model's error.
    """

    number: int
    outputs: int
    exact: float | None
    computed: float | None
    difference: float
    growth: float
    bound: float
    share: float | None = None

    def __str__(self) -> str:
        """The mean absolute error as text, or the difference if errors are unknown."""
        of = f" of output {self.number}" if self.outputs > 1 else ""
        if self.computed is None:
            return f"differs by {self.difference:.4g}{of} on average"
        return f"MAE{of} {self.computed:.4g} instead of {self.exact:.4g}"

    @property
    def change(self) -> str:
        """The growth of the error, as text."""
        return f"the error grows by {self._percent(self.growth)}"

    @property
    def most(self) -> str:
        """The bound on the growth as text."""
        return f"at most {self._percent(self.bound)}"

    def _percent(self, growth: float) -> str:
        """Format a growth in percent: of the model's error or, if a share replaces this error, of the standard
        deviation.
        """
        if self.share is None:
            return f"{growth:.1f}%"
        added = 100 * self.share * ((1 + growth / 100) ** 2 - 1) ** 0.5
        return f"{added:.2f}% of the standard deviation"


def greatest_growth(
    exact: NDArray[np.float64],
    computed: NDArray[np.float64],
    targets: NDArray[np.float64] | None,
    margin: Callable[[NDArray[np.float64]], float] = lambda parts: 0.0,
) -> OutputError:
    """The error of the output whose error grows most. More than `MAX_SEPARATE_OUTPUTS` outputs are treated as a single
    output.

    The growth is the greater of the counted growth and the growth expected for errors that are independent of the
    model's errors.

    exact: the outputs on reals (samples, outputs).
    computed: the outputs of the program.
    targets: the target outputs; None if they are unknown.
    margin: a function that returns the distance from the mean of parts (samples,) to its bound, by default 0.
    """
    wanted = exact if targets is None else targets
    columns = (
        [(each,) for each in range(exact.shape[1])]
        if exact.shape[1] <= MAX_SEPARATE_OUTPUTS
        else [tuple(range(exact.shape[1]))]
    )
    share = UNKNOWN_ERROR if targets is None else LEAST_ERROR
    found: list[OutputError] = []
    for number, column in enumerate(columns, 1):
        model, program, right = (each[:, column] for each in (exact, computed, wanted))
        of_model, of_program, apart = (
            np.square(one - other).mean(1) for one, other in ((model, right), (program, right), (program, model))
        )
        base = max(own := float(of_model.mean()), share**2 * float(right.var(0).mean()))
        base = base or share**2 * float(np.square(model).mean()) or 1.0
        growth = bound = 0.0
        for parts in (apart, *(() if targets is None else (of_program - of_model,))):
            mean = float(parts.mean()) / base
            growth = max(growth, _growth(mean))
            bound = max(bound, _growth(mean + margin(parts) / base))
        errors = [None if targets is None else float(np.abs(each - right).mean()) for each in (model, program)]
        difference = float(np.abs(program - model).mean())
        counts = share if base > own else None
        found.append(OutputError(number, len(columns), errors[0], errors[1], difference, growth, bound, counts))
    return max(found, key=lambda error: error.growth)


def _growth(square: float) -> float:
    return 100 * (max(1 + square, 0.0) ** 0.5 - 1)
