"""Docstrings are noun phrases or begin with a verb: "True if a buffer is read", not "Is a buffer read?"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from layout.sources import MODULES, name_of


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """The docstrings of a file, those of constants and fields too, with their lines."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text
            case _:
                pass


def test_no_docstring_begins_with_a_question():
    for path in MODULES:
        for line, text in docstrings(path):
            first = re.split(r"(?<=[.?!])\s", re.sub(r"`[^`]*`", "", text).strip())[0]
            assert not first.endswith("?"), f"{name_of(path)}:{line} asks: {first}"
