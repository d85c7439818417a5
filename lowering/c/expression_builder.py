"""A builder of `c` expressions that folds integer arithmetic on literals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add, mul, sub
from typing import cast

from xdsl.dialects.builtin import IndexType, IntegerAttr, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import c
from tinyml.transforms.ir.loop_nest import LocatedBuilder

_FOLDED: dict[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul}
_NEUTRAL = {"+": 0, "-": 0, "*": 1, ">>": 0}


class ExpressionBuilder(LocatedBuilder):
    """A builder that inserts expressions and statements at the end of a block, at one location."""

    def __init__(self, block: Block):
        super().__init__(InsertPoint.at_end(block), UnknownLoc())

    def insert(self, op: Operation, hint: str | None = None) -> SSAValue:
        """Insert an op and return its first result. hint: the name hint of the result."""
        result = super().insert(op)
        result.name_hint = hint
        return result

    def literal(self, value: int, type: Attribute | None = None) -> SSAValue:
        """An integer literal, by default of type index."""
        type = cast(IndexType, type or IndexType())
        return self.insert(c.LiteralOp(IntegerAttr(value, type)))

    def binary(self, a: SSAValue, operator: str, b: SSAValue, hint: str | None = None) -> SSAValue:
        """a operator b, simplified if an operand is a literal."""
        x, y = integer(a), integer(b)
        if x is not None and y is not None and operator in _FOLDED:
            return self.literal(_FOLDED[operator](x, y), a.type)
        if y is not None and y == _NEUTRAL.get(operator):
            return a
        if (operator == "+" and x == 0) or (operator == "*" and x == 1):
            return b
        if operator == "*" and 0 in (x, y):
            return self.literal(0, a.type)
        if operator == "*" and y is not None and isinstance(a.type, IndexType):
            a, b = b, a
        if operator == "-" and x == 0:
            return self.insert(c.UnaryOp("-", b), hint)
        return self.insert(c.BinaryOp(a, operator, b), hint)

    def linear(self, indices: Sequence[SSAValue], shape: Sequence[int]) -> SSAValue:
        """The row-major index of an element; axes of extent 1 are ignored."""
        terms: list[SSAValue] = []
        constant = 0
        stride = 1
        for index, extent in zip(reversed(indices), reversed(shape), strict=True):
            if extent != 1 and (value := integer(index)) is not None:
                constant += value * stride
            elif extent != 1:
                terms.append(self.binary(self.literal(stride), "*", index))
            stride *= extent
        position = terms.pop() if terms else self.literal(0)
        while terms:
            position = self.binary(position, "+", terms.pop())
        return self.binary(position, "+", self.literal(constant))

    def address(self, pointer: SSAValue, index: SSAValue, hint: str | None = None) -> SSAValue:
        """pointer + index, or the pointer itself for index 0."""
        if integer(index) == 0:
            return pointer
        return self.insert(c.AddressOp(pointer, index), hint)


def integer(value: SSAValue) -> int | None:
    """The value of an integer literal; None for any other expression."""
    op = value.owner
    if isinstance(op, c.LiteralOp) and isinstance(number := op.number, int):
        return number
    return None
