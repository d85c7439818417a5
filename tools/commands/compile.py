"""The command `tinyml compile`, which turns a model and its validation data into a buildable folder and a report."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import OptionGroup, option, options_of
from tinyml.lowering.options import PACKED
from tinyml.targets.registry import HOST, USUAL, spends_flash
from tinyml.tools.cli.arguments import add_options, given, parsed, show_examples
from tinyml.tools.driver.requests.request import AUTO_FORMAT, DECIDED, OPTIMIZE, Request
from tinyml.tools.driver.requests.search_request import SearchRequest, describe_searches, search_options

if TYPE_CHECKING:
    from collections.abc import Mapping

EXAMPLES = {
    "model.tflite -o out": f"a quantised network, which keeps its number formats, for the {USUAL}",
    f"model.onnx --val val.npz --width 8 --target {HOST} -o out": "8 bits for every tensor, to run on this computer",
    "model.sd --val val.npz --search pareto --ram 1500 --flash 16000 -o out": "formats by a search, within limits",
}

LIMITS = ("ram", "flash", "cycles")
WITHOUT_SEARCH = ("ram", "flash", "loss")
"""The limits that compilation without a search keeps by itself, the loss only where it chooses a format."""

ASSUMED = {"packed": PACKED[0], "optimize": OPTIMIZE[0]}
"""The values of options that searches assume when they measure programs."""


@dataclass(frozen=True, kw_only=True)
class SearchChoice:
    """The option that asks for a search; those of the searches are declared by their passes."""

    search: str | None = option(
        f"search to run: {describe_searches()}", default=None, metavar="NAME", group=OptionGroup.SEARCH
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    show_examples(parser, "model -o FOLDER", EXAMPLES)
    declared = [*options_of(Request), *options_of(SearchChoice), *search_options()]
    add_options(parser, declared, others=OptionGroup.SEARCH)


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.driver.compile_model import compile_model
    from tinyml.tools.reports.memory_picture import can_draw
    from tinyml.tools.reports.tables import print_function_errors, print_lines, print_parts, print_reports, print_search

    if vars(arguments).get("format") == AUTO_FORMAT:
        _check_auto(arguments)
    search = _search(arguments)
    options = given(arguments, search_options()) if search is None else {}
    limits = {name: options[name] for name in WITHOUT_SEARCH if name in options}
    if search is not None and "flash" in search.options and spends_flash(arguments.target):
        limits = {"flash": search.options["flash"]}
    request = Request(**given(arguments, options_of(Request)), search=search, **limits)
    if request.flash is not None and not spends_flash(request.target):
        raise InputError(f"--flash is an option of --search: {request.target} has no kernels that take more flash")
    if request.loss is not None and not request.is_auto:
        raise InputError(f"--loss is for --format {AUTO_FORMAT}, which chooses by it, and for searches")
    report = compile_model(request)
    print_reports([report])
    if report["search"] is not None:
        print_search(report["search"])
    print_lines(report)
    print_function_errors(report)
    print_parts(report, chosen=request.val is not None)
    if report["flash_bytes"] is None:
        print(f"The tools to measure on {report['target']} are not installed: sizes and cycles are unknown.")
    if not can_draw():
        print("matplotlib is not installed, so there are no pictures: pip install 'tinyml[plots]'")
    print(f"Wrote {request.out}")
    return 0


def _check_auto(arguments: argparse.Namespace) -> None:
    """Raise `InputError` for an option that decides what `--format auto` is to decide."""
    for name in DECIDED[1:]:
        if name in arguments:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"--format {AUTO_FORMAT} decides {option} itself: leave out one of the two")


def _search(arguments: argparse.Namespace) -> SearchRequest | None:
    options, name = given(arguments, search_options()), parsed(arguments, SearchChoice).search
    if name is None:
        if options := options.keys() - {*WITHOUT_SEARCH}:
            raise InputError(f"--{min(options)} is an option of --search")
        return None
    if "width" in arguments:
        raise InputError("--search chooses the width of each tensor: give --widths in place of --width")
    if "weights" in arguments:
        raise InputError("--search chooses the format of each tensor, constants among them: leave out --weights")
    _check_limits(vars(arguments), next((name for name in LIMITS if name in options), None))
    return SearchRequest(name, options)


def _check_limits(arguments: Mapping[str, object], limit: str | None) -> None:
    """Raise `InputError` for a limit combined with options other than those that searches assume."""
    for name, usual in ASSUMED.items():
        if limit is not None and (value := arguments.get(name, usual)) != usual:
            raise InputError(
                f"searches keep --{limit} only with --{name} {usual}: leave out --{name} {value} or the limits"
            )
