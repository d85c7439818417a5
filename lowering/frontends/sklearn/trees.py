"""Trees, forests and boosted trees of scikit-learn.

Forests compute the mean of the class probabilities of their trees (soft votes), as `predict` does. Boosted trees
compute raw predictions. A binary classifier has a single raw prediction. For a regressor whose loss has a log link, the
result is the exponential of the raw predictions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.tree_ensembles import LEAF, Tree, forest
from tinyml.lowering.frontends.sklearn.fitted import fitted_attribute, only, takes_missing

if TYPE_CHECKING:
    from numpy.typing import NDArray


_RANDOM = ("stratified", "uniform")
"""Strategies of dummy estimators that predict at random."""

_LOG_LINKS = {
    **dict.fromkeys(("squared_error", "absolute_error", "quantile"), False),
    **dict.fromkeys(("gamma", "poisson"), True),
}
"""By the loss of a regressor: true if a prediction is the exponential of the raw prediction, false if it is equal."""


def tree_of(owner: Any, estimator: Any, votes: NDArray[Any], columns: Any = None) -> Tree:
    """Convert the tree of a fitted estimator.

    If the owner accepts missing values, a missing value selects the first child at the nodes for which training
    determined this child.

    owner: the estimator that contains the tree.
    votes: the votes of all nodes.
    columns: the column of the input for each feature of the tree; None if each feature has the index of its column.
    """
    tree = estimator.tree_
    features = tree.feature if columns is None else np.asarray(columns)[np.maximum(tree.feature, 0)]
    # Estimators of older versions store no direction for missing values.
    missing = getattr(tree, "missing_go_to_left", None)
    has_directions = missing is not None and takes_missing(owner)
    directions = np.asarray(missing, np.bool_) if has_directions else None
    return Tree(features, tree.threshold, tree.children_left, tree.children_right, votes, directions)


def _shares(to: ModelBuilder, estimator: Any) -> NDArray[Any]:
    """The class probabilities at all nodes of a tree, (nodes, classes)."""
    values = fitted_attribute(to, estimator, "tree_").value
    if values.shape[1] != 1:
        raise to.error(f"it has {values.shape[1]} outputs: fit a classifier for each of them")
    return values[:, 0] / values[:, 0].sum(1, keepdims=True)


def classifier_tree(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    return forest(to, x, [tree_of(estimator, estimator, _shares(to, estimator))])


def _values(to: ModelBuilder, owner: Any, estimator: Any, count: int = 1) -> Tree:
    return tree_of(owner, estimator, fitted_attribute(to, estimator, "tree_").value[:, :, 0] / count)


def regressor_tree(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    return forest(to, x, [_values(to, estimator, estimator)])


def forest_classifier(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    estimators = fitted_attribute(to, estimator, "estimators_")
    return forest(to, x, [tree_of(estimator, member, _shares(to, member) / len(estimators)) for member in estimators])


def forest_regressor(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    estimators = fitted_attribute(to, estimator, "estimators_")
    return forest(to, x, [_values(to, estimator, member, len(estimators)) for member in estimators])


def boosted(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the raw predictions: the predictions of `init_` plus the sums of trees. Each tree contributes to one
    prediction.
    """
    stages, initial = fitted_attribute(to, estimator, "estimators_"), estimator.init_
    if not isinstance(initial, str) and not type(initial).__name__.startswith("Dummy"):
        raise to.error(f"init={type(initial).__name__} is not supported, only init=None or 'zero'")
    if (strategy := getattr(initial, "strategy", None)) in _RANDOM:
        raise to.error(f"init with strategy='{strategy}' is not supported, which predicts at random: init=None")
    start = estimator._raw_predict_init(np.zeros((1, estimator.n_features_in_), np.float32))
    trees: list[Tree] = []
    for stage in stages:
        for result, tree in enumerate(stage):
            votes = np.zeros((tree.tree_.node_count, len(stage)))
            votes[:, result] = estimator.learning_rate * tree.tree_.value[:, 0, 0]
            trees.append(tree_of(estimator, tree, votes))
    return forest(to, x, trees, np.asarray(start).reshape(-1))


