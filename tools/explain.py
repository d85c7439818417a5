"""`tinyml explain`: where cycles, flash and RAM of a compiled model go, per operation of its program."""

from __future__ import annotations

import io
import json
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects.errors import InputError
from tinyml.tools.progress import Progress

if TYPE_CHECKING:
    from tinyml.runtime.attribution import Attribution
    from tinyml.runtime.interface import Interface
    from tinyml.targets.boards import Board

CALL_AND_RETURN = "call and return"
"""What belongs to no operation: saving registers at the entry, restoring them, returning the label."""


def explain(folder: Path) -> dict[str, Any]:
    """Measure the model of a folder that `tinyml compile` wrote, on the samples that its report was measured on.

    Raises `InputError` for anything else, for C that is not what its IR says, and on a board that cannot tell.
    """
    from tinyml.lowering.source_operations import name_operations
    from tinyml.runtime.attribution import attribute
    from tinyml.runtime.data import load_data
    from tinyml.runtime.evaluator import encode_inputs
    from tinyml.runtime.model_interface import interface_of
    from tinyml.runtime.runner import runner_for
    from tinyml.targets.boards import board
    from tinyml.tools.compile_model import SAMPLES
    from tinyml.tools.stages import context, load_program

    try:
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        chosen = board(report["target"], report["mcu"] if report["target"] == "avr" else None)
        mcu, optimize = report["mcu"], report["optimize"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("expected a folder written by tinyml compile", file=str(folder)) from error
    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        ctx = context()
        formats = load_program(folder / "ir" / "1-formats.mlir", ctx)
        interface = interface_of(formats)
        buffers = load_program(folder / "ir" / "2-buffers.mlir", ctx)
        name_operations(buffers)
        program = _lower(buffers, ctx, chosen)
        sources = _sources(folder / f"{interface.name}.c", program, ctx, chosen)
        inputs = encode_inputs(formats, load_data(str(folder / SAMPLES), elements=interface.input_length).x)
        progress.step(f"measuring on {chosen.device}")
        with tempfile.TemporaryDirectory(prefix="tinyml-") as workdir:
            measured = attribute(
                runner_for(chosen.device, mcu),
                folder,
                interface,
                inputs,
                Path(workdir),
                optimize,
                _constants(program),
            )
    return {
        "folder": str(folder),
        **{field: report[field] for field in ("name", "target", "mcu", "device", "format", "width", "optimize")},
        "samples": len(inputs),
        f"{chosen.unit}_per_inference": round(sum(measured.time.values()), 2),
        "operations": _operations(measured, sources, chosen.unit),
        "flash_bytes": _flash(measured),
        "ram_bytes": _ram(measured, buffers, interface),
    }


def _lower(buffers: ModuleOp, ctx: Context, board: Board) -> ModuleOp:
    from tinyml.lowering import pipelines

    program = buffers.clone()
    for pipeline in ("buffers-to-loops", "loops-to-bits", "bits-to-c"):
        pipelines.run(program, ctx, pipelines.flatten(pipeline, {"target": json.dumps(board.printed_for)}))
    return program


def _sources(file: Path, program: ModuleOp, ctx: Context, board: Board) -> dict[int, tuple[str, ...]]:
    """The names of the operations that each line of the C file computes a part of."""
    from tinyml.targets.print_c import CTarget, sources_of_lines

    stream = io.StringIO()
    CTarget(target=board.printed_for).emit(ctx, program, stream)
    if not file.is_file() or file.read_text(encoding="utf-8") != stream.getvalue():
        raise InputError("is not the C that ir/2-buffers.mlir gives: compile the model again", file=str(file))
    return sources_of_lines(program, board.printed_for)


def _constants(program: ModuleOp) -> list[str]:
    from tinyml.dialects import c

    return [op.sym_name.data for op in program.walk() if isinstance(op, c.ConstantOp)]


def _operations(measured: Attribution, sources: dict[int, tuple[str, ...]], unit: str) -> list[dict[str, Any]]:
    """One entry for each operation, in the order of the C file, with the steps of those that have some."""
    time: defaultdict[tuple[str, ...], float] = defaultdict(float)
    code: Counter[tuple[str, ...]] = Counter()
    calls: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    order: dict[tuple[str, ...], None] = {}
    for line in [*sorted({*measured.code, *measured.time} - {0}), 0]:
        names = sources.get(line, (CALL_AND_RETURN,))
        for depth in range(len(names)):
            order[names[: depth + 1]] = None
            time[names[: depth + 1]] += measured.time.get(line, 0)
            code[names[: depth + 1]] += measured.code.get(line, 0)
        for function, spent in measured.calls.get(line, {}).items():
            calls[names[0]][function] += spent

    def entry(names: tuple[str, ...]) -> dict[str, Any]:
        return {"operation": names[-1], unit: round(time[names], 2), "code_bytes": code[names]}

    wholes = sorted((names for names in order if len(names) == 1), key=lambda names: names == (CALL_AND_RETURN,))
    return [
        {
            **entry(whole),
            "calls": {
                name: round(spent, 2) for name, spent in sorted(calls[whole[0]].items(), key=lambda one: -one[1])
            },
            "steps": [entry(names) for names in order if len(names) == 2 and names[:1] == whole],
        }
        for whole in wholes
    ]


def _flash(measured: Attribution) -> dict[str, Any]:
    parts = {"code": sum(measured.code.values())}
    groups = {"constants": measured.constants, "kernels": measured.kernels, "library": measured.library}
    rest = measured.build.flash_bytes - sum(parts.values()) - sum(sum(group.values()) for group in groups.values())
    return {**parts, **groups, "start-up and harness": rest, "total": measured.build.flash_bytes}


def _ram(measured: Attribution, buffers: ModuleOp, interface: Interface) -> dict[str, Any]:
    """The arena with what lives in it at the operation that needs most, the caller's input, the stack, the rest."""
    from tinyml.dialects import scratch
    from tinyml.dialects.places import source_names
    from tinyml.transforms.live_ranges import memory_map, program_points
    from tinyml.transforms.packing import Rectangle, find_peak

    function = next(op for op in buffers.walk() if isinstance(op, func.FuncOp))
    placed, views = memory_map(function), [op for op in function.walk() if isinstance(op, scratch.ViewOp)]
    arena = sum(op.size for op in function.walk() if isinstance(op, scratch.ArenaOp))
    peak = find_peak([Rectangle(one.name, one.size, 1, one.first, one.last) for one in placed])
    static, stack = measured.build.static_bytes, measured.result.stack_bytes
    return {
        "arena": arena,
        "peak": {
            "operation": " / ".join(source_names(program_points(function)[peak.point])),
            "buffers": [{"buffer": _contents(views[i].result), "bytes": placed[i].size} for i in peak.alive],
        },
        "input": interface.input_bytes,
        "other static": static - arena - interface.input_bytes,
        "stack": stack,
        "total": static + stack,
    }


def _contents(buffer: SSAValue) -> str:
    """The name of a buffer, or else the operation that writes it."""
    from tinyml.dialects import scratch, tdsl
    from tinyml.dialects.places import source_names

    if buffer.name_hint is not None:
        return buffer.name_hint
    for user in (use.operation for use in buffer.uses):
        if isinstance(user, tdsl.TensorOp) and user.dest is buffer:
            return source_names(user)[-1]
    return next((_contents(op.result) for use in buffer.uses if isinstance(op := use.operation, scratch.SliceOp)), "?")
