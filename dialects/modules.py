"""Queries of modules without importing them, such as whether a module is installed, and functions that import a module
when they are called.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module
from importlib.machinery import ModuleSpec
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


@cache
def find_module(name: str) -> ModuleSpec | None:
    """The import specification of a module; None if it is not installed. No code runs, not even that of parent
    packages.
    """
    package, path = name.rpartition(".")[0], None
    if package:
        outer = sys.modules.get(package) or find_module(package)
        path = getattr(outer, "__path__", None) or getattr(outer, "submodule_search_locations", None)
        if path is None:
            return None
    finders = (finder.find_spec(name, path) for finder in sys.meta_path)
    return next(filter(None, finders), None)


def is_installed(where: str) -> bool:
    """True if the module is installed. No code runs.

    where: the module, as `MODULE` or `MODULE:NAME`.
    """
    return find_module(where.partition(":")[0].strip()) is not None


def first_line(name: str) -> str:
    """The first sentence of a module's docstring, read from its source without importing the module; "" if there is
    none.
    """
    spec = find_module(name)
    if spec is None or not (spec.origin or "").endswith(".py"):
        return ""
    try:
        said = ast.get_docstring(ast.parse(Path(spec.origin or "").read_bytes())) or ""
    except (OSError, SyntaxError, ValueError):
        return ""
    line = " ".join(said.partition("\n\n")[0].split())
    return line.partition(". ")[0].rstrip(".")


def on_call(where: str) -> Callable[..., Any]:
    """A function that imports the function `where`, a `MODULE:NAME`, on its first call, and calls it."""
    module, _, name = where.partition(":")

    def called(*arguments: Any, **named: Any) -> Any:
        return attrgetter(name)(import_module(module))(*arguments, **named)

    return called


def all_names(modules: Sequence[str]) -> Mapping[str, object]:
    return {name: value for module in modules for name, value in vars(import_module(module)).items()}


class OnUse(Sequence[T], Generic[T]):
    """A sequence that another module defines, named as `MODULE:NAME`. The module is imported when the sequence is first
    used.
    """

    def __init__(self, where: str) -> None:
        self._where = where

    @cached_property
    def _named(self) -> Sequence[T]:
        module, _, name = self._where.partition(":")
        return getattr(import_module(module), name)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._named[index]

    def __len__(self) -> int:
        return len(self._named)

    def __iter__(self) -> Iterator[T]:
        return iter(self._named)
