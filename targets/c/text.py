"""Fragments of C text with their precedence, their C type and their effects."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import Float32Type, IndexType, IntegerType, f32, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects.c import AddressType, InstanceType, PointerType, TextType
from tinyml.dialects.c.types import ALIAS, CONST, FAR, FLASH, is_unsigned
from tinyml.dialects.errors import InputError
from tinyml.dialects.operations import integer_width

PRIMARY, UNARY, PRODUCT, SUM, SHIFT, COMPARISON, EQUALITY, AND, OR, CONDITIONAL = range(15, 5, -1)
LEVELS = {
    "*": PRODUCT,
    "/": PRODUCT,
    "%": PRODUCT,
    "+": SUM,
    "-": SUM,
    ">>": SHIFT,
    "<<": SHIFT,
    "&": AND,
    "|": OR,
    "==": EQUALITY,
    "!=": EQUALITY,
}
"""The precedence of binary operators; comparisons that are missing here have COMPARISON."""

INT = IndexType()
INT24 = IntegerType(24)
RANKS: dict[Attribute, int] = {i1: 0, i8: 1, i16: 2, INT: 3, INT24: 4, i32: 5, i64: 6}
"""C's signed integer types, each at least as wide as the previous ones."""

_SPECIAL: dict[Attribute, str] = {INT: "int", i1: "bool", INT24: "TM_INT24", f32: "float"}

FAR_TYPE = "tm_far"
"""The type of addresses of far constants, which count bytes."""

FLASH_TEXT = "TM_FLASH_TEXT"
"""The macro for the character type of strings in program memory, which chips with `Chip.flash_text` define."""

MEMORY = "memory"
"""The effect of a load from RAM."""


@dataclass(frozen=True)
class Text:
    """The text of a C expression.

    * code: the text.
    * level: the precedence of its outermost operator.
    * type: the C type of the expression. Arithmetic on i8 and i16 has the type int, which `index` represents.
    * reads: the variables on which the expression depends, and MEMORY if it reads memory.
    * steps: true if the evaluation of the expression increments a pointer.
    * literal: true for a literal that C converts to any type without a warning.
    * update: for `v + x` with a variable v, contains v, the operator and x, so that an assignment can be printed as
      `v += x`; otherwise None.
    """

    code: str
    level: int
    type: Attribute
    reads: frozenset[SSAValue | str] = frozenset()
    steps: bool = False
    literal: bool = False
    update: tuple[SSAValue, str, str] | None = None

    def within(self, level: int) -> str:
        return self.code if self.level >= level else f"({self.code})"

    def fits(self, type: Attribute) -> bool:
        """True if C converts the expression to another type without a cast and without a warning."""
        if self.type == type or self.literal or type == i1:
            return True
        return type in RANKS and self.type in RANKS and RANKS[self.type] <= RANKS[type]

    def cast(self, type: Attribute) -> Text:
        """The expression cast to a type: `(T)x`."""
        return replace(
            self, code=f"({spell(type)}){self.within(UNARY)}", level=UNARY, type=type, literal=False, update=None
        )

    def to(self, type: Attribute) -> Text:
        return self if self.fits(type) else self.cast(type)

    def as_wide_as(self, type: Attribute) -> Text:
        """The expression for arithmetic in the type `type`. It is cast unless C computes with it in this type anyway.

        For narrow types, arithmetic in int is sufficient.
        """
        enough = type not in RANKS or RANKS[type] <= RANKS[INT] or self.type == type
        return self if enough else self.cast(type)


def join(level: int, type: Attribute, code: str, *parts: Text) -> Text:
    """An expression that consists of several parts. It reads the variables and the memory that its parts read, and has
    their side effects.

    level: the precedence of the expression.
    type: its C type.
    code: its C text.
    parts: the expressions in the text.
    """
    reads = frozenset[SSAValue | str]().union(*(part.reads for part in parts))
    return Text(code, level, type, reads, any(part.steps for part in parts))


def spell(type: Attribute) -> str:
    """The C text of a type."""
    if (name := _SPECIAL.get(type)) is not None:
        return name
    if isinstance(type, PointerType):
        if type.memory.data == FAR:
            return FAR_TYPE
        element = alias_name(type.element) if type.memory.data == ALIAS else spell(type.element)
        return f"{'const ' if type.memory.data in (CONST, FLASH) else ''}{element} *"
    if isinstance(type, InstanceType):
        return f"{type.structure.data} *"
    if isinstance(type, AddressType):
        return "const void *"
    if isinstance(type, TextType):
        return "const char *"
    return f"{'u' if is_unsigned(type) else ''}int{integer_width(type)}_t"


def prototype(name: str, outputs: Sequence[Attribute], parameters: Mapping[str, Attribute], text: str = "char") -> str:
    """The head of a function, such as `int16_t name(const int16_t *X)`.

    outputs: the type of its result; empty for a function without a result.
    parameters: the types of its parameters by name.
    text: the character type of a string (`c.TextType`).
    """
    declared = [declare(type, parameter, constant=False) for parameter, type in parameters.items()]
    head = declare(outputs[0], name, constant=False) if outputs else f"void {name}"
    if outputs and isinstance(outputs[0], TextType):
        head = f"const {text} *{name}"
    return f"{head}({', '.join(declared) or 'void'})"


def suffix(type: Attribute) -> str:
    return "f32" if type == f32 else f"i{integer_width(type)}"


def alias_name(type: Attribute) -> str:
    return f"tm_{suffix(type)}"


def declare(type: Attribute, name: str, constant: bool) -> str:
    """A C declaration of `name` without an initial value, such as `const int32_t name` or `const int16_t *const name`.
    The variable or, for a pointer type, the pointer is `const` if `constant` is true.
    """
    spelled = spell(type)
    if spelled.endswith("*"):
        return f"{spelled}{'const ' if constant else ''}{name}"
    return f"{'const ' if constant else ''}{spelled} {name}"


def literal(value: int | float, type: Attribute) -> Text:
    """A numeric literal of a type."""
    if isinstance(type, Float32Type):
        return Text(spell_float(value), UNARY if value < 0 else PRIMARY, f32, literal=True)
    number = int(value)
    if type == i1:
        return Text(str(abs(number)), PRIMARY, i1, literal=True)
    if type == INT24 and not -(1 << 15) <= number < 1 << 15:
        # Without the cast it would be a long, as would every result computed from it.
        return Text(f"(TM_INT24){number}", UNARY, INT24, literal=True)
    for width in (16, 32, 64):
        # The minus is an operator in C, and its operand would have a wider type.
        if number == -(1 << (width - 1)):
            return Text(f"INT{width}_MIN", PRIMARY, INT, literal=True)
    return Text(str(number), UNARY if number < 0 else PRIMARY, INT, literal=True)


_MIN_INFINITE = 2.0**128 - 2.0**103
"""The least number that is infinite in single precision."""


def spell_float(value: float) -> str:
    """The shortest decimal text that is parsed to the same single-precision bits. An infinity is spelled as a division
    by zero. Raises `InputError` for NaN.
    """
    if math.isinf(value):
        # Not every bare-metal toolchain has a math.h, with INFINITY.
        return f"({math.copysign(1, value):.1f}f / 0.0f)"
    bits = struct.pack("<f", value)
    [value] = struct.unpack("<f", bits)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        # A few digits of the greatest numbers round to more than single precision represents.
        if abs(float(text)) < _MIN_INFINITE and struct.pack("<f", float(text)) == bits:
            return f"{text}f" if "." in text or "e" in text else f"{text}.0f"
    raise InputError(f"{value} cannot be written as a number of C")
