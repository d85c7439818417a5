"""The source files of the product, and facts parsed from their text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from programs.paths import ROOT
from xdsl.passes import ModulePass

from tinyml.dialects.package_metadata import PACKAGES as ROOMS


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


OUTERMOST = ROOT / "tools" / "tinyml"
"""The folder of the package `tinyml` itself, and of its interface for packages, `tinyml.extend`."""


def module_of(path: Path) -> str:
    """The full name of the module in a file."""
    parts = path.relative_to(OUTERMOST if path.is_relative_to(OUTERMOST) else ROOT).with_suffix("").parts
    return ".".join(["tinyml", *(parts[:-1] if parts[-1] == "__init__" else parts)])


class Source:
    """Facts about a source file, collected in one pass over its syntax tree.

    imports: the line and the full name of every imported module, wherever in the file the import stands.
    for_types: the lines of imports that only a type checker executes.
    words: the identifiers, imports and strings outside docstrings and comments, each with its first line.
    """

    def __init__(self, path: Path):
        self.imports: list[tuple[int, str]] = []
        self.for_types: set[int] = set()
        self.words: dict[str, int] = {}
        self._package = ["tinyml", *path.relative_to(ROOT).parent.parts]
        # Parents come before their children, so docstrings are known before the constants that they are.
        self._said: set[ast.AST] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            self._read(node)

    def _read(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=names):
                self.imports += ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                parent = self._package[: len(self._package) - level + 1] if level else []
                base = ".".join([*parent, *([module] if module else [])])
                self.imports += ((node.lineno, f"{base}.{alias.name}") for alias in names)
                if module is not None:
                    self.words.setdefault(module, node.lineno)
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(str(name)), *_]):
                if called in ("import_module", "__import__"):
                    self.imports.append((node.lineno, name))
            case ast.Expr(value=ast.Constant(value=str()) as constant):
                self._said.add(constant)
            case ast.Constant(str(text)) if node not in self._said:
                self.words.setdefault(text, node.lineno)
            case ast.Name(id=text) | ast.Attribute(attr=text):
                self.words.setdefault(text, node.lineno)
            case ast.FunctionDef(name=text) | ast.ClassDef(name=text) | ast.arg(arg=text) | ast.alias(name=text):
                self.words.setdefault(text, node.lineno)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                inside = (inner for statement in node.body for inner in ast.walk(statement))
                self.for_types |= {inner.lineno for inner in inside if isinstance(inner, ast.Import | ast.ImportFrom)}
            case _:
                pass


@cache
def source(path: Path) -> Source:
    return Source(path)
