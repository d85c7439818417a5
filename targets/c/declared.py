"""What a C program declares to its callers, as one description from which NAME.h and NAME.json are printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import (
    DictionaryAttr,
    FixedBitwidthType,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    i8,
    i64,
)
from xdsl.ir import Attribute, Operation

from tinyml.dialects import c
from tinyml.dialects.c.declarations import ELEMENTS
from tinyml.targets.c.expressions import Expressions
from tinyml.targets.c.function import FunctionPrinter
from tinyml.targets.c.text import spell, spell_float
from tinyml.targets.chip import Chip

STRUCTURE_DOC = (
    "The memory of one instance, whose address all functions take. It needs no initial value; instances share nothing "
    "that is written, so that several may run in turn, or at once in several threads."
)

SOURCE, HEADER, CALLER, BLOB = "source", "header", "caller", "blob"
"""The places of definitions: NAME.c, NAME.h, the program of the caller, and NAME_blob.c."""


@dataclass(frozen=True)
class Macro:
    """A macro.

    text: its expansion.
    value: the number or the string that it stands for.
    doc: the comment on it; "" for none.
    """

    name: str
    text: str
    value: int | float | str
    doc: str


@dataclass(frozen=True)
class Function:
    """A function.

    outputs: the type of its result; empty for none.
    parameters: the types of its parameters by name.
    elements: the number of elements to which a pointer points, by the name of the parameter, or by `RESULT`: a number,
        or the name of the parameter that counts them.
    defined: the place of its definition (`SOURCE` and so on).
    text: the C text of the body of a function that the header defines.
    doc: the comment on it; "" for none.
    """

    name: str
    outputs: Sequence[Attribute]
    parameters: Mapping[str, Attribute]
    elements: Mapping[str, int | str]
    defined: str
    text: str
    doc: str


@dataclass(frozen=True)
class Array:
    """An array: a member of a structure, or a variable of NAME.c.

    element: the type of the elements.
    bytes: the size of an element.
    aligned: the alignment in bytes that the declaration demands; 0 for that of the element.
    alignment: the alignment in bytes that the array has.
    place: the macro and attributes that place the array in a memory; "" for ordinary RAM.
    """

    name: str
    element: Attribute
    length: int
    bytes: int
    aligned: int
    alignment: int
    place: str = ""

    @property
    def size(self) -> int:
        return self.length * self.bytes

    def declaration(self) -> str:
        place = f" {self.place}" if self.place else ""
        attribute = f" __attribute__((__aligned__({self.aligned})))" if self.aligned else ""
        return f"{spell(self.element)} {self.name}[{self.length}]{place}{attribute};"


@dataclass(frozen=True)
class Structure:
    """A structure: the memory of an instance."""

    name: str
    members: Sequence[Array]

    @property
    def alignment(self) -> int:
        return max(member.alignment for member in self.members)

    @property
    def offsets(self) -> list[int]:
        """The first byte of each member, and last the size of the structure."""
        found, end = list[int](), 0
        for member in self.members:
            end += -end % member.alignment
            found.append(end)
            end += member.size
        return [*found, end + -end % self.alignment]


@dataclass(frozen=True)
class Table:
    """A constant array of the header.

    numbers: its elements; empty if another file defines it.
    defined: the place of its definition.
    """

    name: str
    element: Attribute
    length: int
    numbers: Sequence[float]
    defined: str
    doc: str


@dataclass(frozen=True)
class OtherText:
    """C text that declares nothing with the name of the program."""

    text: str


Declaration = Macro | Function | Structure | Table | OtherText


class DeclarationReader:
    """A reader of what a program declares.

    expressions: the printer of the program's expressions.
    taken: the names in use at file scope.
    """

    def __init__(self, chip: Chip, expressions: Expressions, taken: set[str]) -> None:
        self.chip, self.expressions, self.taken = chip, expressions, taken

    def header(self, program: c.ProgramOp) -> list[Declaration]:
        """The declarations of the header, in their order."""
        return [found for op in program.body.block.ops if (found := self._declared(op)) is not None]

    def variables(self, program: c.ProgramOp) -> Iterator[Array]:
        """Yield the variables of NAME.c, which are static."""
        for op in program.body.block.ops:
            match op:
                case c.ArenaOp():
                    yield self.arena(op, self.expressions.static(op.sym_name))
                case c.BufferOp():
                    yield self.buffer(op, self.expressions.static(op.sym_name))
                case c.LoadedOp():
                    widest = max(array.element_size for array in op.arrays)
                    name, bytes = self.expressions.static(op.sym_name), len(op.content)
                    yield Array(name, i8, bytes, 1, 0, self._natural(widest))
                case _:
                    pass

    def _declared(self, op: Operation) -> Declaration | None:
        match op:
            case c.DefineOp():
                return Macro(op.sym_name.data, *_macro(op.value), _text(op.doc))
            case c.InstanceOp():
                return Structure(op.sym_name.data, [*self._members(op)])
            case c.FuncOp() if op.local is None:
                printer = FunctionPrinter(self.expressions, self.taken)
                parameters = printer.parameters(op)
                names = {
                    argument.name_hint or "": name
                    for argument, name in zip(op.body.block.args, parameters, strict=True)
                }
                counts = {names.get(name, name): count for name, count in _elements(op).items()}
                outputs = op.function_type.outputs.data
                return Function(op.sym_name.data, outputs, parameters, counts, SOURCE, "", _text(op.doc))
            case c.PrototypeOp():
                types, names = op.function_type.inputs.data, op.parameters.data
                parameters = {name.data: type for name, type in zip(names, types, strict=True)}
                defined = HEADER if op.defined is None else op.defined.data
                outputs = op.function_type.outputs.data
                text, doc = _text(op.text), _text(op.doc)
                return Function(op.sym_name.data, outputs, parameters, _elements(op), defined, text, doc)
            case c.TableOp():
                defined = HEADER if op.defined is None else op.defined.data
                return Table(op.sym_name.data, op.element, op.length.value.data, op.numbers, defined, _text(op.doc))
            case c.InlineOp():
                return OtherText(op.text.data)
            case _:
                return None

    def _members(self, op: c.InstanceOp) -> Iterator[Array]:
        arenas = [member for member in op.body.block.ops if isinstance(member, c.ArenaOp)]
        buffers = [member for member in op.body.block.ops if isinstance(member, c.BufferOp)]
        yield from (self.arena(arena, arena.sym_name.data) for arena in arenas)
        yield from (self.buffer(buffer, buffer.sym_name.data) for buffer in buffers)

    def arena(self, op: c.ArenaOp, name: str) -> Array:
        size, unit = op.size.value.data, _size(op.element)
        alignment = min(op.alignment.value.data, self.chip.alignment)
        aligned, natural = alignment if alignment > unit else 0, self._natural(unit)
        return Array(name, op.element, -(-size // unit), unit, aligned, max(aligned, natural), _text(op.memory))

    def buffer(self, op: c.BufferOp, name: str) -> Array:
        unit = _size(op.element)
        return Array(name, op.element, op.length.value.data, unit, 0, self._natural(unit), _text(op.memory))

    def _natural(self, bytes: int) -> int:
        """The alignment of a number of so many bytes in C."""
        return 1 if self.chip.alignment == 1 else bytes


def _macro(value: Attribute) -> tuple[str, int | float | str]:
    match value:
        case IntegerAttr():
            number = value.value.data
            return str(number) if value.type == i64 else f"0x{number:08X}u", number
        case FloatAttr():
            text = spell_float(value.value.data)
            return f"({text})" if text.startswith("-") else text, float(text.removesuffix("f"))
        case StringAttr():
            return f'"{value.data}"', value.data
        case _:
            raise AssertionError(value)


def _elements(op: Operation) -> dict[str, int | str]:
    counts = cast(DictionaryAttr, op.attributes.get(ELEMENTS, DictionaryAttr({}))).data
    return {
        name: count.data if isinstance(count, StringAttr) else cast(IntegerAttr, count).value.data
        for name, count in counts.items()
    }


def _text(attribute: StringAttr | None) -> str:
    return "" if attribute is None else attribute.data


def _size(type: Attribute) -> int:
    return cast(FixedBitwidthType, type).size
