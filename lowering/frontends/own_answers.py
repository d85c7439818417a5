"""The predictions of the original model, stored per imported program."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp

if TYPE_CHECKING:
    from numpy.typing import NDArray

OwnAnswers: TypeAlias = "Callable[[NDArray[Any]], NDArray[Any] | None]"
"""A function from samples (samples, features) to indices of classes or clusters, (samples,), or values (samples, M).

Returns None if the model fails to predict.
"""

_ANSWERS: WeakKeyDictionary[ModuleOp, OwnAnswers] = WeakKeyDictionary()


def keep_answers(module: ModuleOp, answers: OwnAnswers) -> None:
    """Store `answers`, the predictions of the original model, for as long as its imported module exists."""
    _ANSWERS[module] = answers


def own_answers(module: ModuleOp) -> OwnAnswers | None:
    """The predictions of the model that a module was imported from; None for other modules, and for copies of an
    imported module.
    """
    return _ANSWERS.get(module)
