"""The command `tinyml export`, which writes a model in the format of another tool."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option, options_of
from tinyml.lowering.exporters import EXPORTERS, written_suffixes
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.driver.request import ModelArgument


@dataclass(frozen=True, kw_only=True)
class ExportRequest(ModelArgument):
    """A request to write a model; the fields are the options of `tinyml export`."""

    to: str = option(f"what to write: {EXPORTERS.listed()}", choices=EXPORTERS.names)
    out: Path = option("file to write", flags=("-o", "--out"), metavar="FILE", writes=written_suffixes())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(ExportRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.export import export_model

    request = parsed(arguments, ExportRequest)
    export_model(request.model, request.to, request.out)
    return 0
