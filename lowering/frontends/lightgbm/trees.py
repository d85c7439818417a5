"""Objectives and trees of LightGBM, in its text and in its JSON.

A node sends a feature to the left if it is at most the threshold. Directions of missing values are ignored, since no
input is NaN. The start of the sums is part of the first trees.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.boosted.objectives import CLASSES, EXPONENTIAL, SHARE, VALUE, Objective

OBJECTIVES: Mapping[str, str] = {
    **dict.fromkeys(("binary", "multiclass", "multiclassova"), CLASSES),
    **dict.fromkeys(
        ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg"), VALUE
    ),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), EXPONENTIAL),
    "cross_entropy": SHARE,
}
"""Kinds of objectives by their names."""

ZERO_AS_MISSING = "zeros as missing values are not supported: train with zero_as_missing=false"
CATEGORICAL = "categorical splits are not supported: encode categories as numbers"
LINEAR = "linear trees are not supported: train with linear_tree=false"


def objective_of(text: str, results: int, file: str) -> Objective:
    """The objective that a text names first, as in `binary sigmoid:1`; parameters follow."""
    name, *parameters = text.split()
    if name not in OBJECTIVES or "sqrt" in parameters:
        wanted = ", ".join(OBJECTIVES)
        raise InputError(f"the objective {text} is not supported, only {wanted}", file=file)
    kind = OBJECTIVES[name]
    return Objective(kind, max(results, 2) if kind == CLASSES else 0)
