"""Objectives and trees of LightGBM, in its text and in its JSON.

A node sends a feature to the left if it is at most the threshold. Directions of missing values are ignored, since no
input is NaN. The start of the sums is part of the first trees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.boosted.objectives import (
    CLASSES,
    EXPONENTIAL,
    SHARE,
    VALUE,
    BoostedTrees,
    Objective,
)
from tinyml.lowering.frontends.layers.tree_ensembles import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

OBJECTIVES: Mapping[str, str] = {
    **dict.fromkeys(("binary", "multiclass", "multiclassova"), CLASSES),
    **dict.fromkeys(
        ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg"), VALUE
    ),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), EXPONENTIAL),
    "cross_entropy": SHARE,
}
"""Kinds of objectives by their names."""

SEVERAL = ("multiclass", "multiclassova")
"""Objectives with a result for each class."""

ZERO_AS_MISSING = "zeros as missing values are not supported: train with zero_as_missing=false"
CATEGORICAL = "categorical splits are not supported: encode categories as numbers"
ROOTS = "square roots of targets are not supported: train with reg_sqrt=false"
LINEAR = "linear trees are not supported: train with linear_tree=false"


def objective_of(text: str, results: int, file: str) -> Objective:
    """The objective that a text names first, as in `binary sigmoid:1`; parameters follow.

    The parameters change no answer: a factor in the logistic function keeps the order of the sums.
    """
    name, *parameters = text.split() or [""]
    if name not in OBJECTIVES:
        raise InputError(f"the objective {name[:60]!r} is not supported, only {', '.join(OBJECTIVES)}", file=file)
    if "sqrt" in parameters:
        raise InputError(ROOTS, file=file)
    kind = OBJECTIVES[name]
    if results > 1 and name not in SEVERAL:
        raise InputError(f"the objective {name} has one result, and the file trees for {results}", file=file)
    return Objective(kind, max(results, 2) if kind == CLASSES else 0)


def finite(thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Thresholds within single precision.

    Infinity, and what stands for it, is that of a node which tells missing values from others: no number exceeds it.
    """
    greatest = np.finfo(np.float32).max
    return np.clip(thresholds, -greatest, greatest)


def in_turns(trees: Sequence[Tree], results: int) -> BoostedTrees:
    """Trees that add to one result after the other, in each iteration."""
    return BoostedTrees(trees, [number % results for number in range(len(trees))], results)
