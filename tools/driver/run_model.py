"""Runs of compiled models, simulated or on a connected board. Every raw output is compared with the evaluator's
output.
"""

from __future__ import annotations

import io
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.float_inputs import run_on_floats
from tinyml.runtime.devices.registry import device_board, device_name
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.runtime.readers.arrays import check_npz
from tinyml.targets.registry import HOST
from tinyml.tools.cli.atomic_output import write_file
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.measure import Mismatch, errors_on_device, run_on_device
from tinyml.tools.driver.program_in_folder import ProgramInFolder, program_in
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.reports.report import rounded_milliseconds

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.evaluator.evaluator import Outputs
    from tinyml.targets.board import Board

_ON_PORT = "tinyml.tools.driver.run_on_port:run_on_port"

FLOAT_SAMPLES = 3
"""Number of samples for the time with float inputs, which hardly depends on them."""


def run_model(request: RunRequest, program: ProgramInFolder | None = None) -> dict[str, Any]:
    """Run a model and compare its outputs. Return the figures of the run; `mismatch` is None if all bits are equal.

    For a connected board, the figures contain only the time that the board measures, without sizes and counts.

    program: the program in the folder, if several runs share it.
    """
    where = request.port or device_name(request.device)
    check_npz(request.data, "data")
    with Progress(str(request.folder), 2) as progress:
        progress.step("reading")
        found = program or program_in(request.folder)
        report, formats = found.report, found.formats
        data = load_program_data(formats, str(request.data))
        inputs = data.x if request.limit is None else data.x[: request.limit]
        progress.step(f"running {len(inputs)} samples on {where}")
        if request.port is not None:

            def told(count: int) -> None:
                progress.detail("answers", f"{count} of {len(inputs)}")

            outputs, mismatch, time = imported(_ON_PORT)(found, inputs, request.port, request.timeout, told)
            figures = {
                "milliseconds_per_inference": rounded_milliseconds(time),
                "time_source": "board",
                "expected_milliseconds": report.get("milliseconds_per_inference"),
                "expected_source": report.get("time_source"),
            }
        else:
            with found.to_build(request.device) as source_dir:
                outputs, mismatch, figures = _on_device(source_dir, request, formats, inputs)
    if request.save is not None and outputs is not None:
        _save(outputs, request.save)
    errors = None if outputs is None else errors_on_device(formats, outputs, data)
    return {
        "folder": str(request.folder),
        "device": where,
        "samples": len(inputs),
        "input_layout": interface_of(formats).input_layout,
        "regression": None if errors is None else asdict(errors),
        "mismatch": None if mismatch is None else str(mismatch),
        **figures,
    }


def _on_device(
    source_dir: Path, request: RunRequest, formats: ModuleOp, inputs: NDArray[Any]
) -> tuple[Outputs | None, Mismatch | None, dict[str, Any]]:
    chosen, optimize = device_board(request.device), f"-{request.optimize}"
    device = device_name(request.device)
    measured, mismatch = run_on_device(source_dir, formats, inputs, target=device, optimize=optimize)
    total = measured.ram_bytes
    _check_fit(chosen, measured.flash_bytes, total)
    figures = {
        "optimize": optimize,
        "flash_bytes": measured.flash_bytes,
        "ram_bytes": {"static": measured.static_bytes, "stack": measured.stack_bytes, "total": total},
        f"{chosen.unit}_per_inference": measured.cost,
        "core_cycles_per_inference": measured.core_cycles,
        "milliseconds_per_inference": rounded_milliseconds(chosen.milliseconds(measured.cost, measured.core_cycles)),
        "time_source": chosen.time_source,
        "float_inputs": _with_floats(source_dir, optimize, chosen, formats, inputs, total),
    }
    return measured.outputs, mismatch, figures


def _with_floats(
    source_dir: Path, optimize: str, chosen: Board, formats: ModuleOp, inputs: NDArray[Any], ram: int
) -> dict[str, Any] | None:
    """The cost of the first samples as floats, measured with NAME_predict_floats.

    None on this computer and on FPGAs, for an input without a float interface, and if the array does not fit the RAM.

    ram: the bytes of RAM of the program with raws.
    """
    interface = interface_of(formats)
    if chosen.name == HOST or chosen.fabric is not None or not interface.takes_floats:
        return None
    with temporary_folder() as workdir:
        samples = inputs[:FLOAT_SAMPLES]
        try:
            build, result = run_on_floats(source_dir, interface, samples, chosen.name, workdir, optimize)
        except InputError:
            # The array of floats exceeds the RAM.
            return None
    return {
        f"{chosen.unit}_per_inference": None if result.cycles is None else float(result.cycles.mean()),
        "flash_bytes": build.flash_bytes,
        "ram_bytes": build.ram_bytes(result),
        "more_ram_bytes": build.ram_bytes(result) - ram,
    }


def _check_fit(chosen: Board, flash: int, ram: int) -> None:
    if chosen.flash is not None and chosen.ram is not None and (flash > chosen.flash or ram > chosen.ram):
        raise InputError(chosen.misfit(chosen.shortage(flash, ram)))


def _save(outputs: Outputs, file: Path) -> None:
    content = io.BytesIO()
    arrays: dict[str, Any] = {"labels": outputs.classes}
    if outputs.scores is not None:
        arrays["scores"] = outputs.scores
    arrays |= {f"output_{i}": more for i, more in enumerate(outputs.more, 1)}
    np.savez(content, **arrays)
    write_file(file, content.getvalue())
