"""The measured time, flash and RAM of a compiled model by operation, and the tables of `tinyml open --text`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from tinyml.lowering.loops.operation_names import MAX_NAME_LENGTH
from tinyml.runtime.devices.attribution import Attribution, attribute
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.program_in_folder import ProgramInFolder, program_in
from tinyml.tools.reports.breakdown import constant_names, far_constants, flash, ram
from tinyml.tools.reports.facts.spent_time import functions, measured_time, operations
from tinyml.tools.reports.input_report import describe_float_inputs, float_inputs, float_inputs_report
from tinyml.tools.reports.report import estimate_report
from tinyml.tools.reports.tables import print_table, time_unit
from tinyml.transforms.ir.cost.estimate import Estimate, estimate_on

WIDTH = 120


def measured_program(program: ProgramInFolder, *, listing: bool = False) -> Attribution:
    """The measured time and flash of each line of a program on the samples of its report.

    listing: true to measure each instruction, too.

    Raises `InputError` for a board without a profiler.
    """
    interface, inputs = interface_of(program.formats), encode_inputs(program.formats, program.samples)
    runner, constants = runner_for(program.board.name), constant_names(program.program)
    with program.to_build() as source_dir:
        optimize = program.report["optimize"]
        return attribute(runner, source_dir, interface, inputs, source_dir, optimize, constants, listing=listing)


def explain_model(folder: Path) -> dict[str, Any]:
    """Measure the model in a folder written by `tinyml compile`, on the samples of its report. Return the figures.

    Raises `InputError` for any other folder, for files that differ from the files that the folder's IR generates, and
    for a board without a profiler.
    """
    with Progress(str(folder), 2) as progress:
        progress.step("reading")
        program = program_in(folder)
        report, chosen, optimize = program.report, program.board, program.report["optimize"]
        progress.step(f"measuring on {chosen.name}")
        measured = measured_program(program)
    spent = measured_time(measured, program.sources, program.lines, chosen.unit)
    estimate = estimate_on(program.loops, chosen.name, optimize)
    return {
        "folder": str(folder),
        **{field: report[field] for field in ("name", "target", "part", "format", "width", "optimize")},
        "samples": len(program.samples),
        f"{chosen.unit}_per_inference": round(spent.time, 2),
        "operations": _completed(operations(spent, chosen.unit), estimate, report["layers"]),
        "functions": functions(measured),
        "flash_bytes": flash(measured),
        "far_constants": far_constants(program.program, estimate, chosen.unit),
        "ram_bytes": ram(measured, program.buffers, program.loops, interface_of(program.formats)),
        "estimate": estimate_report(estimate, chosen.unit),
        "float_inputs": float_inputs_report(float_inputs(program.formats, chosen.name)),
    }


def _completed(
    entries: list[dict[str, Any]], estimate: Estimate | None, layers: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Add to each entry the layer and the estimated time of its operation, and return the entries. Each of the two is
    None if it is unknown, as for code without an operation.

    layers: the layers of the user's model, by the name of the operation.
    """
    estimates = {} if estimate is None else {name: round(time) for name, (time, _) in estimate.operations.items()}
    return [
        {**entry, "layer": layers.get(entry["operation"]), "estimate": estimates.get(entry["operation"])}
        for entry in entries
    ]


