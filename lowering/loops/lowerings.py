"""The registry of lowerings to loops, keyed by class of op.

The decorator `@lowers` registers a function for a class of ops and for all subclasses that have no lowering of their
own. Every file of this folder and its subfolders may register lowerings.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias, TypeVar

from xdsl.ir import Operation

from tinyml.transforms.ir.loop_nest import LoopBuilder

Lowering: TypeAlias = Callable[[Any, LoopBuilder], None]
"""A function that inserts the loops of an op on buffers before the op."""

F = TypeVar("F", bound=Lowering)

_LOWERINGS: dict[type[Operation], Lowering] = {}


def lowers(*kinds: type[Operation]) -> Callable[[F], F]:
    """A decorator that registers a function as the lowering of classes of ops."""

    def register(lowering: F) -> F:
        _LOWERINGS.update(dict.fromkeys(kinds, lowering))
        return lowering

    return register


def lowering_of(op: Operation) -> Lowering | None:
    return lowering_of_class(type(op))


def lowering_of_class(kind: type[Operation]) -> Lowering | None:
    """The lowering registered for a class of ops or for its nearest base class; None if there is none."""
    _load_lowerings()
    return next((_LOWERINGS[base] for base in kind.__mro__ if base in _LOWERINGS), None)


@cache
def _load_lowerings() -> None:
    """Import every module of this folder, which registers its lowerings."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        import_module(module.name)
