"""Training of a program's weights: gradients of a loss, the optimiser Adam, and selection of the best epoch by the
validation set.

Values are raws of the program's formats, or reals. For raws, the derivatives of ops on reals are evaluated at the
decoded raws (the straight-through estimator of Courbariaux et al. 2016). The gradient with respect to a saturated
result is zero, except where the result is the greatest real of its format and a training step would reduce it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.locations import error_at
from tinyml.dialects.tdsl.values import Arithmetic, Factored, HasValueInterface
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.runtime.evaluator.evaluator import argument_reals, encode_inputs, predict_function, samples_together
from tinyml.runtime.evaluator.gradients import Trace
from tinyml.runtime.training.weights import TrainedWeights

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TrainingTrace(Trace):
    """The recorded execution of a batch, for a training step.

    * function: the function of the program.
    * inputs: shape (samples, elements), raws of the program's format, or reals with `Reals`.
    * arithmetic: `Bits` or `Reals`.
    * trained: the constants with respect to which gradients are computed.
    * of_inputs: true to also compute gradients with respect to the inputs.

    Raises `InputError` for a program whose scores are sums in accumulators, because these are not numbers of a format.
    """

    def __init__(
        self,
        function: func.FuncOp,
        inputs: Array,
        arithmetic: Arithmetic,
        trained: Collection[tdsl.ConstOp],
        of_inputs: bool = False,
    ):
        self.trained, self.reals = frozenset(trained), Reals()
        # The argument of the function is the first value.
        self.varying: set[int] = {0} if of_inputs else set()
        self.scores = logits_of(function)
        if number_format(cast("TensorType[Attribute]", self.scores.type).element_type) is None:
            raise InputError("cannot be trained: its class is that of sums without a format, and it has no scores")
        super().__init__(function, inputs, arithmetic)

    def computed(self, op: Operation, operands: list[int], made: int) -> None:
        if op in self.trained or self.varying.intersection(operands):
            self.varying.add(made)
            super().computed(op, operands, made)

    @property
    def logits(self) -> Array:
        """The reals of the scores that `logits_of` returns, of shape (samples, scores)."""
        reals = self._reals(self.index[self.scores])
        return reals.reshape(len(reals), -1)

    def backward(self, slope: Array) -> dict[SSAValue, Array]:
        """The gradients of a loss with respect to the trained constants and, if requested, to the argument.

        The key is the SSA value of a constant or of the argument. The gradient with respect to a constant has the shape
        of the constant. The gradient with respect to the argument has an additional leading axis over the samples.

        slope: the gradient of the loss with respect to the scores.
        """
        gradients: dict[SSAValue, Array] = {}
        for value, by in self.by_values(slope):
            if isinstance(value.owner, tdsl.ConstOp):
                gradients[value] = by[0] + gradients[value] if value in gradients else by[0]
            elif value is self.bound[0]:
                gradients[value] = by
        return gradients

    def by_values(self, slope: Array) -> Iterator[tuple[SSAValue, Array]]:
        """Yield pairs (value, gradient) for the values on which the scores depend, in reverse order of computation.

        The gradient of the loss with respect to the value is per sample. For constants, it is summed over the samples.

        slope: the gradient of the loss with respect to the scores.
        """
        slopes = {self.index[self.scores]: slope.reshape(-1, *tdsl.shape_of(self.scores))}
        for op, operands, made in reversed(self.entries):
            if (by := slopes.pop(made, None)) is None:
                continue
            if isinstance(op, tdsl.ConstOp):
                yield self.bound[made], by
                continue
            if not isinstance(op, HasValueInterface):
                continue
            by = self._unlimited(made, by)
            yield self.bound[made], by
            derivatives = op.derivative(self.reals, [self._reals(index) for index in operands], self._reals(made), by)
            if derivatives is None:
                continue
            for index, derivative in zip(operands, derivatives, strict=True):
                if derivative is None or index not in self.varying:
                    continue
                part = _summed(derivative, len(self.values[index]))
                slopes[index] = slopes[index] + part if index in slopes else part
        if 0 in slopes:
            yield self.bound[0], self._unlimited(0, slopes[0])

    def _format(self, index: int) -> NumberFormat | None:
        """The format of value `index` if raws represent it; None for reals, indices and sums in an accumulator."""
        type = self.bound[index].type
        if self.arithmetic.machine is None or not isinstance(type, TensorType):
            return None
        return number_format(cast("TensorType[Attribute]", type).element_type)

    def _reals(self, index: int) -> Any:
        """The value `index` as reals or indices. Sums in an accumulator stay raws: no derivative needs them."""
        format, value = self._format(index), self.values[index]
        if format is None:
            return value
        # Scales per row refer to the axes of the constant, without the axis over the samples.
        return format.decode(value[0])[None] if len(value) == 1 else format.decode(value)

    def _unlimited(self, made: int, slope: Array) -> Array:
        """The gradient with respect to a result before the result is saturated to the range of its format.

        made: the index of the result in the trace.
        slope: the gradient with respect to the saturated result.

        Where the result is the least real of the format, the gradient is zero, as in a relu. Where it is the greatest
        real, only a gradient that would reduce the result is preserved.
        """
        format = self._format(made)
        if format is None:
            return slope
        low, high = format.ends()
        raws = self.values[made]
        return np.where((raws == low) | ((raws == high) & (slope < 0)), 0.0, slope)


def logits_of(function: func.FuncOp) -> SSAValue:
    """The value with the logits of a function: the first tensor that the function returns or, if it returns only a
    class, the scores from which the class is computed.

    If this tensor is the result of a softmax, or the sigmoid of a single score, the logits are the operand of the
    softmax or sigmoid. Raises `InputError` for a function that returns only a class, unless the class is the result of
    `tdsl.argmax` or `tdsl.sign`.
    """
    returned = cast(func.ReturnOp, function.body.block.last_op).arguments
    tensors = [value for value in returned if isinstance(value.type, TensorType)]
    tensors += [value.owner.input for value in returned if isinstance(value.owner, tdsl.ArgmaxOp | tdsl.SignOp)]
    if not tensors:
        raise error_at(function, "cannot be trained: its class is not the one with the greatest score")
    scores, last = tensors[0], tdsl.unreshaped(tensors[0]).owner
    alone = prod(tdsl.shape_of(scores)) == 1
    return last.operands[0] if isinstance(last, tdsl.SigmoidOp if alone else tdsl.SoftmaxOp) else scores


def _summed(derivative: Array | Factored, samples: int) -> Array:
    """The gradient `derivative` with respect to an operand as an array. If all samples share the operand, it is summed
    over the samples.
    """
    if isinstance(derivative, Factored):
        if samples > 1:
            return derivative.product
        slope, right = derivative.slope, derivative.right
        if len(right) == 1 or len(slope) == 1:
            return derivative.product.sum(0, keepdims=True)
        return np.tensordot(slope, right, ((0, 2), (0, 2)))[None]
    return derivative.sum(0, keepdims=True) if samples == 1 and len(derivative) > 1 else derivative


def by_class(logits: Array) -> Array:
    """Logits of shape (samples, classes), as the softmax requires them.

    If there is a single logit, which is positive for the second of two classes, a zero is prepended for the first
    class.
    """
    return logits if logits.shape[1] > 1 else np.concatenate([np.zeros_like(logits), logits], 1)


def cross_entropy(logits: Array, labels: Sequence[int] | Array, weights: Array | None = None) -> tuple[float, Array]:
    """The mean cross-entropy of the softmax of logits, and the gradient of this mean with respect to the logits.

    logits: shape (samples, classes), or (samples, 1) for the single logit of two classes (`by_class`).
    labels: the class index of each sample.
    weights: a factor for the cross-entropy of each sample, by default 1.

    The gradient has the shape of the logits.
    """
    outputs, logits = logits.shape[1], by_class(logits)
    shifted = logits - logits.max(1, keepdims=True)
    logarithms = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    labelled = np.arange(len(logits)), np.asarray(labels)
    slope = np.exp(logarithms)
    slope[labelled] -= 1.0
    losses = -logarithms[labelled]
    if weights is not None:
        losses, slope = weights * losses, weights[:, None] * slope
    return float(losses.mean()), slope[:, -outputs:] / len(logits)


Array: TypeAlias = "NDArray[Any]"

DECAYS = 0.9, 0.999
"""The decay rates of Adam's first and second moments (Kingma and Ba 2014)."""


