"""Placement and routing of mapped modules by nextpnr, which says how fast their clock may be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.hardware.simulation import call_tool
from tinyml.runtime.devices.hardware.synthesis import NETLIST
from tinyml.targets.verilog.fabric import Fabric


def placement_tool(fabric: Fabric) -> str:
    """The command of nextpnr, that of the extra `fpga` before that of the system.

    Raises `InputError` for a device that no open tool places, and if the tool is not installed.
    """
    if not fabric.placement:
        raise InputError("no open tool places and routes modules for this target")
    tool = fabric.placement[0]
    if (found := next(filter(shutil.which, (f"yowasp-{tool}", tool)), None)) is None:
        raise InputError(f"{tool} is not installed; pip install yowasp-{tool}, or a package of {tool}")
    return found


def routed_clock(fabric: Fabric, folder: Path) -> float:
    """The clock in MHz that a module allows once it is placed and routed; it takes minutes for large ones.

    folder: with the `NETLIST` of the module. Raises `InputError` if a tool is missing or finds no place for a cell.
    """
    command = placement_tool(fabric), *fabric.placement[1:]
    limits = ("--freq", f"{fabric.clock:g}", "--timing-allow-fail", "-q")
    call_tool(*command, "--json", NETLIST, "--report", "routed.json", *limits, folder=folder)
    [clock] = json.loads((folder / "routed.json").read_text())["fmax"].values()
    return round(clock["achieved"], 1)
