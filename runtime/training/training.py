"""The training loop: batches in random order, Adam, and the best epoch by the validation set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl.values import Arithmetic
from tinyml.runtime.evaluator.evaluator import argument_reals, encode_inputs, predict_function, samples_together
from tinyml.runtime.training.backward import TrainingTrace, cross_entropy
from tinyml.runtime.training.weights import TrainedWeights

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"

DECAYS = 0.9, 0.999
"""The parts of the moments of derivatives that Adam keeps in a step (Kingma and Ba 2014)."""


@dataclass(frozen=True)
class Labelled:
    """Inputs (samples, elements) on reals, and the index of each sample's class."""

    x: Array
    y: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TrainingSchedule:
    """The length of a training, and its steps.

    rate: the learning rate of Adam, which falls to zero along half a cosine. batch: samples in a step. augment: changes
    the inputs of a batch, by a random generator.
    """

    epochs: int
    rate: float = 1e-3
    batch: int = 32
    seed: int = 0
    augment: Callable[[Array, np.random.Generator], Array] | None = None


class Adam:
    """The optimiser of Kingma and Ba (2014); changes variables in place."""

    def __init__(self, variables: list[Array]):
        self.variables = variables
        self.moments = [(np.zeros_like(variable), np.zeros_like(variable)) for variable in variables]
        self.steps = 0

    def step(self, slopes: list[Array], rate: float) -> None:
        self.steps += 1
        first, second = (1 - decay**self.steps for decay in DECAYS)
        for variable, slope, (mean, square) in zip(self.variables, slopes, self.moments, strict=True):
            mean += (1 - DECAYS[0]) * (slope - mean)
            square += (1 - DECAYS[1]) * (slope * slope - square)
            variable -= rate * (mean / first) / (np.sqrt(square / second) + 1e-8)


class Trainer:
    """A program whose weights are trained.

    arithmetic: makes the arithmetic of a step; `Reals` trains in double precision, `Bits` with the program's formats.
    """

    def __init__(self, weights: TrainedWeights, arithmetic: Callable[[], Arithmetic]):
        self.weights, self.arithmetic = weights, arithmetic
        self.function = predict_function(weights.module)
        self.together = samples_together(self.function)

    def inputs(self, x: Array) -> Array:
        """Real inputs as the arithmetic takes them."""
        if self.arithmetic().machine is not None:
            return encode_inputs(self.weights.module, x)
        return argument_reals(self.weights.module, x).astype(np.float64)

    def logits(self, x: Array) -> Array:
        """The reals of the scores, of shape (samples, classes), for inputs as `inputs` makes them."""
        parts = [self.trace(x[start : start + self.together]).logits for start in range(0, len(x), self.together)]
        return np.concatenate(parts)

    def loss(self, data: Labelled) -> tuple[float, float]:
        """The mean cross-entropy and the accuracy in percent."""
        logits = self.logits(self.inputs(data.x))
        return cross_entropy(logits, data.y)[0], 100 * float((logits.argmax(1) == data.y).mean())

    def derivatives(self, x: Array, y: Array) -> list[Array]:
        """The derivatives of the mean cross-entropy by the weights' variables, for inputs as `inputs` makes them."""
        trace = self.trace(x)
        return self.weights.derivatives(trace.backward(cross_entropy(trace.logits, y)[1]))

    def fit(self, train: Labelled, val: Labelled, schedule: TrainingSchedule) -> None:
        """Train, and keep the weights of the epoch with the least loss on `val`, the start included.

        Raises `InputError` for a loss that is not a number.
        """
        random = np.random.default_rng(schedule.seed)
        adam = Adam(self.weights.variables)
        self.weights.write()
        augment = schedule.augment
        inputs = self.inputs(train.x if augment is None else train.x[:0])
        steps, step = schedule.epochs * -(-len(train.y) // schedule.batch), 0
        least, best = self.loss(val)[0], self.weights.state()
        for _ in range(schedule.epochs):
            order = random.permutation(len(train.y))
            for start in range(0, len(order), schedule.batch):
                chosen = order[start : start + schedule.batch]
                x = self.inputs(augment(train.x[chosen], random)) if augment is not None else inputs[chosen]
                rate = schedule.rate * (1 + np.cos(np.pi * step / steps)) / 2
                adam.step(self.derivatives(x, train.y[chosen]), rate)
                self.weights.write()
                step += 1
            loss = self.loss(val)[0]
            if not np.isfinite(loss):
                raise InputError("the loss is not a number: train with a smaller rate")
            if loss < least:
                least, best = loss, self.weights.state()
        self.weights.restore(best)

    def trace(self, x: Array, of_inputs: bool = False) -> TrainingTrace:
        """The execution of a batch of inputs, as `inputs` makes them; of_inputs: True to derive by these, too."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return TrainingTrace(self.function, x, self.arithmetic(), self.weights.trained, of_inputs)
