"""Transformers that apply others to some or all columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.picked_elements import picked
from tinyml.lowering.frontends.sklearn.composite.parts import Composite, Compute, inner

DROPPED, KEPT = "drop", "passthrough"


def _together(to: ModelBuilder, parts: list[SSAValue]) -> SSAValue:
    if not parts:
        raise to.error("it keeps no column")
    return parts[0] if len(parts) == 1 else to.op(tdsl.ConcatOp, parts, 1)


def _weighted(to: ModelBuilder, estimator: Any, name: str) -> None:
    weights: dict[str, float] | None = getattr(estimator, "transformer_weights", None)
    if weights is not None and weights.get(name, 1.0) != 1.0:
        raise to.error(f"the weight of '{name}' is not supported: let a scaler multiply, transformer_weights=None")


def column_transformer(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    """The features that each transformer makes of its columns, side by side."""
    parts: list[SSAValue] = []
    indices = inner(to, estimator, "_transformer_to_input_indices")
    for name, transformer, _ in inner(to, estimator, "transformers_"):
        if (isinstance(transformer, str) and transformer == DROPPED) or not len(indices[name]):
            continue
        _weighted(to, estimator, name)
        columns = picked(to, x, [int(index) for index in indices[name]])
        kept = isinstance(transformer, str) and transformer == KEPT
        parts.append(columns if kept else compute(to, transformer, columns)[1])
    return _together(to, parts)


def feature_union(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    """The features that each transformer makes of all columns, side by side."""
    parts: list[SSAValue] = []
    for name, transformer in estimator.transformer_list:
        if isinstance(transformer, str) and transformer == DROPPED:
            continue
        _weighted(to, estimator, name)
        kept = isinstance(transformer, str) and transformer == KEPT
        parts.append(x if kept else compute(to, transformer, x)[1])
    return _together(to, parts)


def selected_from_model(estimator: Any, to: ModelBuilder, x: SSAValue, _: Compute) -> SSAValue:
    """The columns that a selector keeps, whose inner estimator only counted in training."""
    return selected(estimator, to, x)


def selected(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """The columns that a selector keeps."""
    length = shape_of(x)[1]
    if not any(hasattr(estimator, name) for name in ("variances_", "scores_", "support_", "estimator_")):
        raise to.error("it is not fitted: call fit(X, y) first")
    indices = [int(index) for index in estimator.get_support(indices=True)]
    return x if indices == [*range(length)] else picked(to, x, indices)


COLUMNS: Mapping[str, Composite] = {
    "ColumnTransformer": column_transformer,
    "FeatureUnion": feature_union,
    "SelectFromModel": selected_from_model,
    "RFE": selected_from_model,
    "RFECV": selected_from_model,
    "SequentialFeatureSelector": selected_from_model,
}
