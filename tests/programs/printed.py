"""From the text of a program on bits (L4) to C files."""

from __future__ import annotations

import io
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import c
from tinyml.dialects.context import context
from tinyml.lowering.arith_to_c import LowerArithToCPass
from tinyml.targets.c.print_c import CTarget

WARNING_FLAGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
"""Flags under which the code of models, kernels and harnesses compiles cleanly."""

WARNINGS = [*WARNING_FLAGS, "-Wshadow", "-pedantic"]


def parse(text: str) -> tuple[Context, ModuleOp]:
    ctx = context()
    module = Parser(ctx, text).parse_module()
    module.verify()
    return ctx, module


def write(text: str, target: str, folder: Path) -> Path:
    """Lower and print both files; what is printed is the same from a module that went through text."""
    ctx, module = parse(text)
    LowerArithToCPass().apply(ctx, module)
    module.verify()
    again = parse(str(module))[1]
    [program] = [op for op in module.ops if isinstance(op, c.ProgramOp)]
    folder.mkdir(parents=True, exist_ok=True)
    for file, extension in (("source", "c"), ("header", "h")):
        printed: list[str] = []
        for one in (module, again):
            output = io.StringIO()
            CTarget(target, file).emit(ctx, one, output)
            printed.append(output.getvalue())
        assert printed[0] == printed[1]
        (folder / f"{program.sym_name.data}.{extension}").write_text(printed[0])
    return folder
