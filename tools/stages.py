"""From a program file to C, keeping the IR of every level on the way."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.universe import Universe

from tinyml.dialects.errors import InputError
from tinyml.dialects.format_lookup import format_named
from tinyml.lowering import pipelines

_LEVELS = {
    "2-buffers.mlir": "formats-to-buffers",
    "3-loops.mlir": "buffers-to-loops",
    "4-bits.mlir": "loops-to-bits",
    "5-c.mlir": "bits-to-c",
}


@dataclass(frozen=True)
class Stage:
    """IR as it stands at one level: `file` is its name below `ir/`."""

    file: str
    text: str


@dataclass(frozen=True)
class Compiled:
    """reals and formats: the program at L0 and L1. stages: the IR of all levels. source, header: the C files.

    width: bits of the number format that was asked for.
    """

    reals: ModuleOp
    formats: ModuleOp
    stages: tuple[Stage, ...]
    source: str
    header: str
    arena_bytes: int
    width: int


def context() -> Context:
    """A context with every dialect of the environment, plug-ins included."""
    ctx = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, factory)
    return ctx


def load_program(path: Path, ctx: Context) -> ModuleOp:
    """A SeeDot program (.sd) or a module at L0 (.mlir)."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise InputError(f"cannot read the program: {reason}", file=str(path)) from error
    if path.suffix == ".sd":
        from tinyml.lowering.seedot_to_tdsl import import_seedot

        return import_seedot(text, str(path))
    if path.suffix == ".mlir":
        return Parser(ctx, text, str(path)).parse_module()
    raise InputError("expected a SeeDot program (.sd) or a module (.mlir)", file=str(path))


def print_ir(module: ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue() + "\n"


def compile_stages(
    reals: ModuleOp,
    ctx: Context,
    *,
    data: Path,
    format: str,
    width: int | None,
    functions: str | None,
    printed_for: str,
) -> Compiled:
    """Compile a program at L0 with the profile of a data set; `reals` is left as it is but for the profile."""
    actual_width = format_named(ctx, format, width).bits
    options = {"data": json.dumps(str(data)), "format": json.dumps(format), "target": json.dumps(printed_for)}
    if width is not None:
        options["width"] = str(width)
    if functions is not None:
        options["functions"] = json.dumps(functions)
    first = pipelines.flatten("reals-to-formats", options)
    profiled = next(place for place, spec in enumerate(first) if spec.startswith("profile")) + 1
    pipelines.run(reals, ctx, first[:profiled])
    stages = [Stage("0-reals.mlir", print_ir(reals))]
    module = reals.clone()
    pipelines.run(module, ctx, first[profiled:])
    formats = module.clone()
    stages.append(Stage("1-formats.mlir", print_ir(module)))
    arena_bytes = 0
    for file, pipeline in _LEVELS.items():
        pipelines.run(module, ctx, pipelines.flatten(pipeline, options))
        if pipeline == "formats-to-buffers":
            arena_bytes = _arena_bytes(module)
        stages.append(Stage(file, print_ir(module)))
    source, header = (_print_c(module, ctx, printed_for, file) for file in ("source", "header"))
    return Compiled(reals, formats, tuple(stages), source, header, arena_bytes, actual_width)


def _arena_bytes(module: ModuleOp) -> int:
    from tinyml.dialects import scratch

    return sum(op.size for op in module.walk() if isinstance(op, scratch.ArenaOp))


def _print_c(module: ModuleOp, ctx: Context, printed_for: str, file: str) -> str:
    from tinyml.targets.print_c import CTarget

    stream = io.StringIO()
    CTarget(target=printed_for, file=file).emit(ctx, module, stream)
    return stream.getvalue()


def count_model_macs(reals: ModuleOp) -> int:
    """Multiply-accumulates of a program, with sparse products where storing the matrix sparse pays in floats."""
    from tinyml.transforms.choose_storage import ChooseStoragePass
    from tinyml.transforms.count_macs import count_macs

    module = reals.clone()
    ChooseStoragePass().apply(Context(), module)
    return count_macs(module)
