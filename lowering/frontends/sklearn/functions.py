"""Functions of numpy and scipy in transformers, and regressors whose targets were transformed for training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals
from tinyml.lowering.frontends.sklearn.composites import Compute
from tinyml.lowering.frontends.sklearn.fitted import array, fitted_attribute
from tinyml.lowering.frontends.sklearn.scaling import scaled, shifted

Emit: TypeAlias = Callable[[ModelBuilder, SSAValue], SSAValue]


def _plus(to: ModelBuilder, x: SSAValue, number: float) -> SSAValue:
    return to.op(tdsl.AddOp, x, to.parameter(reals(np.full(shape_of(x), number))))


def _times(to: ModelBuilder, x: SSAValue, number: float) -> SSAValue:
    return to.op(tdsl.MulOp, x, to.parameter(reals(np.full(shape_of(x), number))))


FUNCTIONS: Mapping[str, Emit] = {
    "exp": lambda to, x: to.op(tdsl.ExpOp, x),
    "exp2": lambda to, x: to.op(tdsl.ExpOp, _times(to, x, float(np.log(2)))),
    "expm1": lambda to, x: _plus(to, to.op(tdsl.ExpOp, x), -1),
    "log": lambda to, x: to.op(tdsl.LogOp, x),
    "log2": lambda to, x: _times(to, to.op(tdsl.LogOp, x), float(1 / np.log(2))),
    "log10": lambda to, x: _times(to, to.op(tdsl.LogOp, x), float(1 / np.log(10))),
    "log1p": lambda to, x: to.op(tdsl.LogOp, _plus(to, x, 1)),
    "square": lambda to, x: to.op(tdsl.MulOp, x, x),
    "negative": lambda to, x: to.op(tdsl.NegOp, x),
    "tanh": lambda to, x: to.op(tdsl.TanhOp, x),
    "expit": lambda to, x: to.op(tdsl.SigmoidOp, x),
}
"""The supported functions by their names; all are of numpy, except `scipy.special.expit`."""


def applied(to: ModelBuilder, function: Any, arguments: object, x: SSAValue) -> SSAValue:
    """Emit a function of a transformer on each element. None is the identity.

    arguments: the keyword arguments of the function; None for none.

    Raises `InputError` for any function but those in `FUNCTIONS`, and for keyword arguments.
    """
    if function is None:
        return x
    name = getattr(function, "__name__", type(function).__name__)
    if not isinstance(function, np.ufunc) or name not in FUNCTIONS or arguments:
        raise to.error(
            f"the function {name} is not supported, only {', '.join(FUNCTIONS)} of numpy and scipy without arguments: "
            "compute it outside of the model, for the data, too"
        )
    return FUNCTIONS[name](to, x)


def function_transformer(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    return applied(to, estimator.func, estimator.kw_args, x)


def _inverse(to: ModelBuilder, transformer: Any, y: SSAValue) -> SSAValue:
    name = type(transformer).__name__
    match name:
        case "FunctionTransformer":
            return applied(to, transformer.inverse_func, transformer.inv_kw_args, y)
        case "StandardScaler" | "RobustScaler" | "MaxAbsScaler":
            if getattr(transformer, "scale_", None) is not None:
                y = scaled(to, y, array(to, transformer, "scale_"))
            centre = {"StandardScaler": "mean_", "RobustScaler": "center_"}.get(name)
            centred = getattr(transformer, "with_mean", True) and getattr(transformer, "with_centering", True)
            return shifted(to, y, -array(to, transformer, centre)) if centre is not None and centred else y
        case "MinMaxScaler":
            factors = array(to, transformer, "scale_")
            return scaled(to, shifted(to, y, array(to, transformer, "min_")), 1 / factors)
        case "Pipeline":
            for _, step in reversed(transformer.steps):
                y = y if step is None or step == "passthrough" else _inverse(to, step, y)
            return y
        case _:
            raise to.error(
                f"targets transformed by {name} are not supported, only by StandardScaler, MinMaxScaler, MaxAbsScaler,"
                " RobustScaler, FunctionTransformer and pipelines of these: compile its regressor_, whose values are"
                " those of the transformed targets"
            )


def transformed_targets(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    """Emit the values of the inner regressor, and the inverse of the transformation of the targets."""
    _, value = compute(to, fitted_attribute(to, estimator, "regressor_"), x)
    return _inverse(to, fitted_attribute(to, estimator, "transformer_"), value)
