"""Densities of Gaussians with covariances: quadratic discriminants, and mixtures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.weighted_sums import affine
from tinyml.lowering.frontends.sklearn.fitted import Handler, array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def _densities(to: ModelBuilder, x: SSAValue, roots: Sequence[Array], means: Array, addends: Array) -> SSAValue:
    """The row `addends - |root (x - mean)|^2 / 2` of all Gaussians.

    roots: matrices (rank, features) whose square is the inverse of the covariance.
    """
    ranks = [len(root) for root in roots]
    offsets = np.concatenate([-root @ mean for root, mean in zip(roots, means, strict=True)])
    whitened = affine(to, x, np.vstack(roots), offsets)
    halves = -0.5 * np.repeat(np.eye(len(roots)), ranks, axis=1)
    scores = affine(to, to.op(tdsl.MulOp, whitened, whitened), halves, addends - addends.max())
    return to.reshape(scores, (1, len(roots)))


def quadratic_discriminant(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """The logarithm of prior times density of each class, less a number that all classes have in common."""
    means, priors = array(to, estimator, "means_", 2), array(to, estimator, "priors_")
    scalings = [np.asarray(each, np.float64) for each in estimator.scalings_]
    if any(each.min() <= 0 for each in scalings):
        raise to.error("a covariance is singular: fit it with reg_param above 0")
    rotations = [np.asarray(each, np.float64) for each in estimator.rotations_]
    roots = [(rotation / np.sqrt(scale)).T for rotation, scale in zip(rotations, scalings, strict=True)]
    addends = np.log(priors) - 0.5 * np.array([np.log(each).sum() for each in scalings])
    return _densities(to, x, roots, means, addends)


def gaussian_mixture(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """The logarithm of weight times density of each component, less a number that all components have in common."""
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


DENSITIES: Mapping[str, Handler] = {"QuadraticDiscriminantAnalysis": quadratic_discriminant}

MIXTURES: Mapping[str, Handler] = {"GaussianMixture": gaussian_mixture}
