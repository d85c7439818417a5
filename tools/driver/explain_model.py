"""The attribution of time, flash and RAM of a compiled model to its operations."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import options_of
from tinyml.tools.cli.progress import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.devices.attribution import Attribution
    from tinyml.targets.board import Board
    from tinyml.transforms.ir.cost.estimate import Estimate


@dataclass(frozen=True)
class ProgramInFolder:
    """A program in a folder written by `tinyml compile`, whose C file is what its IR gives.

    formats, buffers, loops, program: its modules at L1, L2, L3 and L5, where ops have the names of their source
    operations from L2 on. sources: the source operation and its step of each line of `lines`, the C file.
    """

    folder: Path
    report: dict[str, Any]
    board: Board
    formats: ModuleOp
    buffers: ModuleOp
    loops: ModuleOp
    program: ModuleOp
    sources: dict[int, tuple[str, ...]]
    lines: list[str]

    @property
    def samples(self) -> NDArray[Any]:
        """The real inputs that its report was measured on."""
        from tinyml.runtime.model.program_data import load_program_data
        from tinyml.tools.driver.output.output_folder import SAMPLES

        return load_program_data(self.formats, str(self.folder / SAMPLES)).x

    def measured(self, *, listing: bool = False) -> Attribution:
        """The time and flash of each line, on its samples, and of each instruction for a `listing`.

        Raises `InputError` on a board without a profiler.
        """
        from tinyml.runtime.devices.attribution import attribute
        from tinyml.runtime.devices.registry import runner_for
        from tinyml.runtime.evaluator.evaluator import encode_inputs
        from tinyml.runtime.model.model_interface import interface_of
        from tinyml.tools.reports.breakdown import constant_names

        interface, inputs = interface_of(self.formats), encode_inputs(self.formats, self.samples)
        runner, constants = runner_for(self.board.name), constant_names(self.program)
        with tempfile.TemporaryDirectory(prefix="tinyml-") as workdir:
            optimize, out = self.report["optimize"], Path(workdir)
            return attribute(runner, self.folder, interface, inputs, out, optimize, constants, listing=listing)


def program_in(folder: Path) -> ProgramInFolder:
    """The program in a folder.

    Raises `InputError` for a folder that `tinyml compile` did not write, and for C that differs from its IR.
    """
    from tinyml.dialects.context import context
    from tinyml.lowering.loops.operation_names import name_operations
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.targets.registry import board
    from tinyml.tools.driver.output.output_contents import read_report
    from tinyml.tools.driver.stages import load_program

    report = read_report(folder)
    chosen, ctx = board(report["target"]), context()
    formats = load_program(folder / "ir" / "1-formats.mlir", ctx)
    buffers = load_program(folder / "ir" / "2-buffers.mlir", ctx)
    name_operations(buffers)
    loops, program = _lower(buffers, ctx, report)
    file = folder / f"{interface_of(formats).name}.c"
    sources, lines = _sources(file, program, ctx, chosen)
    return ProgramInFolder(folder, report, chosen, formats, buffers, loops, program, sources, lines)


def explain_model(folder: Path) -> dict[str, Any]:
    """Measure the model in a folder written by `tinyml compile`, on the samples that its report was measured on.

    Raises `InputError` for any other folder, for C that differs from its IR, and on a board without a profiler.
    """
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.tools.reports.breakdown import far_constants, flash, functions, operations, ram
    from tinyml.tools.reports.inputs.float_inputs import float_inputs, float_inputs_report
    from tinyml.tools.reports.report import estimate_report
    from tinyml.transforms.ir.cost.estimate import estimate_on

    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        found = program_in(folder)
        report, chosen, optimize = found.report, found.board, found.report["optimize"]
        progress.step(f"measuring on {chosen.name}")
        measured = found.measured()
    estimate = estimate_on(found.loops, chosen.name, optimize)
    return {
        "folder": str(folder),
        **{field: report[field] for field in ("name", "target", "part", "format", "width", "optimize")},
        "samples": len(found.samples),
        f"{chosen.unit}_per_inference": round(sum(measured.time.values()), 2),
        "operations": _with_estimates(operations(measured, found.sources, chosen.unit), estimate),
        "functions": functions(measured),
        "flash_bytes": flash(measured),
        "far_constants": far_constants(found.program, estimate, chosen.unit),
        "ram_bytes": ram(measured, found.buffers, interface_of(found.formats)),
        "estimate": estimate_report(estimate, chosen.unit),
        "float_inputs": float_inputs_report(float_inputs(found.formats, chosen.name)),
    }


def _with_estimates(entries: list[dict[str, Any]], estimate: Estimate | None) -> list[dict[str, Any]]:
    """The entries extended by the estimated time of their operations; None for code that belongs to no operation."""
    estimates = {} if estimate is None else {name: round(time) for name, (time, _) in estimate.operations.items()}
    return [{**entry, "estimate": estimates.get(entry["operation"])} for entry in entries]


def _lower(buffers: ModuleOp, ctx: Context, report: Mapping[str, Any]) -> tuple[ModuleOp, ModuleOp]:
    """A program at L2, lowered to L3 and to L5 with the options in its report."""
    from tinyml.lowering import pipelines
    from tinyml.transforms.search.costs.pipelines_below import BITS_TO_C, BUFFERS_TO_LOOPS, LOOPS_TO_BITS

    options = lowering_options(report)
    loops = buffers.clone()
    pipelines.run(loops, ctx, pipelines.flatten(BUFFERS_TO_LOOPS, options))
    program = loops.clone()
    for pipeline in (LOOPS_TO_BITS, BITS_TO_C):
        pipelines.run(program, ctx, pipelines.flatten(pipeline, options))
    return loops, program


def lowering_options(report: Mapping[str, Any]) -> dict[str, Any]:
    """The options in a report with which a program at L1 was lowered."""
    from tinyml.lowering.options import PipelineOptions

    # The entry `functions` of a report holds errors of functions, not the scheme; that stands in the IR.
    names = {option.name for option in options_of(PipelineOptions)} - {"functions"}
    return {"flash": report.get("flash_within")} | {name: report[name] for name in names & report.keys()}


def _sources(file: Path, program: ModuleOp, ctx: Context, board: Board) -> tuple[dict[int, tuple[str, ...]], list[str]]:
    """The source operations of each line of the C file, and its lines.

    Raises `InputError` if the file does not match the program.
    """
    from tinyml.runtime.readers.regular_files import read_bytes
    from tinyml.targets.c.print_c import print_c, sources_of_lines

    if read_bytes(file, "C") != (text := print_c(program, ctx, board.name)).encode():
        raise InputError("is not the C that ir/2-buffers.mlir gives: compile the model again", file=str(file))
    return sources_of_lines(program, board.name), text.split("\n")
