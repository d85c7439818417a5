"""The xDSL target `-t c{target=BOARD}`, which prints a `c.program` as a C source file or a header."""

from __future__ import annotations

import io
import re
import struct
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from xdsl.context import Context
from xdsl.dialects.builtin import FixedBitwidthType, Float32Type, ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.target import Target

from tinyml.dialects import c
from tinyml.dialects.c.declarations import files_of
from tinyml.dialects.c.types import ALIAS, pointer_type
from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.dialects.locations import error_at
from tinyml.dialects.package_metadata import LICENCE_LINE
from tinyml.targets.c.declared import (
    HEADER,
    STRUCTURE_DOC,
    Declaration,
    DeclarationReader,
    Function,
    Macro,
    OtherText,
    Structure,
    Table,
)
from tinyml.targets.c.expressions import Expressions
from tinyml.targets.c.function import FunctionPrinter
from tinyml.targets.c.header_items import once, without_branches, without_unused, words
from tinyml.targets.c.interface_data import SUFFIX, interface_data
from tinyml.targets.c.text import FAR_TYPE, FLASH_TEXT, INT24, alias_name, literal, prototype, spell
from tinyml.targets.chip import FEWER_CONSTANTS, WEIGHTS
from tinyml.targets.kernel_table import FarConstants
from tinyml.targets.registry import board, check_compiled_for, chip_of, target_of

FILES = {"source": ".c", "header": ".h", "interface": SUFFIX}
"""The files of a program, and what follows NAME in their names."""

WIDTH = 100
"""Maximum columns of comments and of number tables."""

SELECTING_PREFIXES = ("__AVR_", "__ARM_", "__thumb", "__riscv", "__xtensa", "__XTENSA")
"""The prefixes of macros by which texts of the runtime select code for a compiler, independent of the installed
chips.
"""

OWN_CONSTANTS = {"avr": "__AVR__"}
"""The chips with a special method of reading constants, each with a macro that only its compilers define."""


@dataclass(frozen=True)
class CTarget(Target):
    """Print NAME.c (`file=source`), NAME.h (`file=header`) or NAME.json (`file=interface`) for the only program of a
    module.

    target: the board; by default the target for which the module was compiled.

    Raises `InputError` for an unknown target, for a target whose kernels the module does not call, and for a module
    that does not contain exactly one program. Raises `ValueError` for an unknown file.
    """

    name = "c"

    target: str | None = None
    file: str = "source"

    def __post_init__(self) -> None:
        if self.target is not None:
            chip_of(self.target)
        if self.file not in FILES:
            raise ValueError(f"unknown file '{self.file}' (one of {', '.join(FILES)})")

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.target is not None:
            check_compiled_for(module, self.target)
        printer = _ProgramPrinter(_program(module), self.target or target_of(module))
        if self.file == "interface":
            output.write(printer.interface())
            return
        lines = printer.source() if self.file == "source" else printer.header()
        output.write("\n".join(lines) + "\n")


def print_c(module: ModuleOp, ctx: Context, target: str, file: str = "source") -> str:
    """The text of NAME.c, NAME.h or NAME.json for the only program of a module, as `CTarget` prints it."""
    stream = io.StringIO()
    CTarget(target=target, file=file).emit(ctx, module, stream)
    return stream.getvalue()


def write_c(module: ModuleOp, ctx: Context, target: str, folder: Path) -> None:
    """Write NAME.c, NAME.h and NAME.json for the only program of a module to a folder, which is created if it is
    missing.

    If the caller must write constants before the first call, they are written to NAME.weights. The program's other
    files are also written.
    """
    name = _program(module).sym_name.data
    folder.mkdir(parents=True, exist_ok=True)
    for file, suffix in FILES.items():
        (folder / f"{name}{suffix}").write_text(print_c(module, ctx, target, file), encoding="utf-8")
    for file, content in binary_files(module).items():
        (folder / file).write_bytes(content)


