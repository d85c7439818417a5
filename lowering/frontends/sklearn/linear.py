"""Linear models: a product with the coefficients, whatever they were fitted by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.weighted_sums import affine
from tinyml.lowering.frontends.sklearn.fitted import Handler, array

if TYPE_CHECKING:
    from numpy.typing import NDArray


def linear(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """`coef_ x + intercept_`: the decision function of a classifier, the values of a regressor."""
    weights = array(to, estimator, "coef_", 2)
    addends: NDArray[Any] = np.broadcast_to(array(to, estimator, "intercept_").ravel(), len(weights))
    return to.reshape(affine(to, x, weights, addends), (1, len(weights)))


LINEAR_CLASSIFIERS: Mapping[str, Handler] = dict.fromkeys(
    (
        "LogisticRegression",
        "LogisticRegressionCV",
        "RidgeClassifier",
        "RidgeClassifierCV",
        "SGDClassifier",
        "Perceptron",
        "LinearSVC",
        "LinearDiscriminantAnalysis",
    ),
    linear,
)

LINEAR_REGRESSORS: Mapping[str, Handler] = dict.fromkeys(
    (
        "LinearRegression",
        "Ridge",
        "RidgeCV",
        "Lasso",
        "LassoCV",
        "MultiTaskLasso",
        "ElasticNet",
        "ElasticNetCV",
        "MultiTaskElasticNet",
        "Lars",
        "LassoLars",
        "OrthogonalMatchingPursuit",
        "BayesianRidge",
        "ARDRegression",
        "HuberRegressor",
        "TheilSenRegressor",
        "SGDRegressor",
        "LinearSVR",
    ),
    linear,
)
