"""One-line defects of a Python source: limits changed by one, terms omitted, conditions removed.

Docstrings, annotations, decorators, assertions, error messages and f-strings are not changed. The following changes
are excluded, too:

* changes that Pyright reports, such as the removal of a test for a type or for None;
* changes that leave the bytecode unchanged, or result in the same bytecode as another defect;
* changes that are equivalent for all values, such as `reshape(-2)`, or a length of at most 0.
"""

from __future__ import annotations

import ast
import marshal
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

MOVED = {
    "<": ("<=",),
    "<=": ("<",),
    ">": (">=",),
    ">=": (">",),
    "==": ("!=", ">=", "<="),
    "!=": ("==",),
    "in": ("not in",),
    "not in": ("in",),
    "is": ("is not",),
    "is not": ("is",),
}
"""Comparisons flipped or moved by one."""

SWAPPED = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}

OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//"}
"""Those whose terms can be left out."""

SIGNS = {"+": "-", "-": "+"}

COMPARED = re.compile(r"<=|>=|==|!=|<|>|\bnot\s+in\b|\bis\s+not\b|\bin\b|\bis\b")

MESSAGES = re.compile(r"(Error|Exception|Warning|Note)$|^(warn|note|remark|print|debug|format|cast|TypeVar)$")
"""Callees whose arguments are texts and types."""


@dataclass(frozen=True, order=True)
class Defect:
    """A change of one line of a source.

    line: the number of the line, from 1.
    start, end: the offsets of the replaced text in the line, in bytes from 0. `end` is the first offset after the text.
    new: the text that replaces it.
    what: a description of the change.
    """

    line: int
    start: int
    end: int
    new: str
    what: str

    def applied(self, source: str) -> str:
        """The source code with the defect inserted."""
        lines = source.splitlines(keepends=True)
        # Columns of ast count bytes.
        line = lines[self.line - 1].encode()
        lines[self.line - 1] = (line[: self.start] + self.new.encode() + line[self.end :]).decode()
        return "".join(lines)


def defects(source: str) -> list[Defect]:
    """The possible defects in a source, sorted; each changes one line and the bytecode."""
    known, found = {_bytecode(source)}, list[Defect]()
    for defect in sorted(set(_Sites(source).of(ast.parse(source)))):
        try:
            code = _bytecode(defect.applied(source))
        except SyntaxError:
            continue
        if code not in known:
            known.add(code)
            found.append(defect)
    return found


def _bytecode(source: str) -> bytes:
    """The bytecode of a source as bytes, without line numbers."""
    return marshal.dumps(_without_places(compile(source, "", "exec")))


