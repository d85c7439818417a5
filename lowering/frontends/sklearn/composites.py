"""Estimators composed of other estimators: transformers of columns, one-against-rest classifiers, and votes of several
estimators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.affine import affine
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals
from tinyml.lowering.frontends.sklearn.fitted import array, fitted_attribute, has_logits

if TYPE_CHECKING:
    from numpy.typing import NDArray


Compute: TypeAlias = Callable[[ModelBuilder, Any, SSAValue], tuple[Any, SSAValue]]
"""A function that appends the ops of an inner estimator: it returns the estimator that predicts, and its result.

The result is that of `transform` inside transformers, and that of `predict` inside predictors.
"""

Composite: TypeAlias = Callable[[Any, ModelBuilder, SSAValue, Compute], SSAValue]
"""A `Handler` of an estimator that contains other estimators."""


DROPPED, KEPT = "drop", "passthrough"


def together(to: ModelBuilder, rows: Sequence[SSAValue]) -> SSAValue:
    """Concatenate the rows `rows`. Raises `InputError` if there are no rows."""
    if not rows:
        raise to.error("it keeps no column")
    return rows[0] if len(rows) == 1 else to.op(tdsl.ConcatOp, rows, 1)


def _weighted(to: ModelBuilder, estimator: Any, name: str) -> None:
    weights: dict[str, float] | None = getattr(estimator, "transformer_weights", None)
    if weights is not None and weights.get(name, 1.0) != 1.0:
        raise to.error(f"the weight of '{name}' is not supported: let a scaler multiply, transformer_weights=None")


def column_transformer(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    """Emit the features that each transformer computes from its columns, concatenated."""
    rows: list[SSAValue] = []
    indices = fitted_attribute(to, estimator, "_transformer_to_input_indices")
    for name, transformer, _ in fitted_attribute(to, estimator, "transformers_"):
        if (isinstance(transformer, str) and transformer == DROPPED) or not len(indices[name]):
            continue
        _weighted(to, estimator, name)
        columns = to.picked(x, [int(index) for index in indices[name]])
        kept = isinstance(transformer, str) and transformer == KEPT
        rows.append(columns if kept else compute(to, transformer, columns)[1])
    return together(to, rows)


def feature_union(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    """Emit the features that each transformer computes from all columns, concatenated."""
    rows: list[SSAValue] = []
    for name, transformer in estimator.transformer_list:
        if isinstance(transformer, str) and transformer == DROPPED:
            continue
        _weighted(to, estimator, name)
        kept = isinstance(transformer, str) and transformer == KEPT
        rows.append(x if kept else compute(to, transformer, x)[1])
    return together(to, rows)


def selected_from_model(estimator: Any, to: ModelBuilder, x: SSAValue, _: Compute) -> SSAValue:
    """Emit the columns that a selector selects. The selector's inner estimator is ignored, since only training uses
    it.
    """
    return selected(estimator, to, x)


def selected(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the columns that a fitted feature selector selects (`get_support`)."""
    length = shape_of(x)[1]
    if not any(hasattr(estimator, name) for name in ("variances_", "scores_", "support_", "estimator_")):
        raise to.error("it is not fitted: call fit(X, y) first")
    indices = [int(index) for index in estimator.get_support(indices=True)]
    return x if indices == [*range(length)] else to.picked(x, indices)


BOOSTED = ("GradientBoostingClassifier", "HistGradientBoostingClassifier")
"""Classifiers that return raw scores although their raw predictions are logits."""

OF_OTHERS = ("XGBClassifier", "XGBRFClassifier", "LGBMClassifier")
"""The corresponding classifiers of packages other than scikit-learn."""

LOGISTIC = ("log_loss", "binary:logistic", "multi:softprob", "multi:softmax", "binary", "multiclass", None)
"""Losses of boosted classifiers whose probabilities are the softmax or sigmoid of the sums; None is LightGBM's
default.
"""

SHARES = (
    "DecisionTreeClassifier",
    "ExtraTreeClassifier",
    "RandomForestClassifier",
    "ExtraTreesClassifier",
    "BaggingClassifier",
    "KNeighborsClassifier",
)
"""Classifiers whose scores are probabilities."""


