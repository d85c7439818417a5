"""Bonsai: a shallow tree on a sparse projection of the features, in which each node on a sample's path adds to the
scores (Kumar, Goyal and Varma: Resource-efficient Machine Learning in 2 KB RAM for the Internet of Things, ICML 2017).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tinyml.tools.models.classifier import GradientClassifier, Samples, Standard, check_density, check_int, check_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

SHARPEST = 1000.0
"""The factor by which decisions become sharper until the last third of the training, which takes hard decisions."""


class BonsaiNetwork:
    """A tree of full depth on standardised features, whose decisions are soft during the first two thirds of training.

    The children of node k are 2k + 1, taken if `T[k] z >= 0`, and 2k + 2. `z = Z (x, 1)` is the projection of a sample.

    parameters: Z (projection, features + 1), W and V (nodes, scores, projection), T (inner nodes, projection).
    """

    def __init__(self, features: int, scores: int, model: Bonsai, random: np.random.Generator):
        self.sigma = model.sigma
        width, inner = model.projection, 2**model.depth - 1
        nodes = 2 * inner + 1
        shapes = {
            "Z": (width, features + 1),
            "W": (nodes, scores, width),
            "V": (nodes, scores, width),
            "T": (inner, width),
        }
        self.parameters = {
            name: (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)
            for name, shape in shapes.items()
        }
        self._kept: tuple[Array, ...] = ()

    def forward(self, x: Array, progress: float) -> Array:
        Z, W, V, T = (self.parameters[name] for name in "ZWVT")
        width = Z.shape[0]
        ones = np.concatenate([x, np.ones_like(x[:, :1])], 1)
        z = ones @ Z.T
        linear = (z @ W.reshape(-1, width).T).reshape(len(x), *W.shape[:2])
        bounded = np.tanh(self.sigma * (z @ V.reshape(-1, width).T)).reshape(linear.shape)
        hard = 3 * progress >= 2
        sharpness = SHARPEST ** min(1.0, 1.5 * progress)
        decisions = np.sign(z @ T.T) if hard else np.tanh(sharpness * (z @ T.T))
        if hard:
            decisions[decisions == 0] = 1.0
        first = (1 + decisions) / 2
        paths = np.ones((len(x), len(W)), x.dtype)
        for node in range(len(T)):
            paths[:, 2 * node + 1] = paths[:, node] * first[:, node]
            paths[:, 2 * node + 2] = paths[:, node] * (1 - first[:, node])
        # The derivative of a decision; hard decisions do not change.
        steepness = np.zeros_like(first) if hard else sharpness / 2 * (1 - decisions**2)
        self._kept = ones, z, linear, bounded, paths, first, steepness
        return np.einsum("nk,nkl->nl", paths, linear * bounded)

    def backward(self, slope: Array) -> dict[str, Array]:
        Z, W, V, T = (self.parameters[name] for name in "ZWVT")
        width = Z.shape[0]
        ones, z, linear, bounded, paths, first, steepness = self._kept
        by_score = paths[:, :, None] * slope[:, None, :]
        by_linear = (by_score * bounded).reshape(len(z), -1)
        by_bounded = (self.sigma * by_score * linear * (1 - bounded**2)).reshape(len(z), -1)
        by_path = ((linear * bounded) @ slope[:, :, None])[:, :, 0]
        by_decision = np.zeros_like(first)
        for node in reversed(range(len(T))):
            left, right = by_path[:, 2 * node + 1], by_path[:, 2 * node + 2]
            by_path[:, node] += left * first[:, node] + right * (1 - first[:, node])
            by_decision[:, node] = paths[:, node] * (left - right) * steepness[:, node]
        by_z = by_linear @ W.reshape(-1, width) + by_bounded @ V.reshape(-1, width) + by_decision @ T
        return {
            "Z": by_z.T @ ones,
            "W": (by_linear.T @ z).reshape(W.shape),
            "V": (by_bounded.T @ z).reshape(V.shape),
            "T": by_decision.T @ z,
        }


class Bonsai(GradientClassifier):
    """A shallow tree on a learned sparse projection of the features, for a few kilobytes of flash.

    A sample x is projected, `z = Z x + offset`. It takes a path from the root to a leaf, which the signs of `theta z`
    choose. Each node on the path adds `(W z) tanh(sigma V z)` to the scores of the classes. For two classes there is
    one score, which is positive for the second. The features are standardised for training; the fitted model takes them
    as they are.

    Parameters:

    * projection: the number of rows of Z, the paper's D-hat.
    * depth: the depth of the tree, which has 2^(depth + 1) - 1 nodes; 0 for the root alone.
    * sigma: the factor in the hyperbolic tangent.
    * z_density, wv_density: the fraction of the entries of Z, and of W and V, that may be nonzero. They are chosen by
      iterative hard thresholding.
    * epochs: the number of passes over the samples; a third each without limits on entries, with thresholding, and on
      the chosen entries.
    * batch_size: the samples of a step; "auto" for a 32nd of them, from 32 to 256.
    * learning_rate: the initial rate of Adam.
    * alpha: the factor of the squared norm of all parameters in the loss, halved.
    * random_state: a seed, a generator of numpy or None.

    Fitted attributes:

    * classes_: the labels.
    * Z_ (projection, features), offset_ (projection): the projection of features as `fit` got them.
    * W_, V_ (nodes, scores, projection), theta_ (inner nodes, projection): the children of node k are 2k + 1, taken if
      `theta_[k] z >= 0`, and 2k + 2.
    """

    def __init__(
        self,
        projection: int = 10,
        depth: int = 2,
        *,
        sigma: float = 1.0,
        z_density: float = 1.0,
        wv_density: float = 1.0,
        epochs: int = 100,
        batch_size: int | str = "auto",
        learning_rate: float = 0.03,
        alpha: float = 2e-4,
        random_state: Any = None,
    ):
        self.projection = projection
        self.depth = depth
        self.sigma = sigma
        self.z_density = z_density
        self.wv_density = wv_density
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_int("projection", self.projection, 1)
        check_int("depth", self.depth, 0)
        check_real("sigma", self.sigma, above=0)
        check_density("z_density", self.z_density)
        check_density("wv_density", self.wv_density)

    def _densities(self) -> dict[str, float]:
        return {"Z": self.z_density, "W": self.wv_density, "V": self.wv_density}

    def _network(self, samples: Samples, random: np.random.Generator) -> BonsaiNetwork:
        return BonsaiNetwork(samples.x.shape[1], samples.scores, self, random)

    def _keep(self, network: Any, standard: Standard) -> None:
        Z, W, V, T = (network.parameters[name] for name in "ZWVT")
        self.Z_ = self._stored(standard.unscaled(Z[:, :-1]))
        self.offset_ = self._stored(Z[:, -1] - self.Z_ @ standard.mean)
        self.W_, self.V_, self.theta_ = self._stored(W), self._stored(V), self._stored(T)

    def _scores(self, x: Array) -> Array:
        z = x @ self.Z_.T + self.offset_
        node, scores = np.zeros(len(x), np.intp), np.zeros((len(x), self.W_.shape[1]))
        for level in range(self.depth + 1):
            linear, bounded = (np.einsum("nlz,nz->nl", matrices[node], z) for matrices in (self.W_, self.V_))
            scores += linear * np.tanh(self.sigma * bounded)
            if level < self.depth:
                node = np.where(np.einsum("nz,nz->n", self.theta_[node], z) >= 0, 2 * node + 1, 2 * node + 2)
        return scores

    @property
    def _numbers(self) -> tuple[Array, ...]:
        return self.Z_, self.offset_, self.W_, self.V_, self.theta_
