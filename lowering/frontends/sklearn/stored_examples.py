"""Estimators that compare an input with stored points: k-means, nearest neighbours, and support vector machines.

The point p that is nearest to x has the greatest p x - |p|^2 / 2. One matrix product computes this number for all
points. The mean of the points is first subtracted from the points and from x, so that the numbers are small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.affine import affine
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.support_vectors import (
    KERNELS,
    KernelFunction,
    kernel_sums,
    pair_coefficients,
    votes,
)
from tinyml.lowering.frontends.sklearn.fitted import array, only

if TYPE_CHECKING:
    from numpy.typing import NDArray


FEWER_SAMPLES = (
    "fit it on fewer, such as the cluster_centers_ of a KMeans of each class; PCA makes them shorter; n_neighbors "
    "changes nothing"
)
"""Advice for a smaller model of neighbours."""


def _nearness(to: ModelBuilder, x: SSAValue, points: NDArray[Any]) -> SSAValue:
    """Emit the column p x - |p|^2 / 2 with one number per point p. Nearer points have greater numbers."""
    centre = points.mean(0)
    points = points - centre
    return affine(to, x, points, -points @ centre - (points**2).sum(1) / 2)


def k_means(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    centres = array(to, estimator, "cluster_centers_", 2)
    return to.reshape(_nearness(to, x, centres), (1, len(centres)))


def nearest_centroid(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit one score per class: p x - |p|^2 / 2 for the centroid p of the class. The nearest centroid has the
    greatest score.
    """
    only(to, estimator, "metric", "euclidean", instead="fit it with metric='euclidean'")
    only(to, estimator, "priors", "uniform", instead="fit it with priors='uniform', as is usual")
    centroids, priors = array(to, estimator, "centroids_", 2), array(to, estimator, "class_prior_")
    if not np.allclose(priors, priors[0]):
        raise to.error("priors that differ are not supported: fit it with priors='uniform', as is usual")
    return to.reshape(_nearness(to, x, centroids), (1, len(centroids)))


def _of_neighbours(estimator: Any, to: ModelBuilder, x: SSAValue, targets: NDArray[Any]) -> SSAValue:
    """Emit the mean target, 1 x M, of the nearest samples. Among equally near samples, those with the lowest
    indices are used.

    targets: the M targets of each training sample, of shape (samples, M).
    """
    only(to, estimator, "weights", "uniform", instead="fit it with weights='uniform'")
    only(to, estimator, "effective_metric_", "euclidean", instead="fit it with the metric 'euclidean'")
    samples, count = array(to, estimator, "_fit_X", 2), int(estimator.n_neighbors)
    to.stores(len(samples), "training samples", FEWER_SAMPLES)
    nearest = to.op(tdsl.TopKMaskOp, _nearness(to, x, samples), count)
    return to.reshape(affine(to, nearest, targets.T / count), (1, targets.shape[1]))


def neighbours_classifier(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the fraction of the nearest neighbours that belong to each class."""
    labels = array(to, estimator, "_y")
    if labels.ndim != 1 or np.ndim(estimator.classes_) != 1:
        raise to.error("it has several outputs: fit a classifier for each of them")
    return _of_neighbours(estimator, to, x, np.eye(len(estimator.classes_))[labels.astype(int)])


def neighbours_regressor(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    targets = array(to, estimator, "_y")
    return _of_neighbours(estimator, to, x, targets.reshape(len(targets), -1))


def kernel_of(estimator: Any, to: ModelBuilder) -> KernelFunction:
    """The kernel of a support vector machine. Raises `InputError` for a kernel that is a Python function."""
    only(to, estimator, "kernel", *KERNELS, instead="a kernel of your own is not part of the estimator")
    gamma = float(array(to, estimator, "_gamma"))
    return KernelFunction(estimator.kernel, gamma, float(estimator.coef0), int(estimator.degree))


def support_vector_classifier(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the votes of all classes or, for two classes, the decision function."""
    only(to, estimator, "break_ties", False, instead="fit it with break_ties=False, as is usual")
    vectors, coefficients = (array(to, estimator, name, 2) for name in ("support_vectors_", "dual_coef_"))
    sizes = array(to, estimator, "n_support_").astype(int).tolist()
    pairs = coefficients if len(sizes) == 2 else pair_coefficients(to, coefficients, sizes)
    decisions = kernel_sums(to, x, kernel_of(estimator, to), vectors, pairs, array(to, estimator, "intercept_"))
    return decisions if len(sizes) == 2 else votes(to, decisions, len(sizes))


def support_vector_regressor(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    vectors, coefficients = (array(to, estimator, name, 2) for name in ("support_vectors_", "dual_coef_"))
    return kernel_sums(to, x, kernel_of(estimator, to), vectors, coefficients, array(to, estimator, "intercept_"))
