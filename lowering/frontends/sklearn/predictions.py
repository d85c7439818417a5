"""The predictions of an imported estimator, with which the predictions of the imported program are compared."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.model_predictions import Predictor, keep_predictor
from tinyml.lowering.frontends.sklearn.fitted import as_fitted
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.runtime.model.data import compared_stride

if TYPE_CHECKING:
    from numpy.typing import NDArray


EQUAL_SCORES = 1e-4
"""Two scores that differ by less than this fraction of the greatest score may change their order by rounding."""

EQUAL_VALUES = 1e-3
"""The tolerance for the values of a regressor, as a fraction of the greatest value."""


def keep_estimator(module: ModuleOp, estimator: object, *, scores: bool) -> None:
    """Keep a reference to an estimator for as long as the module imported from it exists.

    scores: true to compare a detector's scores instead of its predictions.
    """
    keep_predictor(module, partial(_predictions, estimator, scores))


def _predictions(estimator: Any, scores: bool, x: NDArray[Any]) -> NDArray[Any] | None:
    """The predictions of an estimator: numbers of classes, or values of shape (samples, outputs). None if the estimator
    raises an error for these samples.

    scores: true for the scores of a detector.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            samples = as_fitted(estimator, x)
            if not scores:
                predictions = (
                    estimator.predict(samples) if hasattr(estimator, "predict") else estimator.transform(samples)
                )
            elif hasattr(estimator, "mahalanobis"):
                predictions = -estimator.mahalanobis(samples)
            else:
                predictions = estimator.score_samples(samples)
    # Estimators may contain arbitrary code, which may raise any exception.
    except Exception:
        return None
    predictions = np.asarray(predictions.toarray() if hasattr(predictions, "toarray") else predictions)
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return (
            predictions if predictions.dtype.kind in "iu" and predictions.ndim == 1 else predictions.reshape(len(x), -1)
        )
    numbers = {label: number for number, label in enumerate(np.asarray(classes).tolist())}
    if (unknown := next((label for label in predictions.tolist() if label not in numbers), None)) is not None:
        raise InputError(
            f"{type(estimator).__name__}: predict answers {unknown!r}, which is none of its classes_: were these "
            "renamed? Fit it with the new labels, or give their names as `classes`"
        )
    return np.array([numbers[label] for label in predictions.tolist()])


def check_predictions(program: ModuleOp, predict: Predictor, x: NDArray[Any], file: str) -> None:
    """Raise `InputError` if the predictions of a program on reals differ from those of `predict`, its estimator,
    or if the estimator predicts a label that is none of its classes.

    Rounding may change a few predictions. Near ties between classes are therefore ignored, and 1 % of the samples, but
    at least one sample, may differ. Programs that search for nearest neighbours are not compared, since the order of
    equally near samples is undefined.

    x: samples (samples, features) for the estimator; the program receives them in single precision.
    """
    x = x[:: compared_stride(len(x))]
    if any(isinstance(op, tdsl.TopKMaskOp) for op in program.walk()):
        return
    try:
        expected = predict(x)
    except InputError as error:
        raise InputError(error.message, file=file) from error
    if expected is None:
        return
    outputs = evaluate_reals(program, x.astype(np.float32))
    scores = None if outputs.scores is None else np.asarray(outputs.scores).reshape(len(x), -1)
    if outputs.labels is not None:
        different = np.asarray(outputs.labels).ravel() != expected
        if scores is not None:
            ordered = np.sort(np.abs(scores) if scores.shape[1] == 1 else scores, 1)
            margins = ordered[:, -1] - (ordered[:, -2] if scores.shape[1] > 1 else 0.0)
            different &= margins > EQUAL_SCORES * np.abs(scores).max()
    else:
        assert scores is not None
        different = (np.abs(scores - expected) > EQUAL_VALUES * np.abs(expected).max()).any(1)
    if (count := int(different.sum())) > max(1, len(x) // 100):
        raise InputError(
            f"as imported, the estimator answers otherwise than its own predict for {count} of {len(x)} samples: "
            "its numbers do not fit single precision (does a scaler help?), or its import is wrong",
            file=file,
        )
