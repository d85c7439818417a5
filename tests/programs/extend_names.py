"""The names of `tinyml.extend`, each with the first sentence of its documentation, for the page docs/extending.md."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import tinyml.extend as extend

MODULES = [info.name for info in pkgutil.iter_modules(extend.__path__)]
"""The modules of the interface, without the prefix `tinyml.extend.`."""


def module(name: str) -> ModuleType:
    return import_module(f"tinyml.extend.{name}")


def names_of(name: str) -> list[str]:
    """The names of a module, as its `__all__` lists them."""
    return list(module(name).__all__)


def table(name: str) -> str:
    """The names in a module of the interface with the first sentence of each docstring, as a Markdown table."""
    rows = [f"| `{each}{_parameters(name, each)}` | {description(name, each)} |\n" for each in names_of(name)]
    return "| name | |\n|---|---|\n" + "".join(rows)


def _parameters(name: str, member: str) -> str:
    """The names of a function's parameters in parentheses; empty for anything else.

    name: the module below `tinyml.extend`.
    member: the name of the function.
    """
    thing = getattr(module(name), member)
    if not inspect.isroutine(thing):
        return ""
    parts: list[str] = []
    for each in inspect.signature(thing).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
            parts.append("*")
        star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        parts.append(f"{star}{each.name}{'' if each.default is each.empty else '=...'}")
    return f"({', '.join(parts)})"


def section(name: str) -> str:
    """The docstring of a module of the interface as Markdown, with its first line as a heading."""
    text = inspect.cleandoc(module(name).__doc__ or "")
    head, _, rest = text.partition("\n\n")
    _, _, purpose = head.partition(": ")
    return f"### tinyml.extend.{name}\n\n{purpose[:1].upper()}{purpose[1:]}\n\n{rest}\n\n{table(name)}"


def description(name: str, member: str) -> str:
    """The first sentence of a member's docstring, or of the docstring after the assignment of a constant."""
    text = " ".join(_documentation(name, member).split("\n\n")[0].split())
    sentence = text.partition(". ")[0].rstrip(".")
    assert sentence, f"tinyml.extend.{name}.{member} has no docstring"
    return f"{sentence}".replace("|", r"\|")


def _documentation(name: str, member: str) -> str:
    origin, original = _origins(name)[member]
    thing = getattr(import_module(origin), original, None)
    if isinstance(thing, ModuleType):
        return inspect.cleandoc(thing.__doc__ or "")
    if (inspect.isclass(thing) or inspect.isroutine(thing)) and thing.__module__.startswith("tinyml."):
        return inspect.cleandoc(thing.__doc__ or "")
    return _of_constants(origin).get(original, "")


@cache
def _origins(name: str) -> dict[str, tuple[str, str]]:
    """For each name that a module of the interface re-exports, the module that defines it and its name there."""
    found: dict[str, tuple[str, str]] = {}
    for node in ast.parse(Path(module(name).__file__ or "").read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    return found


@cache
def _of_constants(origin: str) -> dict[str, str]:
    """The docstrings after the assignments in a module, including those in tinyml modules that it imports from.

    origin: the full name of the module.
    """
    found: dict[str, str] = {}
    body = ast.parse(Path(import_module(origin).__file__ or "").read_text("utf-8")).body
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tinyml."):
            documented = _of_constants(node.module or "")
            found |= {each.asname or each.name: documented.get(each.name, "") for each in node.names}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            match following:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    assigned = (each for target in targets for each in ast.walk(target))
                    found |= {each.id: text for each in assigned if isinstance(each, ast.Name)}
                case _:
                    pass
    return found
