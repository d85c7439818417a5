"""Gaussian naive Bayes, as products with the features and with their squares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.weighted_sums import affine
from tinyml.lowering.frontends.sklearn.fitted import Handler, array
from tinyml.lowering.frontends.sklearn.scaling import shifted


def gaussian_naive_bayes(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """The logarithm of prior times likelihood of each class, less a number that all classes have in common.

    Each feature is measured from the mean of the class with the least variance, whose great factors then meet no great
    addend. Of its terms those of the class with the greatest variance, the least, are subtracted everywhere: what does
    not tell classes apart drops out.
    """
    means, variances = array(to, estimator, "theta_", 2), array(to, estimator, "var_", 2)
    priors = array(to, estimator, "class_prior_")
    if variances.min() <= 0:
        raise to.error("a variance is 0: fit it with var_smoothing above 0")
    features = list(range(means.shape[1]))
    centre = means[variances.argmin(0), features]
    means = means - centre
    widest = variances.argmax(0), features
    squares, slopes, constants = -0.5 / variances, means / variances, -0.5 * means**2 / variances
    squares, slopes, constants = (terms - terms[widest] for terms in (squares, slopes, constants))
    with np.errstate(divide="ignore"):
        addends = np.log(priors) - 0.5 * np.log(variances).sum(1) + constants.sum(1)
    x = shifted(to, x, centre)
    scores = affine(to, x, slopes, addends - addends.max())
    if squares.any():
        scores = to.op(tdsl.AddOp, affine(to, to.op(tdsl.MulOp, x, x), squares), scores)
    return to.reshape(scores, (1, len(means)))


NAIVE_BAYES: Mapping[str, Handler] = {"GaussianNB": gaussian_naive_bayes}
