"""Parsing of SeeDot programs by the grammar `seedot.lark`. Syntax errors state what was expected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, cast

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.lexer import PatternStr

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.seedot.ast import (
    Binary,
    Call,
    Conditional,
    Conv2d,
    Declaration,
    Expression,
    Index,
    Init,
    Integer,
    Let,
    Location,
    LoopExpression,
    Maxpool,
    Mbconv,
    Name,
    Negate,
    Real,
    Reshape,
    Reverse,
    Splice,
    Sum,
    Transpose,
    check_size,
)

NESTING_LIMIT = 40
"""The maximum nesting depth of expressions, due to the printer of nested loops. Real programs nest about ten."""

LARGEST_PROGRAM = 25_000
"""The maximum number of operations of a program: a hundred times that of real programs, imported within seconds."""

LARGEST_INTEGER = 2**31 - 1


def parse_seedot(text: str) -> Expression:
    """Parse a program to its syntax tree. Raises `InputError` with line and column for a syntax error, and for a
    program that is too large or nested too deeply.
    """
    try:
        root: Expression = cast(Any, _parser()).parse(text)
    except UnexpectedCharacters as error:
        raise Location(error.line, error.column).error(f"unexpected character {cast(Any, error).char!r}") from error
    except UnexpectedToken as error:
        raise _syntax_error(text, error) from error
    check_size(root, NESTING_LIMIT, LARGEST_PROGRAM)
    return root


@cache
def _parser() -> Lark:
    grammar = files("tinyml.lowering.frontends.seedot").joinpath("grammar.lark").read_text(encoding="utf-8")
    # Unlike the contextual lexer, the basic one rejects keywords as names.
    return Lark(grammar, parser="lalr", lexer="basic", transformer=cast(Any, _Nodes()))


# fmt: off
_EXPRESSION_WORDS = (
    "LET", "SUM", "LOOP", "INIT", "RESHAPE", "MAXPOOL", "REVERSE", "CONV2D", "MBCONV", "RELU", "RELU6", "EXP", "ARGMAX",
    "SGN", "TANH", "SIGMOID", "NORMALISE_L2", "LPAR", "ADD", "SUB", "INT", "FLOAT", "ID",
)
_OPERATORS = (
    "ADD", "SUB", "MUL", "SPARSE_MUL", "POINTWISE_MUL", "ROW_ADD", "ROW_SUB", "AT_LEAST", "TRANSPOSE", "LSQB", "LPAR",
    "IN_RANGE",
)
# fmt: on
_SPELLED = {"ID": "a name", "INT": "an integer", "$END": "the end"}


def _syntax_error(text: str, error: Any) -> InputError:
    token: Token = error.token
    expected: set[str] = set(error.accepts or error.expected)
    words: list[str] = []
    if "LET" in expected:
        words.append("an expression")
        expected.difference_update(_EXPRESSION_WORDS)
    elif "MUL" in expected:
        words.append("an operator")
        expected.difference_update(_OPERATORS)
    elif "FLOAT" in expected:
        words.append("a number")
        expected.difference_update(("ADD", "SUB", "INT", "FLOAT"))
    words += sorted(_spell(name) for name in expected)
    alternatives = " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    if token.type == "$END":
        line = text.count("\n") + 1
        column = len(text) - (text.rfind("\n") + 1) + 1
        return Location(line, column).error(f"expected {alternatives}, but the program ends")
    return _location(token).error(f"expected {alternatives}, found '{token}'")


def _spell(name: str) -> str:
    if name in _SPELLED:
        return _SPELLED[name]
    pattern = _parser().get_terminal(name).pattern
    return f"'{pattern.value}'" if isinstance(pattern, PatternStr) else name


def _location(token: Token) -> Location:
    return Location(token.line or 1, token.column or 1)


def _integer(token: Token) -> int:
    if len(token) > 10 or (value := int(token)) > LARGEST_INTEGER:
        raise _location(token).error(f"integers go up to {LARGEST_INTEGER}")
    return value


def _product(integers: Iterable[Expression]) -> tuple[int, ...]:
    extents: list[int] = []
    for token in integers:
        if not isinstance(token, Integer):
            raise token.location.error("a shape is made of integers, such as (16, 1)")
        extents.append(token.value)
    return tuple(extents)


class _Nodes:
    """The parser's actions, one per grammar rule.

    c: the tokens and the values of subrules that the rule matched, except tokens that the grammar drops.
    """

    def integers(self, c: list[Token]) -> tuple[int, ...]:
        return tuple(_integer(token) for token in c)

    def bound(self, c: list[Token]) -> float:
        return float("".join(c))

    def threshold(self, c: list[Token]) -> int:
        return -_integer(c[-1]) if c[0] == "-" else _integer(c[-1])

    def stage(self, c: list[Expression]) -> tuple[Expression, ...]:
        return tuple(c)

    def slot(self, c: tuple[Expression, Token]) -> tuple[Expression, int]:
        return c[0], _integer(c[1])

    def target(self, c: list[Any]) -> tuple[Token, Sequence[tuple[Expression, int]]]:
        return c[0], c[1:]

    def let(self, c: tuple[Token, tuple[Token, Sequence[tuple[Expression, int]]], Expression, Expression]) -> Let:
        (name, slots), value, body = c[1:]
        offsets = tuple(offset for offset, _ in slots)
        return Let(_location(name), str(name), offsets, tuple(size for _, size in slots), value, body)

    def sum(self, c: tuple[Token, Token, tuple[int, int], Expression]) -> Sum:
        return Sum(_location(c[0]), str(c[1]), *c[2], c[3])

    def loop(self, c: tuple[Token, Token, tuple[int, int], Expression, Expression]) -> LoopExpression:
        return LoopExpression(_location(c[0]), str(c[1]), *c[2], c[3], c[4])

    def conditional(self, c: tuple[Expression, Token, int, Expression, Expression]) -> Conditional:
        return Conditional(_location(c[1]), c[0], c[2], c[3], c[4])

    def binary(self, c: tuple[Expression, Token, Expression]) -> Binary:
        return Binary(_location(c[1]), str(c[1]), c[0], c[2])

    def sign(self, c: tuple[Token, Expression]) -> Expression:
        match c:
            case ["+", operand]:
                return operand
            case [sign, Integer(_, value)]:
                return Integer(_location(sign), -value)
            case [sign, Real(_, value)]:
                return Real(_location(sign), -value)
            case _:
                return Negate(_location(c[0]), c[1])

    def transpose(self, c: list[Expression]) -> Transpose:
        return Transpose(c[0].location, c[0])

    def index(self, c: tuple[Expression, Expression]) -> Index:
        return Index(c[0].location, c[0], c[1])

    def splice(self, c: tuple[Expression, Expression, Token]) -> Splice:
        return Splice(c[0].location, c[0], (c[1],), (_integer(c[2]),))

    def splice_further(self, c: tuple[Splice, Expression, Token]) -> Splice:
        before = c[0]
        return Splice(before.location, before.operand, (*before.offsets, c[1]), (*before.sizes, _integer(c[2])))

    def integer(self, c: list[Token]) -> Integer:
        return Integer(_location(c[0]), _integer(c[0]))

    def real(self, c: list[Token]) -> Real:
        return Real(_location(c[0]), float(c[0]))

    def name(self, c: list[Token]) -> Name:
        return Name(_location(c[0]), str(c[0]))

    def group(self, c: list[Any]) -> Expression:
        return c[1] if len(c) == 2 else Declaration(_location(c[0]), _product(c[1:]), None)

    def ranged(self, c: list[Any]) -> Declaration:
        *extents, _, low, high = c[1:]
        return Declaration(_location(c[0]), _product(extents), (low, high))

    def init(self, c: tuple[Token, tuple[int, ...], float]) -> Init:
        return Init(_location(c[0]), c[1], c[2])

    def reshape(self, c: tuple[Token, Expression, tuple[int, ...], tuple[int, ...]]) -> Reshape:
        return Reshape(_location(c[0]), *c[1:])

    def maxpool(self, c: tuple[Token, Expression, tuple[int, ...], tuple[int, ...], tuple[int, ...]]) -> Maxpool:
        return Maxpool(_location(c[0]), *c[1:])

    def reverse(self, c: tuple[Token, Expression, Token]) -> Reverse:
        return Reverse(_location(c[0]), c[1], _integer(c[2]))

    def conv2d(self, c: list[Any]) -> Conv2d:
        keyword, image, filter, strides, padding, dilations, (groups,) = c
        return Conv2d(_location(keyword), image, filter, strides, padding, dilations, groups)

    def mbconv(self, c: list[Any]) -> Mbconv:
        keyword, image, first, second, third, strides, padding = c
        return Mbconv(_location(keyword), image, (first, second, third), strides, padding)

    def function(self, c: tuple[Token, Expression]) -> Call:
        return Call(_location(c[0]), str(c[0]), (c[1],))

    def call(self, c: list[Any]) -> Call:
        return Call(_location(c[0]), str(c[0]), tuple(c[1:]))
