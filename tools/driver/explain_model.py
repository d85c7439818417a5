"""The attribution of time, flash and RAM of a compiled model to its operations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.tools.cli.progress import Progress

if TYPE_CHECKING:
    from tinyml.runtime.devices.attribution import Attribution
    from tinyml.tools.driver.program_in_folder import ProgramInFolder
    from tinyml.transforms.ir.cost.estimate import Estimate


def measured_program(found: ProgramInFolder, *, listing: bool = False) -> Attribution:
    """The time and flash of each line of a program, on its samples, and of each instruction for a `listing`.

    Raises `InputError` on a board without a profiler.
    """
    from tinyml.runtime.devices.attribution import attribute
    from tinyml.runtime.devices.registry import runner_for
    from tinyml.runtime.evaluator.evaluator import encode_inputs
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.tools.reports.breakdown import constant_names

    interface, inputs = interface_of(found.formats), encode_inputs(found.formats, found.samples)
    runner, constants = runner_for(found.board.name), constant_names(found.program)
    with found.to_build() as source_dir:
        optimize = found.report["optimize"]
        return attribute(runner, source_dir, interface, inputs, source_dir, optimize, constants, listing=listing)


def explain_model(folder: Path) -> dict[str, Any]:
    """Measure the model in a folder written by `tinyml compile`, on the samples that its report was measured on.

    Raises `InputError` for any other folder, for files that its IR does not give, and on a board without a profiler.
    """
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.tools.driver.program_in_folder import program_in
    from tinyml.tools.reports.breakdown import far_constants, flash, functions, operations, ram
    from tinyml.tools.reports.input_report import float_inputs, float_inputs_report
    from tinyml.tools.reports.report import estimate_report
    from tinyml.transforms.ir.cost.estimate import estimate_on

    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        found = program_in(folder)
        report, chosen, optimize = found.report, found.board, found.report["optimize"]
        progress.step(f"measuring on {chosen.name}")
        measured = measured_program(found)
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
