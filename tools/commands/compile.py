"""`tinyml compile`: a model and its validation data in, a folder that builds as it is and a report out."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.search_request import SearchAccount, SearchRequest, points_report, tensors_report, watched
from tinyml.tools.reports.memory_picture import can_draw

if TYPE_CHECKING:
    from tinyml.lowering.cost.model.estimate import Estimate
    from tinyml.runtime.model.data import Data
    from tinyml.targets.board import Board
    from tinyml.tools.driver.measure import Measured
    from tinyml.tools.driver.stages import Compiled

MEASURED_SAMPLES = 5
"""Inputs that the device runs for the report."""

SAMPLES = "samples.npz"
"""The file of an output that holds them."""

SEARCH_PICTURE = "search.svg"
"""The file of an output that shows what a search chose and between what, where matplotlib is installed."""

MEMORY_PICTURE = "memory.svg"
"""The file of an output that shows the arena over time, where matplotlib is installed."""


@dataclass(frozen=True)
class Request:
    """What `tinyml compile` is asked for; the fields are its options."""

    model: Path
    val: Path
    test: Path | None
    target: str
    format: str
    width: int | None
    optimize: str
    out: Path
    functions: str | None = None
    row_scales: bool = False
    search: SearchRequest | None = None
    reuse_input: bool = False
    weights: str | None = None
    packed: str | None = None
    pack_buffers: bool = False
    round_sums: bool = False


def compile_model(request: Request) -> dict[str, Any]:
    """Compile, measure, write the folder and return the report.

    Raises `InputError` for any bad input, and for a model that does not fit the board; then no folder is written.
    """
    from tinyml.targets.registry import board

    chosen = board(request.target)
    with new_folder(request.out) as folder:
        report, _ = build_folder(request, chosen, folder, must_fit=True)
        if can_draw():
            _draw(report, chosen, folder)
    return report


def build_folder(
    request: Request, board: Board, folder: Path, *, must_fit: bool
) -> tuple[dict[str, Any], Measured | None]:
    """Everything `compile_model` does but the pictures, into an existing empty folder.

    Where the tools of the device are not installed the model is compiled all the same and the second result is None.
    """
    from tinyml.dialects.context import context
    from tinyml.runtime.devices.registry import is_available
    from tinyml.runtime.model.data import load_data
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.tools.driver.measure import accuracy
    from tinyml.tools.driver.stages import compile_stages, load_program

    start = time.perf_counter()
    with Progress(str(request.model), 5) as progress:
        progress.step("reading")
        ctx = context()
        reals = load_program(request.model, ctx)
        interface = interface_of(reals)
        elements, classes = interface.input_length, interface.classes
        data = load_data(str(request.val), elements=elements, classes=classes)
        if request.test is not None:
            data = load_data(str(request.test), elements=elements, classes=classes)
        progress.step("compiling")
        with watched(progress) as account:
            compiled = compile_stages(
                reals,
                ctx,
                data=request.val,
                format=request.format,
                width=request.width,
                functions=request.functions,
                target=board.name,
                row_scales=request.row_scales,
                search=None if request.search is None else request.search.spelled(board),
                reuse_input=request.reuse_input,
                weights=request.weights,
                packed=request.packed,
                pack_buffers=request.pack_buffers,
                round_sums=request.round_sums,
            )
        progress.step("writing C")
        write_sources(folder, compiled, board, data)
        progress.step(f"evaluating {len(data)} samples")
        accuracies = accuracy(compiled.reals, compiled.formats, data)
        measured = None
        if is_available(board.name):
            progress.step(f"measuring on {board.name}")
            measured = _measure(folder, compiled, board, data, request.optimize)
        else:
            progress.step(f"not measured: {board.name} is not installed")
    report = _report(request, board, compiled, accuracies, measured, account, time.perf_counter() - start)
    if must_fit:
        _require_fit(request, board, report)
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return report, measured


def _draw(report: dict[str, Any], board: Board, folder: Path) -> None:
    from tinyml.tools.reports.memory_report import draw_report
    from tinyml.tools.reports.search_plot import plot_search

    draw_report(report["name"], report["memory"], folder / MEMORY_PICTURE)
    if report["search"] is not None:
        plot_search(report, board, folder / SEARCH_PICTURE)


def write_sources(folder: Path, compiled: Compiled, board: Board, data: Data) -> None:
    """NAME.c, NAME.h, the IR of every level, the samples that are measured, and the folder that the Arduino IDE opens
    for a board that it knows."""
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.tools.driver.arduino_sketch import arduino_sketch

    name = interface_of(compiled.formats).name
    files = {f"{name}.c": compiled.source, f"{name}.h": compiled.header}
    files |= {f"ir/{stage.file}": stage.text for stage in compiled.stages}
    if board.arduino:
        files |= {f"{name}/{name}.c": compiled.source, f"{name}/{name}.h": compiled.header}
        files[f"{name}/{name}.ino"] = arduino_sketch(compiled.formats, data)
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _write_samples(folder / SAMPLES, data)


def _write_samples(file: Path, data: Data) -> None:
    import numpy as np

    np.savez(file, x=data.x[:MEASURED_SAMPLES])


def _measure(folder: Path, compiled: Compiled, board: Board, data: Data, optimize: str) -> Measured:
    from tinyml.tools.driver.measure import run_on_device

    inputs = data.x[:MEASURED_SAMPLES]
    measured, mismatch = run_on_device(
        folder, compiled.formats, inputs, target=board.name, optimize=optimize, ram=board.ram
    )
    if mismatch is not None:
        raise RuntimeError(f"the generated code differs from the evaluator: {mismatch}")
    return measured


def _report(
    request: Request,
    board: Board,
    compiled: Compiled,
    accuracies: Any,
    measured: Measured | None,
    account: SearchAccount,
    seconds: float,
) -> dict[str, Any]:
    from tinyml.lowering.cost.model.estimate import estimate_on
    from tinyml.runtime.evaluator.function_errors import function_errors
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.tools.driver.stages import count_model_macs
    from tinyml.tools.reports.memory_report import memory_report

    macs = count_model_macs(compiled.reals)
    cost = measured.cost if measured else None
    total = measured.static_bytes + measured.stack_bytes if measured else None
    input_bytes = interface_of(compiled.formats).input_bytes
    memory = memory_report(compiled.buffers)
    return {
        "model": str(request.model),
        "name": interface_of(compiled.formats).name,
        "target": board.name,
        "part": board.part,
        "format": request.format,
        "width": compiled.width,
        "weights": request.weights,
        "packed": request.packed,
        "row_scales": compiled.row_scales,
        "search": _search_report(request, compiled, account),
        "reuse_input": request.reuse_input,
        "pack_buffers": request.pack_buffers,
        "round_sums": request.round_sums,
        "optimize": request.optimize,
        "accuracy_float": accuracies.reals,
        "accuracy": accuracies.formats,
        "disagreements": accuracies.disagreements,
        "samples": accuracies.samples,
        "functions": [
            {
                "function": one.function,
                "scheme": one.scheme,
                "argument": str(one.argument.type),
                "result": str(one.result.type),
                "error": one.error,
            }
            for one in function_errors(compiled.formats)
        ],
        "flash_bytes": measured.flash_bytes if measured else None,
        "flash_limit": board.flash,
        "ram_bytes": {
            "arena": memory["height"],
            "input": input_bytes,
            "static": measured.static_bytes if measured else None,
            "stack": measured.stack_bytes if measured else None,
            "total": total,
        },
        "ram_limit": board.ram,
        "memory": memory,
        f"{board.unit}_per_inference": cost,
        "macs": macs,
        f"{board.unit}_per_mac": round(cost / macs, 2) if cost is not None and macs else None,
        "fits": _fits(board, measured, memory["height"] + input_bytes),
        "estimate": estimate_report(estimate_on(compiled.loops, board.name, request.optimize), board.unit),
        "seconds": round(seconds, 2),
    }


def _search_report(request: Request, compiled: Compiled, account: SearchAccount) -> dict[str, Any] | None:
    if request.search is None:
        return None
    return {
        "name": request.search.name,
        "options": request.search.options,
        "candidates": account.candidates,
        "seconds": account.seconds,
        "tensors": tensors_report(compiled.formats),
        "points": points_report(compiled.formats),
    }


def estimate_report(estimate: Estimate | None, unit: str) -> dict[str, Any] | None:
    """What the cost model says, as it stands in reports."""
    if estimate is None:
        return None
    return {
        f"{unit}_per_inference": round(estimate.time),
        "flash_bytes": round(estimate.flash),
        "ram_bytes": round(estimate.ram),
        "guessed": list(estimate.guessed),
    }


def _fits(board: Board, measured: Measured | None, working_bytes: int) -> bool | None:
    """None where that cannot be told because nothing could be measured."""
    if board.flash is None or board.ram is None:
        return True
    if measured is None:
        return None if working_bytes <= board.ram else False
    return measured.flash_bytes <= board.flash and measured.static_bytes + measured.stack_bytes <= board.ram


def _require_fit(request: Request, board: Board, report: dict[str, Any]) -> None:
    if report["fits"] is False:
        ram = report["ram_bytes"]
        needed = str(ram["total"] or f"more than {ram['arena'] + ram['input']}")
        flash = f"{report['flash_bytes']} bytes of flash and " if report["flash_bytes"] else ""
        raise InputError(
            f"does not fit {board.name} ({board.part}): needs {flash}{needed} bytes of RAM, "
            f"the board has {board.flash} of flash and {board.ram} of RAM",
            file=str(request.model),
        )


@contextmanager
def new_folder(out: Path) -> Generator[Path]:
    """A folder beside `out` that takes its place when all went well; what was there before is one of ours, or empty."""
    if out.exists() and not (out / "report.json").is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError("exists already and is no output of tinyml", file=str(out))
    # A link stays a link: what it points to is replaced.
    out = out.resolve()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        waiting = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise InputError(f"cannot write there: {error.strerror}", file=str(out)) from error
    try:
        yield waiting
        waiting.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        os.replace(waiting, out)
    finally:
        shutil.rmtree(waiting, ignore_errors=True)
