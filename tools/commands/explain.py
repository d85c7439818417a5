"""The command `tinyml explain`, which breaks down cycles, flash and RAM of a compiled model by operation."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.common_options import PrintOptions
from tinyml.tools.driver.explain_model import explain_model, print_explanation


@dataclass(frozen=True, kw_only=True)
class ExplainRequest(PrintOptions):
    """A request to explain a compiled model; the fields are the options of `tinyml explain`."""

    folder: Path = option("folder written by tinyml compile", flags=())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(ExplainRequest))


def run(arguments: argparse.Namespace) -> int:
    request = parsed(arguments, ExplainRequest)
    explanation = explain_model(request.folder)
    if request.json:
        print(json.dumps(explanation, indent=2))
    else:
        print_explanation(explanation)
    return 0
