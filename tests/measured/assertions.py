"""The assertions that rows of papers' pages name: a test of the suite or a check of figures, and the values that it
asserts.

A value counts as asserted if a change of the value would make the test fail. It may be in the code of a test or in a
definition of the same file that the test refers to, in a `CHECK` line of an IR file, or in the condition of a row.
Comments and docstrings do not count.
"""

from __future__ import annotations

import ast
import dis
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from programs.paths import TESTS

Value = int | float | str
"""A number, or a part of a text."""

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\d)")
CHECK = re.compile(r"//\s*(?P<by>[A-Z][A-Z0-9_]*)(?:-NEXT|-SAME|-DAG)?:(?P<checked>.*)")
"""A line that FileCheck matches; what `RUN` says is a command."""


@dataclass(frozen=True)
class Assertion:
    """A test, by its node id relative to `tests/`, and the values that it asserts."""

    test: str
    values: Sequence[Value]

    def missing(self) -> list[Value]:
        """The values that the test does not contain; raises `AssertionError` if there is no such test."""
        asserted = list(constants(self.test))
        return [value for value in self.values if not any(_is_in(value, constant) for constant in asserted)]


def is_ir(test: str) -> bool:
    """Whether a test is a FileCheck file, which lit runs."""
    return test.endswith(".mlir")


def printed(text: str, value: Value) -> bool:
    """Whether `text` contains a value in one of the forms in which tables print it."""
    return _is_in(value, text)


def _is_in(value: Value, constant: Value) -> bool:
    if isinstance(value, str):
        return isinstance(constant, str) and value in constant
    if isinstance(constant, str):
        return any(float(number.replace(",", "")) == value for number in NUMBER.findall(constant))
    return constant == value


def constants(test: str) -> Iterator[Value]:
    """Yield the numbers and strings of a test and of the definitions that it refers to; for a FileCheck file, the text
    of each checked line.

    Raises `AssertionError` if there is no such test.
    """
    file, _, name = test.partition("::")
    text = (TESTS / file).read_text(encoding="utf-8")
    if is_ir(file):
        yield from (line["checked"] for line in map(CHECK.match, text.splitlines()) if line and line["by"] != "RUN")
        return
    defined = _definitions(TESTS / file)
    assert isinstance(defined.get(name), ast.FunctionDef), f"{file} has no test {name}"
    waiting, seen = [name], {name}
    while waiting:
        node = defined[waiting.pop()]
        for part in _without_docstrings(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, int | float | str):
                yield part.value
            elif isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub):
                if isinstance(part.operand, ast.Constant) and isinstance(part.operand.value, int | float):
                    yield -part.operand.value
            elif isinstance(part, ast.Name) and part.id in defined and part.id not in seen:
                seen.add(part.id)
                waiting.append(part.id)


@cache
def _definitions(file: Path) -> dict[str, ast.stmt]:
    """The functions, classes and variables of a module by name. A fixture has the name by which tests request it."""
    named: dict[str, ast.stmt] = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                named[name] = node
            case ast.Assign(targets=targets):
                names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
                named |= dict.fromkeys(names, node)
            case ast.AnnAssign(target=ast.Name(id=name)):
                named[name] = node
            case _:
                pass
    return named


def _without_docstrings(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield from _without_docstrings(child)


def numbers_of(code: CodeType) -> set[float]:
    """The numbers in the code of a condition and of the functions inside it."""
    found: set[float] = set()
    loaded = [one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_CONST", "LOAD_SMALL_INT")]
    while loaded:
        constant: Any = loaded.pop()
        if isinstance(constant, CodeType):
            found |= numbers_of(constant)
        elif isinstance(constant, tuple | frozenset):
            loaded += constant
        elif isinstance(constant, int | float):
            found.add(constant)
    return found