def one_against_rest(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    """Emit one score per class, computed by the classifier that separates this class from all others. Raises
    `InputError` for classifiers with several scores.
    """
    scores = [compute(to, member, x)[1] for member in fitted_attribute(to, estimator, "estimators_")]
    if any(shape_of(score) != (1, 1) for score in scores):
        raise to.error("its classifiers must have a decision function of one number, as LogisticRegression has")
    return together(to, scores)


def _shares(to: ModelBuilder, estimator: Any, scores: SSAValue, classes: int) -> SSAValue:
    """Emit the probabilities of all classes. For two classes with a single score, emit only the probability of the
    second class.

    Raises `InputError` for a classifier whose probabilities are not supported.
    """
    name = type(estimator).__name__
    if name in SHARES:
        return scores
    loss = "loss" if name in BOOSTED else "objective" if name in OF_OTHERS else None
    if has_logits(estimator, classes) or (loss is not None and getattr(estimator, loss) in LOGISTIC):
        return to.op(tdsl.SigmoidOp if shape_of(scores)[1] == 1 else tdsl.SoftmaxOp, scores)
    raise to.error(f"the probabilities of {name} are not supported in soft votes: voting='hard' needs none")


def _vote(to: ModelBuilder, scores: SSAValue) -> SSAValue:
    """Emit a vote for the predicted class: a row with 1 for this class and 0 for all others.

    For two classes with a single score, the row has a single element: 1 if the second class is predicted, otherwise 0.
    """
    return to.op(tdsl.StepOp, scores) if shape_of(scores)[1] == 1 else to.op(tdsl.TopKMaskOp, scores, 1)


def voting_classifier(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    """Emit, for each class, the weighted mean of its probabilities (soft voting) or the total weight of the votes for
    it (hard voting). Ties go to the class with the lowest index.
    """
    members = [compute(to, member, x) for member in fitted_attribute(to, estimator, "estimators_")]
    classes = len(estimator.classes_)
    if estimator.voting == "soft":
        votes = [_shares(to, member, scores, classes) for member, scores in members]
    else:
        votes = [_vote(to, scores) for _, scores in members]
    weights = _weights(to, estimator, len(members))
    if estimator.voting == "soft":
        weights = weights / weights.sum()
    return _weighted_shares(to, votes, weights.tolist(), classes)


def _weighted_shares(to: ModelBuilder, votes: Sequence[SSAValue], weights: Sequence[float], classes: int) -> SSAValue:
    """Emit the weighted sums of the members' class probabilities or votes. With two classes, a member may return a
    single number, which belongs to the second class.
    """
    blocks: list[NDArray[Any]] = []
    addends = np.zeros(classes)
    for vote, weight in zip(votes, weights, strict=True):
        if shape_of(vote)[1] == classes:
            blocks.append(weight * np.eye(classes))
        else:
            # A single number is the vote for the second class; the first class gets its complement.
            blocks.append(weight * np.array([[-1.0], [1.0]]))
            addends[0] += weight
    return _sums(to, votes, np.hstack(blocks), addends)


def voting_regressor(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    """Emit the weighted mean of the values of all member regressors."""
    values = [compute(to, member, x)[1] for member in fitted_attribute(to, estimator, "estimators_")]
    weights = _weights(to, estimator, len(values))
    return _sums(to, values, (weights / weights.sum()).reshape(1, -1), np.zeros(1))


def several_regressors(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    return together(to, [compute(to, member, x)[1] for member in fitted_attribute(to, estimator, "estimators_")])


def _weights(to: ModelBuilder, estimator: Any, count: int) -> NDArray[Any]:
    """The weights of the active members of an ensemble. The default weight is 1, so that votes are whole numbers
    and ties are exact.
    """
    members = [member for _, member in estimator.estimators]
    listed = [1.0] * len(members) if estimator.weights is None else estimator.weights
    if len(listed) != len(members):
        raise to.error(f"{len(listed)} weights do not fit {len(members)} estimators")
    kept = [
        float(weight)
        for weight, member in zip(listed, members, strict=True)
        if not (isinstance(member, str) and member == "drop")
    ]
    if len(kept) != count or sum(kept) <= 0:
        raise to.error(f"its weights {kept} do not fit {count} estimators")
    return np.array(kept)


def _sums(to: ModelBuilder, rows: Sequence[SSAValue], weights: NDArray[Any], addends: NDArray[Any]) -> SSAValue:
    return to.reshape(affine(to, together(to, rows), weights, addends), (1, len(weights)))


def _second(to: ModelBuilder, shares: SSAValue) -> SSAValue:
    return to.picked(shares, [1]) if shape_of(shares)[1] == 2 else shares


def _decisions(to: ModelBuilder, estimator: Any, scores: SSAValue, classes: int) -> SSAValue:
    if shape_of(scores)[1] != (1 if classes == 2 else classes) or (
        classes > 2 and type(estimator).__name__ in ("SVC", "NuSVC")
    ):
        name = type(estimator).__name__
        raise to.error(f"the decision function of {name} is not supported: take one that has probabilities")
    return scores


def stacking(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    """Emit the final estimator, whose inputs are the outputs of the other estimators. With `passthrough`, the
    original features follow these outputs.
    """
    rows: list[SSAValue] = []
    members = fitted_attribute(to, estimator, "estimators_")
    classes = len(getattr(estimator, "classes_", ()))
    for member, method in zip(members, estimator.stack_method_, strict=True):
        predictor, scores = compute(to, member, x)
        if method == "predict_proba":
            rows.append(_second(to, _shares(to, predictor, scores, classes)))
        elif method == "decision_function":
            rows.append(_decisions(to, predictor, scores, classes))
        elif classes:
            raise to.error("stacked classes are not supported: fit it with stack_method='auto'")
        else:
            rows.append(scores)
    if estimator.passthrough:
        rows.append(x)
    return compute(to, fitted_attribute(to, estimator, "final_estimator_"), together(to, rows))[1]


def calibrated(estimator: Any, to: ModelBuilder, x: SSAValue, compute: Compute) -> SSAValue:
    """Emit the mean calibrated probability of each class over all classifiers. The probabilities of each classifier
    are first normalised to the sum 1.
    """
    votes: list[SSAValue] = []
    classes = len(estimator.classes_)
    for classifier in fitted_attribute(to, estimator, "calibrated_classifiers_"):
        member, scores = compute(to, classifier.estimator, x)
        if hasattr(member, "decision_function"):
            uncalibrated = _decisions(to, member, scores, classes)
        else:
            uncalibrated = _second(to, _shares(to, member, scores, classes))
        if len(classifier.calibrators) != shape_of(uncalibrated)[1]:
            raise to.error(f"it has {len(classifier.calibrators)} calibrators for {shape_of(uncalibrated)[1]} scores")
        votes.append(
            (_isotonic if classifier.method == "isotonic" else _logistic)(to, classifier.calibrators, uncalibrated)
        )
    return _weighted_shares(to, votes, [1 / len(votes)] * len(votes), classes)


def _logistic(to: ModelBuilder, calibrators: Sequence[Any], scores: SSAValue) -> SSAValue:
    """Emit Platt's calibration sigmoid(-(a f + b)), where f is `scores`, the decision function or the probability of a
    class (Platt, "Probabilistic Outputs for Support Vector Machines", 1999).

    For several classes, probabilities are divided by their sum. This is computed as the softmax of the logarithms of
    the probabilities.
    """
    slopes, addends = (
        np.array([[float(getattr(calibrator, name)) for calibrator in calibrators]]) for name in ("a_", "b_")
    )
    negative = to.op(tdsl.MulOp, scores, to.parameter(reals(slopes)))
    negative = to.op(tdsl.AddOp, negative, to.parameter(reals(addends)))
    if len(calibrators) == 1:
        return to.op(tdsl.SigmoidOp, to.op(tdsl.NegOp, negative))
    return to.op(tdsl.SoftmaxOp, to.op(tdsl.NegOp, to.op(tdsl.SoftplusOp, negative)))


def _isotonic(to: ModelBuilder, calibrators: Sequence[Any], scores: SSAValue) -> SSAValue:
    """Emit isotonic calibration: piecewise linear functions of `scores`, decision functions or probabilities. Each
    function is constant beyond its outermost points.

    Each function is a sum over its increasing pieces. A piece contributes its rise, multiplied by the fraction of the
    piece that lies below the score.
    """
    starts, ends, rises, chosen = list[float](), list[float](), list[Any](), list[Any]()
    for calibrator, of in zip(calibrators, np.eye(len(calibrators)), strict=True):
        x, y = array(to, calibrator, "X_thresholds_", 1), array(to, calibrator, "y_thresholds_", 1)
        for piece in np.flatnonzero(np.diff(y) > 0).tolist():
            starts.append(float(x[piece]))
            ends.append(float(x[piece + 1]))
            rises.append((y[piece + 1] - y[piece]) * of)
            chosen.append(of)
    if not starts:
        raise to.error("its probabilities are the same for all samples: fit it with more of them")
    least = np.array([float(array(to, calibrator, "y_thresholds_", 1)[0]) for calibrator in calibrators])
    passed = affine(to, scores, np.array(chosen), -np.array(starts))
    steep = to.parameter(reals(1 / (np.array(ends) - np.array(starts)).reshape(-1, 1)))
    shares = to.op(tdsl.ClipOp, to.op(tdsl.MulOp, passed, steep), 0.0, 1.0)
    values = to.reshape(affine(to, shares, np.array(rises).T, least), (1, len(calibrators)))
    return values if len(calibrators) == 1 else to.op(tdsl.SoftmaxOp, to.op(tdsl.LogOp, values))
