"""The syntax tree of a SeeDot program, with source locations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import cast

from tinyml.dialects.errors import InputError


@dataclass(frozen=True, slots=True)
class Location:
    """Line and column in the source, both counted from 1."""

    line: int
    column: int

    def error(self, message: str) -> InputError:
        return InputError(message, line=self.line, column=self.column)


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression. `location` is the location of its operator or its first word."""

    location: Location


@dataclass(frozen=True, slots=True)
class Integer(Expression):
    value: int


@dataclass(frozen=True, slots=True)
class Real(Expression):
    value: float


@dataclass(frozen=True, slots=True)
class Name(Expression):
    name: str


@dataclass(frozen=True, slots=True)
class Declaration(Expression):
    """`(2, 3) in [-1.0, 1.0]`: a parameter or the input, with its shape and optional range."""

    shape: tuple[int, ...]
    range: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Init(Expression):
    """`init([2, 3], 0.5)`: a tensor of the given shape with equal elements."""

    shape: tuple[int, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Transpose(Expression):
    operand: Expression


@dataclass(frozen=True, slots=True)
class Reshape(Expression):
    """`reshape(operand, (shape), (order))`. `order` lists the operand's axes, counted from 1, from slowest to
    fastest.
    """

    operand: Expression
    shape: tuple[int, ...]
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Splice(Expression):
    """`operand[offset:+size]..`: a contiguous slice, with an offset and a size for each axis."""

    operand: Expression
    offsets: tuple[Expression, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Index(Expression):
    operand: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Maxpool(Expression):
    operand: Expression
    kernel: tuple[int, ...]
    padding: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reverse(Expression):
    operand: Expression
    axis: int


@dataclass(frozen=True, slots=True)
class Negate(Expression):
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    operator: str
    lhs: Expression
    rhs: Expression


@dataclass(frozen=True, slots=True)
class Conv2d(Expression):
    image: Expression
    filter: Expression
    strides: tuple[int, ...]
    padding: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int


@dataclass(frozen=True, slots=True)
class Mbconv(Expression):
    """MobileNet's bottleneck of three convolutions: pointwise, depthwise, pointwise.

    stages: filter, weight and bias of each convolution, whose result is `(sum + bias) * weight`.
    strides, padding: of the depthwise convolution.
    """

    image: Expression
    stages: tuple[tuple[Expression, Expression, Expression], ...]
    strides: tuple[int, ...]
    padding: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A call of a function by name. The parser does not check that the function exists."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Sum(Expression):
    """`$(index=[start:end]) body`: the sum of the body's values over start <= index < end."""

    index: str
    start: int
    end: int
    body: Expression


@dataclass(frozen=True, slots=True)
class LoopExpression(Expression):
    """`loop(index=[start:end], variable) body`: executes the body end - start times. The body rebinds the variable."""

    index: str
    start: int
    end: int
    variable: Expression
    body: Expression


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    """`condition >= threshold ? if_true : if_false`."""

    condition: Expression
    threshold: int
    if_true: Expression
    if_false: Expression


@dataclass(frozen=True, slots=True)
class Let(Expression):
    """`let name = value in body`. With offsets and sizes, `value` replaces a slice of the tensor `name`."""

    name: str
    offsets: tuple[Expression, ...]
    sizes: tuple[int, ...]
    value: Expression
    body: Expression


def children(node: Expression) -> Iterator[Expression]:
    """The direct subexpressions, in source order."""
    for field in fields(node):
        value: object = getattr(node, field.name)
        several = cast(tuple[object, ...], value) if isinstance(value, tuple) else (value,)
        yield from (child for child in several if isinstance(child, Expression))


def assigned_names(node: Expression) -> dict[str, Location]:
    """Every name that a nested `let` binds, rebinds or changes by replacing a slice, with the location of the first
    such `let`.
    """
    locations: dict[str, Location] = {}
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, Let):
            locations.setdefault(node.name, node.location)
        pending += reversed(list(children(node)))
    return locations


def check_size(root: Expression, depth_limit: int, operation_limit: int) -> None:
    """Raise `InputError` for a program with more than `operation_limit` operations, and for expressions nested deeper
    than `depth_limit`.

    Later phases recurse on nested expressions. Chains of `let` and of operators are processed without recursion and are
    not counted as nesting.

    root: the program's expression.
    """
    pending = [(root, 1)]
    operations = 0
    while pending:
        node, depth = pending.pop()
        if depth > depth_limit:
            raise node.location.error(f"the expression is nested more than {depth_limit} levels deep")
        operations += not isinstance(node, Let | Name | Integer | Real)
        if operations > operation_limit:
            raise node.location.error(f"the program has more than {operation_limit} operations")
        for child in children(node):
            chained = (isinstance(node, Let) and child is node.body) or (
                isinstance(node, Binary) and isinstance(child, Binary) and child is node.lhs
            )
            pending.append((child, depth if chained else depth + 1))
