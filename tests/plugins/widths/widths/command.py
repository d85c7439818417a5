"""List the bits of each tensor of a compiled program.

The first sentence is the command's line in `tinyml --help`.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tinyml.extend.tools import InputError, add_options, option, options_of, parsed


@dataclass(frozen=True, kw_only=True)
class WidthsRequest:
    """The options of `tinyml widths`."""

    folder: Path = option("folder that tinyml compile wrote", flags=())
    least: int = option("leave out tensors of fewer bits", default=1)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(WidthsRequest))


def run(arguments: argparse.Namespace) -> int:
    from tinyml.extend.programs import program_in, tdsl

    request = parsed(arguments, WidthsRequest)
    ops = [op for op in program_in(request.folder).formats.walk() if isinstance(op, tdsl.TensorOp) and op.results]
    rows = [(op.name, tdsl.format_of(op.results[0]).bits) for op in ops]
    if not (kept := [row for row in rows if row[1] >= request.least]):
        raise InputError(f"no tensor has {request.least} bits or more", file=str(request.folder))
    print(*(f"{name}: {bits} bits" for name, bits in kept), sep="\n")
    return 0
