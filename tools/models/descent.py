"""Training of small networks by stochastic gradient descent with iterative hard thresholding.

Bonsai and ProtoNN (Kumar et al., Gupta et al., ICML 2017) are trained in three phases of equal length: all parameters;
then, with regular thresholding, the parameters of greatest magnitude; then only those that remained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tinyml.runtime.training.training import Adam, cross_entropy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

THRESHOLD_STEPS = 10
"""The number of steps between two thresholdings in the second phase."""

SLOPE_NORM = 1.0
"""The greatest Euclidean norm of the gradient of a step: recurrent networks have rare steps with huge gradients."""


class Network(Protocol):
    """A differentiable model.

    parameters: the arrays that are trained, by name; they are changed in place.
    """

    parameters: dict[str, Array]

    def forward(self, x: Array, progress: float) -> Array:
        """The scores (samples, classes or 1) of a batch, kept for `backward`.

        progress: the fraction of the training that is over.
        """
        ...

    def backward(self, slope: Array) -> dict[str, Array]:
        """The gradient with respect to each parameter.

        slope: the gradient with respect to the scores of the last batch.
        """
        ...


@dataclass(frozen=True)
class Descent:
    """The hyperparameters of a training.

    * epochs: the number of passes over the samples.
    * batch: the number of samples of a step.
    * rate: the initial learning rate of Adam, which decays to zero along half a cosine.
    * decay: the factor of the squared norm of the parameters in the loss, halved.
    * densities: the fraction of entries that may be nonzero, by parameter; 1 for others.
    """

    epochs: int
    batch: int
    rate: float
    decay: float
    densities: Mapping[str, float]

    def counts(self, parameters: Mapping[str, Array]) -> dict[str, int]:
        """The number of entries that may be nonzero, for each parameter that is not dense."""
        return {
            name: max(1, round(density * parameters[name].size))
            for name, density in self.densities.items()
            if density < 1
        }


def descend(
    network: Network, x: Array, labels: Array, weights: Array, how: Descent, random: np.random.Generator
) -> None:
    """Minimise the mean cross-entropy of a network on weighted samples.

    x: samples (samples, features).
    labels: the class index of each sample.
    weights: a nonnegative weight for each sample, of mean 1.
    """
    parameters = network.parameters
    names = [*parameters]
    adam = Adam([parameters[name] for name in names], [1.0] * len(names))
    counts = how.counts(parameters)
    supports: dict[str, Array] = {}
    steps, step = how.epochs * -(-len(x) // how.batch), 0
    for _ in range(how.epochs):
        order = random.permutation(len(x))
        for start in range(0, len(x), how.batch):
            chosen = order[start : start + how.batch]
            progress = step / steps
            scores = network.forward(x[chosen], progress)
            slopes = network.backward(cross_entropy(scores, labels[chosen], weights[chosen])[1])
            for name in names:
                slopes[name] += how.decay * parameters[name]
            _limit(slopes)
            for name, support in supports.items():
                slopes[name] *= support
            adam.step([slopes[name] for name in names], how.rate * (1 + np.cos(np.pi * progress)) / 2)
            step += 1
            third = 3 * step / steps
            if third >= 2 and not supports:
                supports = {name: keep_largest(parameters[name], count) for name, count in counts.items()}
            elif 1 <= third < 2 and step % THRESHOLD_STEPS == 0:
                for name, count in counts.items():
                    # The number of entries falls steeply at first, while the learning rate is high.
                    left = (2 - third) ** 3
                    keep_largest(parameters[name], round(count + left * (parameters[name].size - count)))
            for name, support in supports.items():
                parameters[name] *= support


def _limit(slopes: dict[str, Array]) -> None:
    norm = float(np.sqrt(sum(float((slope * slope).sum()) for slope in slopes.values())))
    if norm > SLOPE_NORM:
        for slope in slopes.values():
            slope *= SLOPE_NORM / norm


def keep_largest(array: Array, count: int) -> Array:
    """Set all but the `count` entries of greatest magnitude to zero, in place. Of equal entries, the first remain.
    Return true for the entries that remain.
    """
    kept = np.zeros(array.size, np.bool_)
    kept[np.argsort(-np.abs(array), axis=None, kind="stable")[:count]] = True
    kept = kept.reshape(array.shape)
    array[~kept] = 0.0
    return kept
