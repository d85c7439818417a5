"""The effect of each tensor's rounding errors on a program's scores, and the formats that minimise this effect.

A margin is the difference of the two best scores. To first order, the error of a margin is a sum over the numbers of a
tensor: the error of each number times the derivative of the margin with respect to the number. Chebyshev's inequality
bounds the probability that an error changes the answer of a sample. The bound is the mean square of the error divided
by the square of the margin. The sum of these quotients, over samples and tensors, bounds the expected number of changed
answers. Outputs that are not class scores are measured in units of their standard deviations.

`format_assignment` lists all choices of a tensor's scale, of which this is the second.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import scf

from tinyml.dialects import tdsl
from tinyml.dialects.extensions import imported
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import Outputs, argument_reals, evaluate_reals
from tinyml.runtime.evaluator.gradients import Stored, tensor_slopes
from tinyml.transforms.formats.constants.input_moments import SHRINKAGE
from tinyml.transforms.formats.evaluation.margins import NEAR_BORDER_PERCENT, MarginModel
from tinyml.transforms.formats.evaluation.regression_errors import variances
from tinyml.transforms.ir.sums import rounded_sums, squared_distances

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import SSAValue

    from tinyml.dialects.formats.number_format import NumberFormat, Reals
    from tinyml.transforms.formats.assignment.tensor_classes import TensorClass

MIN_SAVED_SHARE = 0.02
"""The minimum share of the program's expected error that a format with more effort must save."""

NEGLIGIBLE_SHARE = 1e-4
"""The share of answers that may change for formats of less effort, over all tensors."""

RANGE_GAIN = 0.5
"""The share of a tensor's error that formats of greater range may leave; otherwise they are not worth their time."""

VANISHING = 0.01
"""The share of a tensor's numbers, except zeros, that may round to zero in a window of greater range."""

WIDE_OUTPUT = 2.0**10
"""The ratio of the standard deviation of an output to its small numbers above which each number counts by its relative
error.
"""

SMALL_PERCENT = 5.0
"""The percentile of an output's magnitudes that `WIDE_OUTPUT` compares."""

MAX_VALUES = 1 << 19
"""Maximum number of values, over all tensors, whose errors are computed for each format."""

MIN_SAMPLES, MAX_SAMPLES = 4, 512
"""The minimum and the maximum number of samples, evenly spread over the data, if there are as many."""

DIGITS = 6
"""Digits to which errors are rounded, so that a machine's order of additions has no effect."""

GOLDEN = (math.sqrt(5) - 1) / 2
"""A step that is not commensurate with the number of scores."""


