"""Access to fitted estimators: checked attributes and parameters, and whether an estimator can predict."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


Handler: TypeAlias = Callable[[Any, ModelBuilder, SSAValue], SSAValue]
"""A function that appends an estimator's ops: from the estimator and the features 1 x N to its result.

The result is the new features of a transformer, or the values 1 x M of a regressor. A classifier's result is a score
per class, 1 x K, or for two classes a single score that is positive for the second; the importer derives the class from
it.
"""


def fitted_attribute(to: ModelBuilder, estimator: Any, name: str) -> Any:
    """The value of an attribute that `fit` sets. Raises `InputError` if the estimator is not fitted."""
    if (value := getattr(estimator, name, None)) is None:
        raise to.error(f"it is not fitted (it has no {name}): call fit(X, y) first")
    return value


def array(to: ModelBuilder, estimator: Any, name: str, rank: int | None = None) -> Array:
    """A fitted attribute as numbers in double precision. Sparse matrices become dense.

    Raises `InputError` for an estimator that is not fitted, and for an attribute that is not numeric or has a rank
    above `rank`.

    rank: the rank of the result; an array of lower rank gets leading axes; None to keep the rank of the attribute.
    """
    value = fitted_attribute(to, estimator, name)
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
    """Raise `InputError` if the value of a parameter is not in `allowed`.

    instead: advice for the message.
    """
    value = getattr(estimator, parameter, allowed[0])
    if not any(
        value is candidate or (isinstance(value, type(candidate)) and value == candidate) for candidate in allowed
    ):
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

    False for several classes that were fitted one against the rest, and for two classes that were fitted as a
    softmax of opposite scores.
    """
    way = getattr(estimator, "multi_class", "")
    apart = way == "ovr" or getattr(estimator, "solver", "") == "liblinear"
    return type(estimator).__name__ in LOGITS and not (apart if classes > 2 else way == "multinomial")


def fitted_classes(to: ModelBuilder, estimator: Any) -> list[str | int] | None:
    """The class labels of a classifier. Whole numbers become integers. Returns None for other estimators. Raises
    `InputError` for several outputs, and for numbers that are not whole.
    """
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


_ANSWERS = ("predict", "decision_function", "predict_proba", "score_samples", "transform")


def works(estimator: Any, features: int | None) -> bool:
    """Whether an estimator computes predictions for samples of zeros without raising an exception.

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
    """Convert samples to a DataFrame with the column names of the training data. If the training data had no column
    names, return the samples unchanged.
    """
    names = getattr(estimator, "feature_names_in_", None)
    return x if names is None else import_module("pandas").DataFrame(x, columns=names)
