"""Expressions of C. Only `c.next` has a side effect: it increments a pointer variable."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    Float32Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    SignlessIntegerConstraint,
    StringAttr,
    SymbolRefAttr,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    BaseAttr,
    ParamAttrConstraint,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import ConstantLike, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.c.types import (
    FLASH,
    InstanceType,
    PointerType,
    VariableType,
    is_scalar,
    pointer_type,
    variable_type,
)
from tinyml.dialects.operations import DialectOp, integer_width

__all__ = [
    "AddressOp",
    "BinaryOp",
    "CallOp",
    "CastOp",
    "CompareOp",
    "ConditionalOp",
    "ExpressionOp",
    "LiteralOp",
    "LoadOp",
    "MultiplyWideOp",
    "NextOp",
    "ReadOp",
    "SymbolOp",
    "UnaryOp",
    "ViewOp",
    "integer_of",
]

BINARY_OPERATORS = ("+", "-", "*", "/", "%", "&", "|", ">>", "<<")
FLOAT_OPERATORS = ("+", "-", "*")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
UNARY_OPERATORS = ("-", "!")

POINTER = BaseAttr(PointerType)
INSTANCE = BaseAttr(InstanceType)
NUMBER = BaseAttr(IntegerType) | BaseAttr(IndexType) | BaseAttr(Float32Type)

COUNT = IntegerAttr.constr(i64)
ELEMENT = VarConstraint("ELEMENT", NUMBER)
POINTER_TO_ELEMENT = ParamAttrConstraint(PointerType, (ELEMENT, AnyAttr()))
CONTENT = VarConstraint("CONTENT", AnyAttr())
VARIABLE_OF_CONTENT = ParamAttrConstraint(VariableType, (CONTENT,))


class ExpressionOp(DialectOp, ABC):
    """The base class of expressions. The printer may nest an expression into the statement that uses it."""


@irdl_op_definition
class LiteralOp(ExpressionOp):
    """An integer or floating-point literal."""

    name = "c.literal"
    T: ClassVar = VarConstraint("T", NUMBER)
    value = prop_def(ParamAttrConstraint(IntegerAttr, (AnyAttr(), T)) | ParamAttrConstraint(FloatAttr, (AnyAttr(), T)))
    result = result_def(T)
    traits = traits_def(Pure(), ConstantLike())
    assembly_format = "$value attr-dict"

    def __init__(self, value: IntegerAttr | FloatAttr):
        super().__init__(properties={"value": value}, result_types=[value.type])

    @property
    def number(self) -> int | float:
        return self.value.value.data


def integer_of(value: SSAValue) -> int | None:
    op = value.owner
    return number if isinstance(op, LiteralOp) and isinstance(number := op.number, int) else None


class ArithmeticOp(ExpressionOp, ABC):
    """An arithmetic operator applied to two numbers of one type. An integer result must fit in the type, because signed
    overflow is undefined in C.
    """

    T: ClassVar = VarConstraint("T", NUMBER)
    operator = prop_def(StringAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    traits = traits_def(Pure())
    assembly_format = "$lhs $operator $rhs attr-dict `:` type($lhs)"

    def _check_operator(self, allowed: Sequence[str]) -> None:
        if self.operator.data not in allowed:
            raise VerifyException(
                f"no operator on {self.lhs.type}: '{self.operator.data}' (one of {', '.join(allowed)})"
            )


@irdl_op_definition
class BinaryOp(ArithmeticOp):
    """A binary operator, such as `a + b`.

    `>>` is an arithmetic shift by less than the width. `<<` shifts unsigned numbers by less than the width and discards
    overflowing bits. `/` rounds towards zero.
    """

    name = "c.binary"
    result = result_def(ArithmeticOp.T)

    def __init__(self, lhs: SSAValue, operator: str, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], properties={"operator": StringAttr(operator)}, result_types=[lhs.type])

    def verify_(self) -> None:
        self._check_operator(FLOAT_OPERATORS if self.lhs.type == f32 else BINARY_OPERATORS)


@irdl_op_definition
class CompareOp(ArithmeticOp):
    """A comparison, such as `a < b`."""

    name = "c.compare"
    result = result_def(i1)

    def __init__(self, lhs: SSAValue, operator: str, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], properties={"operator": StringAttr(operator)}, result_types=[i1])

    def verify_(self) -> None:
        self._check_operator(COMPARISONS)


@irdl_op_definition
class UnaryOp(ExpressionOp):
    """The negation `-a`, or the logical negation `!a` of an i1."""

    name = "c.unary"
    T: ClassVar = VarConstraint("T", NUMBER)
    operator = prop_def(StringAttr)
    operand = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$operator $operand attr-dict `:` type($operand)"

    def __init__(self, operator: str, operand: SSAValue):
        super().__init__(operands=[operand], properties={"operator": StringAttr(operator)}, result_types=[operand.type])

    def verify_(self) -> None:
        if self.operator.data not in UNARY_OPERATORS:
            raise VerifyException(f"no operator: '{self.operator.data}' (one of {', '.join(UNARY_OPERATORS)})")
        if (self.operator.data == "!") != (self.operand.type == i1):
            raise VerifyException(f"'{self.operator.data}' cannot be applied to {self.operand.type}")


@irdl_op_definition
class MultiplyWideOp(ExpressionOp):
    """The exact product of two signed integers, in a type of at least twice their width. Targets compute the product by
    one instruction or a fast routine.
    """

    name = "c.multiply_wide"
    lhs = operand_def(SignlessIntegerConstraint)
    rhs = operand_def(SignlessIntegerConstraint)
    result = result_def(SignlessIntegerConstraint)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue, type: IntegerType):
        super().__init__(operands=[lhs, rhs], result_types=[type])

    def verify_(self) -> None:
        factors = max(integer_width(self.lhs.type), integer_width(self.rhs.type))
        if 2 * factors > integer_width(self.result.type):
            raise VerifyException(
                f"the product of {self.lhs.type} and {self.rhs.type} does not fit in {self.result.type}"
            )


@irdl_op_definition
class CastOp(ExpressionOp):
    """The cast `(T)a`. The result of an integer cast is congruent to the operand modulo 2^width, where `width` is the
    width of the result.

    A cast from `ui8`, `ui16` or `ui32` interprets the operand as unsigned before it widens the operand.
    """

    name = "c.cast"
    operand = operand_def(NUMBER)
    result = result_def(NUMBER)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand) `to` type($result)"

    def __init__(self, operand: SSAValue, type: Attribute):
        super().__init__(operands=[operand], result_types=[type])

    def verify_(self) -> None:
        for type in (self.operand.type, self.result.type):
            if not is_scalar(type) or type == f32:
                raise VerifyException(f"casts are between integers, got {type}")


@irdl_op_definition
class ConditionalOp(ExpressionOp):
    """The conditional expression `condition ? a : b`."""

    name = "c.conditional"
    T: ClassVar = VarConstraint("T", NUMBER)
    condition = operand_def(i1)
    then = operand_def(T)
    otherwise = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$condition `,` $then `,` $otherwise attr-dict `:` type($result)"

    def __init__(self, condition: SSAValue, then: SSAValue, otherwise: SSAValue):
        super().__init__(operands=[condition, then, otherwise], result_types=[then.type])


@irdl_op_definition
class CallOp(ExpressionOp):
    """A call of a pure function that returns one number.

    The arguments are numbers, or pointers to memory that the function only reads.
    """

    name = "c.call"
    callee = prop_def(SymbolRefAttr)
    arguments = var_operand_def(NUMBER | POINTER | INSTANCE)
    result = result_def(NUMBER)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` functional-type(operands, results)"

    def __init__(self, callee: str, arguments: Sequence[SSAValue], type: Attribute):
        super().__init__(operands=[arguments], properties={"callee": SymbolRefAttr(callee)}, result_types=[type])


@irdl_op_definition
class SymbolOp(ExpressionOp):
    """The address of a `c.constant` (in flash or in a `c.loaded`), of a `c.loaded`, or of a `c.buffer`.

    instance: the instance that contains the buffer; absent if the memory is static.
    """

    name = "c.symbol"
    symbol = prop_def(SymbolRefAttr)
    instance = opt_operand_def(INSTANCE)
    result = result_def(POINTER)
    traits = traits_def(Pure())
    assembly_format = "$symbol (`of` $instance^ `:` type($instance))? attr-dict `:` type($result)"

    def __init__(self, symbol: str, element: Attribute, memory: str = FLASH, instance: SSAValue | None = None):
        super().__init__(
            operands=[instance],
            properties={"symbol": SymbolRefAttr(symbol)},
            result_types=[PointerType(element, memory)],
        )


@irdl_op_definition
class ViewOp(ExpressionOp):
    """The address of a buffer at a byte offset in the arena.

    * length: the number of elements of the buffer.
    * doc: a description of the content of the buffer.
    * instance: the instance that contains the arena; absent for a program with a single, static arena.
    """

    name = "c.view"
    arena = prop_def(SymbolRefAttr)
    offset = prop_def(COUNT)
    length = prop_def(COUNT)
    doc = opt_prop_def(StringAttr)
    instance = opt_operand_def(INSTANCE)
    result = result_def(POINTER)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$arena `[` $offset `]` (`of` $instance^ `:` type($instance))? attr-dict `:` type($result)"

    def __init__(
        self, arena: str, offset: int, length: int, doc: str, type: PointerType, instance: SSAValue | None = None
    ):
        super().__init__(
            operands=[instance],
            properties={
                "arena": SymbolRefAttr(arena),
                "offset": IntegerAttr(offset, i64),
                "length": IntegerAttr(length, i64),
                "doc": StringAttr(doc),
            },
            result_types=[type],
        )


@irdl_op_definition
class AddressOp(ExpressionOp):
    """The address `&p[i]`."""

    name = "c.address"
    T: ClassVar = VarConstraint("T", POINTER)
    pointer = operand_def(T)
    index = operand_def(IndexType)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$pointer `[` $index `]` attr-dict `:` type($pointer)"

    def __init__(self, pointer: SSAValue, index: SSAValue):
        super().__init__(operands=[pointer, index], result_types=[pointer.type])


@irdl_op_definition
class LoadOp(ExpressionOp):
    """The array element `p[i]`."""

    name = "c.load"
    pointer = operand_def(POINTER_TO_ELEMENT)
    index = operand_def(IndexType)
    result = result_def(ELEMENT)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$pointer `[` $index `]` attr-dict `:` type($pointer)"

    def __init__(self, pointer: SSAValue, index: SSAValue):
        super().__init__(operands=[pointer, index], result_types=[pointer_type(pointer).element])


@irdl_op_definition
class ReadOp(ExpressionOp):
    """The current value of a local variable."""

    name = "c.read"
    variable = operand_def(VARIABLE_OF_CONTENT)
    result = result_def(CONTENT)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$variable attr-dict `:` type($result)"

    def __init__(self, variable: SSAValue):
        super().__init__(operands=[variable], result_types=[variable_type(variable).content])


@irdl_op_definition
class NextOp(ExpressionOp):
    """`*p++`: the element to which the pointer variable `p` points. The op then increments `p` by one element."""

    name = "c.next"
    variable = operand_def(ParamAttrConstraint(VariableType, (POINTER_TO_ELEMENT,)))
    result = result_def(ELEMENT)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$variable attr-dict `:` type($variable)"

    def __init__(self, variable: SSAValue):
        content = variable_type(variable).content
        assert isinstance(content, PointerType)
        super().__init__(operands=[variable], result_types=[content.element])
