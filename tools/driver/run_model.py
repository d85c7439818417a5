"""Execution of generated code on a device, with every raw output compared with the evaluator's."""

from __future__ import annotations

import io
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.options import option
from tinyml.targets.registry import HOST
from tinyml.tools.cli.atomic_file import write_file
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.output.output_contents import read_report
from tinyml.tools.driver.requests.request import listed_targets, optimize

if TYPE_CHECKING:
    from tinyml.runtime.evaluator.evaluator import Outputs


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """A request to run a compiled model; the fields are the options of `tinyml run`."""

    folder: Path = option("folder that tinyml compile wrote", flags=())
    data: Path = option("inputs x: real numbers, or integers, which are raws of the model's input", metavar="FILE.npz")
    device: str = option(f"board to run on: {listed_targets()}", default=HOST, metavar="BOARD")
    limit: int | None = option("run only the first N samples", default=None, metavar="N")
    save: Path | None = option(
        "write the labels, and scores and other outputs as raws, to this file",
        default=None,
        metavar="FILE.npz",
        writes=(".npz",),
    )
    optimize: str = optimize()


def run_model(request: RunRequest) -> dict[str, Any]:
    """Run a model and compare its outputs; the result's `mismatch` is None if all bits are equal."""
    from tinyml.dialects.context import context
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.runtime.model.program_data import load_program_data
    from tinyml.targets.registry import board
    from tinyml.tools.driver.measure import errors_on_device, run_on_device
    from tinyml.tools.driver.stages import load_program

    unit = board(request.device).unit
    read_report(request.folder)
    formats = load_program(request.folder / "ir" / "1-formats.mlir", context())
    data = load_program_data(formats, str(request.data))
    inputs = data.x if request.limit is None else data.x[: request.limit]
    optimize = f"-{request.optimize}"
    with Progress(str(request.folder), 1) as progress:
        progress.step(f"running {len(inputs)} samples on {request.device}")
        measured, mismatch = run_on_device(request.folder, formats, inputs, target=request.device, optimize=optimize)
    if request.save is not None and measured.outputs is not None:
        _save(measured.outputs, request.save)
    errors = None if measured.outputs is None else errors_on_device(formats, measured.outputs, data)
    return {
        "folder": str(request.folder),
        "device": request.device,
        "optimize": optimize,
        "samples": len(inputs),
        "input_layout": interface_of(formats).input_layout,
        "regression": None if errors is None else asdict(errors),
        "mismatch": None if mismatch is None else str(mismatch),
        "flash_bytes": measured.flash_bytes,
        "ram_bytes": {
            "static": measured.static_bytes,
            "stack": measured.stack_bytes,
            "total": measured.static_bytes + measured.stack_bytes,
        },
        f"{unit}_per_inference": measured.cost,
        "core_cycles_per_inference": measured.core_cycles,
    }


def _save(outputs: Outputs, file: Path) -> None:
    """Write the labels and, if there are any, the scores of all samples."""
    content = io.BytesIO()
    arrays: dict[str, Any] = {"labels": outputs.classes}
    if outputs.scores is not None:
        arrays["scores"] = outputs.scores
    arrays |= {f"output_{i}": more for i, more in enumerate(outputs.more, 1)}
    np.savez(content, **arrays)
    write_file(file, content.getvalue())
