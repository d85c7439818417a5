"""The command `tinyml prune`, which removes channels of a network until its plan fits in a given RAM."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.driver.channels_request import ChannelRequest

SUFFIXES = (".onnx", ".mlir")


@dataclass(frozen=True, kw_only=True)
class PruneRequest(ChannelRequest):
    """A request to prune a network; the fields are the options of `tinyml prune`."""

    ram: int = option("limit on the live bytes at the peak of the plan", metavar="BYTES")
    out: Path = option("file to write: .onnx or .mlir", flags=("-o", "--out"), metavar="FILE", writes=SUFFIXES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(PruneRequest))


def run(arguments: argparse.Namespace) -> int:
    """Raises `InputError` for an output file with another suffix than .onnx and .mlir, and as `prune_network` does."""
    request = parsed(arguments, PruneRequest)
    if request.out.suffix not in SUFFIXES:
        raise InputError(f"expected a file {' or '.join(SUFFIXES)} to write to", file=str(request.out))
    from tinyml.tools.commands.actions.prune import prune_network

    prune_network(request, request.ram, request.out)
    return 0
