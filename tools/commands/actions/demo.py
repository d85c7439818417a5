"""Compilations and runs of the example models, on any computer."""

from __future__ import annotations

from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices import registry as runners
from tinyml.targets.registry import HOST
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.measure import check_equal
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import find_model
from tinyml.tools.reports.report_views import Report
from tinyml.tools.reports.tables import print_reports


def run_examples(examples: Path) -> None:
    """Compile every example for the default board into `out/`, and run it on this computer if a C compiler is
    installed.

    Raises `InputError` if the examples are missing or a run differs from the evaluator.
    """
    # Other examples are stand-alone programs.
    folders = sorted(path.parent for path in examples.glob("*/val.npz"))
    if not folders:
        raise InputError("no example models in this folder", file=str(examples))
    reports: list[Report] = []
    lines: list[str] = []
    for folder in folders:
        program, val, test = find_model(folder)
        out = Path("out") / folder.name
        reports.append(Report.of(compile_model(Request(model=program, val=val, test=test, out=out))))
        lines.append(f"{out}: C, an Arduino library, a CMake project, the IR of every level, report.json")
        if runners.is_available(HOST):
            result = run_model(RunRequest(folder=out, data=test or val, optimize="O2"))
            check_equal(result["mismatch"], HOST, out)
            lines.append(f"  run here on {result['samples']} samples: all raw outputs equal the evaluator's")
    print_reports(reports)
    if any(report.flash_bytes is None for report in reports):
        lines.append("Flash, RAM and cycles need the board's compiler and simulator: see tinyml doctor.")
    print("\n".join(lines))
