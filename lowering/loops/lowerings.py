"""The registry of lowerings to loops, keyed by class of op.

The decorator `@lowers` registers a function for a class of ops and for all subclasses that have no lowering of their
own. Every file of this folder and its subfolders may register lowerings. A file is imported when an op of one of its
classes is lowered.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
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
    """The lowering registered for an op's class or for the nearest base class; None if there is none."""
    return lowering_of_class(type(op))


def lowering_of_class(kind: type[Operation]) -> Lowering | None:
    """The lowering registered for a class of ops or for its nearest base class; None if there is none."""
    for base in kind.__mro__:
        for module in _modules().get(base.__name__, ()):
            import_module(module)
        if base in _LOWERINGS:
            return _LOWERINGS[base]
    return None


_DECORATOR = re.compile(r"^@lowers\(([^)]*)\)", re.MULTILINE)


@cache
def _modules() -> Mapping[str, Sequence[str]]:
    """The modules of this folder that register lowerings, by class name of the ops. They are found by a search of
    the source files.
    """
    found: dict[str, list[str]] = {}
    package = __name__.rpartition(".")[0]
    for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        if module.ispkg:
            continue
        source = Path(*import_module(package).__path__, *module.name.removeprefix(f"{package}.").split("."))
        for kinds in _DECORATOR.findall(source.with_suffix(".py").read_text("utf-8")):
            for kind in kinds.split(","):
                found.setdefault(kind.strip().rpartition(".")[2], []).append(module.name)
    return found
