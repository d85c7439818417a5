"""Density-based estimators: naive Bayes, quadratic discriminants and Gaussian mixtures.

Gaussian naive Bayes requires products with the features and with their squares. Naive Bayes of counts requires one
matrix product. Gaussians with covariances require squares of whitened features.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.affine import affine
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.sklearn.fitted import array
from tinyml.lowering.frontends.sklearn.scaling import binarized, scaled, shifted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def gaussian_naive_bayes(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the logarithm of prior times likelihood of each class, up to a common addend.

    Each feature is centred at the mean of the class with the least variance, so that the large factors of this
    class are not combined with a large addend. Each feature is also divided by the greatest standard deviation, so
    that the factors of all features are comparable. `scale-features` can move this division to the caller.

    The class with the greatest variance has the smallest terms. These terms are subtracted from the terms of all
    classes, so that features that do not separate classes cancel.
    """
    means, variances = array(to, estimator, "theta_", 2), array(to, estimator, "var_", 2)
    priors = array(to, estimator, "class_prior_")
    if variances.min() <= 0:
        raise to.error("a variance is 0: fit it with var_smoothing above 0")
    features = list(range(means.shape[1]))
    centre = means[variances.argmin(0), features]
    unit = np.sqrt(variances.max(0))
    means, variances = (means - centre) / unit, variances / unit**2
    widest = variances.argmax(0), features
    squares, slopes, constants = -0.5 / variances, means / variances, -0.5 * means**2 / variances
    squares, slopes, constants = (terms - terms[widest] for terms in (squares, slopes, constants))
    with np.errstate(divide="ignore"):
        addends = np.log(priors) - 0.5 * np.log(variances).sum(1) + constants.sum(1)
    x = scaled(to, shifted(to, x, centre), 1 / unit)
    scores = affine(to, x, slopes, addends - addends.max())
    if squares.any():
        scores = to.op(tdsl.AddOp, affine(to, to.op(tdsl.MulOp, x, x), squares), scores)
    return to.reshape(scores, (1, len(means)))


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
    ranks = [len(root) for root in roots]
    offsets = np.concatenate([-root @ mean for root, mean in zip(roots, means, strict=True)])
    whitened = affine(to, x, np.vstack(roots), offsets)
    halves = -0.5 * np.repeat(np.eye(len(roots)), ranks, axis=1)
    scores = affine(to, to.op(tdsl.MulOp, whitened, whitened), halves, addends - addends.max())
    return to.reshape(scores, (1, len(roots)))


def quadratic_discriminant(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the logarithm of prior times density of each class, up to a common addend."""
    means, priors = array(to, estimator, "means_", 2), array(to, estimator, "priors_")
    scalings = [np.asarray(each, np.float64) for each in estimator.scalings_]
    if any(each.min() <= 0 for each in scalings):
        raise to.error("a covariance is singular: fit it with reg_param above 0")
    rotations = [np.asarray(each, np.float64) for each in estimator.rotations_]
    roots = [(rotation / np.sqrt(scale)).T for rotation, scale in zip(rotations, scalings, strict=True)]
    addends = np.log(priors) - 0.5 * np.array([np.log(each).sum() for each in scalings])
    return _densities(to, x, roots, means, addends)


def gaussian_mixture(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """For each component of the mixture, emit log(weight * density), increased by a number that is the same for all
    components.
    """
    means, weights = array(to, estimator, "means_", 2), array(to, estimator, "weights_")
    factors, (count, features) = array(to, estimator, "precisions_cholesky_"), means.shape
    match estimator.covariance_type:
        case "full":
            roots = [each.T for each in factors]
        case "tied":
            roots = [factors.T] * count
        case "diag":
            roots = [np.diag(each) for each in factors]
        case _:
            roots = [np.eye(features) * each for each in factors]
    determinants = np.array([np.log(np.diagonal(root)).sum() for root in roots])
    return _densities(to, x, roots, means, np.log(weights) + determinants)
