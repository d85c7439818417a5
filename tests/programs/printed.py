"""Lowering of the text of a program at L4 to C files."""

from __future__ import annotations

from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.lowering.arith_to_c import LowerArithToCPass
from tinyml.targets.c.print_c import print_c, write_c
from tinyml.transforms.loops.expand_nests import ExpandNestsPass

WARNING_FLAGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
"""Flags under which the code of models, kernels and harnesses compiles cleanly."""

WARNINGS = [*WARNING_FLAGS, "-Wshadow", "-pedantic"]


def parse(text: str) -> tuple[Context, ModuleOp]:
    ctx = context()
    module = Parser(ctx, text).parse_module()
    module.verify()
    return ctx, module


def write(text: str, target: str, folder: Path) -> Path:
    """Lower a program and print its .c and .h files to a new folder, which is returned."""
    ctx, module = parse(text)
    return write_module(module, ctx, target, folder)


def check_text(text: str, target: str) -> None:
    """Lower a program at L4, and assert that its text, parsed again, results in the same C."""
    ctx, module = parse(text)
    ExpandNestsPass().apply(ctx, module)
    LowerArithToCPass().apply(ctx, module)
    again = parse(str(module))[1]
    for file in ("source", "header"):
        assert print_c(module, ctx, target, file) == print_c(again, ctx, target, file)


def write_module(module: ModuleOp, ctx: Context, target: str, folder: Path) -> Path:
    """Lower a program at L4 and print its .c and .h files to a new folder, which is returned."""
    ExpandNestsPass().apply(ctx, module)
    LowerArithToCPass().apply(ctx, module)
    module.verify()
    write_c(module, ctx, target, folder)
    return folder
