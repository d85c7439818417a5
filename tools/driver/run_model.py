"""Execution of generated code on a device, with every raw output compared with the evaluator's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tinyml.dialects.options import option
from tinyml.targets.registry import HOST
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.output_contents import read_report
from tinyml.tools.driver.request import optimize, targets


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """A request to run a compiled model; the fields are the options of `tinyml run`."""

    folder: Path = option("folder written by tinyml compile", flags=())
    data: Path = option(".npz with the inputs x")
    device: str = option(targets(), default=HOST)
    limit: int | None = option("run only so many samples", default=None)
    optimize: str = optimize()


def run_model(request: RunRequest) -> dict[str, Any]:
    """Run a model and compare its outputs; the result's `mismatch` is None if all bits are equal."""
    from tinyml.dialects.context import context
    from tinyml.runtime.model.data import load_data
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.targets.registry import board
    from tinyml.tools.driver.measure import run_on_device
    from tinyml.tools.driver.stages import load_program

    unit = board(request.device).unit
    read_report(request.folder)
    formats = load_program(request.folder / "ir" / "1-formats.mlir", context())
    data = load_data(str(request.data), elements=interface_of(formats).input_length)
    inputs = data.x if request.limit is None else data.x[: request.limit]
    optimize = f"-{request.optimize}"
    with Progress(str(request.folder), 1) as progress:
        progress.step(f"running {len(inputs)} samples on {request.device}")
        measured, mismatch = run_on_device(request.folder, formats, inputs, target=request.device, optimize=optimize)
    return {
        "folder": str(request.folder),
        "device": request.device,
        "optimize": optimize,
        "samples": len(inputs),
        "mismatch": None if mismatch is None else str(mismatch),
        "flash_bytes": measured.flash_bytes,
        "ram_bytes": {
            "static": measured.static_bytes,
            "stack": measured.stack_bytes,
            "total": measured.static_bytes + measured.stack_bytes,
        },
        f"{unit}_per_inference": measured.cost,
    }
