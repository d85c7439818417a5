"""Comparisons of models, of the searches of papers, and of number formats."""

from __future__ import annotations

from pathlib import Path

from tinyml.dialects.options import options_of
from tinyml.targets.registry import board
from tinyml.tools.cli.atomic_output import json_results
from tinyml.tools.driver.bench_request import BenchRequest
from tinyml.tools.driver.compare_formats import compare_formats
from tinyml.tools.driver.compare_searches import compare_searches
from tinyml.tools.driver.measure_model import measure_model
from tinyml.tools.driver.request import BuildOptions, Request
from tinyml.tools.driver.stages import model_of
from tinyml.tools.reports.tables import print_reports


def compare_models(request: BenchRequest) -> None:
    if request.searches is not None:
        compare_searches(request.folders, request.searches, request.json)
    elif request.formats is not None:
        compare_formats(request.folders, request.formats, request.target, request.json, request.picture)
    else:
        _bench(request)


def _bench(asked: BenchRequest) -> None:
    chosen = board(asked.target)
    options = {declared.name: getattr(asked, declared.name) for declared in options_of(BuildOptions)}
    models = [model_of(folder) for folder in asked.folders]
    with json_results(asked.json) as results:
        requests = [Request(model=program, val=val, test=test, out=Path(), **options) for program, val, test in models]
        reports = [measure_model(request, chosen) for request in requests]
        results += [report.as_json() for report in reports]
        print_reports(reports)