class ScoreErrors:
    """The errors that the rounding of tensors causes in a program's margins, on some samples.

    module: a program on reals, which is not changed.
    inputs: of shape (samples, elements).
    class_of: the class of each tensor.
    are_numbers: whether the scores of a program without a label are numbers instead of class scores.
    stored: replaces the tensors that the ops read, as in `Trace`; by default, the program is exact.
    exact, carried: the tensors that `_without_rounding` returns.
    """

    def __init__(
        self,
        module: ModuleOp,
        inputs: Reals,
        class_of: Mapping[SSAValue, TensorClass],
        are_numbers: bool,
        stored: Stored = lambda _, tensor: tensor,
    ):
        self.module, self.inputs, self.class_of, self.are_numbers = module, inputs, class_of, are_numbers
        self.exact, self.carried = _without_rounding(module)
        self._stored = stored
        self._errors: dict[tuple[TensorClass, object], float] = {}
        values = self._observed(inputs[:1])
        if each := sum(pairs[0].size for pairs in values.values()):
            count = min(max(MAX_VALUES // each, MIN_SAMPLES), MAX_SAMPLES, len(inputs))
            spread = inputs[np.linspace(0, len(inputs) - 1, count).astype(int)]
            values = self._observed(spread)
        self._values = {
            tensors: pairs for tensors, pairs in values.items() if np.isfinite(pairs).all() and pairs[1].any()
        }

    def chosen(self, offered: Mapping[TensorClass, Sequence[NumberFormat]]) -> dict[TensorClass, NumberFormat]:
        """For each class, the offered format that is cheapest among those whose error is near the least error. Of
        equally cheap formats, it is the one with the least error.

        An error is near if it exceeds the least error of the class by at most the greater of two values:
        `MIN_SAVED_SHARE` times the sum of the least errors of all classes, and `NEGLIGIBLE_SHARE` divided by the number
        of classes. For a class that affects no score, the result is the first format.
        """
        errors = {
            tensors: [self.error(tensors, format) for format in formats]
            for tensors, formats in offered.items()
            if tensors in self._values
        }
        allowed = _allowed([min(each) for each in errors.values()])
        found = {tensors: formats[0] for tensors, formats in offered.items()}
        for tensors, each in errors.items():
            rated = zip(offered[tensors], each, strict=True)
            near = [(format, error) for format, error in rated if error <= min(each) + allowed]
            found[tensors], _ = min(near, key=lambda pair: (pair[0].effort, pair[1]))
        return found

    def in_range(
        self,
        offered: Mapping[TensorClass, Sequence[NumberFormat]],
        ranging: Mapping[TensorClass, Sequence[NumberFormat]],
    ) -> dict[TensorClass, Sequence[NumberFormat]]:
        """The formats among which `chosen` chooses for each tensor: those of `offered` or, where range counts, formats
        of `ranging` that take equal time.

        The fastest formats of `ranging` replace those of `offered` if their least error is less than `RANGE_GAIN` times
        that of the latter, and the difference is one for which `chosen` accepts more effort. Slower formats replace
        faster ones if more than `VANISHING` of the tensor's numbers round to zero in each of the faster formats of
        `ranging`, and the least error does not increase. Formats in which so many numbers round to zero are left out.

        offered, ranging: `NumberFormat.scalings` and `NumberFormat.ranging` of the tensors.
        """
        errors = {
            tensors: min(self.error(tensors, format) for format in formats)
            for tensors, formats in offered.items()
            if tensors in self._values
        }
        allowed = _allowed(errors.values())
        found = dict(offered)
        for tensors, least in errors.items():
            faster: Sequence[NumberFormat] = ()
            taken = least
            for effort in sorted({format.effort for format in ranging[tensors]}):
                slower = [format for format in ranging[tensors] if format.effort == effort]
                error = min(self.error(tensors, format) for format in slower)
                saves = not faster and error < RANGE_GAIN * least and least - error > allowed
                vanish = faster and not any(self._keeps(tensors, format) for format in faster)
                if saves or (vanish and error <= taken):
                    found[tensors] = [format for format in slower if self._keeps(tensors, format)] or slower
                    taken = error
                faster = slower
        return found

    def _keeps(self, tensors: TensorClass, format: NumberFormat) -> bool:
        """Whether at most `VANISHING` of the numbers of a class, except zeros, round to zero."""
        values, _ = self._values[tensors]
        numbers = values[values != 0]
        kept = np.count_nonzero(format.decode(format.encode_clipped(numbers)))
        return kept >= (1 - VANISHING) * numbers.size

    def error(self, tensors: TensorClass, format: NumberFormat) -> float:
        """The mean square of the errors that a format of a class causes in the margins. Correlations between errors
        within a sample are shrunk as in `Moments`. 0 for a class that affects no score.
        """
        if tensors not in self._values:
            return 0.0
        key = tensors, format.type
        if key not in self._errors:
            values, slopes = self._values[tensors]
            errors = (format.decode(format.encode_clipped(values)) - values) * slopes
            together, alone = float((errors.sum(1) ** 2).mean()), float((errors**2).sum(1).mean())
            self._errors[key] = float(f"{(1 - SHRINKAGE) * together + SHRINKAGE * alone:.{DIGITS - 1}e}")
        return self._errors[key]

    def fitted(
        self, offered: Mapping[TensorClass, Sequence[NumberFormat]], formats: Mapping[TensorClass, NumberFormat]
    ) -> Mapping[TensorClass, NumberFormat]:
        """`formats`, changed as `chosen` says. If the program has feedback, `feedback.refitted` repeats the choice."""
        first = {**formats, **self.chosen(offered)}
        refitted = imported("tinyml.transforms.formats.assignment.feedback:refitted") if self.has_feedback() else None
        return refitted(self, offered, first) if refitted else first

    def has_feedback(self) -> bool:
        """Whether a loop carries a rounded tensor, so that the errors of an iteration affect later iterations."""
        loops = [op for op in self.module.walk() if self._values and isinstance(op, scf.ForOp)]
        return any(
            value in self.class_of and value not in self.exact and tdsl.insertion_in(loop, position) is None
            for loop in loops
            for position, value in enumerate(loop.body.block.args[1:])
        )

    def direction(self, outputs: Outputs) -> NDArray[np.float64]:
        """For each sample, the weights with which the errors of the scores are added up, of shape (samples, scores).

        For class scores, the weighted sum is the error of the margin, divided by the margin; the divisor of small
        margins is limited from below. For other numbers, the weights have random signs, so that the expected square of
        the sum is the sum of the squares, and are divided by the standard deviations of the scores. The numbers of an
        output with small numbers far below its standard deviation (`WIDE_OUTPUT`) count by their relative errors.
        """
        scores = outputs.scores
        assert scores is not None
        if self.are_numbers and outputs.labels is None:
            signs = np.where(np.arange(scores.size) * GOLDEN % 1 < 0.5, 1.0, -1.0).reshape(scores.shape)
            return signs / _sizes(scores)
        model = MarginModel(scores)
        near = float(np.percentile(np.abs(model.margins), NEAR_BORDER_PERCENT)) or 1.0
        return model.direction() / np.hypot(model.margins, near)[:, None]

    def _observed(self, inputs: Reals) -> dict[TensorClass, NDArray[np.float64]]:
        """For each class, the values that are rounded, and the derivatives of the margins with respect to these values.
        Empty for a program without scores.

        Each array has the shape (2, samples, values of one sample). The first axis selects values or derivatives.
        """
        outputs = evaluate_reals(self.module, inputs)
        if outputs.scores is None:
            return {}
        direction = self.direction(outputs)
        chunks: list[dict[TensorClass, NDArray[np.float64]]] = []
        for found in tensor_slopes(self.module, argument_reals(self.module, inputs), direction, self._stored):
            parts: dict[TensorClass, list[NDArray[np.float64]]] = {}
            seen: set[SSAValue] = set()
            for value, values, slopes in found:
                tensors = self.class_of.get(value)
                # Of the sums that a loop carries only the last one is rounded; it comes first.
                if tensors is None or value in self.exact or (value in self.carried and value in seen):
                    continue
                seen.add(value)
                pair = np.stack([np.broadcast_to(values, slopes.shape), slopes])
                parts.setdefault(tensors, []).append(pair.reshape(*pair.shape[:2], -1))
            chunks.append({tensors: np.concatenate(pairs, 2) for tensors, pairs in parts.items()})
        everywhere = [tensors for tensors in chunks[0] if all(tensors in chunk for chunk in chunks)]
        return {tensors: np.concatenate([chunk[tensors] for chunk in chunks], 1) for tensors in everywhere}


def _allowed(errors: Collection[float]) -> float:
    """The error by which the format of one tensor may exceed the least, for a faster format.

    errors: the least error of each tensor.
    """
    return max(MIN_SAVED_SHARE * sum(errors), NEGLIGIBLE_SHARE / max(len(errors), 1))


def _sizes(scores: Reals) -> Reals:
    """The numbers by which the errors of scores are divided, broadcast to the scores, of shape (samples, scores)."""
    deviations, small = np.sqrt(variances(scores)), np.percentile(np.abs(scores), SMALL_PERCENT, axis=0)
    is_wide = (small > 0) & (deviations > WIDE_OUTPUT * small)
    return np.where(is_wide, np.hypot(scores, small), deviations)


def _without_rounding(module: ModuleOp) -> tuple[set[SSAValue], set[SSAValue]]:
    """Return two sets of tensors: parts of sums and distances, which are not rounded, and loop-carried sums, which are
    rounded only after the loop.
    """
    sums = list(rounded_sums(module))
    exact = {value for each in sums for value in (each.sum.carried, each.product.out)}
    exact |= {value for product, difference in squared_distances(module) for value in (difference.out, product.lhs)}
    return exact, {each.add.out for each in sums}
