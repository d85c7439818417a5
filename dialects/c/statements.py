"""Statements of C."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, i1, i64
from xdsl.dialects.utils import AbstractYieldOperation
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    MemoryAllocEffect,
    MemoryWriteEffect,
    NoTerminator,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.c.expressions import POINTER, VARIABLE
from tinyml.dialects.c.types import VariableType, pointer_type, variable_type


@irdl_op_definition
class VariableOp(IRDLOperation):
    """`T v = init;` or, where every path assigns it before it is read, `T v;`."""

    name = "c.variable"
    init = opt_operand_def(AnyAttr())
    result = result_def(VARIABLE)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "($init^ `:` type($init))? attr-dict `->` type($result)"

    def __init__(self, type: Attribute, init: SSAValue | None):
        super().__init__(operands=[init], result_types=[VariableType(type)])

    def verify_(self) -> None:
        content = variable_type(self.result).content
        if self.init is not None and self.init.type != content:
            raise VerifyException(f"a variable of {content} cannot start as {self.init.type}")


@irdl_op_definition
class AssignOp(IRDLOperation):
    """`v = value;`."""

    name = "c.assign"
    variable = operand_def(VARIABLE)
    value = operand_def(AnyAttr())
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$variable `=` $value attr-dict `:` type($value)"

    def __init__(self, variable: SSAValue, value: SSAValue):
        super().__init__(operands=[variable, value])

    def verify_(self) -> None:
        content = variable_type(self.variable).content
        if self.value.type != content:
            raise VerifyException(f"a variable of {content} cannot be assigned {self.value.type}")

    @staticmethod
    def parse_type_of(content: Attribute) -> VariableType:
        return VariableType(content)

    @classmethod
    def parse(cls, parser: Parser) -> AssignOp:
        variable = parser.parse_unresolved_operand()
        parser.parse_punctuation("=")
        value = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        op = cls(parser.resolve_operand(variable, VariableType(type)), parser.resolve_operand(value, type))
        op.attributes |= attributes
        return op
