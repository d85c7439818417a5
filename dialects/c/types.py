"""Types of C. Numbers have builtin types (`i16` is int16_t, `index` is int). Pointers, variables and instances have
types of this dialect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IndexType, IntegerType, Signedness, StringAttr, f32
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

__all__ = ["AddressType", "InstanceType", "PointerType", "TextType", "VariableType"]

SIGNED_WIDTHS = (1, 8, 16, 24, 32, 64)
UNSIGNED_WIDTHS = (8, 16, 32, 64)

RAM, CONST, ALIAS, FLASH, FAR = "ram", "const", "alias", "flash", "far"
MEMORIES = (RAM, CONST, ALIAS, FLASH, FAR)


SCALARS: frozenset[Attribute] = frozenset(
    [
        *map(IntegerType, SIGNED_WIDTHS),
        *(IntegerType(width, Signedness.UNSIGNED) for width in UNSIGNED_WIDTHS),
        IndexType(),
        f32,
    ]
)


def is_scalar(type: Attribute) -> bool:
    """True for a numeric type of C: i1 (bool), i8 to i64, ui8 to ui64, index (int) or f32."""
    return type in SCALARS


def is_unsigned(type: Attribute) -> bool:
    return type in SCALARS and str(type).startswith("ui")


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """`!c.ptr<i16, flash>`: the address of an element in one kind of memory.

    The kind of memory determines how C code accesses the elements:

    * `ram`: the default, which is not printed.
    * `const`: the input array of the caller, which is read-only.
    * `alias`: RAM whose bytes are also accessed as elements of other types.
    * `flash`: constants, in program memory if the target has separate program memory.
    * `far`: constants at 24-bit addresses, beyond the range of the normal pointers of the target.
    """

    name = "c.ptr"
    element: Attribute
    memory: StringAttr

    def __init__(self, element: Attribute, memory: str = RAM):
        super().__init__(element, StringAttr(memory))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            element = parser.parse_type()
            memory = parser.parse_identifier() if parser.parse_optional_punctuation(",") else RAM
        return (element, StringAttr(memory))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.element)
            if self.memory.data != RAM:
                printer.print_string(f", {self.memory.data}")

    def verify(self) -> None:
        if not is_scalar(self.element):
            raise VerifyException(f"no element type of C: {self.element}")
        if self.memory.data not in MEMORIES:
            raise VerifyException(f"unknown memory '{self.memory.data}' (one of {', '.join(MEMORIES)})")

    @property
    def writable(self) -> bool:
        return self.memory.data in (RAM, ALIAS)


@irdl_attr_definition
class InstanceType(ParametrizedAttribute, TypeAttribute):
    """`!c.instance<@NAME_ctx>`: the address of an instance, a structure that a `c.instance` op declares."""

    name = "c.instance"
    structure: StringAttr

    def __init__(self, structure: str):
        super().__init__(StringAttr(structure))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (parser.parse_symbol_name(),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_symbol_name(self.structure.data)


@irdl_attr_definition
class TextType(ParametrizedAttribute, TypeAttribute):
    """`!c.text`: the address of a constant string, in program memory if the target has separate program memory."""

    name = "c.text"


@irdl_attr_definition
class AddressType(ParametrizedAttribute, TypeAttribute):
    """`!c.address`: the address of constant bytes, `const void *`."""

    name = "c.address"


@irdl_attr_definition
class VariableType(ParametrizedAttribute, TypeAttribute):
    """`!c.var<i32>`: a local variable, which ops of the dialect read and assign."""

    name = "c.var"
    content: Attribute

    def __init__(self, content: Attribute):
        super().__init__(content)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (parser.parse_type(),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.content)

    def verify(self) -> None:
        if not is_value(self.content):
            raise VerifyException(f"no type of a C variable: {self.content}")


def is_value(type: Attribute) -> bool:
    return is_scalar(type) or isinstance(type, PointerType)


def pointer_type(value: SSAValue) -> PointerType:
    return cast(PointerType, value.type)


def variable_type(value: SSAValue) -> VariableType:
    return cast(VariableType, value.type)
