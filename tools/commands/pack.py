"""The command `tinyml pack`, which packs the buffers of a CSV file, checks the result and reports the effort."""

from __future__ import annotations

import argparse

from tinyml.dialects.options import options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.driver.pack_request import PackRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(PackRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.pack import pack_file

    return pack_file(parsed(arguments, PackRequest))
