"""A compilation whose figures are printed."""

from __future__ import annotations

from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.request import Request
from tinyml.tools.reports.report_views import Report
from tinyml.tools.reports.tables import print_program


def compile_and_print(request: Request) -> None:
    print_program(Report.of(compile_model(request)))
