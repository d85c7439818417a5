"""Selection of the parts of C text that a program needs.

From a header, the functions, types and macros that the program uses are selected, with the definitions on which these
depend. From any text, branches are omitted whose preprocessor conditions are known to be false.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cache

_DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)", re.DOTALL)
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")


def without_branches(text: str, undefined: Sequence[str]) -> str:
    """C text without the preprocessor branches that require a macro whose name begins with a prefix in `undefined`.

    If the value of a condition is known, its directives and the comment directly before them are removed. A condition
    that also depends on other macros remains.
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
    """A preprocessor conditional whose end has not been reached.

    * value: the value of the condition of the current branch, None if unknown.
    * keeps: true if one of the directives has been printed.
    * taken: true if a previous branch is known to be compiled.
    """

    value: bool | None
    keeps: bool
    taken: bool = False

    @property
    def prints(self) -> bool:
        return self.value is not False

    def next(self, line: str, kind: str, value: bool | None) -> str | None:
        """Begin the branch of a directive, or close the conditional at its `#endif`.

        line: the text of the directive.
        kind: the name of the directive.
        value: the value of its condition, None if unknown.

        Returns the directive to print, or None if the directive is removed.
        """
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
    """The value of a directive's condition; None if it is unknown.

    kind, rest: the name of the directive, and the text after it.
    undefined: prefixes of the names of macros that are not defined.
    """
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
        # C that is not Python.
        return None


def _decided(node: ast.expr, names: dict[str, bool | None]) -> bool | None:
    """The value of a preprocessor condition, parsed as a Python expression; None if it depends on an unknown name.

    names: the known values of names.
    """
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
    pending = ""
    for line in text.split("\n"):
        pending += line
        if pending.lstrip().startswith("#") and line.endswith("\\"):
            pending += "\n"
        else:
            yield pending
            pending = ""


def _drop_comment(lines: list[str]) -> None:
    """Remove a comment from the end of the lines. A comment that shares a line with other text is not removed."""
    if not lines or not lines[-1].endswith("*/"):
        return
    first = next((i for i in range(len(lines) - 1, -1, -1) if "/*" in lines[i]), len(lines))
    if lines[first:] and lines[first].lstrip().startswith("/*"):
        del lines[first:]


_WORD = re.compile(r"[A-Za-z_]\w*")
_CONDITION = re.compile(r"#\s*(if|ifdef|ifndef|elif|else|endif)\b")
_MACRO = re.compile(r"#\s*define\s+(\w+)")
_NAMED = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def words(text: str) -> set[str]:
    return set(_WORD.findall(text))


def without_unused(text: str, used: Set[str]) -> list[str]:
    """The lines of a header without unused definitions.

    used: the identifiers in the rest of the program.

    A definition under a preprocessor condition remains under this condition. An `#include` remains if a definition at
    the same level remains. The same applies to a condition under which an `#error` rejects a compiler. Each definition
    gets its own include guard instead of that of the header, because two programs in one translation unit may need
    different definitions of the header.
    """
    nodes = _parsed(text)
    used_names, kept = set(used), set[_Item]()
    items = [item for node in nodes for item in node.items()]
    while new := [item for item in items if item not in kept and item.name in used_names]:
        kept.update(new)
        used_names.update(*(item.words for item in new))
    return [line for node in nodes if node.is_needed(kept, nodes) for line in node.lines(kept)]


@dataclass(eq=False)
class _Item:
    """A definition with the preceding comment, or a single other preprocessor line.

    text: the lines.
    name: the name that the definition defines; "" for other lines.
    words: the identifiers in the text and in the enclosing conditions.
    """

    text: list[str]
    name: str
    words: Set[str]

    def items(self) -> Iterator[_Item]:
        yield self

    @property
    def is_error(self) -> bool:
        return self.text[-1].startswith("#error")

    def is_needed(self, kept: Set[_Item], siblings: Sequence[_Node]) -> bool:
        return self in kept or self.is_error or (not self.name and _any_needed(kept, siblings, self))

    def lines(self, kept: Set[_Item]) -> list[str]:
        is_macro = any(_MACRO.match(line) for line in self.text)
        return once(self.name, self.text) if self.name and not is_macro else self.text


@dataclass(eq=False)
class _Branches:
    """A preprocessor conditional.

    comment: the lines of the comment directly before it.
    branches: its directives, without the `#endif`, each as its lines and the parts of the header between it and the
        next directive.
    """

    comment: list[str]
    branches: list[tuple[list[str], list[_Node]]] = field(default_factory=list["tuple[list[str], list[_Node]]"])

    def items(self) -> Iterator[_Item]:
        for _, nodes in self.branches:
            for node in nodes:
                yield from node.items()

    def is_needed(self, kept: Set[_Item], siblings: Sequence[_Node]) -> bool:
        is_error = any(item.is_error for item in self.items())
        return any(item in kept for item in self.items()) or (is_error and _any_needed(kept, siblings, self))

    def lines(self, kept: Set[_Item]) -> list[str]:
        lines = list(self.comment)
        for directive, nodes in self.branches:
            lines += directive
            lines += [line for node in nodes if node.is_needed(kept, nodes) for line in node.lines(kept)]
        return [*lines, "#endif"]


_Node = _Item | _Branches


def _any_needed(kept: Set[_Item], siblings: Sequence[_Node], excluded: _Node) -> bool:
    return any(node.is_needed(kept, ()) for node in siblings if node is not excluded)


def once(name: str, lines: Sequence[str]) -> list[str]:
    """The lines of a definition, enclosed in an include guard.

    The guard is needed because several programs in one translation unit may contain the definition.
    """
    macro = f"{name.upper()}_DEFINED"
    return [f"#ifndef {macro}", f"#define {macro}", *lines, "#endif"]


@cache
def _parsed(text: str) -> list[_Node]:
    nodes = _read_nodes(deque(text.rstrip("\n").split("\n")), frozenset())
    match nodes:
        case [_Branches(_, [([guard], [_Item() as first, *rest])])] if guard == f"#ifndef {first.name}":
            return rest
        case _:
            return nodes


def _read_nodes(lines: deque[str], conditions: Set[str]) -> list[_Node]:
    """The parts of a header up to the end of the text, or to a directive that ends a branch. Their lines are removed
    from `lines`.

    conditions: the identifiers in the enclosing conditions.
    """
    nodes: list[_Node] = []
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
            nodes.append(_read_branches(lines, comment, conditions))
            comment = []
        else:
            nodes.append(_read_item(lines, comment, conditions))
            comment = []
    return nodes


def _read_branches(lines: deque[str], comment: list[str], conditions: Set[str]) -> _Branches:
    read = _Branches(comment)
    while re.match(r"#\s*endif\b", lines[0]) is None:
        directive = _continued(lines)
        inner = conditions | words(" ".join(directive))
        conditions = inner
        read.branches.append((directive, _read_nodes(lines, inner)))
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
    return _taken(lines, lambda read: not read[-1].endswith("\\"))


def _is_complete(read: Sequence[str]) -> bool:
    text = _COMMENT.sub("", "\n".join(read))
    return text.count("{") == text.count("}") and text.rstrip().endswith((";", "}"))


def _taken(lines: deque[str], is_complete: Callable[[Sequence[str]], bool]) -> list[str]:
    read = [lines.popleft()]
    while lines and not is_complete(read):
        read.append(lines.popleft())
    return read


def _defined_name(text: str) -> str:
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