def binary_files(module: ModuleOp) -> dict[str, bytes]:
    """The files of a program other than NAME.c, NAME.h and NAME.json, by name."""
    program = _program(module)
    name = program.sym_name.data
    files = files_of(program) | ({WEIGHTS: content} if (content := loaded_content(module)) else {})
    return {f"{name}{suffix}": content for suffix, content in files.items()}


def loaded_content(module: ModuleOp) -> bytes:
    """The bytes of the constants that the caller writes before the first call; empty for most programs."""
    return b"".join(op.content for op in module.walk() if isinstance(op, c.LoadedOp))


def sources_of_lines(module: ModuleOp, target: str) -> dict[int, tuple[str, ...]]:
    """For each line of NAME.c, the names of the source operations to which the line belongs.

    The names are those in the locations of ops. Lines count from 1. Lines that belong to no operation are omitted.
    """
    printer = _ProgramPrinter(_program(module), target)
    printer.source()
    return printer.sources


def _program(module: ModuleOp) -> c.ProgramOp:
    programs = [op for op in module.ops if isinstance(op, c.ProgramOp)]
    if len(programs) != 1:
        raise InputError(f"one c.program is wanted, there are {len(programs)} (lower-arith-to-c makes it)")
    return programs[0]


class _ProgramPrinter:
    def __init__(self, program: c.ProgramOp, target: str):
        self.program = program
        self.name = program.sym_name.data
        self.notes = [] if program.notes is None else [note.data for note in program.notes]
        self.chip, self.board, self.target = chip_of(target), board(target), target
        ops = list(program.body.block.ops)
        declared = [op for op in ops if isinstance(op, c.DefineOp | c.InlineOp | c.PrototypeOp | c.TableOp)]
        self.verbatims = [op for op in ops if isinstance(op, c.VerbatimOp)]
        self.constants = [op for op in ops if isinstance(op, c.ConstantOp)]
        self.loaded = next((op for op in ops if isinstance(op, c.LoadedOp)), None)
        self.functions = [op for op in ops if isinstance(op, c.FuncOp)]
        self.instance = next((op for op in ops if isinstance(op, c.InstanceOp)), None)
        memory = ops if self.instance is None else self.instance.body.block.ops
        self.arenas = [op for op in memory if isinstance(op, c.ArenaOp)]
        self.buffers = [op for op in memory if isinstance(op, c.BufferOp)]
        self.expressions = Expressions(self.chip, self.arenas, self.name, self.loaded)
        structures = [op for op in (self.instance, self.loaded) if op is not None]
        symbols = [
            *declared,
            *self.constants,
            *self.functions,
            *self.buffers,
            *self.arenas,
            *structures,
        ]
        self.taken = {op.sym_name.data for op in symbols}
        self.taken |= {self.expressions.static(op.sym_name) for op in symbols}
        self.taken |= {name.data for op in self.verbatims for name in op.provides}
        self.sources: dict[int, tuple[str, ...]] = {}
        self.reader = DeclarationReader(self.chip, self.expressions, self.taken)

    def source(self) -> list[str]:
        self._check_sizes()
        # Functions are printed first because printing them reveals the helpers that the file needs.
        printers = [FunctionPrinter(self.expressions, self.taken) for _ in self.functions]
        functions = [printer.print(op) for printer, op in zip(printers, self.functions, strict=True)]
        names = {value: name for printer in printers for value, name in printer.names.items()}
        head = f"{self.name}.c: generated by tinyml for {self.chip.name}; do not edit."
        lines = [*_comment([head, LICENCE_LINE, *self.notes]), f'#include "{self.name}.h"', ""]
        if any(re.search(r"\bbool\b", line) for function in functions for line in function):
            lines[-1:] = ["#include <stdbool.h>", ""]
        if self.chip.options:
            lines += [*self.chip.options.splitlines(), ""]
        lines += self._other_compilers()
        far = any(op.far is not None for op in self.constants)
        if far:
            # Kernels accept addresses of this kind.
            lines += [*once(FAR_TYPE, self.chip.helpers[FAR_TYPE].splitlines()), ""]
        lines += (runtime := self._runtime(functions))
        if self._uses_int24() and not any("#define TM_INT24" in line for line in runtime):
            lines += [*self.chip.int24.splitlines(), ""]
        lines += self._helpers()
        lines += self._aliases()
        for op in self.constants:
            name = self.expressions.static(op.sym_name)
            lines += [*_comment([_titled(name, op.doc and op.doc.data)]), *self._constant(op, name), ""]
        if self.loaded is not None:
            lines += [*self._weights(self.loaded), ""]
        for op in self.arenas:
            lines += self._arena_table(op, names)
            if self.instance is None:
                declared = self.reader.arena(op, self.expressions.static(op.sym_name))
                lines.append(f"static {declared.declaration()}")
            lines.append("")
        for op in self.buffers if self.instance is None else ():
            doc = [] if op.doc is None else _comment([op.doc.data])
            declared = self.reader.buffer(op, self.expressions.static(op.sym_name))
            lines += [*doc, f"static {declared.declaration()}", ""]
        for printer, function in zip(printers, functions, strict=True):
            first = len(lines) + 1
            self.sources |= {first + i: names for i, names in enumerate(printer.sources) if names}
            lines += [*function, ""]
        return lines[:-1]

    def _text_of(self, op: c.VerbatimOp) -> str:
        return self.chip.replacement(op.origin.data) or op.text.data

    def _foreign(self) -> Sequence[str]:
        """The prefixes of the macros whose preprocessor branches are omitted, because compilers for other chips define
        these macros.

        If a chip has a special method of reading constants, its compilers reject a file that was printed for another
        chip. Compilers for other chips compile the portable text, which returns the same bits.
        """
        if self.chip.macros is not None:
            return [prefix for prefix in SELECTING_PREFIXES if prefix not in self.chip.macros]
        macros = OWN_CONSTANTS.values()
        return [prefix for prefix in SELECTING_PREFIXES if any(macro.startswith(prefix) for macro in macros)]

    def _runtime(self, functions: Iterable[Sequence[str]]) -> list[str]:
        used = words("\n".join(line for function in functions for line in function))
        used |= {name.data for op in self.verbatims for name in op.provides}
        foreign = self._foreign()
        texts: list[list[str]] = []
        # A text depends only on those before it.
        for op in reversed(self.verbatims):
            origin = op.origin.data
            # NAME.h already has the include.
            whole = self._text_of(op).rstrip("\n").replace("#include <stdint.h>\n", "")
            text = without_branches(whole, foreign)
            lines = without_unused(text, used) if origin.endswith(".h") else once(origin, text.split("\n"))
            if lines:
                used |= words("\n".join(lines))
                texts.insert(0, [f"/* {origin} */", *lines, ""])
        return [line for text in texts for line in text]

    def _other_compilers(self) -> list[str]:
        """Lines with `#error` for compilers that would select the runtime's code for another chip's constants."""
        lines: list[str] = []
        # Some headers reject other compilers themselves.
        texts = [text for op in self.verbatims if "#error" not in (text := self._text_of(op))]
        for name, macro in OWN_CONSTANTS.items():
            if name != self.chip.name and any(macro in text for text in texts):
                message = f"generated for {self.chip.name}: compile the model for {name} instead"
                lines += [f"#ifdef {macro}", f'#error "{message}"', "#endif", ""]
        return lines

    def header(self) -> list[str]:
        guard = f"{self.name.upper()}_H"
        lines = [
            *_comment([f"{self.name}.h: generated by tinyml; do not edit.", LICENCE_LINE]),
            f"#ifndef {guard}",
            f"#define {guard}",
        ]
        lines += ["", "#include <stdint.h>", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
        before: Declaration = Macro("", "", "", "the first macros")
        for declaration in self.reader.header(self.program):
            if isinstance(declaration, Macro) and not _continues(before, declaration):
                lines.append("")
            lines += self._declared(declaration)
            before = declaration
        return [*lines, "", "#ifdef __cplusplus", "}", "#endif", "", "#endif"]

    def _declared(self, declaration: Declaration) -> list[str]:
        match declaration:
            case Macro(name, text, _, doc):
                return [f"#define {name} {text}{f' /* {doc} */' if doc else ''}"]
            case Structure(name, members):
                declared = [f"    {member.declaration()}" for member in members]
                return ["", *_comment([STRUCTURE_DOC]), "typedef struct {", *declared, f"}} {name};"]
            case Function(defined=defined, text=text, doc=doc):
                character = FLASH_TEXT if self.chip.flash_text else "char"
                head = prototype(declaration.name, declaration.outputs, declaration.parameters, character)
                comment = _comment([doc]) if doc else []
                if defined != HEADER:
                    return ["", *comment, f"{head};"]
                return ["", *comment, f"static inline {head}", "{", *text.rstrip("\n").split("\n"), "}"]
            case Table():
                return ["", *(_comment([declaration.doc]) if declaration.doc else []), *self._table(declaration)]
            case OtherText(text):
                return ["", *text.rstrip("\n").split("\n")]

    def _table(self, table: Table) -> list[str]:
        head = f"const {spell(table.element)} {table.name}[{table.length}]"
        if table.defined != HEADER:
            return [f"extern {head};"]
        attribute = f" {self.chip.flash_attribute}" if self.chip.flash_attribute is not None else ""
        rows = _rows([literal(number, table.element).code for number in table.numbers])
        return [f"static {head}{attribute} = {{", *(f"    {row}" for row in rows), "};"]

    def interface(self) -> str:
        """The text of NAME.json."""
        declarations, variables = self.reader.header(self.program), self.reader.variables(self.program)
        return interface_data(self.program, declarations, variables, self.chip, self.target)

    def _check_sizes(self) -> None:
        total = far = 0
        for op in self.constants:
            size = len(_numbers(op)) * _size(op.element)
            total += size
            if op.far is not None:
                far += size
                if not self.chip.entries_of(FarConstants):
                    raise InputError(
                        f"constant '{op.sym_name.data}' is far, which constants of {self.chip.name} are not"
                    )
            if self.chip.object_bytes is not None and size > self.chip.object_bytes:
                message = (
                    f"constant '{op.sym_name.data}' takes {size} bytes, one array of {self.chip.name} at most "
                    f"{self.chip.object_bytes}: {FEWER_CONSTANTS}"
                )
                raise error_at(op, message, TooLargeError)
        self.chip.check_constants(total, self.board, far)

    def _uses_int24(self) -> bool:
        values = (value.type for op in self.functions for inner in op.walk() for value in inner.results)
        helpers = (self.chip.helpers[name] for name in self.expressions.helpers)
        return any(INT24 in (type, getattr(type, "content", None)) for type in values) or any(
            "TM_INT24" in text for text in helpers
        )

    def _helpers(self) -> list[str]:
        used = self.expressions.helpers
        flash = any(op.far is None for op in self.constants) and self.chip.flash_attribute is not None
        lines = [*self.chip.prelude.splitlines(), ""] if used or flash else []
        for name, text in self.chip.helpers.items():
            if name in used:
                lines += [*once(name, text.splitlines()), ""]
        return lines

    def _aliases(self) -> list[str]:
        pointers = [value.type for op in self.functions for inner in op.walk() for value in inner.results]
        elements = {type.element for type in pointers if isinstance(type, c.PointerType) and type.memory.data == ALIAS}
        if not elements:
            return []
        why = "The bytes of the arena hold elements of several types, one after the other."
        attribute = "#define TM_MAY_ALIAS __attribute__((__may_alias__))"
        lines = [*_comment([why]), "#ifdef __GNUC__", attribute, "#else", "#define TM_MAY_ALIAS", "#endif"]
        for type in sorted(elements, key=alias_name):
            name = alias_name(type)
            lines += once(name, [f"typedef {spell(type)} TM_MAY_ALIAS {name};"])
        return [*lines, ""]

    def _constant(self, op: c.ConstantOp, name: str) -> list[str]:
        numbers = _numbers(op)
        spelled = {number: literal(number, op.element).code for number in set(numbers)}
        words = [spelled[number] for number in numbers]
        attribute = f" {self.chip.flash_attribute}" if self.chip.flash_attribute is not None else ""
        length = len(numbers)
        if op.far is not None:
            attribute = f" {self.chip.flash_attribute}_FAR"
            # Code, which needs even addresses, follows.
            length += length * _size(op.element) % 2
        if self.chip.constant_alignment > _size(op.element):
            attribute += f" __attribute__((__aligned__({self.chip.constant_alignment})))"
        head = f"static const {spell(op.element)} {name}[{length}]{attribute} = {{"
        return [head, *(f"    {row}" for row in _rows(words)), "};"]

    def _weights(self, op: c.LoadedOp) -> list[str]:
        head = f"The model's numbers, {len(op.content)} bytes, which the caller writes:"
        rows = [f"{each.sym_name.data}: {each.doc.data}" for each in op.arrays if each.doc is not None]
        members = [f"    {spell(each.element)} {each.sym_name.data}[{len(_numbers(each))}];" for each in op.arrays]
        return [*_box([head, *rows]), "static struct {", *members, f"}} {self.expressions.static(op.sym_name)};"]

    def _arena_table(self, op: c.ArenaOp, names: Mapping[SSAValue, str]) -> list[str]:
        views: dict[tuple[int, int, str], c.ViewOp] = {}
        for view in (inner for function in self.functions for inner in function.walk()):
            if isinstance(view, c.ViewOp) and view.arena.string_value() == op.sym_name.data:
                bytes = view.length.value.data * _size(pointer_type(view.result).element)
                name = names.get(view.result) or view.result.name_hint or "buffer"
                views.setdefault((view.offset.value.data, bytes, name), view)
        whose = f" in {op.memory.data}" if op.memory else "" if self.instance is None else " of an instance"
        table = [f"Working memory{whose}, {op.size.value.data} bytes:", "offset  size  buffer"]
        for (offset, bytes, name), view in sorted(views.items(), key=lambda item: item[0]):
            table.append(f"{offset:6} {bytes:5}  {_titled(name, view.doc and view.doc.data)}")
        return _box(table)


def _continues(before: Declaration, macro: Macro) -> bool:
    """Whether a macro belongs to the paragraph of the declaration before it. A macro without a comment continues the
    paragraph of a macro, and ends it.
    """
    return isinstance(before, Macro) and (bool(before.doc) or not macro.doc)


def _rows(words: Sequence[str]) -> Iterator[str]:
    """Yield rows of comma-separated words, wrapped to the line width. `textwrap` would be too slow for millions of
    words.
    """
    start, length = 0, 0
    for number, word in enumerate(words):
        # Includes a comma, which the last word lacks.
        size = len(word) + (number < len(words) - 1)
        if number > start and length + 1 + size > WIDTH:
            yield ", ".join(words[start:number]) + ","
            start, length = number, size
        else:
            length += size + (number > start)
    yield ", ".join(words[start:])


def _size(type: Attribute) -> int:
    return cast(FixedBitwidthType, type).size


def _numbers(op: c.ConstantOp) -> Sequence[int | float]:
    code = "f" if isinstance(op.element, Float32Type) else {1: "b", 2: "h", 4: "i", 8: "q"}[_size(op.element)]
    data = op.value.data.data
    numbers: tuple[int | float, ...] = struct.unpack(f"<{len(data) // _size(op.element)}{code}", data)
    count = op.value.type.element_count()
    return numbers * count if len(numbers) == 1 else numbers


def _titled(name: str, doc: str | None) -> str:
    return name if doc is None else f"{name}: {doc}"


def _comment(paragraphs: Iterable[str]) -> list[str]:
    lines = [line for text in paragraphs for line in textwrap.wrap(text, WIDTH - 3) or [""]]
    return _box(lines)


def _box(lines: Sequence[str]) -> list[str]:
    safe = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
    return [f"{'/*' if i == 0 else ' *'} {line}" for i, line in enumerate(safe[:-1])] + [
        f"{'/*' if len(safe) == 1 else ' *'} {safe[-1]} */"
    ]