def _without_places(code: CodeType) -> CodeType:
    constants = (_without_places(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_consts=tuple(constants), co_linetable=b"", co_firstlineno=1)


class _Sites:
    """A visitor that finds the positions of a source at which defects can be made."""

    def __init__(self, source: str):
        self._lines = [line.encode() for line in source.splitlines()]

    def of(self, node: ast.AST) -> Iterator[Defect]:
        """Yield the defects in a node of the syntax tree and in its children. Yield nothing for assertions, raised
        errors, imports, messages, and code for type checkers only.
        """
        match node:
            case ast.Assert() | ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom() | ast.Global():
                return
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                return
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if MESSAGES.search(name):
                return
            case ast.Compare():
                yield from self._compare(node)
            case ast.Subscript(slice=ast.Constant(value=0)) if self._text(node, node) is not None:
                # The first is often the last.
                yield from self._replace(node.slice, node.slice, "1", "0 is 1")
                yield from self.of(node.value)
                return
            case ast.Call(func=ast.Attribute(value=value, attr="reshape"), args=args):
                yield from self.of(value)
                for arg in args:
                    if not isinstance(arg, ast.UnaryOp):
                        yield from self.of(arg)
                return
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                for moved in (number + 1, number - 1):
                    yield from self._replace(node, node, repr(moved), f"{number!r} is {moved!r}")
            case ast.BinOp():
                yield from self._terms(node)
            case ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub()), ast.FloorDiv()) as division):
                down = self._text(division, division)
                if down is not None:
                    yield from self._replace(node, node, down.replace("-", "", 1).strip(), "rounded down instead of up")
            case ast.BoolOp():
                yield from self._conditions(node)
            case ast.AugAssign(op=ast.Add() | ast.Sub()):
                sign = OPERATORS[type(node.op)]
                yield from self._between(node.target, node.value, rf"\{sign}=", f"{SIGNS[sign]}=")
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in SWAPPED:
                end = node.func.end_col_offset
                assert end is not None
                assert node.func.end_lineno is not None
                start = end - len(name.encode())
                yield Defect(node.func.end_lineno, start, end, SWAPPED[name], f"{name} is {SWAPPED[name]}")
            case _:
                pass
        yield from self._guards(node)
        for child in self._code(node):
            yield from self.of(child)

    def _code(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the children of a node that are code in which defects may be made."""
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "type_params", "bases"):
                continue
            for child in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
                if isinstance(child, ast.AST):
                    yield child

    def _guards(self, node: ast.AST) -> Iterator[Defect]:
        """Yield defects that negate or remove the conditions of `if`, of conditional expressions and of comprehensions;
        yield nothing for any other node.
        """
        match node:
            case ast.If() | ast.IfExp():
                tests, left_out = [node.test], "True"
            case ast.comprehension():
                tests, left_out = node.ifs, "True"
            case _:
                return
        leaves = ast.Return | ast.Continue | ast.Break | ast.Raise
        guard = isinstance(node, ast.If) and isinstance(node.body[-1], leaves)
        for test in tests:
            text = self._text(test, test)
            if text is not None:
                yield from self._replace(test, test, f"not ({text})", "guard negated")
                if not _narrows(test):
                    yield from self._replace(test, test, "False" if guard else left_out, "guard left out")

    def _compare(self, node: ast.Compare) -> Iterator[Defect]:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            gap = self._gap(left, right)
            if gap is None:
                continue
            line, start, text = gap
            found = COMPARED.search(text)
            if found is None:
                continue
            word = " ".join(found[0].split())
            for moved in MOVED[word]:
                # No length is below 0.
                if (word, moved) == ("==", "<=") and _is_length(left) and ast.unparse(right) == "0":
                    continue
                # What is compared for equality may have no order.
                if word == "==" and moved != "!=" and not _is_number(left) and not _is_number(right):
                    continue
                yield Defect(line, start + found.start(), start + found.end(), moved, f"{word} is {moved}")

    def _terms(self, node: ast.BinOp) -> Iterator[Defect]:
        """Yield defects that omit a term or factor, or exchange + and -. Yield nothing for other operators and for
        strings.
        """
        sign = OPERATORS.get(type(node.op))
        if sign is None or _is_text(node.left) or _is_text(node.right):
            return
        sides = [(node.left, node.right)] if sign in "-//" else [(node.left, node.right), (node.right, node.left)]
        for kept, gone in sides:
            text, lost = self._text(kept, kept), self._text(gone, gone)
            if text is not None and lost is not None:
                yield from self._replace(node, node, f"({text})", f"{sign} {lost} is left out")
        if sign in SIGNS and not isinstance(node.left, ast.List | ast.Tuple | ast.ListComp):
            yield from self._between(node.left, node.right, rf"\{sign}", SIGNS[sign])

    def _conditions(self, node: ast.BoolOp) -> Iterator[Defect]:
        """Yield defects that omit a condition or, if there are two, exchange `and` and `or`."""
        word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            # Both sides stay what they are: an operand of its own, or the whole.
            if len(node.values) == 2:
                yield from self._between(left, right, rf"\b{word}\b", other)
        for index, gone in enumerate(node.values):
            lost = None if _narrows(gone) else self._text(gone, gone)
            first, last = node.values[0], node.values[-1]
            if lost is None or first.lineno != last.end_lineno:
                continue
            kept = [self._text(value, value) for at, value in enumerate(node.values) if at != index]
            if all(kept):
                text = f" {word} ".join(f"({part})" for part in kept)
                yield from self._replace(first, last, text, f"{word} {lost} is left out")

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> Iterator[Defect]:
        """Yield the defect that replaces the operator between two operands.

        old: a regular expression for the operator.
        new: the operator that replaces it.
        """
        gap = self._gap(left, right)
        if gap is not None and (found := re.search(old, gap[2])):
            yield Defect(gap[0], gap[1] + found.start(), gap[1] + found.end(), new, f"{found[0]} is {new}")

    def _gap(self, left: ast.expr, right: ast.expr) -> tuple[int, int, str] | None:
        """Line, column and text between two operands; None if the text is not on one line."""
        if left.end_lineno is None or left.end_col_offset is None or left.end_lineno != right.lineno:
            return None
        text = self._lines[right.lineno - 1][left.end_col_offset : right.col_offset]
        return right.lineno, left.end_col_offset, text.decode()

    def _text(self, first: ast.expr, last: ast.expr) -> str | None:
        """The source text from one expression to another, including parentheses around them; None if it spans several
        lines.
        """
        if first.lineno != last.end_lineno:
            return None
        return self._lines[first.lineno - 1][first.col_offset : last.end_col_offset].decode()

    def _replace(self, first: ast.expr, last: ast.expr, new: str, what: str) -> Iterator[Defect]:
        """Yield the defect that replaces the source from one expression to another, if it is on one line.

        new: the source that replaces it.
        what: the description of the defect.
        """
        if first.lineno == last.end_lineno and last.end_col_offset is not None:
            yield Defect(first.lineno, first.col_offset, last.end_col_offset, new, what)


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is certainly a number."""
    match node:
        case ast.Constant(value=int() | float()) | ast.BinOp(op=ast.Sub() | ast.Mult() | ast.FloorDiv()):
            return not (isinstance(node, ast.Constant) and isinstance(node.value, bool))
        case ast.Call(func=ast.Name(id="len" | "sum" | "min" | "max" | "prod")):
            return True
        case _:
            return False


def _is_length(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="len")) | ast.Attribute(attr="size"):
            return True
        case _:
            return False


def _narrows(node: ast.expr) -> bool:
    """Whether a condition distinguishes types, tests a value for None, or is a constant. A type checker reports the
    removal of the first two.
    """
    match node:
        case ast.UnaryOp(ast.Not(), inner):
            return _narrows(inner)
        case ast.Call(func=ast.Name(id="isinstance")) | ast.Constant():
            return True
        case ast.Compare(comparators=[ast.Constant(value=None)]):
            return True
        case _:
            return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
