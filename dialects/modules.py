"""Modules that nobody has imported yet: whether they are there, and what their first line says."""

from __future__ import annotations

import ast
import sys
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path


@cache
def find_module(name: str) -> ModuleSpec | None:
    """Where a module is; None if it is not installed. No code runs, not even that of the packages around it."""
    package, path = name.rpartition(".")[0], None
    if package:
        outer = sys.modules.get(package) or find_module(package)
        path = getattr(outer, "__path__", None) or getattr(outer, "submodule_search_locations", None)
        if path is None:
            return None
    finders = (finder.find_spec(name, path) for finder in sys.meta_path)
    return next(filter(None, finders), None)


def first_line(name: str) -> str:
    """The first sentence of a module's docstring, which is read from its source; "" if there is none."""
    spec = find_module(name)
    if spec is None or not (spec.origin or "").endswith(".py"):
        return ""
    try:
        said = ast.get_docstring(ast.parse(Path(spec.origin or "").read_bytes())) or ""
    except (OSError, SyntaxError, ValueError):
        return ""
    line = " ".join(said.partition("\n\n")[0].split())
    return line.partition(". ")[0].rstrip(".")
