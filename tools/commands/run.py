"""The command `tinyml run`, which runs generated code on a device and compares it with the evaluator."""

from __future__ import annotations

import argparse
import json

from tinyml.dialects.options import options_of
from tinyml.tools.cli.arguments import PrintOptions, add_options, parsed
from tinyml.tools.driver.run_model import RunRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, [*options_of(RunRequest), *options_of(PrintOptions)])


def run(arguments: argparse.Namespace) -> int:
    """Run a compiled model; raises `MismatchError` if an output differs."""
    from tinyml.tools.driver.measure import check_equal
    from tinyml.tools.driver.run_model import run_model
    from tinyml.tools.reports.tables import time_unit

    request = parsed(arguments, RunRequest)
    result = run_model(request)
    if parsed(arguments, PrintOptions).json:
        print(json.dumps(result, indent=2))
    check_equal(result["mismatch"], request.device, request.folder)
    if not parsed(arguments, PrintOptions).json:
        unit = time_unit(result)
        cost = result[f"{unit}_per_inference"]
        counted = "" if cost is None else f", {cost:,.0f} {unit} per inference"
        if result["core_cycles_per_inference"] is not None:
            counted += f" ({result['core_cycles_per_inference']:,.0f} cycles of the core)"
        if (errors := result["regression"]) is not None:
            print(f"R2 {errors['r2']:.4g}, RMSE {errors['rmse']:.4g}, MAE {errors['mae']:.4g}")
        print(f"{result['samples']} samples on {result['device']}{counted}: all raw outputs equal the evaluator's")
    return 0
