"""The end of help texts of commands that take number formats: what each format is good for."""

from __future__ import annotations

import textwrap

_INDENT, _WIDTH = 12, 80


def formats_epilogue() -> str:
    """The number formats by name, each with what it is good for. Loads the dialects of formats."""
    from tinyml.dialects.formats.lookup import ALIASES, formats

    common = {dialect: alias for alias, dialect in ALIASES.items()}
    rows = [(common.get(name, name), format.GOOD_FOR) for name, format in formats().items() if format.GOOD_FOR]
    return "\n".join(["number formats (--format NAME):", *(_row(name, text) for name, text in rows)])


def _row(name: str, text: str) -> str:
    indent = " " * (_INDENT + 2)
    return textwrap.fill(text, _WIDTH, initial_indent=f"  {name:{_INDENT}}", subsequent_indent=indent)
