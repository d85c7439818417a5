"""The command `tinyml export`, which writes a model in the format of another tool."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.context import context
from tinyml.dialects.options import option, options_of
from tinyml.lowering.exporters import EXPORTERS, written_suffixes
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.atomic_output import write_file
from tinyml.tools.driver.request import ModelArgument
from tinyml.tools.driver.stages import load_program


@dataclass(frozen=True, kw_only=True)
class ExportRequest(ModelArgument):
    """A request to write a model; the fields are the options of `tinyml export`."""

    to: str = option(f"what to write: {EXPORTERS.listed()}", choices=EXPORTERS.names)
    out: Path = option("file to write", flags=("-o", "--out"), metavar="FILE", writes=written_suffixes())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(ExportRequest))


def run(arguments: argparse.Namespace) -> int:
    request = parsed(arguments, ExportRequest)
    write_file(request.out, EXPORTERS.get(request.to)(load_program(request.model, context())))
    return 0
