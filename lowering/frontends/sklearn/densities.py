"""Density-based estimators: naive Bayes, quadratic discriminants and Gaussian mixtures.

Gaussian naive Bayes requires squares of standardised features, and Gaussians with covariances squares of whitened
features. Naive Bayes of counts requires one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.affine import affine
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals
from tinyml.lowering.frontends.layers.sequences import collected_over
from tinyml.lowering.frontends.sklearn.fitted import array
from tinyml.lowering.frontends.sklearn.scaling import binarized, scaled, shifted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

NUMBERS = 65
"""The equidistant numbers between the means of a feature among which its centre is chosen, beside the means."""


def gaussian_naive_bayes(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the logarithm of prior times likelihood of each class, up to a common addend."""
    means, variances = array(to, estimator, "theta_", 2), array(to, estimator, "var_", 2)
    priors = array(to, estimator, "class_prior_")
    if variances.min() <= 0:
        raise to.error("a variance is 0: fit it with var_smoothing above 0")
    with np.errstate(divide="ignore"):
        addends = np.log(priors) - 0.5 * np.log(variances).sum(1)
    return _independent_densities(to, x, means, np.sqrt(variances), addends)


def multinomial_naive_bayes(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the logarithm of prior times likelihood of each class, up to a common addend. It is a linear function of the
    counts.
    """
    priors = array(to, estimator, "class_log_prior_")
    return _scores(to, x, array(to, estimator, "feature_log_prob_", 2), priors)


def complement_naive_bayes(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit class scores as `multinomial_naive_bayes` does, but without priors. The weights of a class are computed
    from the samples of all other classes.
    """
    weights = array(to, estimator, "feature_log_prob_", 2)
    return _scores(to, x, weights, np.zeros(len(weights)))


def bernoulli_naive_bayes(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit class scores as `multinomial_naive_bayes` does. The features are first compared with a threshold: 1 if
    greater, else 0.
    """
    present = array(to, estimator, "feature_log_prob_", 2)
    absent = np.log1p(-np.exp(present))
    x = binarized(to, x, estimator.binarize)
    priors = array(to, estimator, "class_log_prior_")
    return _scores(to, x, present - absent, priors + absent.sum(1))


def _scores(to: ModelBuilder, x: SSAValue, weights: NDArray[Any], addends: NDArray[Any]) -> SSAValue:
    """Emit the row `weights x + addends`. Terms that are equal for all classes are omitted."""
    scores = affine(to, x, weights - weights.mean(0), addends - addends.max())
    return to.reshape(scores, (1, len(weights)))


def _densities(to: ModelBuilder, x: SSAValue, roots: Sequence[Array], means: Array, addends: Array) -> SSAValue:
    """Emit the row `addends - |root (x - mean)|^2 / 2`, with one element per Gaussian, minus the greatest of `addends`.

    roots: matrices (rank, features) for which root^T root is the inverse of the covariance.
    """
    rank, features = max(map(len, roots)), means.shape[1]
    halves = np.zeros((len(roots), rank, features))
    for half, root in zip(halves, roots, strict=True):
        half[: len(root)] = np.sqrt(0.5) * root
    offsets = -halves @ means[:, :, None]
    # One product for all Gaussians can absorb scales of features, and have scales of rows.
    rows = to.reshape(affine(to, x, halves.reshape(-1, features), offsets.ravel()), (len(roots), 1, rank))

    def whitened(gaussian: SSAValue) -> SSAValue:
        return to.op(tdsl.IndexOp, rows, gaussian)

    return _minus_squares(to, addends, whitened)


def _minus_squares(to: ModelBuilder, addends: Array, terms: Callable[[SSAValue], SSAValue]) -> SSAValue:
    """Emit the row `addends - |terms|^2`, with one element per Gaussian, minus the greatest of `addends`.

    A loop over the Gaussians computes the squares of each as a product of its terms with themselves, so that no square
    is rounded.

    terms: emits the row of terms of the Gaussian with the given index.
    """
    number = len(addends)
    greatest = to.parameter(reals((addends - addends.max()).reshape(number, 1, 1)))

    def score(gaussian: SSAValue, scores: SSAValue) -> SSAValue:
        row, addend = terms(gaussian), to.op(tdsl.IndexOp, greatest, gaussian)
        squares = to.op(tdsl.MatmulOp, row, to.reshape(row, (shape_of(row)[1], 1)))
        return to.op(tdsl.InsertSliceOp, to.op(tdsl.SubOp, addend, squares), scores, [to.index(0), gaussian])

    return collected_over(to, (1, number), score)


def _neutral(means: Array, deviations: Array) -> Array:
    """For each feature, the number between the means at which the logarithms of the densities differ least.

    means, deviations: arrays of shape (Gaussians, features).
    """
    low, high = means.min(0), means.max(0)
    shares = np.arange(NUMBERS)[:, None] / (NUMBERS - 1)
    numbers = np.vstack([(low + high) / 2, means, low + shares * (high - low)])
    least, most = np.full(numbers.shape, np.inf), np.full(numbers.shape, -np.inf)
    for mean, deviation in zip(means, deviations, strict=True):
        density = -0.5 * ((numbers - mean) / deviation) ** 2 - np.log(deviation)
        least, most = np.minimum(least, density), np.maximum(most, density)
    # Rounded, so that the last bits of logarithms, which differ between processors, decide nothing.
    best = np.round(most - least, 6).argmin(0)
    return numbers[best, np.arange(numbers.shape[1])]


def _independent_densities(to: ModelBuilder, x: SSAValue, means: Array, deviations: Array, addends: Array) -> SSAValue:
    """Emit the row `addends - sum(((x - means) / deviations)^2) / 2`, with one element per Gaussian, minus the greatest
    of `addends`.

    Each term is computed as the square of a standardised feature. The terms of Gaussians near the sample are then of
    the order of 1, and formats may saturate all others. Expanded into products with x and x^2, terms whose sizes differ
    by many orders of magnitude would cancel.

    Features are first centred, and divided by their greatest deviation, so that the numbers of all features are
    comparable. `scale-features` can move this division to the caller. Without it, one scale for all features may round
    every number of a feature to its centre. At this centre, the densities of the Gaussians differ least, so that the
    feature favours none of them.

    means, deviations: arrays of shape (Gaussians, features).
    """
    number, features = means.shape
    centre, unit = _neutral(means, deviations), deviations.max(0)
    # The terms of a feature that all Gaussians agree on are equal.
    differs = (np.ptp(means, axis=0) > 0) | (np.ptp(deviations, axis=0) > 0)
    unit = np.where(differs, unit, 1.0)
    row = scaled(to, shifted(to, to.reshape(x, (1, features)), centre), 1 / unit)
    by_gaussian = number, 1, features
    offsets = to.parameter(reals(((means - centre) / unit).reshape(by_gaussian)))
    factors = to.parameter(reals((np.sqrt(0.5) * differs * unit / deviations).reshape(by_gaussian)))

    def standardised(gaussian: SSAValue) -> SSAValue:
        offset, factor = (to.op(tdsl.IndexOp, numbers, gaussian) for numbers in (offsets, factors))
        return to.op(tdsl.MulOp, to.op(tdsl.SubOp, row, offset), factor)

    return _minus_squares(to, addends, standardised)


def quadratic_discriminant(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the logarithm of prior times density of each class, up to a common addend."""
    means, priors = array(to, estimator, "means_", 2), array(to, estimator, "priors_")
    scalings = [np.asarray(array, np.float64) for array in estimator.scalings_]
    if any(scaling.min() <= 0 for scaling in scalings):
        raise to.error("a covariance is singular: fit it with reg_param above 0")
    rotations = [np.asarray(array, np.float64) for array in estimator.rotations_]
    roots = [(rotation / np.sqrt(scale)).T for rotation, scale in zip(rotations, scalings, strict=True)]
    addends = np.log(priors) - 0.5 * np.array([np.log(scaling).sum() for scaling in scalings])
    return _densities(to, x, roots, means, addends)


def gaussian_mixture(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """For each component of the mixture, emit log(weight * density), increased by a number that is the same for all
    components.
    """
    means, weights = array(to, estimator, "means_", 2), array(to, estimator, "weights_")
    factors, count = array(to, estimator, "precisions_cholesky_"), len(means)
    match estimator.covariance_type:
        case "full":
            roots = [factor.T for factor in factors]
        case "tied":
            roots = [factors.T] * count
        case _:
            precisions = np.broadcast_to(factors.reshape(count, -1), means.shape)
            addends = np.log(weights) + np.log(precisions).sum(1)
            return _independent_densities(to, x, means, 1 / precisions, addends)
    determinants = np.array([np.log(np.diagonal(root)).sum() for root in roots])
    return _densities(to, x, roots, means, np.log(weights) + determinants)
