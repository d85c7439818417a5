"""A run of a compiled model on a device, whose figures are printed."""

from __future__ import annotations

import json
from typing import Any

from tinyml.tools.driver.measure import check_equal
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.reports.facts.figures import ERRORS, spell_milliseconds
from tinyml.tools.reports.tables import time_unit


def run_and_print(request: RunRequest, *, as_json: bool) -> int:
    """Run a compiled model, print the figures of the run, and return the exit code; raises `MismatchError` if an output
    differs.
    """
    result = run_model(request)
    if as_json:
        print(json.dumps(result, indent=2))
    check_equal(result["mismatch"], result["device"], request.folder)
    if not as_json:
        if (errors := result["regression"]) is not None:
            print(", ".join(f"{name} {errors[field]:.4g}" for name, field in ERRORS.items()))
        print(
            f"{result['samples']} samples on {result['device']}{_time(result)}: all raw outputs equal the evaluator's"
        )
        if (floats := result.get("float_inputs")) is not None:
            print(_floats(result, floats))
    return 0


def _floats(result: dict[str, Any], floats: dict[str, Any]) -> str:
    unit = time_unit(result)
    time = floats[f"{unit}_per_inference"]
    counted = "" if time is None else f"{time:,.0f} {unit} per inference, "
    return f"on floats, by NAME_predict_floats: {counted}{floats['more_ram_bytes']} bytes more RAM"


def _time(result: dict[str, Any]) -> str:
    milliseconds = f", {spell_milliseconds(result['milliseconds_per_inference'], result['time_source'])} ms"
    if result["milliseconds_per_inference"] is None:
        milliseconds = ""
    if result["time_source"] == "board":
        if milliseconds:
            milliseconds += " per inference by the board's clock"
        if result["expected_milliseconds"] is None:
            return milliseconds
        expected, source = result["expected_milliseconds"], result["expected_source"]
        by = "simulated" if source == "simulated" else "expected"
        return f"{milliseconds} ({spell_milliseconds(expected, source)} ms {by})"
    unit = time_unit(result)
    cost, core_cycles = result[f"{unit}_per_inference"], result["core_cycles_per_inference"]
    counted = "" if cost is None else f", {cost:,.0f} {unit} per inference"
    if core_cycles is not None:
        counted += f" ({core_cycles:,.0f} cycles of the core)"
    return counted + milliseconds