@dataclass(frozen=True)
class Labelled:
    """Inputs with their correct classes.

    x: real inputs, of shape (samples, elements).
    y: the class index of each sample.
    """

    x: Array
    y: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TrainingSchedule:
    """The hyperparameters of a training.

    * epochs: the number of epochs.
    * rate: the initial learning rate of Adam, which decays to zero along half a cosine.
    * batch: the number of samples per step.
    * seed: the seed of the random order of samples and of `augment`.
    * augment: a function that randomly changes the inputs of a batch.
    """

    epochs: int
    rate: float = 1e-3
    batch: int = 32
    seed: int = 0
    augment: Callable[[Array, np.random.Generator], Array] | None = None


class Adam:
    """The optimiser of Kingma and Ba (2014). It updates the arrays of its variables in place.

    paces: for each variable, the factor by which its learning rate is multiplied.
    """

    def __init__(self, variables: Sequence[Array], paces: Sequence[float]):
        self.variables, self.paces = variables, paces
        self.moments = [(np.zeros_like(variable), np.zeros_like(variable)) for variable in variables]
        self.steps = 0

    def step(self, slopes: list[Array], rate: float) -> None:
        self.steps += 1
        first, second = (1 - decay**self.steps for decay in DECAYS)
        for variable, pace, slope, (mean, square) in zip(self.variables, self.paces, slopes, self.moments, strict=True):
            mean += (1 - DECAYS[0]) * (slope - mean)
            square += (1 - DECAYS[1]) * (slope * slope - square)
            variable -= pace * rate * (mean / first) / (np.sqrt(square / second) + 1e-8)


