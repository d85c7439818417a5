"""Import of a model that XGBoost's `save_model` wrote as JSON (L0).

A node sends a sample left if the feature is below the threshold, compared in single precision. `default_left`
determines the side of a missing value.

A file written by a class with scikit-learn's interface (an `XGBModel`) names the kind of the class: classifier,
regressor or ranker. The program then computes the result of the class's `predict`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, UnitAttr

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.attributes import ZEROS_UNKNOWN
from tinyml.lowering.frontends.boosted.json_fields import Fields
from tinyml.lowering.frontends.boosted.objectives import (
    CLASSES,
    EXPONENTIAL,
    SHARE,
    VALUE,
    BoostedModel,
    BoostedTrees,
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
"""The kinds of objectives, by name."""

SEVERAL = ("multi:softmax", "multi:softprob")
"""Objectives with one result per class."""

CLASSIFIER = "classifier"

_OF_REGRESSORS = {"binary:logistic": SHARE, "binary:logitraw": VALUE}
"""The kind of each classification objective when an `XGBRegressor` was trained with it."""


def _logit(share: float) -> float:
    return math.log(share / (1 - share)) if 0 < share < 1 else math.copysign(math.inf, share - 0.5)


_SUMS: Mapping[str, Callable[[float], float]] = {
    "binary:logistic": _logit,
    "reg:logistic": _logit,
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie"), lambda score: math.log(score)),
}
"""Functions from `base_score` to the initial sums, by objective; for other objectives the score is the initial sum."""


def import_xgboost(model: Fields, file: str) -> ModuleOp:
    """Import an XGBoost model. Raises `InputError` for an invalid file and for an unsupported model.

    A file does not state which numbers were missing values in training. If its trees have directions for missing values
    other than the default, the module has the attribute `ZEROS_UNKNOWN`.
    """
    parsed = xgboost_model(model)
    module = boosted_program(file, parsed)
    if any(tree.missing is not None and tree.missing.any() for tree in parsed.trees.trees):
        module.attributes[ZEROS_UNKNOWN] = UnitAttr()
    return module


def xgboost_model(model: Fields, kind: str | None = None) -> BoostedModel:
    """Parse the model that the fields of a file describe. Raises `InputError` as `import_xgboost` does.

    kind: the kind of `XGBModel`, `classifier`, `regressor` or `ranker`; by default the kind that the file declares.
    """
    learner = model["learner"]
    booster = learner["gradient_booster"]
    dropped: NDArray[Any] | None = None
    if (way := booster.text("name")) == "dart":
        dropped, booster = booster.numbers("weight_drop"), booster["gbtree"]
    elif way != "gbtree":
        raise booster.error(f"the booster {way[:60]!r} is not supported, only gbtree and dart")
    name = learner["objective"].text("name")
    if name not in OBJECTIVES:
        raise learner.error(f"the objective {name[:60]!r} is not supported, only {', '.join(OBJECTIVES)}")
    parameters, ensemble = learner["learner_model_param"], booster["model"]
    results = max(parameters.integer("num_class"), parameters.integer("num_target", 1), 1)
    infos, trees = ensemble.integers("tree_info"), ensemble.objects("trees")
    if len(infos) != len(trees) or not ((infos >= 0) & (infos < results)).all():
        raise ensemble.error("tree_info does not name a result for each tree")
    if results > max(len(trees), 1):
        raise parameters.error(f"{results} results need as many trees, the file has {len(trees)}")
    weights = np.ones(len(trees)) if dropped is None else dropped
    if len(weights) != len(trees):
        raise booster.error("weight_drop does not fit the trees")
    estimator = kind or _estimator_kind(learner)
    kept = len(trees) if estimator is None else _trees_of_best(learner, ensemble, len(trees), results)
    weighted = [_tree(tree, w) for tree, w in zip(trees[:kept], weights[:kept], strict=True)]
    boosted = BoostedTrees(weighted, infos[:kept].tolist(), results)
    objective, start = _objective(learner, name, estimator, results), _start(parameters, name, results)
    return BoostedModel(parameters.index("num_feature"), boosted, objective, start)


def _estimator_kind(learner: Fields) -> str | None:
    """The kind of `XGBModel` that wrote the file: `classifier`, `regressor` or `ranker`; None for the file of a
    `Booster`.

    The kind determines the result of `predict`. A `Booster` adds all trees and returns no class.
    """
    if "attributes" not in learner or "scikit_learn" not in learner["attributes"]:
        return None
    text = learner["attributes"].text("scikit_learn")
    try:
        kind = Fields(json.loads(text), learner.file, "learner.attributes.scikit_learn").text("_estimator_type")
    except (ValueError, RecursionError) as error:
        raise learner.error(f"expected JSON as attributes.scikit_learn, got {text[:60]!r}") from error
    return kind


def _trees_of_best(learner: Fields, ensemble: Fields, trees: int, results: int) -> int:
    """The number of trees that `predict` of an `XGBModel` adds: all trees, or with early stopping the trees up to the
    best iteration. Raises `InputError` for a best iteration that the file does not contain.
    """
    attributes = learner["attributes"]
    if "best_iteration" not in attributes:
        return trees
    best = attributes.index("best_iteration")
    if "iteration_indptr" in ensemble:
        ends = ensemble.integers("iteration_indptr")
    else:
        each = results * max(ensemble["gbtree_model_param"].integer("num_parallel_tree", 1), 1)
        ends = np.arange(0, trees + 1, each)
    if best + 1 >= len(ends) or not 0 < ends[best + 1] <= trees:
        raise attributes.error(f"best_iteration is {best}, and the model has {len(ends) - 1} iterations")
    return int(ends[best + 1])


def _objective(learner: Fields, name: str, estimator: str | None, results: int) -> Objective:
    """The training objective `name` with the threshold that `predict` of the kind `estimator` applies. Raises
    `InputError` for an unsupported objective.

    A classifier predicts the second of two classes if its probability exceeds 1/2.
    """
    kind = OBJECTIVES[name]
    if estimator == CLASSIFIER and kind != CLASSES:
        kind = CLASSES
    elif estimator is not None and estimator != CLASSIFIER and kind == CLASSES:
        if name not in _OF_REGRESSORS:
            raise learner.error(f"the objective {name} of a {estimator[:20]} is not supported: train an XGBClassifier")
        kind = _OF_REGRESSORS[name]
    if kind != CLASSES:
        return Objective(kind)
    if results > 1 and name not in SEVERAL:
        raise learner.error("several labels for a sample are not supported: train a model for each of them")
    decides = estimator == CLASSIFIER and results == 1 and name != "binary:hinge"
    return Objective(kind, max(results, 2), _SUMS.get(name, float)(0.5) if decides else 0.0)


def _start(parameters: Fields, objective: str, results: int) -> NDArray[Any]:
    """The initial values of `results` sums, parsed from `base_score`. The field is a number or, since XGBoost 3, a
    string with a list of numbers. Raises `InputError` for any other content, and for a number of values that does
    not match `results`.
    """
    text = parameters.text("base_score")
    try:
        scores = np.atleast_1d(np.asarray(json.loads(text) if text.startswith("[") else float(text), np.float64))
        sums = np.array([_SUMS.get(objective, float)(score) for score in scores.tolist()])
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise parameters.error(f"expected a base_score that fits {objective}, got {text[:60]!r}") from error
    if len(sums) not in (1, results) or not np.isfinite(sums).all():
        raise parameters.error(f"base_score {text[:60]!r} does not fit {results} results")
    return np.broadcast_to(sums, (results,))


def _tree(tree: Fields, weight: float) -> Tree:
    if tree["tree_param"].integer("size_leaf_vector", 1) > 1:
        raise tree.error("leaves of several numbers are not supported: multi_strategy='one_output_per_tree'")
    left = tree.integers("left_children")
    count = len(left)
    right, features = (tree.integers(name, count) for name in ("right_children", "split_indices"))
    numbers = tree.numbers("split_conditions", count)
    if (wrong := numbers[np.abs(numbers) > np.finfo(np.float32).max]).size:
        raise tree.error(f"expected split_conditions in single precision, got {wrong[0]:g}")
    values = numbers.astype(np.float32).astype(np.float64)
    if "split_type" in tree and tree.numbers("split_type", count).any():
        raise tree.error("categorical splits are not supported: encode categories as numbers, enable_categorical=False")
    leaf = left == LEAF
    if ((left < LEAF) | (leaf != (right == LEAF))).any():
        raise tree.error(f"expected two children of each node, or {LEAF} for both of a leaf")
    missing = tree.numbers("default_left", count).astype(np.bool_) if "default_left" in tree else None
    return Tree(features, values, left, right, weight * values.reshape(-1, 1), missing).below()
