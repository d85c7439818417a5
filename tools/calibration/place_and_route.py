"""Placed and routed figures of compiled models: `python -m tinyml.tools.calibration.place_and_route FOLDER...`.

Each folder is one that `tinyml compile` wrote for an FPGA. yosys maps the module, nextpnr places and routes it, and a
line of a table says which cells it takes and how fast the clock may be. It takes minutes for a large module.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.hardware.simulation import call_tool
from tinyml.runtime.devices.hardware.synthesis import NETLIST, synthesised
from tinyml.targets.registry import board
from tinyml.tools.driver.output.output_contents import read_report

HEADS = ("model", "format", "target", "cycles", "LUTs", "registers", "DSPs", "block RAMs", "MHz")


def main(folders: list[str]) -> None:
    print("| " + " | ".join(HEADS) + " |")
    print("|---" * len(HEADS) + "|")
    for folder in map(Path, folders):
        print("| " + " | ".join(row_of(folder)) + " |", flush=True)


def row_of(folder: Path) -> tuple[str, ...]:
    """The figures of a compiled model; raises `InputError` if a tool is missing or finds no place for a cell."""
    report = read_report(folder)
    fabric = board(report["target"]).fabric
    if fabric is None or not fabric.placement:
        raise InputError(f"no open tool places modules for {report['target']}", file=str(folder))
    with tempfile.TemporaryDirectory(prefix="tinyml-") as work:
        cells = synthesised((folder / f"{report['name']}.v").read_text("utf-8"), fabric, Path(work))
        tool, *options = fabric.placement
        command = next(filter(shutil.which, (f"yowasp-{tool}", tool)), tool)
        limits = ("--freq", f"{fabric.clock:g}", "--timing-allow-fail", "-q")
        call_tool(command, *options, "--json", NETLIST, "--report", "report.json", *limits, folder=Path(work))
        [clock] = json.loads((Path(work) / "report.json").read_text())["fmax"].values()
    figures = (report["cycles_per_inference"] or 0, cells.luts, cells.registers, cells.dsps, cells.brams)
    shown = f"{report['format']} {report['width']}", report["target"], *(f"{figure:,.0f}" for figure in figures)
    return report["name"], *shown, f"{clock['achieved']:.0f}"


if __name__ == "__main__":
    main(sys.argv[1:])
