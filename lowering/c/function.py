"""The state of a function that is being lowered to C: lowered values, and the builder of its expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import add, mul, sub
from typing import Any, TypeAlias, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, IntegerAttr, SymbolRefAttr, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import c, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import argument_attribute
from tinyml.dialects.locations import error_at
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.transforms.bits.hint_loops import PARTITION
from tinyml.transforms.ir.loop_nest import LocatedBuilder

_FOLDED: dict[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul}
_NEUTRAL = {"+": 0, "-": 0, "*": 1, ">>": 0}


class ExpressionBuilder(LocatedBuilder):
    """A builder that inserts expressions and statements at the end of a block, at one location.

    Integer arithmetic on literals is folded.
    """

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


def unsupported(op: Operation, why: str = "has no spelling in C") -> InputError:
    return error_at(op, f"'{op.name}' {why}")


class FunctionLowering:
    """The lowering of a function by the spellings of its ops; `values` maps its values to those of the `c` dialect."""

    def __init__(self, program: ProgramBuilder, body: Block, spellings: Spellings):
        self.program = program
        self.spellings = spellings
        self.body = body
        self.build = ExpressionBuilder(body)
        self.values: dict[SSAValue, SSAValue] = {}
        self.walking: dict[Operation, SSAValue] = {}
        """Pointer variables of the loads that follow an array element by element."""

    @property
    def instance(self) -> SSAValue | None:
        """The instance whose memory the function uses; None for a program without instances."""
        return self.program.signatures.instance_of(self.body)

    def lower_function(self, function: func.FuncOp) -> None:
        # An input that arrives row by row is not an argument.
        if self.program.row_length and any(
            not isinstance(use.operation, scratch.ReceiveOp) for argument in function.args for use in argument.uses
        ):
            raise error_at(function, "the input arrives row by row, but is read as a whole")
        arguments = self.program.signatures.arguments_of(self.body)
        self.values.update(zip(function.args, arguments, strict=not self.program.row_length))
        if arguments and (hint := argument_attribute(function, PARTITION)) is not None:
            self.partition(hint, argument=arguments[-1])
        self.lower_block(function.body.block)

    def lower_block(self, block: Block) -> None:
        for op in block.ops:
            if (lower := self.spellings.get(type(op))) is None:
                raise unsupported(op)
            self.build.location = op.location
            lower(self, op)

    def partition(self, hint: Attribute | None, symbol: str | None = None, argument: SSAValue | None = None) -> None:
        """Insert the pragma that spreads an array over memories, if there is such a hint."""
        if isinstance(hint, IntegerAttr):
            text = f"HLS ARRAY_PARTITION cyclic factor={hint.value.data}"
            self.build.put(c.PragmaOp(text, None if symbol is None else SymbolRefAttr(symbol), argument))

    def nested(self, block: Block, write: Callable[[], None]) -> Region:
        """A region of a single block, filled with the ops that `write` inserts."""
        with self.build.inside(block):
            write()
        return Region(block)

    def operands(self, op: Operation) -> list[SSAValue]:
        return [self.values[operand] for operand in op.operands]

    def expression(self, op: Operation, lowered: Operation) -> None:
        self.values[op.results[0]] = self.build.insert(lowered, op.results[0].name_hint)

    def variable(self, type: Attribute, init: SSAValue | None, hint: str | None) -> SSAValue:
        return self.build.insert(c.VariableOp(type, init), hint)

    def read(self, variable: SSAValue) -> SSAValue:
        return self.build.insert(c.ReadOp(variable), variable.name_hint)

    def assign_all(self, variables: list[SSAValue], end: Operation | None) -> None:
        """Assign the operands of a terminator to variables; those that read variables have already been evaluated."""
        assert end is not None
        for variable, value in zip(variables, self.operands(end), strict=True):
            if not (isinstance(old := value.owner, c.ReadOp) and old.variable is variable):
                self.build.put(c.AssignOp(variable, value))


Spelling: TypeAlias = Callable[[FunctionLowering, Any], None]
Spellings: TypeAlias = Mapping[type[Operation], Spelling]
"""Functions that lower an op of each kind to C."""
