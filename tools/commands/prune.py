"""The command `tinyml prune`, which removes channels of a network until its plan fits in a given RAM."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.options import option, options_of
from tinyml.lowering.exporters.onnx_writer import write_onnx
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.atomic_output import write_file
from tinyml.tools.driver.channels import ChannelRequest, load_network
from tinyml.tools.driver.stages import print_ir
from tinyml.tools.reports.tables import print_table, spell_bytes
from tinyml.transforms.reals.channels.channel_groups import FIXED_GROUP
from tinyml.transforms.reals.channels.importance import weights_name
from tinyml.transforms.reals.channels.pruning import Channels, prune
from tinyml.transforms.reals.channels.removal import kept, remove_channels

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


SUFFIXES = (".onnx", ".mlir")


@dataclass(frozen=True, kw_only=True)
class PruneRequest(ChannelRequest):
    """A request to prune a network; the fields are the options of `tinyml prune`."""

    ram: int = option("limit on the live bytes at the peak of the plan", metavar="BYTES")
    out: Path = option("file to write: .onnx or .mlir", flags=("-o", "--out"), metavar="FILE", writes=SUFFIXES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(PruneRequest))


def run(arguments: argparse.Namespace) -> int:
    """Write the pruned network, print the removed channels of each filter (with `--json`, the report as JSON), and
    return the exit code.

    Raises `InputError` for an output file with another suffix than .onnx and .mlir, and if no pruned network fits the
    RAM.
    """
    request = parsed(arguments, PruneRequest)
    if request.out.suffix not in SUFFIXES:
        raise InputError(f"expected a file {' or '.join(SUFFIXES)} to write to", file=str(request.out))
    module, channels, importance = load_network(request)
    removed = prune(channels, importance, request.ram)
    whole, rest = channels.graph([]), channels.graph(removed)
    report = {
        "peak_bytes": [channels.plan(graph).bits / 8 for graph in (whole, rest)],
        "macs": [whole.macs, rest.macs],
        "filters": _filters(channels, removed),
    }
    parameters = _parameters(module)
    remove_channels(channels.grouping, removed)
    module.verify()
    report["parameters"] = [parameters, _parameters(module)]
    content = write_onnx(module) if request.out.suffix == ".onnx" else print_ir(module)
    write_file(request.out, content)
    if request.json:
        print(json.dumps(report, indent=2))
    else:
        _print(report, request.out)
    return 0


def _filters(channels: Channels, removed: list[int]) -> list[dict[str, Any]]:
    grouping = channels.grouping
    return [
        {
            "weights": weights_name(grouping, op),
            "tensor": channels.network.names[op.out],
            "channels": len(grouping.groups(op.out)),
            "kept": [int(channel) for channel in kept(grouping, op.out, removed).nonzero()[0]],
        }
        for op in grouping.filters
        if (grouping.groups(op.out) != FIXED_GROUP).any()
    ]


def _parameters(module: ModuleOp) -> int:
    return sum(prod(tdsl.shape_of(op.result)) for op in module.walk() if isinstance(op, tdsl.ConstOp))


def _print(report: dict[str, Any], out: Path) -> None:
    table = Table()
    for heading in ("weights", "tensor"):
        table.add_column(heading, no_wrap=True)
    for heading in ("channels", "kept"):
        table.add_column(heading, justify="right", no_wrap=True)
    for filter in report["filters"]:
        counts = str(filter["channels"]), str(len(filter["kept"]))
        table.add_row(filter["weights"] or "", filter["tensor"], *counts)
    print_table(table)
    peaks = " to ".join(map(spell_bytes, report["peak_bytes"]))
    parameters, macs = (" to ".join(f"{count:,}" for count in report[name]) for name in ("parameters", "macs"))
    print(f"{out}: peak from {peaks} bytes, parameters from {parameters}, multiply-accumulates from {macs}")
