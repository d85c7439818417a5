"""The predictions of imported estimators themselves, with which those of their programs are compared."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

OwnAnswers: TypeAlias = "Callable[[NDArray[Any]], NDArray[Any] | None]"
"""A function from samples (samples, features) to indices of classes or clusters, (samples,), or values (samples, M).

Returns None if the estimator fails to predict.
"""

_ESTIMATORS: WeakKeyDictionary[ModuleOp, OwnAnswers] = WeakKeyDictionary()


def remember(module: ModuleOp, estimator: object) -> None:
    """Keep an estimator for as long as the module that was imported from it lives."""
    _ESTIMATORS[module] = partial(_answers, estimator)


def own_answers(module: ModuleOp) -> OwnAnswers | None:
    """The predictions of the estimator that a module was imported from; None for other modules, including copies."""
    return _ESTIMATORS.get(module)


def _answers(estimator: Any, x: NDArray[Any]) -> NDArray[Any] | None:
    try:
        with warnings.catch_warnings(action="ignore"):
            given = _as_fitted(estimator, x)
            found = estimator.predict(given) if hasattr(estimator, "predict") else estimator.transform(given)
    # Estimators may contain arbitrary code, which may raise anything.
    except Exception:
        return None
    found = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return found if found.dtype.kind in "iu" and found.ndim == 1 else found.reshape(len(x), -1)
    numbers = {label: number for number, label in enumerate(np.asarray(classes).tolist())}
    return np.array([numbers[label] for label in found.tolist()])


def _as_fitted(estimator: Any, x: NDArray[Any]) -> Any:
    """Samples as a DataFrame with the column names of the training data, if there were any."""
    names = getattr(estimator, "feature_names_in_", None)
    return x if names is None else import_module("pandas").DataFrame(x, columns=names)
