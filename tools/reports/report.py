"""The report of a compiled model."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.rows import functions_of_options
from tinyml.dialects.tdsl.inputs import InputPart
from tinyml.dialects.tdsl.interface import read_interface
from tinyml.lowering.loops.operation_names import layers_by_name
from tinyml.runtime.evaluator.evaluator import feature_map
from tinyml.runtime.evaluator.function_errors import FunctionError, function_errors
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.reports.breakdown import arena_bytes, constant_bytes, far_constants
from tinyml.tools.reports.facts.answers import confusion
from tinyml.tools.reports.input_report import (
    FloatInputs,
    float_inputs,
    float_inputs_report,
    sensor_report,
    stream_report,
)
from tinyml.tools.reports.memory_report import memory_report
from tinyml.tools.reports.report_fields import FunctionReport, RamBytes
from tinyml.tools.reports.report_views import Report
from tinyml.tools.reports.threshold_report import threshold_report
from tinyml.tools.reports.warnings import warnings_of
from tinyml.transforms.formats.plan_execution import streamed_segments
from tinyml.transforms.ir.cost.estimate import Estimate, estimate_on

if TYPE_CHECKING:
    from tinyml.runtime.model.interface import Interface
    from tinyml.targets.board import Board
    from tinyml.tools.driver.compilation import Compilation
    from tinyml.tools.driver.compiled_program import Compiled
    from tinyml.tools.driver.measure import Measured
    from tinyml.tools.driver.request import Request, SearchAccount


def write_report(compilation: Compilation, chosen: dict[str, Any] | None, lines: Sequence[str]) -> Report:
    """Create the report of a compiled model.

    compilation: the compilation after its measurement.
    chosen, lines: the texts of the report and of the command about the choice of formats.
    """
    request, board, compiled = compilation.request, compilation.board, compilation.compiled
    accuracies, rounding, measured = compilation.accuracies, compilation.rounding, compilation.measured
    optimize = f"-{request.optimize}"
    cost, core_cycles = (measured.cost, measured.core_cycles) if measured else (None, None)
    milliseconds = board.milliseconds(cost, core_cycles)
    longest, macs = measured.longest if measured else None, compiled.macs
    interface = interface_of(compiled.formats)
    input_bytes = interface.caller_bytes
    memory, arena = memory_report(compiled.buffers), arena_bytes(compiled.loops)
    for entries, value in functions_of_options("compile.memory", request):
        memory |= entries(compiled.bits.module, value)
    estimate = estimate_on(compiled.loops, board.name, optimize)
    floats = float_inputs(compiled.formats, board.name)
    converting = _converting(interface, floats, cost if estimate is None else estimate.time)
    spent = milliseconds if estimate is None or measured else board.milliseconds(estimate.time, None)
    sensor = sensor_report(compiled.reals, compiled.formats, compilation.data)
    return Report(
        model=str(request.model),
        name=interface.name,
        target=board.name,
        part=board.part,
        unit=board.unit,
        options=request.compile_options,
        inputs=[_input_report(part) for part in interface.input_parts],
        input_layout=interface.input_layout,
        format=compiled.format,
        width=compiled.width,
        parts=compiled.parts,
        row_scales=compiled.row_scales,
        feature_scales=request.input_unit is None and feature_map(compiled.formats) is not None,
        fold_affine=compiled.fold_affine,
        search=_search_report(request, compiled, compilation.account),
        optimize=optimize,
        accuracy_float=accuracies.reals,
        accuracy=accuracies.formats,
        disagreements=accuracies.disagreements,
        samples=accuracies.samples,
        confusion=_confusion(compilation),
        regression=None if accuracies.regression is None else asdict(accuracies.regression),
        by_output=[asdict(figures) for figures in accuracies.by_output],
        detection=None if accuracies.detection is None else asdict(accuracies.detection),
        metric=None if accuracies.metric is None else asdict(accuracies.metric),
        rounded_sums=None if rounding is None else asdict(rounding),
        functions=tuple(map(_function_report, function_errors(compiled.formats))),
        flash_bytes=measured.flash_bytes if measured else None,
        constants_bytes=sum(constant_bytes(compiled.program).values()),
        far_constants=far_constants(compiled.program, estimate, board.unit),
        flash_limit=board.flash,
        flash_within=request.flash,
        ram_bytes=RamBytes(
            arena=arena,
            input=input_bytes,
            static=measured.static_bytes if measured else None,
            stack=measured.stack_bytes if measured else None,
            total=measured.ram_bytes if measured else None,
        ),
        ram_limit=board.ram,
        segments=streamed_segments(compiled.buffers),
        layers=layers_by_name(compiled.buffers),
        memory=memory,
        stream=stream_report(compiled.buffers, interface, longest, _of_part(longest, cost, milliseconds)),
        time_per_inference=cost,
        macs=macs,
        time_per_mac=_per_mac(cost, macs),
        core_cycles_per_inference=core_cycles,
        core_cycles_per_mac=_per_mac(core_cycles, macs),
        milliseconds_per_inference=rounded_milliseconds(milliseconds),
        time_source=board.time_source,
        hardware=compilation.hardware,
        fits=_fits(board, measured, arena + input_bytes, compilation.hardware),
        estimate=estimate_report(estimate, board.unit),
        seconds=round(time.perf_counter() - compilation.start, 2),
        mismatch=None if compilation.mismatch is None else str(compilation.mismatch),
        requested=compilation.requested.stated_options,
        chosen=chosen,
        lines=lines,
        warnings=warnings_of(
            compilation,
            clipped=0.0 if sensor is None else sensor["clipped"],
            converting=converting,
            milliseconds=None if spent is None else spent / (1 - converting),
        ),
        sensor=sensor,
        float_inputs=float_inputs_report(floats),
        thresholds=threshold_report(compiled.reals, compiled.formats, compilation.data),
    )


def _confusion(compilation: Compilation) -> dict[str, Any] | None:
    if compilation.data.y is None or compilation.accuracies.answers is None:
        return None
    return confusion(
        compilation.data.y, *compilation.accuracies.answers, read_interface(compilation.compiled.formats).classes
    )


def _converting(interface: Interface, floats: FloatInputs | None, program: float | None) -> float:
    """The share of the time with float inputs that is spent on their conversion to raws without floating-point
    hardware.

    0 for a board with floating-point hardware, for a program that does not accept floats, and for an input with a
    sensor unit.
    """
    if floats is None or not floats.in_software or interface.input_unit is not None:
        return 0.0
    return floats.share(program)


def _input_report(part: InputPart) -> dict[str, Any]:
    format = None if part.format is None else str(part.format)
    return {"name": part.name, "start": part.start, "length": part.length, "format": format}


def rounded_milliseconds(time: float | None) -> float | None:
    """Round milliseconds to a microsecond, the resolution of boards; None if the time is None."""
    return None if time is None else round(time, 3)


def _function_report(error: FunctionError) -> FunctionReport:
    types = str(error.argument.type), str(error.result.type)
    return FunctionReport(
        function=error.function, scheme=error.scheme, argument=types[0], result=types[1], error=error.error
    )


def _of_part(part: float | None, whole: float | None, milliseconds: float | None) -> float | None:
    """The milliseconds of a part of a program; None if a time is unknown.

    part, whole: the times of the part and of the program in the unit of the board.
    milliseconds: the time of the program in milliseconds.
    """
    return None if part is None or not whole or milliseconds is None else milliseconds * part / whole


def _per_mac(cost: float | None, macs: int) -> float | None:
    return round(cost / macs, 2) if cost is not None and macs else None


_SEARCH_REPORT = "tinyml.tools.reports.search_report"


def _search_report(request: Request, compiled: Compiled, account: SearchAccount) -> dict[str, Any] | None:
    if request.search is None:
        return None
    return {
        "name": request.search.name,
        "options": request.search.options,
        "candidates": account.candidates,
        "seconds": account.seconds,
        "tensors": imported(f"{_SEARCH_REPORT}:tensors_report")(compiled.formats),
        "points": imported(f"{_SEARCH_REPORT}:points_report")(compiled.formats),
    }


def estimate_report(estimate: Estimate | None, unit: str) -> dict[str, Any] | None:
    """The estimates of the cost model as fields of the report; None without an estimate.

    A call with floats takes the sum of two parts: the time of reading, in which it converts floats to raws, and that of
    an inference, the time of the program on raws.
    """
    if estimate is None:
        return None
    return {
        f"{unit}_per_inference": round(estimate.time),
        f"{unit}_of_reading": None if estimate.reading is None else round(estimate.reading),
        f"{unit}_per_call": round(estimate.call),
        "flash_bytes": round(estimate.flash),
        "ram_bytes": round(estimate.ram),
        "guessed": list(estimate.guessed),
        "operations": [
            {"operation": name, unit: round(time), "code_bytes": round(code)}
            for name, (time, code) in estimate.operations.items()
        ],
    }


def _fits(
    board: Board, measured: Measured | None, working_bytes: int, hardware: Mapping[str, Any] | None
) -> bool | None:
    """Whether a program fits the board; True for a board whose memories are unknown.

    Without measurements, False if arena and input alone exceed the RAM, and None otherwise. For an FPGA, None without
    cell counts.

    working_bytes: the bytes of arena and input.
    hardware: the report of the module for an FPGA; None for other boards.
    """
    if hardware is not None:
        return None if hardware["shortages"] is None else not hardware["shortages"]
    if board.flash is None or board.ram is None:
        return True
    if measured is None:
        return None if working_bytes <= board.ram else False
    return measured.flash_bytes <= board.flash and measured.ram_bytes <= board.ram


def require_fit(report: Report, board: Board, remedies: Callable[[int, int], Sequence[str]]) -> None:
    """Raise `InputError` for a model that does not fit the board of its report.

    remedies: a function from the required bytes of flash (0 if unknown) and of RAM to advice for the message.
    """
    if report.fits is not False:
        return
    flash, ram = report.flash_bytes or 0, report.ram_bytes
    least = ram.arena + ram.input
    # A program whose static data alone exceed the RAM does not run, so that its stack is unknown.
    need = board.shortage(flash, ram.total or least, without_stack=not ram.stack)
    helps = "".join(f"; {remedy}" for remedy in remedies(flash, ram.total or least))
    raise InputError(f"{board.misfit(need)}{_fullest(report.memory)}{helps}", file=report.model)


def _fullest(memory: Mapping[str, Any]) -> str:
    peak = memory["peak"]
    if not peak["buffers"]:
        return ""
    buffers = ", ".join(f"{buffer['buffer']} {buffer['bytes']}" for buffer in peak["buffers"])
    return f"; the arena is fullest at '{peak['operation']}': {buffers}"
