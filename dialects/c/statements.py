"""Statements of C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, StringAttr, SymbolRefAttr, i1, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsTerminator,
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoTerminator,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.c.declarations import FuncOp
from tinyml.dialects.c.expressions import (
    CONTENT,
    COUNT,
    ELEMENT,
    INSTANCE,
    NUMBER,
    POINTER,
    POINTER_TO_ELEMENT,
    VARIABLE_OF_CONTENT,
)
from tinyml.dialects.c.types import PointerType, VariableType, pointer_type
from tinyml.dialects.operations import DialectOp

__all__ = [
    "ArrayOp",
    "AssignOp",
    "ConditionOp",
    "ForOp",
    "IfOp",
    "InvokeOp",
    "PragmaOp",
    "ReturnOp",
    "StoreOp",
    "VariableOp",
    "WhileOp",
]


@irdl_op_definition
class VariableOp(DialectOp):
    """The declaration `T v = init;` of a local variable, or `T v;` if every path assigns the variable before it is
    used.
    """

    name = "c.variable"
    init = opt_operand_def(CONTENT)
    result = result_def(VARIABLE_OF_CONTENT)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "(`=` $init^)? attr-dict `:` type($result)"

    def __init__(self, type: Attribute, init: SSAValue | None):
        super().__init__(operands=[init], result_types=[VariableType(type)])


@irdl_op_definition
class ArrayOp(DialectOp):
    """`T a[length];`: the declaration of an uninitialised local array."""

    name = "c.array"
    length = prop_def(COUNT)
    result = result_def(POINTER)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "$length attr-dict `:` type($result)"

    def __init__(self, element: Attribute, length: int):
        super().__init__(properties={"length": IntegerAttr(length, i64)}, result_types=[PointerType(element)])


@irdl_op_definition
class AssignOp(DialectOp):
    """The assignment `v = value;`."""

    name = "c.assign"
    variable = operand_def(VARIABLE_OF_CONTENT)
    value = operand_def(CONTENT)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$variable `=` $value attr-dict `:` type($value)"

    def __init__(self, variable: SSAValue, value: SSAValue):
        super().__init__(operands=[variable, value])


@irdl_op_definition
class StoreOp(DialectOp):
    """The store `p[i] = value;`."""

    name = "c.store"
    value = operand_def(ELEMENT)
    pointer = operand_def(POINTER_TO_ELEMENT)
    index = operand_def(IndexType)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$value `,` $pointer `[` $index `]` attr-dict `:` type($pointer)"

    def __init__(self, value: SSAValue, pointer: SSAValue, index: SSAValue):
        super().__init__(operands=[value, pointer, index])

    def verify_(self) -> None:
        type = pointer_type(self.pointer)
        if not type.writable:
            raise VerifyException(f"cannot store through {type}: '{type.memory.data}' is read-only")


@irdl_op_definition
class InvokeOp(DialectOp):
    """The statement `f(arguments);`, which calls a function that writes through its pointer arguments."""

    name = "c.invoke"
    callee = prop_def(SymbolRefAttr)
    arguments = var_operand_def(NUMBER | POINTER | INSTANCE)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` type($arguments)"

    def __init__(self, callee: str, arguments: Sequence[SSAValue]):
        super().__init__(operands=[arguments], properties={"callee": SymbolRefAttr(callee)})


@irdl_op_definition
class IfOp(DialectOp):
    """`if (condition) { ... } else { ... }`. The else branch may be empty."""

    name = "c.if"
    condition = operand_def(i1)
    then = region_def("single_block")
    otherwise = region_def()
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(self, condition: SSAValue, then: Region, otherwise: Region):
        super().__init__(operands=[condition], regions=[then, otherwise])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parser.resolve_operand(parser.parse_unresolved_operand(), i1)
        then = parser.parse_region()
        otherwise = parser.parse_region() if parser.parse_optional_keyword("else") else Region()
        op = cls(condition, then, otherwise)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        printer.print_string(" ")
        printer.print_region(self.then)
        if self.otherwise.blocks:
            printer.print_string(" else ")
            printer.print_region(self.otherwise)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if len(self.otherwise.blocks) > 1:
            raise VerifyException("the part behind else is one block")


@irdl_op_definition
class ForOp(DialectOp):
    """`for (int i = start; i < end; i += step) { ... }`. The step is positive. The body does not change i."""

    name = "c.for"
    start = operand_def(IndexType)
    end = operand_def(IndexType)
    step = prop_def(COUNT)
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(self, start: SSAValue, end: SSAValue, step: int, body: Region):
        super().__init__(operands=[start, end], properties={"step": IntegerAttr(step, i64)}, regions=[body])

    @property
    def counter(self) -> SSAValue:
        return self.body.block.args[0]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        counter = parser.parse_argument(expect_type=False).resolve(IndexType())
        parser.parse_punctuation("=")
        start = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
        parser.parse_keyword("to")
        end = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
        step = parser.parse_integer() if parser.parse_optional_keyword("step") else 1
        op = cls(start, end, step, parser.parse_region((counter,)))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.counter)
        printer.print_string(" = ")
        printer.print_ssa_value(self.start)
        printer.print_string(" to ")
        printer.print_ssa_value(self.end)
        if self.step.value.data != 1:
            printer.print_string(f" step {self.step.value.data}")
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if [arg.type for arg in self.body.block.args] != [IndexType()]:
            raise VerifyException("the body expects only the counter, an index")
        if self.step.value.data < 1:
            raise VerifyException(f"the step must be positive, got {self.step.value.data}")


@irdl_op_definition
class ConditionOp(DialectOp):
    """The condition at the end of the first region of a `c.while`."""

    name = "c.condition"
    condition = operand_def(i1)
    traits = traits_def(IsTerminator())
    assembly_format = "$condition attr-dict"

    def __init__(self, condition: SSAValue):
        super().__init__(operands=[condition])


@irdl_op_definition
class WhileOp(DialectOp):
    """`while (condition) { ... }`. The region `test` computes the condition before each iteration, and ends in a
    `c.condition`.
    """

    name = "c.while"
    test = region_def("single_block")
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())
    assembly_format = "$test `do` $body attr-dict"

    def __init__(self, test: Region, body: Region):
        super().__init__(regions=[test, body])

    def verify_(self) -> None:
        if not isinstance(self.test.block.last_op, ConditionOp):
            raise VerifyException("the first region must end in c.condition")


@irdl_op_definition
class PragmaOp(DialectOp):
    """`#pragma text` at the beginning of its block, or `#pragma text variable=array`. A pragma does not change results.

    The array is either a static array, which `symbol` names, or the pointer `argument` of the function.
    """

    name = "c.pragma"
    text = prop_def(StringAttr)
    symbol = opt_prop_def(SymbolRefAttr)
    argument = opt_operand_def(POINTER)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$text (`of` $argument^ `:` type($argument))? attr-dict"

    def __init__(self, text: str, symbol: SymbolRefAttr | None = None, argument: SSAValue | None = None):
        super().__init__(operands=[argument], properties={"text": StringAttr(text), "symbol": symbol})


@irdl_op_definition
class ReturnOp(DialectOp):
    """The statement `return value;`. Without a value, nothing is printed."""

    name = "c.return"
    value = opt_operand_def(AnyAttr())
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($value^ `:` type($value))?"

    def __init__(self, value: SSAValue | None):
        super().__init__(operands=[value])

    def verify_(self) -> None:
        parent = self.parent_op()
        if not isinstance(parent, FuncOp):
            raise VerifyException("c.return must end a c.func")
        given: Sequence[Attribute] = [] if self.value is None else [self.value.type]
        # The function's verifier, which rejects other attributes, runs after those of its body.
        type = parent.properties.get("function_type")
        if isinstance(type, FunctionType) and list(type.outputs) != given:
            raise VerifyException(f"function returns {_spell(type.outputs.data)}, got {_spell(given)}")


def _spell(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types)) or "nothing"
