"""Anomaly detectors: isolation forests, one-class support vector machines, elliptic envelopes, and local outlier
factors.

A detector computes the score of `score_samples`, which is greater for more normal samples. A sample with a score below
the threshold, by default `offset_`, is an anomaly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.affine import affine
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals
from tinyml.lowering.frontends.layers.support_vectors import kernel_sums, limited_products
from tinyml.lowering.frontends.layers.tree_ensembles import Tree, forest
from tinyml.lowering.frontends.sklearn.fitted import array, fitted_attribute, only
from tinyml.lowering.frontends.sklearn.scaling import shifted
from tinyml.lowering.frontends.sklearn.stored_examples import kernel_of
from tinyml.lowering.frontends.sklearn.trees import tree_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

MIN_DISTANCE = 1e-3
"""The least distance of a neighbour, as a fraction of the median; formats do not resolve roots of smaller ones."""


def path_lengths(tree: Any) -> Array:
    """The length of the path to each node of a tree of scikit-learn, of shape (nodes,).

    A path to a leaf with n samples is lengthened by the mean path length that would isolate these samples: c(n) = 2
    H(n - 1) - 2 (n - 1) / n (Liu, Ting and Zhou, "Isolation Forest", 2008, section 2, with scikit-learn's
    approximation of the harmonic number H).
    """
    depths = np.zeros(tree.node_count)
    # Parents come before their children.
    for node, (first, second) in enumerate(zip(tree.children_left.tolist(), tree.children_right.tolist(), strict=True)):
        if first >= 0:
            depths[[first, second]] = depths[node] + 1
    return depths + average_path_length(tree.n_node_samples)


def average_path_length(samples: Array) -> Array:
    """For each n in `samples`, the mean path length c(n) of a tree that isolates each of n samples."""
    many = np.maximum(np.asarray(samples, np.float64), 3.0)
    lengths = 2 * (np.log(many - 1) + np.euler_gamma) - 2 * (many - 1) / many
    return np.where(samples > 2, lengths, np.asarray(samples) == 2)


def isolation_forest(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the isolation forest score -2^(-mean path length / c(samples of a tree)) as a forest and one exponential."""
    estimators = fitted_attribute(to, estimator, "estimators_")
    usual = len(estimators) * float(average_path_length(np.array(estimator.max_samples_)))
    if usual == 0:
        raise to.error("its trees were fitted on one sample each: fit it with max_samples of 2 or more")
    trees: list[Tree] = []
    for member, columns in zip(estimators, estimator.estimators_features_, strict=True):
        trees.append(
            tree_of(estimator, member, -math.log(2) / usual * path_lengths(member.tree_).reshape(-1, 1), columns)
        )
    nodes = sum(int((tree.first >= 0).sum()) for tree in trees)
    stored = tdsl.StoredExamples(
        len(trees),
        f"trees with {nodes:,} inner nodes",
        "fit it with n_estimators={n}; max_samples makes trees smaller, so that more of them fit",
    )
    return to.op(tdsl.NegOp, to.op(tdsl.ExpOp, forest(to, x, trees, stored=stored)))


BY_NU = 1.1
"""The multiple of nu's number of support vectors up to which nu determines the number of vectors of a one-class
machine.
"""