class Trainer:
    """A program and the training of its weights.

    arithmetic: a function that creates the arithmetic of a step. `Reals` trains in double precision, `Bits` in the
        program's formats.
    """

    def __init__(self, weights: TrainedWeights, arithmetic: Callable[[], Arithmetic]):
        self.weights, self.arithmetic = weights, arithmetic
        self.function = predict_function(weights.module)
        self.together = samples_together(self.function)

    def inputs(self, x: Array) -> Array:
        """Real inputs in the representation that the arithmetic requires: raws or reals."""
        if self.arithmetic().machine is not None:
            return encode_inputs(self.weights.module, x)
        return argument_reals(self.weights.module, x).astype(np.float64)

    def logits(self, x: Array) -> Array:
        """The reals of the scores, of shape (samples, classes).

        x: inputs as the method `inputs` returns them.
        """
        parts = [self.trace(x[start : start + self.together]).logits for start in range(0, len(x), self.together)]
        return np.concatenate(parts)

    def loss(self, data: Labelled) -> tuple[float, float]:
        """The mean cross-entropy on a data set, and the accuracy in percent."""
        logits = self.logits(self.inputs(data.x))
        return cross_entropy(logits, data.y)[0], 100 * float((by_class(logits).argmax(1) == data.y).mean())

    def derivatives(self, x: Array, y: Array) -> list[Array]:
        """The gradients of the mean cross-entropy with respect to the variables of the weights.

        x: inputs as the method `inputs` returns them.
        y: the class indices.
        """
        trace = self.trace(x)
        return self.weights.derivatives(trace.backward(cross_entropy(trace.logits, y)[1]))

    def fit(self, train: Labelled, val: Labelled, schedule: TrainingSchedule) -> None:
        """Train the weights on `train` by a schedule, and store the best weights in the program.

        The best weights are those with the least loss on the validation set `val` after an epoch or before the first
        epoch. An epoch is ignored if it classifies fewer samples of `val` correctly than the initial weights do.

        Raises `InputError` for a loss that is NaN.
        """
        random = np.random.default_rng(schedule.seed)
        adam = Adam(self.weights.variables, [weight.pace for weight in self.weights.weights])
        self.weights.write()
        augment = schedule.augment
        inputs = self.inputs(train.x if augment is None else train.x[:0])
        steps, step = schedule.epochs * -(-len(train.y) // schedule.batch), 0
        (least, right), best = self.loss(val), self.weights.state()
        for _ in range(schedule.epochs):
            order = random.permutation(len(train.y))
            for start in range(0, len(order), schedule.batch):
                chosen = order[start : start + schedule.batch]
                x = self.inputs(augment(train.x[chosen], random)) if augment is not None else inputs[chosen]
                rate = schedule.rate * (1 + np.cos(np.pi * step / steps)) / 2
                adam.step(self.derivatives(x, train.y[chosen]), rate)
                self.weights.write()
                step += 1
            loss, accuracy = self.loss(val)
            if not np.isfinite(loss):
                raise InputError("the loss is NaN: choose a smaller --rate")
            if loss < least and accuracy >= right:
                least, best = loss, self.weights.state()
        self.weights.restore(best)

    def trace(self, x: Array, of_inputs: bool = False) -> TrainingTrace:
        """The recorded execution of a batch.

        x: inputs as the method `inputs` returns them.
        of_inputs: true to also compute the gradient with respect to the inputs.
        """
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return TrainingTrace(self.function, x, self.arithmetic(), self.weights.constants, of_inputs)
