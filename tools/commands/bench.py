"""The command `tinyml bench`, which compiles and runs many models and prints a table."""

from __future__ import annotations

import argparse
from pathlib import Path

from tinyml.dialects.options import options_of
from tinyml.tools.cli.arguments import add_options, given, names
from tinyml.tools.driver.request import BuildOptions, Request


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", type=Path, nargs="+", help="folders with a program, val.npz and test.npz")
    add_options(parser, options_of(BuildOptions))
    parser.add_argument(
        "--searches",
        metavar="FORMAT[:SCHEME],...",
        type=names,
        help="compare the searches of the papers in these formats instead (other options count for nothing)",
    )
    parser.add_argument(
        "--formats",
        metavar="FORMAT[:BITS][+SEARCH],...",
        nargs="?",
        const=(),
        type=names,
        help="compare number formats instead, uniform or with widths that a search finds (default: MinUn's and ours)",
    )
    parser.add_argument("--picture", type=Path, help=".svg or .png file: what the formats lose and cost on average")
    parser.add_argument("--json", type=Path, help="also write the reports to this file")


def run(arguments: argparse.Namespace) -> int:
    options = BuildOptions(**given(arguments, options_of(BuildOptions)))
    if arguments.searches is not None:
        from tinyml.tools.driver.compare_searches import compare_searches

        compare_searches(arguments.folders, arguments.searches, arguments.json)
    elif arguments.formats is not None:
        from tinyml.tools.driver.compare_formats import compare_formats

        compare_formats(arguments.folders, arguments.formats, options.target, arguments.json, arguments.picture)
    else:
        _bench(arguments.folders, options, arguments.json)
    return 0


def _bench(folders: list[Path], options: BuildOptions, json_file: Path | None) -> None:
    """Measure every model on a target and print the table; a model that does not fit is measured on a larger board."""
    from tinyml.targets.registry import board
    from tinyml.tools.cli.atomic_file import json_results
    from tinyml.tools.driver.compile_model import measure_model
    from tinyml.tools.driver.models import find_model
    from tinyml.tools.reports.table import print_reports

    chosen = board(options.target)
    models = [find_model(folder) for folder in folders]
    with json_results(json_file) as reports:
        for program, val, test in models:
            request = Request(model=program, val=val, test=test, out=Path(), **vars(options))
            reports.append(measure_model(request, chosen))
        print_reports(reports)
