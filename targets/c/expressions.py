"""The C text of expressions of the `c` dialect, including the compiler-specific syntax of a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr, i1, i8, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import c
from tinyml.dialects.c.types import (
    ALIAS,
    CONST,
    FAR,
    FLASH,
    RAM,
    is_unsigned,
    pointer_type,
    variable_type,
)
from tinyml.dialects.functions import DATA
from tinyml.dialects.operations import integer_width
from tinyml.targets.c.text import (
    COMPARISON,
    CONDITIONAL,
    EQUALITY,
    INT,
    INT24,
    LEVELS,
    MEMORY,
    PRIMARY,
    PRODUCT,
    RANKS,
    SHIFT,
    SUM,
    UNARY,
    Text,
    join,
    literal,
    spell,
    suffix,
)
from tinyml.targets.chip import Chip

_OPPOSITE = {"+": "-", "-": "+"}
_PRODUCTS: dict[tuple[Attribute, ...], tuple[str, Attribute]] = {
    (i8, i8, i16): ("tm_mul8", i16),
    (i16, i16, i32): ("tm_mul16", i32),
    (i16, i8, i32): ("tm_mul16_8", INT24),
}
"""The helper for products of these types (factor, factor, product) and its return type."""

_FAR_ADDRESS = "TM_FAR"
"""The macro that takes the address of a far constant."""

Operand = Callable[[SSAValue], Text]


class Expressions:
    """A printer of expressions, which forms the text of an expression from the texts of its operands. It records which
    helpers of the target are used.

    chip: the chip for which the program is printed.
    arenas: the arenas of the program.
    program: the name of the program, which is the prefix of its constants, buffers and arena in C.
    loaded: the constants that the caller writes.
    """

    def __init__(self, chip: Chip, arenas: Sequence[c.ArenaOp], program: str, loaded: c.LoadedOp | None = None):
        self.chip = chip
        self.elements = {op.sym_name.data: op.element for op in arenas}
        self.structure = None if loaded is None else loaded.sym_name
        self.loaded = set[str]() if loaded is None else {op.sym_name.data for op in loaded.arrays}
        self.prefix = f"{program}_"
        self.helpers: set[str] = set()

    def spell(self, op: Operation, operand: Operand) -> Text:
        return _SPELLINGS[type(op)](self, op, operand)

    def static(self, symbol: StringAttr | SymbolRefAttr) -> str:
        """The C name of a constant, a buffer or the arena. The name of the program makes it unique among the programs
        of a translation unit.
        """
        name = symbol.data if isinstance(symbol, StringAttr) else symbol.string_value()
        return name if name.startswith(self.prefix) else self.prefix + name

    def helper(self, name: str) -> str:
        self.helpers.add(name)
        return name

    def _reader(self, kind: str, type: c.PointerType) -> str | None:
        """The name of the helper that reads the element to which a pointer of the type `type` points; None if plain C
        can read it.

        kind: "flash", or "next" for a helper that also increments the pointer.
        """
        if type.memory.data == FAR:
            return self.helper(f"tm_{'far' if kind == 'flash' else f'{kind}_far'}_{suffix(type.element)}")
        if type.memory.data == FLASH and self.chip.flash_attribute is not None:
            return self.helper(f"tm_{kind}_{suffix(type.element)}")
        return None

    def literal(self, op: c.LiteralOp, _: Operand) -> Text:
        return literal(op.number, op.result.type)

    def memory(self, symbol: SymbolRefAttr, instance: SSAValue | None, operand: Operand) -> str:
        """The C text of the address of a constant, a buffer or the arena. A buffer or the arena may be a member of an
        instance.
        """
        if self.structure is not None and symbol.string_value() in self.loaded:
            return f"{self.static(self.structure)}.{symbol.string_value()}"
        if instance is None:
            return self.static(symbol)
        return f"{operand(instance).code}->{symbol.string_value()}"

    def symbol(self, op: c.SymbolOp, operand: Operand) -> Text:
        if self.structure is not None and op.symbol.string_value() == self.structure.data:
            return Text(f"({spell(op.result.type)})&{self.static(self.structure)}", UNARY, op.result.type)
        name = self.memory(op.symbol, op.instance, operand)
        if pointer_type(op.result).memory.data == FAR and DATA not in op.attributes:
            name = f"{_FAR_ADDRESS}({name})"
        return Text(name, PRIMARY, op.result.type)

    def binary(self, op: c.BinaryOp, operand: Operand) -> Text:
        type, sign = op.result.type, op.operator.data
        lhs, rhs = operand(op.lhs), operand(op.rhs)
        if LEVELS[sign] == SHIFT or (RANKS.get(type, 0) > RANKS[INT] and type not in (lhs.type, rhs.type)):
            lhs = lhs.as_wide_as(type)
        if sign in _OPPOSITE and rhs.literal and rhs.code.startswith("-"):
            sign, rhs = _OPPOSITE[sign], replace(rhs, code=rhs.code[1:], level=PRIMARY)
        level = LEVELS[sign]
        # Operands of shifts and masks always get parentheses, even where C's precedence makes them redundant.
        left, right = (level, level + 1) if level >= SUM else (UNARY, UNARY)
        narrow = (
            integer_width(type) < integer_width(i32) if is_unsigned(type) else RANKS.get(type, RANKS[INT]) < RANKS[INT]
        )
        # C promotes these to int.
        result = INT if narrow else type
        text = join(level, result, f"{lhs.within(left)} {sign} {rhs.within(right)}", lhs, rhs)
        if isinstance(read := op.lhs.owner, c.ReadOp) and result == type and read.variable in lhs.reads:
            return replace(text, update=(read.variable, sign, rhs.code))
        return text

    def compare(self, op: c.CompareOp, operand: Operand) -> Text:
        lhs, rhs = operand(op.lhs), operand(op.rhs)
        sign = op.operator.data
        return join(LEVELS.get(sign, COMPARISON), i1, f"{lhs.within(SUM)} {sign} {rhs.within(SUM)}", lhs, rhs)

    def unary(self, op: c.UnaryOp, operand: Operand) -> Text:
        type = op.result.type
        inner = operand(op.operand).as_wide_as(type)
        result = INT if type in RANKS and i1 != type and RANKS[type] < RANKS[INT] else type
        # Two minus signs in a row would be a decrement.
        level = PRIMARY if inner.code.startswith("-") else UNARY
        return join(UNARY, result, f"{op.operator.data}{inner.within(level)}", inner)

    def multiply_wide(self, op: c.MultiplyWideOp, operand: Operand) -> Text:
        type = op.result.type
        lhs, rhs = operand(op.lhs), operand(op.rhs)
        wider, narrower = sorted(((op.lhs.type, lhs), (op.rhs.type, rhs)), key=lambda factor: -RANKS[factor[0]])
        helper, returned = _PRODUCTS.get((wider[0], narrower[0], type), ("", type))
        if helper in self.chip.helpers:
            arguments = ", ".join(text.to(factor).code for factor, text in (wider, narrower))
            return join(PRIMARY, returned, f"{self.helper(helper)}({arguments})", lhs, rhs)
        result = INT if RANKS[type] < RANKS[INT] else type
        factors = [f"({spell(type)}){factor.within(UNARY)}" for factor in (lhs, rhs)]
        return join(PRODUCT, result, " * ".join(factors), lhs, rhs)

    def cast(self, op: c.CastOp, operand: Operand) -> Text:
        inner, source, type = operand(op.operand), op.operand.type, op.result.type
        promoted = source in RANKS and RANKS[source] <= RANKS.get(type, -1) <= RANKS[INT]
        if promoted or (str(source) == "ui8" and type in (i16, INT)):
            # C promotes these to int in every computation.
            return inner if inner.literal else replace(inner, type=INT, update=None)
        return inner.cast(type)

    def conditional(self, op: c.ConditionalOp, operand: Operand) -> Text:
        type = op.result.type
        condition, then, otherwise = operand(op.condition), operand(op.then), operand(op.otherwise)
        arms = (then.to(type), otherwise.to(type))
        code = f"{condition.within(EQUALITY)} ? {arms[0].within(EQUALITY)} : {arms[1].within(EQUALITY)}"
        exact = type in (arm.type for arm in arms) or type not in RANKS
        return join(CONDITIONAL, type if exact else INT, code, condition, *arms)

    def call(self, op: c.CallOp, operand: Operand) -> Text:
        arguments = [as_argument(operand(value), value.type) for value in op.arguments]
        code = f"{op.callee.string_value()}({', '.join(text.code for text in arguments)})"
        text = join(PRIMARY, op.result.type, code, *arguments)
        reads_memory = any(isinstance(value.type, c.PointerType | c.InstanceType) for value in op.arguments)
        return replace(text, reads=text.reads | {MEMORY}) if reads_memory else text

    def view(self, op: c.ViewOp, operand: Operand) -> Text:
        type = pointer_type(op.result)
        elements = op.offset.value.data // max(_bytes(type.element), 1)
        name = self.memory(op.arena, op.instance, operand)
        plain = type.element == self.elements[op.arena.string_value()] and type.memory.data != ALIAS
        start = Text(name, PRIMARY, type) if plain else Text(f"({spell(type)}){name}", UNARY, type)
        return Text(f"{start.code} + {elements}", SUM, type) if elements else start

    def address(self, op: c.AddressOp, operand: Operand) -> Text:
        pointer, index = operand(op.pointer), operand(op.index)
        if pointer_type(op.pointer).memory.data == FAR:
            return self._far_address(op, pointer, index)
        return join(UNARY, op.result.type, f"&{pointer.within(PRIMARY)}[{index.code}]", pointer, index)

    def _far_address(self, op: c.AddressOp | c.LoadOp, pointer: Text, index: Text) -> Text:
        size = _bytes(pointer_type(op.pointer).element)
        bytes = f"{size} * {index.within(PRODUCT)}" if size > 1 else index.within(SUM + 1)
        code = pointer.code if index.code == "0" else f"{pointer.within(SUM)} + {bytes}"
        return join(pointer.level if index.code == "0" else SUM, op.pointer.type, code, pointer, index)

    def load(self, op: c.LoadOp, operand: Operand) -> Text:
        pointer, index = operand(op.pointer), operand(op.index)
        type = pointer_type(op.pointer)
        code = f"{pointer.within(PRIMARY)}[{index.code}]"
        if (reader := self._reader("flash", type)) is not None:
            at = pointer.code if index.code == "0" else f"&{code}"
            code = f"{reader}({self._far_address(op, pointer, index).code if type.memory.data == FAR else at})"
        text = join(PRIMARY, type.element, code, pointer, index)
        changes = type.memory.data in (RAM, ALIAS)
        return replace(text, reads=text.reads | {MEMORY}) if changes else text

    def next(self, op: c.NextOp, operand: Operand) -> Text:
        content = variable_type(op.variable).content
        assert isinstance(content, c.PointerType)
        variable = operand(op.variable)
        code = f"*{variable.code}++"
        level = UNARY
        if (reader := self._reader("next", content)) is not None:
            code = f"{reader}(&{variable.code})"
            level = PRIMARY
        reads = {op.variable, MEMORY} if content.writable else {op.variable}
        return Text(code, level, content.element, frozenset(reads), steps=True)


def as_argument(text: Text, type: Attribute, memory: str = CONST) -> Text:
    """The C text of an argument of a call for a parameter of the type `type`. A pointer to elements whose bytes are
    also accessed as other types is cast to a pointer to plain elements.

    memory: the memory of these elements, by default read-only memory.
    """
    if isinstance(type, c.PointerType) and type.memory.data == ALIAS:
        return text.cast(c.PointerType(type.element, memory))
    return text.to(type)


def _bytes(type: Any) -> int:
    return int(type.size)


_SPELLINGS: dict[type[Operation], Callable[[Expressions, Any, Operand], Text]] = {
    c.AddressOp: Expressions.address,
    c.BinaryOp: Expressions.binary,
    c.CallOp: Expressions.call,
    c.CastOp: Expressions.cast,
    c.CompareOp: Expressions.compare,
    c.ConditionalOp: Expressions.conditional,
    c.LiteralOp: Expressions.literal,
    c.LoadOp: Expressions.load,
    c.MultiplyWideOp: Expressions.multiply_wide,
    c.NextOp: Expressions.next,
    c.SymbolOp: Expressions.symbol,
    c.UnaryOp: Expressions.unary,
    c.ViewOp: Expressions.view,
}
