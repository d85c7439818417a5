"""Import of a model that XGBoost's `save_model` wrote as JSON (L0).

A node sends a feature to the left if it is below the threshold, both in single precision. Directions of missing values
are ignored, since no input is NaN.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.boosted.json_fields import Fields
from tinyml.lowering.frontends.boosted.objectives import (
    CLASSES,
    EXPONENTIAL,
    SHARE,
    VALUE,
    Objective,
    boosted_program,
)
from tinyml.lowering.frontends.layers.tree_ensembles import LEAF, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

OBJECTIVES: Mapping[str, str] = {
    **dict.fromkeys(("binary:logistic", "binary:logitraw", "binary:hinge", "multi:softmax", "multi:softprob"), CLASSES),
    **dict.fromkeys(
        ("reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror", "reg:quantileerror"),
        VALUE,
    ),
    **dict.fromkeys(("rank:pairwise", "rank:ndcg", "rank:map"), VALUE),
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie"), EXPONENTIAL),
    "reg:logistic": SHARE,
}
"""Kinds of objectives by their names."""


def _logit(share: float) -> float:
    return math.log(share / (1 - share)) if 0 < share < 1 else math.copysign(math.inf, share - 0.5)


_SUMS: Mapping[str, Callable[[float], float]] = {
    "binary:logistic": _logit,
    "reg:logistic": _logit,
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie"), lambda score: math.log(score)),
}
"""Functions from `base_score` to the start of the sums, by objective; others start from the score itself."""


def import_xgboost(model: Fields, file: str) -> ModuleOp:
    """The program of a model; raises `InputError` for an invalid file and for an unsupported model."""
    learner = model["learner"]
    booster = learner["gradient_booster"]
    dropped: NDArray[Any] | None = None
    if (kind := booster.text("name")) == "dart":
        dropped, booster = booster.numbers("weight_drop"), booster["gbtree"]
    elif kind != "gbtree":
        raise booster.error(f"the booster {kind} is not supported, only gbtree and dart")
    name = learner["objective"].text("name")
    if name not in OBJECTIVES:
        raise learner.error(f"the objective {name} is not supported, only {', '.join(OBJECTIVES)}")
    parameters, ensemble = learner["learner_model_param"], booster["model"]
    results = max(parameters.integer("num_class"), parameters.integer("num_target", 1), 1)
    infos, trees = ensemble.numbers("tree_info"), ensemble.objects("trees")
    if len(infos) != len(trees) or not ((infos >= 0) & (infos < results)).all():
        raise ensemble.error("tree_info does not name a result for each tree")
    weights = np.ones(len(trees)) if dropped is None else dropped
    if len(weights) != len(trees):
        raise booster.error("weight_drop does not fit the trees")
    made = [_tree(tree, int(info), results, w) for tree, info, w in zip(trees, infos, weights, strict=True)]
    classes = max(results, 2) if OBJECTIVES[name] == CLASSES else 0
    start = _start(parameters, name, results)
    return boosted_program(file, parameters.integer("num_feature"), made, start, Objective(OBJECTIVES[name], classes))


def _start(parameters: Fields, objective: str, results: int) -> NDArray[Any]:
    """The numbers that are added to the sums: `base_score`, one number or, from version 3 on, a list in a string."""
    text = parameters.text("base_score")
    try:
        scores = np.atleast_1d(np.asarray(json.loads(text) if text.startswith("[") else float(text), np.float64))
        sums = np.array([_SUMS.get(objective, float)(score) for score in scores.tolist()])
    except (ValueError, TypeError) as error:
        raise parameters.error(f"expected a base_score that fits {objective}, got {text}") from error
    if len(sums) not in (1, results) or not np.isfinite(sums).all():
        raise parameters.error(f"base_score {text} does not fit {results} results")
    return np.broadcast_to(sums, (results,))


def _tree(tree: Fields, result: int, results: int, weight: float) -> Tree:
    if tree["tree_param"].integer("size_leaf_vector", 1) > 1:
        raise tree.error("leaves of several numbers are not supported: multi_strategy='one_output_per_tree'")
    left = tree.numbers("left_children").astype(np.int64)
    count = len(left)
    right, features = (tree.numbers(name, count).astype(np.int64) for name in ("right_children", "split_indices"))
    values = tree.numbers("split_conditions", count).astype(np.float32).astype(np.float64)
    if "split_type" in tree and tree.numbers("split_type", count).any():
        raise tree.error("categorical splits are not supported: encode categories as numbers, enable_categorical=False")
    votes = np.zeros((count, results))
    votes[:, result] = weight * values
    leaf = left < 0
    first, second = (np.where(leaf, LEAF, side) for side in (left, right))
    return Tree(features, values, first, second, votes).below()
