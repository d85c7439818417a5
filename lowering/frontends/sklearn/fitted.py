"""Fitted estimators: checked access to their attributes and parameters, and the predictions that they compute.

The predictions of an imported estimator are compared with the predictions of its program.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.runtime.model.data import compared_stride

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


Handler: TypeAlias = Callable[[Any, ModelBuilder, SSAValue], SSAValue]
"""A function that appends an estimator's ops: from the estimator and the features 1 x N to its result.

The result is the new features of a transformer, or the values 1 x M of a regressor. A classifier's result is a score
per class, 1 x K, or for two classes a single score that is positive for the second; the importer derives the class from
it.
"""


def array(to: ModelBuilder, estimator: Any, name: str, rank: int | None = None) -> Array:
    """A fitted attribute as numbers in double precision.

    rank: the rank of the result; arrays of lower rank get leading axes. Sparse matrices become dense. Raises
    `InputError` for an estimator that is not fitted, and for an attribute that is not numeric.
    """
    value = getattr(estimator, name, None)
    if value is None:
        raise to.error(f"it is not fitted (it has no {name}): call fit(X, y) first")
    if hasattr(value, "toarray"):
        value = value.toarray()
    try:
        numbers = np.asarray(value, np.float64)
    except (TypeError, ValueError) as error:
        got = type(value).__name__
        if np.asarray(value).dtype.kind in "UO":
            got = "text: train on numbers, such as the position of each category in a list"
        raise to.error(f"expected numbers in {name}, got {got}") from error
    if rank is not None and numbers.ndim < rank:
        numbers = numbers.reshape((1,) * (rank - numbers.ndim) + numbers.shape)
    if rank is not None and numbers.ndim > rank:
        raise to.error(f"expected {name} of rank {rank}, got shape {list(numbers.shape)}")
    return numbers


def takes_missing(estimator: Any) -> bool:
    """Whether `predict` of an estimator accepts NaN as a missing value, according to the estimator's tags."""
    return bool(import_module("sklearn.utils").get_tags(estimator).input_tags.allow_nan)


def only(to: ModelBuilder, estimator: Any, parameter: str, *allowed: Any, instead: str) -> None:
    """Raise `InputError` if a parameter's value is not supported. instead: advice for the message."""
    value = getattr(estimator, parameter, allowed[0])
    if not any(value is each or (isinstance(value, type(each)) and value == each) for each in allowed):
        spelled = " or ".join(map(repr, allowed))
        raise to.error(f"{parameter}={value!r} is not supported, only {spelled}: {instead}")


LOGITS = (
    "LogisticRegression",
    "LogisticRegressionCV",
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "GaussianNB",
    "MultinomialNB",
    "ComplementNB",
    "BernoulliNB",
    "MLPClassifier",
)
"""Classifiers whose probabilities are the softmax of their scores, or the sigmoid of a single score."""


def has_logits(estimator: Any, classes: int) -> bool:
    """Whether the probabilities are the softmax of the scores, or the sigmoid of a single score.

    False for several classes fitted one against the rest, and for two classes fitted as a softmax of opposite scores.
    """
    way = getattr(estimator, "multi_class", "")
    apart = way == "ovr" or getattr(estimator, "solver", "") == "liblinear"
    return type(estimator).__name__ in LOGITS and not (apart if classes > 2 else way == "multinomial")


def class_labels(to: ModelBuilder, estimator: Any) -> list[str | int] | None:
    """The class labels of a classifier, with whole numbers as integers; None for other estimators."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return None
    of_several = str(getattr(getattr(estimator, "_label_binarizer", None), "y_type_", "")).startswith("multilabel")
    if of_several or isinstance(classes, Sequence) or np.ndim(classes) != 1 or getattr(estimator, "multilabel_", False):
        raise to.error("it has several outputs: fit a classifier for each of them")
    if np.asarray(classes).dtype.kind in "fiub":
        numbers = np.asarray(classes, np.float64)
        if not np.array_equal(numbers, np.round(numbers)):
            raise to.error("its classes are not whole numbers: fit it with integers or strings as labels")
        return [int(number) for number in numbers]
    return [str(label) for label in classes]


OwnAnswers: TypeAlias = "Callable[[NDArray[Any]], NDArray[Any] | None]"
"""A function from samples (samples, features) to indices of classes or clusters, (samples,), or values (samples, M).

Returns None if the estimator fails to predict.
"""

EQUAL_SCORES = 1e-4
"""Two scores whose difference is below this share of the greatest may change order by rounding."""

EQUAL_VALUES = 1e-3
"""Tolerance for the values of a regressor, as a share of the greatest one."""

_ESTIMATORS: WeakKeyDictionary[ModuleOp, OwnAnswers] = WeakKeyDictionary()


def remember(module: ModuleOp, estimator: object, *, scores: bool) -> None:
    """Keep an estimator alive as long as the module imported from it. scores: true for the scores of a detector."""
    _ESTIMATORS[module] = partial(_answers, estimator, scores)


def own_answers(module: ModuleOp) -> OwnAnswers | None:
    """The predictions of the estimator from which a module was imported; None for other modules and for copies."""
    return _ESTIMATORS.get(module)


def _answers(estimator: Any, scores: bool, x: NDArray[Any]) -> NDArray[Any] | None:
    try:
        with warnings.catch_warnings(action="ignore"):
            given = as_fitted(estimator, x)
            if not scores:
                found = estimator.predict(given) if hasattr(estimator, "predict") else estimator.transform(given)
            elif hasattr(estimator, "mahalanobis"):
                found = -estimator.mahalanobis(given)
            else:
                found = estimator.score_samples(given)
    # Estimators may contain arbitrary code, which may raise any exception.
    except Exception:
        return None
    found = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return found if found.dtype.kind in "iu" and found.ndim == 1 else found.reshape(len(x), -1)
    numbers = {label: number for number, label in enumerate(np.asarray(classes).tolist())}
    return np.array([numbers[label] for label in found.tolist()])


_ANSWERS = ("predict", "decision_function", "predict_proba", "score_samples", "transform")


def works(estimator: Any, features: int | None) -> bool:
    """Whether an estimator computes predictions for samples of zeros without an exception.

    features: the number of features, by default the estimator's `n_features_in_`.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            x = as_fitted(estimator, np.zeros((2, features or estimator.n_features_in_)))
            for name in _ANSWERS:
                if hasattr(estimator, name):
                    getattr(estimator, name)(x)
    except (MemoryError, KeyboardInterrupt):
        raise
    # Estimators may contain arbitrary code, which may raise any exception, even SystemExit.
    except BaseException:
        return False
    return True


def as_fitted(estimator: Any, x: NDArray[Any]) -> Any:
    """Convert samples to a DataFrame with the column names of the training data, if it had any."""
    names = getattr(estimator, "feature_names_in_", None)
    return x if names is None else import_module("pandas").DataFrame(x, columns=names)


def check_own_answers(program: ModuleOp, own: OwnAnswers, x: NDArray[Any], file: str) -> None:
    """Raise `InputError` if the predictions of a program on reals differ from the predictions of its estimator.

    x: samples (samples, features) as the estimator reads them; the program reads them in single precision.

    Rounding may change a few predictions. Near ties between classes are therefore not counted, and one sample in a
    hundred may differ. Programs that search for nearest neighbours are not compared, since the order of equally near
    samples is undefined.
    """
    x = x[:: compared_stride(len(x))]
    if any(isinstance(op, tdsl.TopKMaskOp) for op in program.walk()) or (expected := own(x)) is None:
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