def print_explanation(result: dict[str, Any]) -> None:
    """Print the tables of time and code by operation and by layer, of flash and of RAM. Notes follow if the program has
    far constants or float inputs, or if costs were not measured.
    """
    unit = time_unit(result)
    estimate: dict[str, Any] = result["estimate"] or {"flash_bytes": None, "ram_bytes": None, "guessed": []}
    tables = (
        _operations(result, unit),
        *([_layers(result, unit)] if any(entry["layer"] for entry in result["operations"]) else []),
        _flash(result["flash_bytes"], result["functions"], unit, estimate["flash_bytes"]),
        _ram(result["ram_bytes"], estimate["ram_bytes"]),
    )
    for table in tables:
        print_table(table, WIDTH)
    if (far := result["far_constants"]) is not None:
        more = far[f"{unit}_per_inference"]
        took = "" if more is None else f", which takes an estimated {more:,} {unit} more"
        print(f"Far: {', '.join(far['arrays'])}; {far['bytes']:,} bytes are read by long addresses{took}.")
    if (floats := result["float_inputs"]) is not None:
        print(describe_float_inputs(floats, result[f"{unit}_per_inference"], unit))
    if estimate["guessed"]:
        print(f"Not measured, estimated from similar operations: {', '.join(estimate['guessed'])}.")


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(columns[0], no_wrap=True)
    for column in columns[1:]:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _operations(result: dict[str, Any], unit: str) -> Table:
    total: float = result[f"{unit}_per_inference"]
    table = _table(f"{result['name']} on {result['part']}", "operation", unit, "%", "estimated", "code B")
    table.add_column("of it in")

    def row(entry: dict[str, Any], indent: str, calls: str) -> None:
        spent = entry[unit]
        share = f"{100 * spent / total:.1f}" if total else "-"
        estimate = entry.get("estimate")
        estimated = "" if estimate is None else f"{estimate:,.0f}"
        table.add_row(
            f"{indent}{entry['operation']}", f"{spent:,.0f}", share, estimated, str(entry["code_bytes"]), calls
        )

    for entry in result["operations"]:
        row(entry, "", _calls(entry["calls"]))
        for step in entry["steps"]:
            row(step, "  ", "")
    table.add_section()
    code = sum(entry["code_bytes"] for entry in result["operations"])
    estimate = result["estimate"]
    estimated = "" if estimate is None else f"{estimate[f'{unit}_per_inference']:,.0f}"
    table.add_row("total", f"{total:,.0f}", "100.0", estimated, str(code))
    return table


def _layers(result: dict[str, Any], unit: str) -> Table:
    total: float = result[f"{unit}_per_inference"]
    table = _table("Layers", "layer", unit, "%", "code B")
    table.add_column("operations")
    by_layer: dict[str, list[dict[str, Any]]] = {}
    for entry in result["operations"]:
        if entry["layer"] is not None:
            by_layer.setdefault(entry["layer"], []).append(entry)
    for layer, entries in by_layer.items():
        spent, code = (sum(entry[field] for entry in entries) for field in (unit, "code_bytes"))
        share = f"{100 * spent / total:.1f}" if total else "-"
        names = "; ".join(entry["operation"] for entry in entries)
        name = layer if len(layer) <= MAX_NAME_LENGTH else f"{layer[: MAX_NAME_LENGTH - 3]}..."
        table.add_row(name, f"{spent:,.0f}", share, str(code), names)
    return table


def _calls(calls: dict[str, float]) -> str:
    """Describe the time in each kernel, by name, and in the C library as a whole.

    calls: the time by the name of the called function.
    """
    kernels = {name: spent for name, spent in calls.items() if name.startswith("tm_")}
    library = sum(calls.values()) - sum(kernels.values())
    named = kernels | ({"C library": library} if library else {})
    return ", ".join(f"{name} {spent:,.0f}" for name, spent in named.items())


def _flash(result: dict[str, Any], functions: dict[str, float], unit: str, estimate: int | None) -> Table:
    table = _table("Flash", "what", "B", f"{unit} in it")
    table.add_row("code of the operations", str(result["code"]))
    for group, note in (("kernels", ""), ("library", " (C library)"), ("constants", "")):
        for name, size in result[group].items():
            spent = functions.get(name)
            table.add_row(f"{name}{note}", str(size), "" if spent is None else f"{spent:,.0f}")
    table.add_row("start-up and harness", str(result["start-up and harness"]))
    _total(table, result["total"], estimate)
    return table


def _ram(result: dict[str, Any], estimate: int | None) -> Table:
    table = _table("RAM", "what", "B")
    table.add_row("arena", str(result["arena"]))
    if result["peak"]["buffers"]:
        table.add_row(f"  fullest at {result['peak']['operation']}:", "")
    for buffer in result["peak"]["buffers"]:
        table.add_row(f"    {buffer['buffer']}", f"({buffer['bytes']})")
    for name in ("input", "other static", "stack"):
        table.add_row(name, str(result[name]))
    _total(table, result["total"], estimate)
    return table


def _total(table: Table, total: int, estimate: int | None) -> None:
    table.add_section()
    table.add_row("total", str(total))
    if estimate is not None:
        table.add_row("estimated", str(estimate))
