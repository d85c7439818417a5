"""ProtoNN (Gupta et al.: ProtoNN: Compressed and Accurate kNN for Resource-scarce Devices, ICML 2017): learned
prototypes on a sparse projection of the features, each with a score for each class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tinyml.tools.models.classifier import GradientClassifier, Samples, Standard, check_density, check_int, check_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

ROUNDS = 5
"""The rounds of Lloyd's algorithm that place the first prototypes."""

MEDIAN_SCALE = 2.5
"""Gamma is this number over the median distance of a sample from a prototype (section 4 of the paper)."""

SAMPLES = 4000
"""The number of samples that place the first prototypes and determine gamma."""

VOTE = 3.0
"""The first score of a prototype for its class."""


class ProtoNNNetwork:
    """Scores from the distances of a projected sample `W x` to prototypes.

    parameters: W (projection, features), B (prototypes, projection), Z (prototypes, scores).
    """

    def __init__(self, samples: Samples, model: ProtoNN, random: np.random.Generator):
        width, count = model.projection, model.prototypes
        features = samples.x.shape[1]
        matrix = (random.standard_normal((width, features)) / np.sqrt(features)).astype(np.float32)
        seen = random.permutation(len(samples.x))[:SAMPLES]
        points, labels, weights = samples.x[seen] @ matrix.T, samples.labels[seen], samples.weights[seen]
        classes = max(2, samples.scores)
        # Every class gets its share of the prototypes, and the first classes what is left.
        of_classes = [count // classes + (label < count % classes) for label in range(classes)]
        places: list[Array] = []
        votes: list[int] = []
        for label, number in enumerate(of_classes):
            own = labels == label
            of_class = (points[own], weights[own]) if own.any() else (points, weights)
            if number:
                places.append(_centres(*of_class, number, random))
                votes += [label] * number
        B = np.concatenate(places)
        Z = np.full((count, classes), -VOTE / classes, np.float32)
        Z[np.arange(count), votes] += VOTE
        self.parameters = {"W": matrix, "B": B, "Z": Z if samples.scores > 1 else Z[:, 1:] - Z[:, :1]}
        median = float(np.median(np.sqrt(_squared_distances(points, B))))
        self.gamma = model.gamma if model.gamma is not None else MEDIAN_SCALE / median if median > 0 else 1.0
        self._kept: tuple[Array, ...] = ()

    def forward(self, x: Array, progress: float) -> Array:
        W, B, Z = (self.parameters[name] for name in "WBZ")
        point = x @ W.T
        near = np.exp(-(self.gamma**2) * _squared_distances(point, B))
        self._kept = x, point, near
        return near @ Z

    def backward(self, slope: Array) -> dict[str, Array]:
        _, B, Z = (self.parameters[name] for name in "WBZ")
        x, point, near = self._kept
        by_squared = -(self.gamma**2) * near * (slope @ Z.T)
        by_point = 2 * (by_squared.sum(1, keepdims=True) * point - by_squared @ B)
        by_prototype = 2 * (by_squared.sum(0)[:, None] * B - by_squared.T @ point)
        return {"W": by_point.T @ x, "B": by_prototype, "Z": near.T @ slope}


def _squared_distances(points: Array, prototypes: Array) -> Array:
    """Squared distances (points, prototypes)."""
    products = points @ prototypes.T
    squares = (points**2).sum(1)[:, None] - 2 * products + (prototypes**2).sum(1)
    return np.maximum(squares, 0.0)


def _centres(points: Array, weights: Array, count: int, random: np.random.Generator) -> Array:
    """The centres of clusters by Lloyd's algorithm, from random points; equal points are moved apart."""
    deviation = points.std() or 1.0
    centres = points[random.choice(len(points), count, replace=count > len(points))]
    centres = centres + 0.1 * deviation * random.standard_normal(centres.shape).astype(points.dtype)
    for _ in range(ROUNDS):
        nearest = _squared_distances(points, centres).argmin(1)
        for index in range(count):
            own = nearest == index
            if weights[own].sum() > 0:
                centres[index] = np.average(points[own], 0, weights[own])
    return centres


class ProtoNN(GradientClassifier):
    """Prototypes on a learned sparse projection of the features, for a few kilobytes of flash.

    The scores of a sample x are the sum over the prototypes b of `z exp(-gamma^2 |W x - b|^2)`, where z is the row of
    scores of the prototype. For two classes there is one score, which is positive for the second. The features are
    standardised for training; the fitted model takes them as they are.

    Parameters:

    * projection: the number of rows of W, the paper's d-hat.
    * prototypes: the number of prototypes, the paper's m.
    * gamma: the factor of the distance for training; None for 2.5 over the median distance of a projected sample from a
      prototype before training.
    * w_density: the fraction of the entries of W that may be nonzero. They are chosen by iterative hard thresholding.
    * epochs: the number of passes over the samples; with a `w_density` below 1, a third each without a limit on
      entries, with thresholding, and on the chosen entries.
    * batch_size: the samples of a step; "auto" for a 32nd of them, from 32 to 256.
    * learning_rate: the initial rate of Adam.
    * alpha: the factor of the squared norm of all parameters in the loss, halved.
    * random_state: a seed, a generator of numpy or None.

    Fitted attributes:

    * classes_: the labels.
    * W_ (projection, features): the projection of features as `fit` got them.
    * B_ (prototypes, projection), Z_ (prototypes, scores): the prototypes and their scores.
    * gamma_: the factor of the distance.
    """

    def __init__(
        self,
        projection: int = 10,
        prototypes: int = 40,
        *,
        gamma: float | None = None,
        w_density: float = 1.0,
        epochs: int = 100,
        batch_size: int | str = "auto",
        learning_rate: float = 0.03,
        alpha: float = 1e-6,
        random_state: Any = None,
    ):
        self.projection = projection
        self.prototypes = prototypes
        self.gamma = gamma
        self.w_density = w_density
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_int("projection", self.projection, 1)
        check_int("prototypes", self.prototypes, 1)
        check_density("w_density", self.w_density)
        if self.gamma is not None:
            check_real("gamma", self.gamma, above=0)

    def _densities(self) -> dict[str, float]:
        return {"W": self.w_density}

    def _network(self, samples: Samples, random: np.random.Generator) -> ProtoNNNetwork:
        return ProtoNNNetwork(samples, self, random)

    def _keep(self, network: Any, standard: Standard) -> None:
        W, B, Z = (network.parameters[name] for name in "WBZ")
        self.gamma_ = float(network.gamma)
        self.W_ = self._stored(standard.unscaled(W))
        self.B_, self.Z_ = self._stored(B + self.W_ @ standard.mean), self._stored(Z)

    def _scores(self, x: Array) -> Array:
        difference = (x @ self.W_.T)[:, None, :] - self.B_
        return np.exp(-(self.gamma_**2) * (difference**2).sum(2)) @ self.Z_

    @property
    def _numbers(self) -> tuple[Array, ...]:
        return self.W_, self.B_, self.Z_
