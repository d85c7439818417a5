"""Removal of channels of a network until its plan fits in a given RAM."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from tinyml.dialects import tdsl
from tinyml.lowering.exporters.onnx_writer import write_onnx
from tinyml.tools.cli.atomic_output import write_file
from tinyml.tools.driver.channels import load_network
from tinyml.tools.driver.channels_request import ChannelRequest
from tinyml.tools.driver.stages import print_ir
from tinyml.tools.reports.tables import print_table, spell_bytes
from tinyml.transforms.reals.channels.channel_groups import FIXED_GROUP
from tinyml.transforms.reals.channels.importance import weights_name
from tinyml.transforms.reals.channels.pruning import Channels, prune
from tinyml.transforms.reals.channels.removal import kept, remove_channels

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


def prune_network(request: ChannelRequest, ram: int, out: Path) -> None:
    """Write the pruned network, and print the removed channels of each filter (with `--json`, the report as JSON).

    ram: the limit on the live bytes at the peak of the plan.

    Raises `InputError` if no pruned network fits the RAM.
    """
    module, channels, importance = load_network(request)
    removed = prune(channels, importance, ram)
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
    content = write_onnx(module) if out.suffix == ".onnx" else print_ir(module)
    write_file(out, content)
    if request.json:
        print(json.dumps(report, indent=2))
    else:
        _print(report, out)


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
