"""The command `tinyml bench`, which compiles and runs many models and prints a table."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import OptionGroup, option, options_of
from tinyml.targets.registry import DEFAULT_TARGET, board
from tinyml.tools.cli.arguments import add_options, formats_epilogue, parsed, show_examples
from tinyml.tools.cli.atomic_output import json_results
from tinyml.tools.cli.common_options import trust_pickle
from tinyml.tools.driver.compare_formats import compare_formats
from tinyml.tools.driver.compare_searches import compare_searches
from tinyml.tools.driver.measure_model import measure_model
from tinyml.tools.driver.request import BuildOptions, Request
from tinyml.tools.driver.stages import model_of
from tinyml.tools.reports.plots import FORMATS
from tinyml.tools.reports.tables import print_reports


@dataclass(frozen=True, kw_only=True)
class BenchRequest(BuildOptions):
    """A request to compare models, searches or formats; the fields are the options of `tinyml bench`."""

    folders: tuple[Path, ...] = option(
        "folders with a program, val.npz and test.npz, or files of quantised models",
        flags=(),
        group=OptionGroup.MODEL,
    )
    trust_pickle: bool = trust_pickle()
    searches: tuple[str, ...] | None = option(
        "compare the searches of the papers instead, in these formats (all other options but --json are ignored)",
        default=None,
        metavar="FORMAT[:SCHEME],...",
        group=OptionGroup.RESULT,
    )
    formats: tuple[str, ...] | None = option(
        "compare number formats instead, of one width or with widths that a search finds (without a value: MinUn's "
        "formats and ours)",
        default=None,
        metavar="FORMAT[:BITS][+SEARCH],...",
        bare=(),
        group=OptionGroup.RESULT,
    )
    picture: Path | None = option(
        "draw the mean loss and cost of each of the --formats to an .svg or .png file",
        default=None,
        metavar="FILE",
        group=OptionGroup.RESULT,
        writes=FORMATS,
    )
    json: Path | None = option(
        "also write the reports to this file", default=None, metavar="FILE", group=OptionGroup.RESULT, writes=(".json",)
    )


EXAMPLES = {
    "examples/*": f"size and speed of each model on the {DEFAULT_TARGET}",
    "examples/* --width 8 --json report.json": "the same with 8 bits, the reports as JSON too",
    "examples/* --formats --picture formats.svg": "number formats compared",
}


epilogue = formats_epilogue


def add_arguments(parser: argparse.ArgumentParser) -> None:
    show_examples(parser, "folders", EXAMPLES)
    add_options(parser, options_of(BenchRequest))


def run(arguments: argparse.Namespace) -> int:
    request = parsed(arguments, BenchRequest)
    if request.searches is not None:
        compare_searches(request.folders, request.searches, request.json)
    elif request.formats is not None:
        compare_formats(request.folders, request.formats, request.target, request.json, request.picture)
    else:
        _bench(request)
    return 0


def _bench(asked: BenchRequest) -> None:
    chosen = board(asked.target)
    options = {declared.name: getattr(asked, declared.name) for declared in options_of(BuildOptions)}
    models = [model_of(folder) for folder in asked.folders]
    with json_results(asked.json) as results:
        requests = [Request(model=program, val=val, test=test, out=Path(), **options) for program, val, test in models]
        reports = [measure_model(request, chosen) for request in requests]
        results += [report.as_json() for report in reports]
        print_reports(reports)
