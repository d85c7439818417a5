"""The attribution of time, flash and RAM of a compiled model to its operations."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import options_of
from tinyml.tools.cli.progress import Progress

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.transforms.ir.cost.estimate import Estimate


def explain_model(folder: Path) -> dict[str, Any]:
    """Measure the model in a folder written by `tinyml compile`, on the samples that its report was measured on.

    Raises `InputError` for any other folder, for C that differs from its IR, and on a board without a profiler.
    """
    from tinyml.dialects.context import context
    from tinyml.lowering.loops.operation_names import name_operations
    from tinyml.runtime.devices.attribution import attribute
    from tinyml.runtime.devices.registry import runner_for
    from tinyml.runtime.evaluator.evaluator import encode_inputs
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.runtime.model.program_data import load_program_data
    from tinyml.targets.registry import board
    from tinyml.tools.driver.output.output_contents import read_report
    from tinyml.tools.driver.output.output_folder import SAMPLES
    from tinyml.tools.driver.stages import load_program
    from tinyml.tools.reports.breakdown import constant_names, far_constants, flash, functions, operations, ram
    from tinyml.tools.reports.inputs.float_inputs import float_inputs, float_inputs_report
    from tinyml.tools.reports.report import estimate_report
    from tinyml.transforms.ir.cost.estimate import estimate_on

    report = read_report(folder)
    chosen, optimize = board(report["target"]), report["optimize"]
    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        ctx = context()
        formats = load_program(folder / "ir" / "1-formats.mlir", ctx)
        interface = interface_of(formats)
        buffers = load_program(folder / "ir" / "2-buffers.mlir", ctx)
        name_operations(buffers)
        loops, program = _lower(buffers, ctx, report)
        sources = _sources(folder / f"{interface.name}.c", program, ctx, chosen)
        inputs = encode_inputs(formats, load_program_data(formats, str(folder / SAMPLES)).x)
        progress.step(f"measuring on {chosen.name}")
        with tempfile.TemporaryDirectory(prefix="tinyml-") as workdir:
            measured = attribute(
                runner_for(chosen.name),
                folder,
                interface,
                inputs,
                Path(workdir),
                optimize,
                constant_names(program),
            )
    estimate = estimate_on(loops, chosen.name, optimize)
    return {
        "folder": str(folder),
        **{field: report[field] for field in ("name", "target", "part", "format", "width", "optimize")},
        "samples": len(inputs),
        f"{chosen.unit}_per_inference": round(sum(measured.time.values()), 2),
        "operations": _with_estimates(operations(measured, sources, chosen.unit), estimate),
        "functions": functions(measured),
        "flash_bytes": flash(measured),
        "far_constants": far_constants(program, estimate, chosen.unit),
        "ram_bytes": ram(measured, buffers, interface),
        "estimate": estimate_report(estimate, chosen.unit),
        "float_inputs": float_inputs_report(float_inputs(formats, chosen.name)),
    }


def _with_estimates(entries: list[dict[str, Any]], estimate: Estimate | None) -> list[dict[str, Any]]:
    """The entries extended by the estimated time of their operations; None for code that belongs to no operation."""
    estimates = {} if estimate is None else {name: round(time) for name, (time, _) in estimate.operations.items()}
    return [{**entry, "estimate": estimates.get(entry["operation"])} for entry in entries]


def _lower(buffers: ModuleOp, ctx: Context, report: Mapping[str, Any]) -> tuple[ModuleOp, ModuleOp]:
    """A program at L2, lowered to L3 and to L5 with the options in its report."""
    from tinyml.lowering import pipelines
    from tinyml.lowering.options import PipelineOptions
    from tinyml.transforms.search.costs.pipelines_below import BITS_TO_C, BUFFERS_TO_LOOPS, LOOPS_TO_BITS

    # The entry `functions` of a report holds errors of functions, not the scheme; that stands in the IR.
    names = {option.name for option in options_of(PipelineOptions)} - {"functions"}
    options = {name: report[name] for name in names & report.keys()}
    loops = buffers.clone()
    pipelines.run(loops, ctx, pipelines.flatten(BUFFERS_TO_LOOPS, options))
    program = loops.clone()
    for pipeline in (LOOPS_TO_BITS, BITS_TO_C):
        pipelines.run(program, ctx, pipelines.flatten(pipeline, options))
    return loops, program


def _sources(file: Path, program: ModuleOp, ctx: Context, board: Board) -> dict[int, tuple[str, ...]]:
    """The source operations of each line of the C file; raises `InputError` if the file does not match the program."""
    from tinyml.runtime.readers.regular_files import read_bytes
    from tinyml.targets.c.print_c import print_c, sources_of_lines

    if read_bytes(file, "C") != print_c(program, ctx, board.name).encode():
        raise InputError("is not the C that ir/2-buffers.mlir gives: compile the model again", file=str(file))
    return sources_of_lines(program, board.name)
