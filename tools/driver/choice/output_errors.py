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


def score_error(exact: NDArray[np.float64], rounded: NDArray[np.float64]) -> float:
    """The greatest difference between scores (samples, classes), as a share of their range on reals."""
    return float(np.abs(rounded - exact).max()) / (float(np.ptp(exact)) or 1.0)


@dataclass(frozen=True)
class OutputError:
    """The error of the output whose error grows most.

    number, outputs: the number of this output, from 1, and the number of compared outputs; 1 of 1 if all are compared
        together.
    exact: the root mean squared error of the model on reals; None without targets.
    computed: the root mean squared error of the program; None without targets.
    difference: the root mean squared difference between model and program.
    growth: the percentage by which the root of the mean squared error grows.
    bound: the upper bound of the growth with 95 % confidence.
    base: the error to which the growth relates, if the model's own error is smaller: a fixed share of the targets'
        standard deviation. None if the growth relates to the model's error.
    """

    number: int
    outputs: int
    exact: float | None
    computed: float | None
    difference: float
    growth: float
    bound: float
    base: float | None = None

    def __str__(self) -> str:
        """The root mean squared error as text, or the difference if errors are unknown."""
        of = f" of output {self.number}" if self.outputs > 1 else ""
        if self.computed is None:
            return f"RMS difference{of} {self.difference:.4g}"
        return f"RMSE{of} {self.computed:.4g} instead of {self.exact:.4g}"

    @property
    def change(self) -> str:
        """The growth of the error, as text, in the unit of the permitted growth."""
        counts = "" if self.base is None else f", which counts as {self.base:.4g},"
        return f"the error{counts} grows by {self.growth:.1f}%"

    @property
    def most(self) -> str:
        """The bound on the growth as text."""
        return f"at most {self.bound:.1f}%"


def greatest_growth(
    on_reals: NDArray[np.float64],
    in_formats: NDArray[np.float64],
    targets: NDArray[np.float64] | None,
    margin: Callable[[NDArray[np.float64]], float] = lambda parts: 0.0,
) -> OutputError:
    """The error of the output whose error grows most. More than `MAX_SEPARATE_OUTPUTS` outputs are treated as a single
    output.

    The growth is the greater of the counted growth and the growth expected for errors that are independent of the
    model's errors.

    on_reals: the outputs on reals (samples, outputs).
    in_formats: the outputs of the program.
    targets: the target outputs; None if they are unknown.
    margin: a function that returns the distance from the mean of parts (samples,) to its bound, by default 0.
    """
    wanted = on_reals if targets is None else targets
    columns = (
        [(each,) for each in range(on_reals.shape[1])]
        if on_reals.shape[1] <= MAX_SEPARATE_OUTPUTS
        else [tuple(range(on_reals.shape[1]))]
    )
    share = UNKNOWN_ERROR if targets is None else LEAST_ERROR
    found: list[OutputError] = []
    for number, column in enumerate(columns, 1):
        model, program, right = (each[:, column] for each in (on_reals, in_formats, wanted))
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
        exact, computed = (None if targets is None else float(each.mean()) ** 0.5 for each in (of_model, of_program))
        counts = base**0.5 if base > own else None
        difference = float(apart.mean()) ** 0.5
        found.append(OutputError(number, len(columns), exact, computed, difference, growth, bound, counts))
    return max(found, key=lambda error: error.growth)


def _growth(square: float) -> float:
    return 100 * (max(1 + square, 0.0) ** 0.5 - 1)
