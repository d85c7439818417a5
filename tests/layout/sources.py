"""The sources of the product, read as text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from programs.paths import ROOT
from xdsl.passes import ModulePass

ROOMS = ("dialects", "targets", "runtime", "transforms", "lowering", "tools")
"""Each imports itself and those before it."""


def room_files(pattern: str) -> list[Path]:
    return sorted(
        path
        for room in ROOMS
        for path in (ROOT / room).rglob(pattern)
        if path.is_file() and "__pycache__" not in path.parts
    )


MODULES = room_files("*.py")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def defined_passes(path: Path) -> Iterator[str]:
    """The names of the passes that a file defines."""
    module = import_module(module_of(path))
    for made in vars(module).values():
        if isinstance(made, type) and issubclass(made, ModulePass) and made.__module__ == module.__name__:
            name = getattr(made, "name", None)
            if isinstance(name, str):
                yield name


OUTERMOST = ROOT / "tools" / "tinyml" / "__init__.py"
"""The file of the package `tinyml` itself."""


def module_of(path: Path) -> str:
    """The full name of the module that a file is."""
    if path == OUTERMOST:
        return "tinyml"
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(["tinyml", *(parts[:-1] if parts[-1] == "__init__" else parts)])


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that a file imports, at its top, in functions or by name."""
    package = ["tinyml", *path.relative_to(ROOT).parent.parts]
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                parent = package[: len(package) - level + 1] if level else []
                base = ".".join([*parent, *([module] if module else [])])
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in names)
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(str(name)), *_]):
                if called in ("import_module", "__import__"):
                    yield node.lineno, name
            case _:
                pass


@cache
def words(path: Path) -> list[tuple[int, str]]:
    """What a file says other than in docstrings and comments: identifiers, imports, strings."""
    return [*_words(path)]


def _words(path: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(path.read_text())
    said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if node not in said:
                yield node.lineno, text
            case ast.Name(id=text) | ast.Attribute(attr=text):
                yield node.lineno, text
            case ast.ImportFrom(module=str(text)) | ast.alias(name=text):
                yield getattr(node, "lineno", 0), text
            case ast.FunctionDef(name=text) | ast.ClassDef(name=text) | ast.arg(arg=text):
                yield node.lineno, text
            case _:
                pass


def only_for_types(tree: ast.AST) -> set[ast.AST]:
    """The nodes of a file that only a type checker reads."""
    return {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
