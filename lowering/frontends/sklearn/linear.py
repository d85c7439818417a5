"""Linear models, regardless of their training method, and multi-layer perceptrons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.affine import affine
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.sklearn.fitted import array

if TYPE_CHECKING:
    from numpy.typing import NDArray


def linear(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit `coef_ x + intercept_`: the decision function of a classifier or the values of a regressor."""
    weights = array(to, estimator, "coef_", 2)
    addends: NDArray[Any] = np.broadcast_to(array(to, estimator, "intercept_").ravel(), len(weights))
    return to.reshape(affine(to, x, weights, addends), (1, len(weights)))


_ACTIVATIONS: Mapping[str, Callable[[ModelBuilder, SSAValue], SSAValue]] = {
    "identity": lambda to, x: x,
    "relu": lambda to, x: to.op(tdsl.ReluOp, x),
    "tanh": lambda to, x: to.op(tdsl.TanhOp, x),
    "logistic": lambda to, x: to.op(tdsl.SigmoidOp, x),
    "exp": lambda to, x: to.op(tdsl.ExpOp, x),
}


def _activated(to: ModelBuilder, x: SSAValue, name: str) -> SSAValue:
    if name not in _ACTIVATIONS:
        raise to.error(f"activation '{name}' is not supported, only {', '.join(_ACTIVATIONS)}")
    return _ACTIVATIONS[name](to, x)


def _last_sums(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    if not getattr(estimator, "coefs_", None):
        array(to, estimator, "coefs_")
    for number, (weights, addends) in enumerate(zip(estimator.coefs_, estimator.intercepts_, strict=True)):
        x = x if number == 0 else _activated(to, x, estimator.activation)
        x = affine(to, x, weights.T, addends)
    return to.reshape(x, (1, shape_of(x)[0]))


def perceptron_classifier(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    return _last_sums(estimator, to, x)


def perceptron_regressor(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    return _activated(to, _last_sums(estimator, to, x), estimator.out_activation_)
