"""Conditions of the preprocessor that are known to be false, and the text without what is behind them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)", re.DOTALL)
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")


def without_branches(text: str, undefined: Sequence[str]) -> str:
    """A text of C without the branches that need a macro whose name begins with one of `undefined`.

    A condition that is decided without its macros vanishes with its directives and the comment directly before it;
    one that depends on others too stays as it is.
    """
    if not any(prefix in text for prefix in undefined):
        return text
    kept: list[str] = []
    open: list[_Condition] = []
    for line in _logical_lines(text):
        directive = _DIRECTIVE.match(line)
        if directive is None:
            if all(condition.prints for condition in open):
                kept.append(line)
            continue
        kind, rest = directive[1], directive[2]
        if kind.startswith("if"):
            outside = all(condition.prints for condition in open)
            open.append(_Condition(value := _value(kind, rest, undefined), keeps=value is None))
            if outside and value is None:
                kept.append(line)
            elif outside:
                _drop_comment(kept)
        else:
            condition = open.pop()
            shown = condition.next(line, kind, None if kind == "endif" else _value(kind, rest, undefined))
            if shown is not None and all(outer.prints for outer in open):
                kept.append(shown)
            if kind != "endif":
                open.append(condition)
    return "\n".join(kept)


@dataclass
class _Condition:
    """An open conditional. value: that of the current branch, None if unknown.

    keeps: true once a directive of it was kept. taken: true behind a branch that is known to be compiled.
    """

    value: bool | None
    keeps: bool
    taken: bool = False

    @property
    def prints(self) -> bool:
        return self.value is not False

    def next(self, line: str, kind: str, value: bool | None) -> str | None:
        """Enter the branch of a directive, or leave the last one; returns the directive to print, if any."""
        if kind == "endif":
            return line if self.keeps else None
        self.taken |= self.value is True
        self.value = False if self.taken else value
        if not self.prints:
            return None
        if self.keeps:
            return "#else" if self.value is True else line
        self.keeps = self.value is None
        return re.sub(r"#\s*elif", "#if", line, count=1) if self.keeps else None


def _value(kind: str, rest: str, undefined: Sequence[str]) -> bool | None:
    """The value of a directive's condition; None if it is unknown."""
    if kind == "else":
        return True
    if kind in ("ifdef", "ifndef"):
        return None if not rest.strip().startswith(tuple(undefined)) else kind == "ifndef"
    names: dict[str, bool | None] = {}

    def named(match: re.Match[str]) -> str:
        macro = match[1] or match[2]
        names[name := f"defined_{macro}"] = False if macro.startswith(tuple(undefined)) else None
        return name

    text = _DEFINED.sub(named, re.sub(r"/\*.*?\*/", "", rest.replace("\\\n", " ")))
    text = re.sub(r"!(?!=)", " not ", text.replace("||", " or ").replace("&&", " and ")).strip()
    try:
        return _decided(ast.parse(text, mode="eval").body, names)
    except SyntaxError:
        # Of C that Python does not spell alike.
        return None


def _decided(node: ast.expr, names: dict[str, bool | None]) -> bool | None:
    """The value of an expression whose names may be unknown."""
    match node:
        case ast.Name(name):
            return names.get(name)
        case ast.UnaryOp(ast.Not(), operand):
            value = _decided(operand, names)
            return None if value is None else not value
        case ast.BoolOp(op, operands):
            values = [_decided(operand, names) for operand in operands]
            decisive = isinstance(op, ast.Or)
            return decisive if decisive in values else None if None in values else not decisive
        case _:
            return None


def _logical_lines(text: str) -> Iterator[str]:
    """The lines; a directive together with the lines that continue it."""
    pending = ""
    for line in text.split("\n"):
        pending += line
        if pending.lstrip().startswith("#") and line.endswith("\\"):
            pending += "\n"
        else:
            yield pending
            pending = ""


def _drop_comment(lines: list[str]) -> None:
    """Remove the comment at the end of lines, if they end with one that stands on lines of its own."""
    if not lines or not lines[-1].endswith("*/"):
        return
    first = next((i for i in range(len(lines) - 1, -1, -1) if "/*" in lines[i]), len(lines))
    if lines[first:] and lines[first].lstrip().startswith("/*"):
        del lines[first:]
