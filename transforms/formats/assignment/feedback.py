"""Scales by the errors of the scores in programs with feedback: the choice is repeated along the rounded program.

`ScoreErrors` considers the values that the exact program computes. If a loop carries rounded tensors, its errors
accumulate, and the rounded program computes other values: the gate of a recurrent network, for example, is often
rounded to exactly 1, and the state then never changes. Each pass of this module observes the values, and the
derivatives of the scores, along the program whose tensors are rounded to the formats of the previous pass.

The passes do not converge in general. Each pass is therefore evaluated by the errors that its formats cause together in
the scores of the rounded program. Constants stay real: they are rounded later, so that their errors cancel.

`format_assignment` lists all choices of a tensor's scale, of which this is the second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.arithmetics import Reals as RealArithmetic
from tinyml.runtime.evaluator.evaluator import (
    Outputs,
    argument_reals,
    evaluate_reals,
    predict_function,
    samples_together,
)
from tinyml.runtime.evaluator.gradients import Trace
from tinyml.transforms.formats.assignment.score_errors import ScoreErrors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects import func
    from xdsl.ir import SSAValue

    from tinyml.dialects.formats.number_format import NumberFormat, Reals
    from tinyml.transforms.formats.assignment.tensor_classes import TensorClass

MAX_PASSES = 3
"""The maximum number of passes along the rounded program. Each takes about as long as the first choice."""

MIN_STANDARD_ERRORS = 2.0
"""A pass may replace the first choice if the mean squared error falls by more than this many standard errors."""

NEGLIGIBLE_SHARE = 1e-4
"""There are no further passes if the first choice is expected to change at most this share of the answers."""

MAX_SAMPLES = 2048
"""The maximum number of samples, evenly spread over the data, on which passes are evaluated."""


def refitted(
    errors: ScoreErrors,
    offered: Mapping[TensorClass, Sequence[NumberFormat]],
    formats: Mapping[TensorClass, NumberFormat],
) -> dict[TensorClass, NumberFormat]:
    """The formats of the pass with the least mean square of the scores' errors, among the passes that lower the mean by
    more than `MIN_STANDARD_ERRORS` standard errors; `formats` if there is none, or if their errors are negligible.

    The standard error is that of the paired differences between the squared errors of the samples.

    errors: the estimator of the first choice.
    offered: the formats among which each pass chooses.
    formats: the formats of all classes, as first chosen.
    """
    tried = [dict(formats)]
    scores = _rounded_scores(errors)
    first = scores.squared_errors(formats)
    if first.mean() <= NEGLIGIBLE_SHARE:
        return tried[0]
    for _ in range(MAX_PASSES):
        along = ScoreErrors(
            errors.module, errors.inputs, errors.class_of, errors.are_numbers, _rounding(errors, tried[-1])
        )
        further = {**formats, **along.chosen(offered)}
        if further in tried:
            break
        tried.append(further)
    others = map(scores.squared_errors, tried[1:])
    better = [(float(squares.mean()), index) for index, squares in enumerate(others, 1) if _is_better(squares, first)]
    return tried[min(better, default=(0.0, 0))[1]]


def _is_better(squares: NDArray[np.float64], first: NDArray[np.float64]) -> bool:
    """Whether the squared errors of at least two samples are significantly smaller than those of the first choice,
    `first`.
    """
    saved = first - squares
    return len(saved) > 1 and bool(saved.mean() > MIN_STANDARD_ERRORS * saved.std(ddof=1) / math.sqrt(len(saved)))


def _rounding(errors: ScoreErrors, formats: Mapping[TensorClass, NumberFormat]) -> Callable[[SSAValue, Reals], Reals]:
    unrounded = errors.exact | errors.carried

    def stored(value: SSAValue, reals: Reals) -> Reals:
        tensors = errors.class_of.get(value)
        if tensors is None or tensors.is_constant or value in unrounded:
            return reals
        return formats[tensors].decode(formats[tensors].encode_clipped(reals))

    return stored


@lru_cache(maxsize=1)
def _rounded_scores(errors: ScoreErrors) -> _RoundedScores:
    """The rounded program for an estimator. It is kept, because a search fits the formats of many candidates."""
    return _RoundedScores(errors)


class _RoundedScores:
    """The errors that formats cause together in the scores of the rounded program, on evenly spread samples."""

    def __init__(self, errors: ScoreErrors):
        self.errors = errors
        count = min(len(errors.inputs), MAX_SAMPLES)
        inputs = errors.inputs[np.linspace(0, len(errors.inputs) - 1, count).astype(int)]
        outputs = evaluate_reals(errors.module, inputs)
        assert outputs.scores is not None
        self.exact, self.direction = outputs.scores, errors.direction(outputs)
        self.reals = argument_reals(errors.module, inputs).astype(np.float64)

    def squared_errors(self, formats: Mapping[TensorClass, NumberFormat]) -> NDArray[np.float64]:
        """For each sample, the square of the error of the scores, with the weights of `ScoreErrors.direction`.

        formats: the format of each class.
        """
        function, stored = predict_function(self.errors.module), _rounding(self.errors, formats)
        returned = cast("func.ReturnOp", function.body.block.last_op).operands
        chunk = samples_together(function)
        parts: list[Reals] = []
        for some in (self.reals[start : start + chunk] for start in range(0, len(self.reals), chunk)):
            trace = Trace(function, some, RealArithmetic(), stored)
            scores = Outputs.of(returned, [trace.values[trace.index[value]] for value in returned], len(some)).scores
            assert scores is not None
            parts.append(scores)
        return ((np.concatenate(parts) - self.exact) * self.direction).sum(1) ** 2
