"""`spread-memories`: divides the arena of a C program into one arena for each memory, and copies frequently read
constants to faster memories (L5).

The variables of each memory are placed in a section by a macro, `TM_MEMORY_NAME`, which the build may override. The
copied constants stay in flash, and the program copies them before its first inference. No memory therefore needs an
initial value from the start-up code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import c
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.registry import chip_of, target_of
from tinyml.transforms.buffers.memories.records import Placed, Record, digest_of
from tinyml.transforms.ir.levels import C_PROGRAMS


@dataclass(frozen=True)
class SpreadMemoriesPass(ModulePass):
    """Split the arena and copy constants as the attribute `memories` of the arena, set by `place-memories`, specifies.

    Raises `InputError` for a module without a C program, an arena without this attribute, and a buffer that lies in
    none of the memories.
    """

    name = "spread-memories"
    takes = C_PROGRAMS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        program = op.body.block.first_op
        if not isinstance(program, c.ProgramOp):
            raise error_at(op, f"'{self.name}' takes one program in C, the module is empty")
        arena = next((each for each in program.body.block.ops if isinstance(each, c.ArenaOp)), None)
        if arena is None or arena.memories is None:
            raise error_at(program, f"'{self.name}' needs an arena with the memories that 'place-memories' chose")
        memories = Record.of(arena.memories).memories
        used = _split_arena(program, arena, memories)
        used |= _copy_constants(program, memories, chip_of(target_of(op)).constant_alignment)
        texts = [_macro(memory) for memory in memories if memory.macro in used]
        origin = f"{program.sym_name.data}_memories"
        Rewriter.insert_op(c.VerbatimOp(origin, [], "\n".join(texts)), InsertPoint.at_start(program.body.block))


def _macro(memory: Placed) -> str:
    place = f'__attribute__((section("{memory.section}")))' if memory.section else ""
    return "\n".join([f"#ifndef {memory.macro}", f"#define {memory.macro} {place}".rstrip(), "#endif"])


def _split_arena(program: c.ProgramOp, arena: c.ArenaOp, memories: Sequence[Placed]) -> set[str]:
    used = dict[str, c.ArenaOp]()
    for view in list(program.walk()):
        if not isinstance(view, c.ViewOp):
            continue
        offset = view.offset.value.data
        memory = next((each for each in memories if each.holds(offset)), None)
        if memory is None:
            raise error_at(view, f"byte {offset} of the arena is in none of the memories")
        view.properties["arena"] = SymbolRefAttr(f"arena_{memory.name}")
        view.properties["offset"] = IntegerAttr(offset - memory.offset, i64)
        if memory.macro not in used:
            split = c.ArenaOp(f"arena_{memory.name}", memory.bytes, arena.alignment.value.data, arena.element)
            split.properties["memory"] = StringAttr(memory.macro)
            used[memory.macro] = split
    Rewriter.insert_op([used[each.macro] for each in memories if each.macro in used], InsertPoint.before(arena))
    Rewriter.erase_op(arena)
    return {*used}


def _copy_constants(program: c.ProgramOp, memories: Sequence[Placed], alignment: int) -> set[str]:
    """Add copies of constants in other memories, and let the program read the copies. Return the macros of the memories
    that contain copies.

    alignment: the alignment of constants, in bytes.
    """
    ops = list(program.walk())
    constants = [op for op in ops if isinstance(op, c.ConstantOp)]
    known = {digest_of(op.value): op for op in constants}
    used, copies = set[str](), dict[str, c.ConstantOp]()
    for memory in memories:
        for digest in memory.hot:
            # A constant without uses is gone.
            if (constant := known.get(digest)) is None:
                continue
            copy = f"{constant.sym_name.data}_in_{memory.name}"
            doc = f"A copy of {constant.sym_name.data}, which is read faster than flash."
            length = constant.value.type.element_count()
            buffer = c.BufferOp(copy, length, constant.element, doc)
            # Kernels rely on the alignment of constants.
            aligned = f" __attribute__((__aligned__({alignment})))" if alignment > constant.element_size else ""
            buffer.properties["memory"] = StringAttr(f"{memory.macro}{aligned}")
            Rewriter.insert_op(buffer, InsertPoint.after(constant))
            used.add(memory.macro)
            for symbol in ops:
                if isinstance(symbol, c.SymbolOp) and symbol.symbol.string_value() == constant.sym_name.data:
                    symbol.properties["symbol"] = SymbolRefAttr(copy)
            copies[copy] = constant
    if copies:
        _fill_first(program, copies)
    return used


def _fill_first(program: c.ProgramOp, copies: dict[str, c.ConstantOp]) -> None:
    """Insert code that fills the copies when a function that reads a copy runs for the first time.

    copies: the copies, by their names.
    """
    name = program.sym_name.data
    text = "\n".join(
        [
            f"static int8_t {name}_is_filled;",
            f"static int8_t {name}_fills(void)",
            "{",
            f"    const int8_t first = !{name}_is_filled;",
            f"    {name}_is_filled = 1;",
            "    return first;",
            "}",
            f"static void {name}_fill(void *to, const void *from, int32_t bytes)",
            "{",
            "    for (int32_t i = 0; i < bytes; i++)",
            "        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];",
            "}",
        ]
    )
    block = program.body.block
    Rewriter.insert_op(c.VerbatimOp(f"{name}_fills", [], text), InsertPoint.at_start(block))
    for function in [op for op in block.ops if isinstance(op, c.FuncOp)]:
        reads = {op.symbol.string_value() for op in function.walk() if isinstance(op, c.SymbolOp)}
        if not reads & copies.keys():
            continue
        first = c.CallOp(f"{name}_fills", [], IndexType())
        zero = c.LiteralOp(IntegerAttr(0, IndexType()))
        some = c.CompareOp(first.result, "!=", zero.result)
        body = Block()
        for copy, constant in copies.items():
            length = constant.value.type.element_count() * constant.element_size
            ends = c.SymbolOp(copy, constant.element), c.SymbolOp(constant.sym_name.data, constant.element)
            size = c.LiteralOp(IntegerAttr(length, i32))
            operands: list[SSAValue] = [ends[0].result, ends[1].result, size.result]
            body.add_ops([*ends, size, c.InvokeOp(f"{name}_fill", operands)])
        filling = c.IfOp(some.result, Region(body), Region())
        Rewriter.insert_op([first, zero, some, filling], InsertPoint.at_start(function.body.block))