def histogram_boosted(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the raw predictions of trees that were trained on binned features."""
    stages = fitted_attribute(to, estimator, "_predictors")
    if getattr(estimator, "_preprocessor", None) is not None or estimator.is_categorical_ is not None:
        raise to.error("categorical features are not supported, encode them as numbers: categorical_features=None")
    start = np.asarray(estimator._baseline_prediction, np.float64).reshape(-1)
    trees: list[Tree] = []
    for stage in stages:
        for result, tree in enumerate(stage):
            nodes = tree.nodes
            votes = np.zeros((len(nodes), len(stage)))
            votes[:, result] = nodes["value"]
            leaf = nodes["is_leaf"].astype(bool)
            first, second = (np.where(leaf, LEAF, nodes[side].astype(np.int64)) for side in ("left", "right"))
            missing = nodes["missing_go_to_left"].astype(np.bool_)
            limits = nodes["num_threshold"]
            trees.append(Tree(nodes["feature_idx"], limits, first, second, votes, missing, double=True))
    return forest(to, x, trees, start)


def histogram_boosted_regressor(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    only(to, estimator, "loss", *_LOG_LINKS, instead="what it makes of the raw predictions is unknown")
    raw = histogram_boosted(estimator, to, x)
    return to.op(tdsl.ExpOp, raw) if _LOG_LINKS[estimator.loss] else raw


def _require_trees(to: ModelBuilder, estimators: Sequence[Any], kind: str, instead: str = "") -> None:
    for member in estimators:
        if type(member).__name__ not in (f"DecisionTree{kind}", f"ExtraTree{kind}"):
            advice = f"; in place of it {instead} is" if instead else ""
            raise to.error(
                f"an ensemble of {type(member).__name__} is not supported, only of DecisionTree{kind}{advice}"
            )


def bagging_classifier(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the mean class probabilities of trees. Each tree was trained on a subset of the features and possibly of
    the classes.
    """
    estimators, count = fitted_attribute(to, estimator, "estimators_"), len(estimator.classes_)
    voting = "soft" if hasattr(estimators[0], "predict_proba") else "hard"
    _require_trees(to, estimators, "Classifier", f"VotingClassifier(estimators, voting='{voting}')")
    trees: list[Tree] = []
    for member, columns in zip(estimators, estimator.estimators_features_, strict=True):
        votes = np.zeros((member.tree_.node_count, count))
        classes = member.classes_ if len(member.classes_) < count else slice(None)
        votes[:, classes] = _shares(to, member) / len(estimators)
        trees.append(tree_of(estimator, member, votes, columns))
    return forest(to, x, trees)


def bagging_regressor(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    estimators = fitted_attribute(to, estimator, "estimators_")
    _require_trees(to, estimators, "Regressor", "VotingRegressor(estimators)")
    return forest(
        to,
        x,
        [
            tree_of(estimator, member, member.tree_.value[:, :, 0] / len(estimators), columns)
            for member, columns in zip(estimators, estimator.estimators_features_, strict=True)
        ],
    )


def ada_boost(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit, for each class, the total weight of the trees that vote for it. A tree votes for the most probable
    class of the leaf that the sample reaches.
    """
    estimators, count = fitted_attribute(to, estimator, "estimators_"), len(estimator.classes_)
    _require_trees(to, estimators, "Classifier")
    only(to, estimator, "algorithm", "SAMME", "deprecated", instead="fit it with algorithm='SAMME'")
    weights = np.asarray(estimator.estimator_weights_, np.float64)[: len(estimators)]
    number = {label: number for number, label in enumerate(estimator.classes_.tolist())}
    trees: list[Tree] = []
    for member, weight in zip(estimators, weights / weights.sum(), strict=True):
        if (other := next((label for label in member.classes_.tolist() if label not in number), None)) is not None:
            raise to.error(
                f"the class {other!r} of its estimators_ is none of its classes_: fit it with the new labels"
            )
        numbers = np.array([number[label] for label in member.classes_.tolist()])
        chosen = numbers[_shares(to, member).argmax(1)]
        trees.append(tree_of(estimator, member, weight * np.eye(count)[chosen]))
    return forest(to, x, trees)
