"""Placed and routed figures of compiled models: `python -m tinyml.tools.calibration.place_and_route FOLDER...`.

Each folder is an output of `tinyml compile` for an FPGA. yosys maps the module, and nextpnr places and routes it. A row
of the table shows the cells used and the maximum clock frequency. A large module takes minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.verilog_tools import placement_tool, routed_clock, synthesised
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.registry import board
from tinyml.targets.verilog.fabric import fabric_of
from tinyml.tools.cli.guard import Blame, guarded
from tinyml.tools.driver.output_folder import read_report

HEADS = ("model", "format", "target", "cycles", "LUTs", "registers", "DSPs", "block RAMs", "MHz")


def main(folders: list[str]) -> int:
    """Print a table and return 0. Return 1, after a line on standard error, for a folder without hardware or a failed
    tool.
    """

    def run() -> int:
        print("| " + " | ".join(HEADS) + " |")
        print("|---" * len(HEADS) + "|")
        for folder in map(Path, folders):
            print("| " + " | ".join(row_of(folder)) + " |", flush=True)
        return 0

    return guarded(run, Blame())


def row_of(folder: Path) -> tuple[str, ...]:
    """The figures of a compiled model as table cells. Raises `InputError` for a model that was not compiled for an
    FPGA, and if a tool is missing or placement fails.
    """
    report = read_report(folder)
    if (chosen := board(report["target"])).fabric is None:
        raise InputError(f"compiled for {report['target']}, which has no hardware module", file=str(folder))
    fabric = fabric_of(chosen)
    placement_tool(fabric)
    with temporary_folder() as work:
        cells = synthesised((folder / f"{report['name']}.v").read_text("utf-8"), fabric, work)
        clock = routed_clock(fabric, work)
    figures = (report["cycles_per_inference"] or 0, cells.luts, cells.registers, cells.dsps, cells.brams)
    shown = f"{report['format']} {report['width']}", report["target"], *(f"{figure:,.0f}" for figure in figures)
    return report["name"], *shown, f"{clock:.0f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
