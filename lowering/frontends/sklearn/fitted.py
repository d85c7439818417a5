"""Fitted attributes and parameters of an estimator, checked as they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Handler: TypeAlias = Callable[[Any, ModelBuilder, SSAValue], SSAValue]
"""Appends an estimator's ops: takes the estimator and the features 1 x N, and returns what it computes of them.

A transformer gives the new features, a regressor its values 1 x M. A classifier gives a score for each class, 1 x K, or
for two classes the one number that is greater than 0 for the second. The importer makes the class of scores.
"""


def array(to: ModelBuilder, estimator: Any, name: str, rank: int | None = None) -> Array:
    """A fitted attribute as numbers in double precision.

    rank: of the array, to which a lower one is raised by leading axes. Raises `InputError` for an estimator that is not
    fitted, and for a sparse matrix or anything else that is not numbers.
    """
    value = getattr(estimator, name, None)
    if value is None:
        raise to.error(f"it is not fitted (it has no {name}): call fit(X, y) first")
    if hasattr(value, "toarray"):
        value = value.toarray()
    try:
        numbers = np.asarray(value, np.float64)
    except (TypeError, ValueError) as error:
        raise to.error(f"expected numbers in {name}, got {type(value).__name__}") from error
    if rank is not None and numbers.ndim < rank:
        numbers = numbers.reshape((1,) * (rank - numbers.ndim) + numbers.shape)
    if rank is not None and numbers.ndim > rank:
        raise to.error(f"expected {name} of rank {rank}, got shape {list(numbers.shape)}")
    return numbers


def only(to: ModelBuilder, estimator: Any, parameter: str, *allowed: Any, instead: str) -> None:
    """Refuse a parameter with another value than those allowed. instead: advice for the message."""
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
"""Classifiers whose probabilities are the softmax of their scores, or the sigmoid of a single one."""


def has_logits(estimator: Any, classes: int) -> bool:
    """True if the probabilities are the softmax of the scores, or the sigmoid of a single one.

    Not for several classes fitted one against the rest, nor for two that a softmax of opposite scores tells apart.
    """
    way = getattr(estimator, "multi_class", "")
    apart = way == "ovr" or getattr(estimator, "solver", "") == "liblinear"
    return type(estimator).__name__ in LOGITS and not (apart if classes > 2 else way == "multinomial")


def class_labels(to: ModelBuilder, estimator: Any) -> list[str | int] | None:
    """The labels of a classifier's classes, integers where these are whole numbers; None for other estimators."""
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
