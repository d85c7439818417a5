"""The import of an estimator inside another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.ir import SSAValue

from tinyml.lowering.frontends.layers.model_builder import ModelBuilder

Compute: TypeAlias = Callable[[ModelBuilder, Any, SSAValue], tuple[Any, SSAValue]]
"""Appends the ops of an inner estimator: the one that it stands for, and what its `Handler` returns.

Of a composite that transforms, what the inner ones' `transform` computes; of one that predicts, their `predict`.
"""

Composite: TypeAlias = Callable[[Any, ModelBuilder, SSAValue, Compute], SSAValue]
"""Appends the ops of an estimator that holds others, as a `Handler` does."""


def inner(to: ModelBuilder, estimator: Any, name: str) -> Any:
    """The fitted estimators inside another one. Raises `InputError` if it is not fitted."""
    if (found := getattr(estimator, name, None)) is None:
        raise to.error(f"it is not fitted (it has no {name}): call fit(X, y) first")
    return found
