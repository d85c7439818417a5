"""A compilation whose figures are printed."""

from __future__ import annotations

import sys

from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.request import Request
from tinyml.tools.reports.report_views import Report
from tinyml.tools.reports.tables import print_program


def compile_and_print(request: Request, *, shows_effects: bool) -> None:
    """Compile a model and print its figures, and on standard error what each pass did."""
    report = compile_model(request, _show if shows_effects else None)
    print_program(Report.of(report))


def _show(line: str) -> None:
    print(line, file=sys.stderr)