def one_class_support_vectors(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    vectors, coefficients = (array(to, estimator, name, 2) for name in ("support_vectors_", "dual_coef_"))
    # At least a share nu of the samples become vectors; if far more do, the kernel is the cause.
    per_nu = len(vectors) / estimator.nu
    by_nu = per_nu < BY_NU * estimator.shape_fit_[0]
    smaller = (
        f"fit it with nu={{n/{round(BY_NU * per_nu)}}}" if by_nu else "fit it with a smaller gamma"
    ) + ", or on fewer samples; PCA makes them shorter, Nystroem(n_components=...) and SGDOneClassSVM need none"
    return kernel_sums(to, x, kernel_of(estimator, to), vectors, coefficients, np.zeros(1), smaller, far=True)


def one_class_linear(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    return affine(to, x, array(to, estimator, "coef_", 2))


def ellipse(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the negative squared Mahalanobis distance from the mean, as the negative sum of squares of the whitened
    features.
    """
    centre = array(to, estimator, "location_")
    scales, axes = np.linalg.eigh(np.asarray(estimator.get_precision(), np.float64))
    used = scales > scales.max() * np.finfo(np.float64).eps
    root = np.sqrt(scales[used]).reshape(-1, 1) * axes[:, used].T
    return minus_square(to, x, centre, root)


def minus_square(to: ModelBuilder, x: SSAValue, centre: Array, root: Array) -> SSAValue:
    """Emit -|root (x - centre)|^2, of shape 1 x 1.

    root: the matrix that multiplies the differences; it has a column for each feature.
    """
    column = affine(to, shifted(to, x, centre), root)
    return affine(to, to.op(tdsl.MulOp, column, column), np.full((1, len(root)), -1.0))


def distance_to_centres(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the negative squared distance to the nearest k-means centre: the greatest 2 c x - |c|^2 over centres c,
    minus |x|^2.
    """
    centres = array(to, estimator, "cluster_centers_", 2)
    origin = centres.mean(0)
    column, square = centred_column(to, x, origin)
    points = centres - origin
    near = affine(to, column, 2 * points, -(points**2).sum(1))
    nearest = to.reshape(to.op(tdsl.TopKMaskOp, near, 1), (1, len(points)))
    return to.op(tdsl.SubOp, to.op(tdsl.MatmulOp, nearest, near), square)


def distance_to_components(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the negative squared reconstruction error of a PCA: minus the squared length of x - mean along the
    discarded components.
    """
    components = array(to, estimator, "components_", 2)
    if len(components) == components.shape[1]:
        raise to.error("all components are kept, which reconstruct every sample: fit it with fewer n_components")
    others = np.linalg.svd(components, full_matrices=True)[2][len(components) :]
    return minus_square(to, x, array(to, estimator, "mean_"), others)


def centred_column(to: ModelBuilder, x: SSAValue, centre: Array) -> tuple[SSAValue, SSAValue]:
    """Emit the column x - centre, and its squared length, 1 x 1. Return both."""
    length = len(centre)
    column = to.reshape(shifted(to, to.reshape(x, (1, length)), centre), (length, 1))
    return column, to.op(tdsl.MatmulOp, to.reshape(column, (1, length)), column)


def local_outlier_factor(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the negative local outlier factor: minus the mean density of the nearest samples times their mean
    reachability distance to x.

    The reachability distance of x from a sample is the greater of two distances: from the sample to x, and from the
    sample to the last of the sample's own neighbours (Breunig and others, "LOF: Identifying Density-Based Local
    Outliers", 2000, definitions 5 to 7). The program computes distances in units of the median of the latter distances.
    """
    only(to, estimator, "novelty", True, instead="fit it with novelty=True, without which it takes no new samples")
    only(to, estimator, "effective_metric_", "euclidean", instead="fit it with the metric 'euclidean'")
    samples, count = array(to, estimator, "_fit_X", 2), int(estimator.n_neighbors_)
    to.stores(
        len(samples), "training samples", "fit it on {n} of them, such as the cluster_centers_ of a KMeans with as many"
    )
    least, density = array(to, estimator, "_distances_fit_X_", 2)[:, count - 1], array(to, estimator, "_lrd")
    # Copies of a sample have distance 0 and nearly infinite density, which no format can represent.
    unit = float(np.median(least)) or float(np.median(least[least > 0])) if least.any() else 1.0
    least = np.maximum(least / unit, MIN_DISTANCE).reshape(-1, 1) ** 2
    density = np.minimum(density, 1 / (MIN_DISTANCE * unit))
    centre = samples.mean(0)
    points = samples - centre
    column, square = centred_column(to, x, centre)
    nearness = affine(to, column, points, -(points**2).sum(1) / 2)
    nearest = to.op(tdsl.TopKMaskOp, nearness, count)
    scaled = limited_products(to, column, -1 / unit**2, points, -least.ravel())
    square = to.op(tdsl.MulOp, square, to.parameter(reals(np.array([[1 / unit**2]]))))
    beyond = to.op(tdsl.ReluOp, to.op(tdsl.AddOp, scaled, square))
    reach = to.op(tdsl.LogOp, to.op(tdsl.AddOp, beyond, to.parameter(reals(least))))
    half = to.parameter(reals(np.array([[0.5]])))
    reach = to.op(tdsl.ExpOp, to.op(tdsl.MulOp, reach, half))
    mean = to.op(tdsl.MatmulOp, to.reshape(nearest, (1, len(samples))), reach)
    return to.op(tdsl.MulOp, mean, affine(to, nearest, -unit / count**2 * density.reshape(1, -1)))


def threshold_of(to: ModelBuilder, estimator: Any) -> float | None:
    """The score below which a detector reports an anomaly; None for detectors without the attribute `offset_`, whose
    score is a distance.
    """
    return float(array(to, estimator, "offset_").ravel()[0]) if hasattr(estimator, "offset_") else None
