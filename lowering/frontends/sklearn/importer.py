"""Import of a fitted estimator as a function of tdsl ops on reals (L0)."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.sklearn.trees import TREES


def import_estimator(estimator: object, features: int | None = None) -> ModuleOp:
    """A fitted estimator as a module with one function. features: how many it takes, if it does not say itself.

    Raises `InputError` for an estimator that is not supported.
    """
    fitted: Any = estimator
    name = type(fitted).__name__
    if (handler := TREES.get(name)) is None:
        raise InputError(f"the estimator {name} is not supported")
    to = ModelBuilder(name)
    x = to.argument(TensorType(f32, (1, features or fitted.n_features_in_)), "features")
    with to.importing(name):
        scores = handler(fitted, to, x)
        results: list[SSAValue] = [scores]
        if hasattr(fitted, "classes_"):
            single = tdsl.shape_of(scores)[1] == 1
            label = to.emit(tdsl.AtLeastOp, scores, 0.0).result if single else to.emit(tdsl.ArgmaxOp, scores).result
            results.insert(0, label)
    return to.module(results)
