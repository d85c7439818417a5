"""The command `tinyml compile`, which compiles a model with its validation data to a buildable folder and a report."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import missing_part
from tinyml.dialects.options import OptionGroup, option, options_of
from tinyml.dialects.rows import objects_of, rows_of
from tinyml.lowering.frontends.importers import FRONTENDS, MLIR
from tinyml.lowering.options import DEFAULT_LOSS
from tinyml.targets.registry import DEFAULT_TARGET, HOST
from tinyml.tools.cli.arguments import add_options, formats_epilogue, given, parsed, refuse_option, show_examples
from tinyml.tools.cli.common_options import EFFECTS_HELP, CommandOptions
from tinyml.tools.driver.compile_request import (
    LIMITS,
    WITHOUT_SEARCH,
    compile_options,
    compile_request,
    without_searches,
)
from tinyml.tools.driver.packages.packaging_table import packaging_names
from tinyml.tools.driver.request import USUAL_GROWTH, search_names
from tinyml.tools.main import CommandParser

EXAMPLES = {
    "model.tflite -o out": f"a quantised network, which keeps its number formats, for the {DEFAULT_TARGET}",
    f"model.onnx --val val.npz --width 8 --target {HOST} -o out": "8 bits for every tensor, to run on this computer",
    "model.sd --val val.npz --search pareto --ram 1500 --flash 16000 -o out": "formats by a search, within limits",
}


@dataclass(frozen=True, kw_only=True)
class EffectOptions:
    """The options that show how the program was compiled."""

    pass_effects: bool = option(EFFECTS_HELP, default=False, group=OptionGroup.RESULT)


epilogue = formats_epilogue


def selection() -> dict[str, str]:
    """The options that most users need, with their help texts, in the order in which a user decides on them."""
    return {
        "model": f"model file: .{', .'.join([*FRONTENDS.names(), MLIR])}",
        "out": "folder to write",
        "val": "inputs x, and labels y if there are any, to choose number formats by; not needed for a quantised model",
        "test": "data to measure accuracy on (default: --val)",
        "trust_pickle": "read .pkl and .joblib files, which may run any code",
        "target": f"board (default: {DEFAULT_TARGET}); tinyml doctor lists them",
        "packages": f"folders for other tools: {', '.join(packaging_names())}",
        "zip": "also write the Arduino library as a .zip file",
        "input_unit": "accept a sensor's integers instead of reals",
        "format": "number format (default: auto, the fastest that fits within --loss)",
        "loss": (
            f"points of accuracy that auto may lose (default: {DEFAULT_LOSS:g}), or of numbers the percentage by which "
            f"errors may grow ({USUAL_GROWTH:g})"
        ),
        "width": "bits of each number, instead of those that auto finds",
        "outputs": "result of a classifier: scores, or only the class",
        "ram": "limit on RAM (default: the board's)",
        "flash": "limit on flash, which larger, faster code may fill",
        "plan": "order of execution (default: auto, the fastest that fits)",
        "search": f"choose the format of each tensor: {', '.join(search_names())}",
        "help": "show these options",
        "help_all": "show every option, and what each number format is good for",
    }


def _others() -> list[type[Any]]:
    """The dataclasses of options, such as `--with`, that replace the usual compilation; each has a method `run`."""
    return objects_of("compile.options")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    show_examples(parser, "model -o FOLDER", EXAMPLES)
    others = [option for other in _others() for option in options_of(other)]
    others += options_of(EffectOptions)
    common = [*without_searches(), *others, *options_of(CommandOptions)]
    if isinstance(parser, CommandParser) and parser.needs_only(flag for option in common for flag in option.flags):
        # The options of searches, and the help text of --search, load the passes of all searches.
        add_options(parser, [*without_searches(), *others], others=OptionGroup.SEARCH, described=False)
    else:
        add_options(parser, [*compile_options(), *others], others=OptionGroup.SEARCH)
    for row in rows_of("compile.options"):
        if (part := missing_part(f"tinyml.{row.value}")) is not None:
            refuse_option(parser, f"--{row.name}", part)
    # Without searches, argparse would take `--ram` for a short form of `--ram-size`.
    if (part := missing_part("tinyml.transforms.search.engine.search_pass")) is not None:
        for name in {*LIMITS, *WITHOUT_SEARCH}:
            refuse_option(parser, f"--{name}", part)


def run(arguments: argparse.Namespace) -> int:
    effects = parsed(arguments, EffectOptions).pass_effects
    several = [declared for other in _others() for declared in options_of(other) if declared.name in arguments]
    if effects and several:
        raise InputError(f"--pass-effects shows the passes of one program: omit {several[0].flags[0]}")
    request = compile_request(given(arguments, compile_options()))
    if not any(parsed(arguments, other).run(request) for other in _others()):
        from tinyml.tools.commands.actions.compile import compile_and_print

        compile_and_print(request, shows_effects=effects)
    print(f"Wrote {request.out}")
    return 0
