"""The parts of a header that a program needs: functions, types and macros, and what these use."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cache

_WORD = re.compile(r"[A-Za-z_]\w*")
_CONDITION = re.compile(r"#\s*(if|ifdef|ifndef|elif|else|endif)\b")
_MACRO = re.compile(r"#\s*define\s+(\w+)")
_NAMED = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def words(text: str) -> set[str]:
    """The identifiers in a text of C."""
    return set(_WORD.findall(text))


def needed_part(text: str, used: Set[str]) -> list[str]:
    """The lines of a header without definitions that nothing needs. used: the identifiers in the rest of the program.

    Definitions under conditions stay under them. An `#include`, which defines nothing, stays if something beside it
    does, and so do conditions under which an `#error` rejects a compiler. Each definition has a guard of its own in
    place of the header's, since two programs in one translation unit may need different parts.
    """
    parts = _parsed(text)
    found, kept = set(used), set[_Item]()
    items = [item for part in parts for item in part.items()]
    while new := [item for item in items if item not in kept and item.name in found]:
        kept.update(new)
        found.update(*(item.words for item in new))
    return [line for part in parts if part.is_needed(kept, parts) for line in part.lines(kept)]


@dataclass(eq=False)
class _Item:
    """A definition with the comment before it, or another line of the preprocessor, whose name is empty.

    words: the identifiers that it uses, and those in the conditions that it is under.
    """

    text: list[str]
    name: str
    words: Set[str]

    def items(self) -> Iterator[_Item]:
        yield self

    @property
    def is_error(self) -> bool:
        return self.text[-1].startswith("#error")

    def is_needed(self, kept: Set[_Item], beside: Sequence[_Part]) -> bool:
        return self in kept or self.is_error or (not self.name and _any_needed(kept, beside, self))

    def lines(self, kept: Set[_Item]) -> list[str]:
        is_macro = any(_MACRO.match(line) for line in self.text)
        return once(self.name, self.text) if self.name and not is_macro else self.text


@dataclass(eq=False)
class _Branches:
    """Parts under conditions: directives, each with the parts behind it."""

    comment: list[str]
    branches: list[tuple[list[str], list[_Part]]] = field(default_factory=list["tuple[list[str], list[_Part]]"])

    def items(self) -> Iterator[_Item]:
        for _, parts in self.branches:
            for part in parts:
                yield from part.items()

    def is_needed(self, kept: Set[_Item], beside: Sequence[_Part]) -> bool:
        is_error = any(item.is_error for item in self.items())
        return any(item in kept for item in self.items()) or (is_error and _any_needed(kept, beside, self))

    def lines(self, kept: Set[_Item]) -> list[str]:
        lines = list(self.comment)
        for directive, parts in self.branches:
            lines += directive
            lines += [line for part in parts if part.is_needed(kept, parts) for line in part.lines(kept)]
        return [*lines, "#endif"]


_Part = _Item | _Branches


def _any_needed(kept: Set[_Item], beside: Sequence[_Part], own: _Part) -> bool:
    """True if another part beside one is needed."""
    return any(part.is_needed(kept, ()) for part in beside if part is not own)


def once(name: str, lines: Sequence[str]) -> list[str]:
    """A definition that several programs in one translation unit may have in common."""
    macro = f"{name.upper()}_DEFINED"
    return [f"#ifndef {macro}", f"#define {macro}", *lines, "#endif"]


@cache
def _parsed(text: str) -> list[_Part]:
    """The parts of a header, without the guard around all of it."""
    parts = _read_parts(deque(text.rstrip("\n").split("\n")), frozenset())
    match parts:
        case [_Branches(_, [([guard], [_Item() as first, *rest])])] if guard == f"#ifndef {first.name}":
            return rest
        case _:
            return parts


def _read_parts(lines: deque[str], conditions: Set[str]) -> list[_Part]:
    """Read parts up to the end of the text, or to a directive that ends a branch."""
    parts: list[_Part] = []
    comment: list[str] = []
    while lines:
        directive = _CONDITION.match(lines[0])
        if directive is not None and not directive[1].startswith("if"):
            break
        if not lines[0].strip():
            lines.popleft()
        elif lines[0].startswith("/*"):
            comment += _taken(lines, lambda read: "*/" in read[-1])
        elif lines[0].startswith("//"):
            comment.append(lines.popleft())
        elif directive is not None:
            parts.append(_read_branches(lines, comment, conditions))
            comment = []
        else:
            parts.append(_read_item(lines, comment, conditions))
            comment = []
    return parts


def _read_branches(lines: deque[str], comment: list[str], conditions: Set[str]) -> _Branches:
    read = _Branches(comment)
    while re.match(r"#\s*endif\b", lines[0]) is None:
        directive = _continued(lines)
        inner = conditions | words(" ".join(directive))
        conditions = inner
        read.branches.append((directive, _read_parts(lines, inner)))
    lines.popleft()
    return read


def _read_item(lines: deque[str], comment: list[str], conditions: Set[str]) -> _Item:
    if lines[0].startswith("#"):
        text = _continued(lines)
        macro = _MACRO.match(text[0])
        name = "" if macro is None else macro[1]
    else:
        text = _taken(lines, _is_complete)
        name = _defined_name(_COMMENT.sub("", "\n".join(text)))
    return _Item([*comment, *text], name, words("\n".join(text)) | conditions)


def _continued(lines: deque[str]) -> list[str]:
    """A directive, with the lines that continue it."""
    return _taken(lines, lambda read: not read[-1].endswith("\\"))


def _is_complete(read: Sequence[str]) -> bool:
    """True for a whole definition or declaration."""
    text = _COMMENT.sub("", "\n".join(read))
    return text.count("{") == text.count("}") and text.rstrip().endswith((";", "}"))


def _taken(lines: deque[str], is_complete: Callable[[Sequence[str]], bool]) -> list[str]:
    read = [lines.popleft()]
    while lines and not is_complete(read):
        read.append(lines.popleft())
    return read


def _defined_name(text: str) -> str:
    """The name of the function, the type or the object that a text defines."""
    if text.lstrip().startswith("typedef"):
        named = _NAMED.search(text.rstrip().rstrip(";"))
        return "" if named is None else named[1]
    head, name, depth = text.partition("{")[0].partition("=")[0].rstrip().rstrip(";"), "", 0
    for word in re.finditer(r"([A-Za-z_]\w*)\s*\(|[()]", head):
        if word[1] is not None and depth == 0:
            name = word[1]
        depth += word[0].count("(") - word[0].count(")")
    if name:
        return name
    named = _NAMED.search(head)
    return "" if named is None else named[1]
