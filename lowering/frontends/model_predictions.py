"""The predictions of the original model, stored per imported program."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp

if TYPE_CHECKING:
    from numpy.typing import NDArray

Predictor: TypeAlias = "Callable[[NDArray[Any]], NDArray[Any] | None]"
"""A function from samples (samples, features) to indices of classes or clusters, (samples,), or values (samples, M).

Returns None if the model fails to predict.
"""

_PREDICTORS: WeakKeyDictionary[ModuleOp, Predictor] = WeakKeyDictionary()


def keep_predictor(module: ModuleOp, predict: Predictor) -> None:
    """Store the original model for as long as its imported module exists."""
    _PREDICTORS[module] = predict


def predictor_of(module: ModuleOp) -> Predictor | None:
    """The model that a module was imported from; None for other modules, and for copies of an imported module."""
    return _PREDICTORS.get(module)
