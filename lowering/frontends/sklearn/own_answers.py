"""The predictions of imported estimators themselves, and their comparison with those of their programs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import evaluate_reals

if TYPE_CHECKING:
    from numpy.typing import NDArray

OwnAnswers: TypeAlias = "Callable[[NDArray[Any]], NDArray[Any] | None]"
"""A function from samples (samples, features) to indices of classes or clusters, (samples,), or values (samples, M).

Returns None if the estimator fails to predict.
"""

COMPARED_SAMPLES = 1000
"""Maximum samples on which the program on reals is compared with the estimator that it was imported from."""

EQUAL_SCORES = 1e-4
"""Two scores that differ by less than this share of the greatest one may change order by rounding."""

EQUAL_VALUES = 1e-3
"""Tolerance for the values of a regressor, as a share of the greatest one."""

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


def check_own_answers(program: ModuleOp, own: OwnAnswers, x: NDArray[Any], file: str) -> None:
    """Raise `InputError` for a program on reals whose answers for samples (samples, features) differ from its
    estimator's own.

    Rounding may change a few: near ties between classes do not count, nor does one sample in a hundred. Programs that
    look for nearest neighbours are not compared, since the order of equally near ones is undefined.
    """
    x = x[:: -(-len(x) // COMPARED_SAMPLES)]
    if any(isinstance(op, tdsl.TopKMaskOp) for op in program.walk()) or (expected := own(x)) is None:
        return
    outputs = evaluate_reals(program, x)
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
