"""The cells of an FPGA that a hardware module takes, as far as tools can count them, and modules that take too many."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects import rtl
from tinyml.dialects.errors import InputError, TooLargeError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.targets.board import Board
    from tinyml.targets.verilog.fabric import Fabric
    from tinyml.tools.driver.stages import Compiled


def check_memories(module: ModuleOp, fabric: Fabric) -> None:
    """Raise `TooLargeError` for hardware whose memories hold more than all block RAMs, which needs no tool to see."""
    bits = sum(op.width * op.depth.value.data for op in module.walk() if isinstance(op, rtl.RamOp))
    if bits > (there := fabric.there.brams * fabric.bram_bits):
        raise TooLargeError(
            f"the memories of the hardware hold {bits:,} bits, the block RAMs {there:,} ({bits - there:,} too many); "
            "fewer bits or a smaller model helps"
        )


def check_route(board: Board) -> None:
    """Raise `InputError` unless modules for a board can be placed and routed here."""
    from tinyml.runtime.devices.hardware.placement import placement_tool
    from tinyml.runtime.devices.hardware.synthesis import MISSING, synthesis_tool

    if board.fabric is None:
        raise InputError(f"--route is for programmable logic, which {board.name} is not")
    placement_tool(board.fabric)
    if synthesis_tool() is None:
        raise InputError(MISSING)


def hardware_report(compiled: Compiled, board: Board, *, route: bool = False) -> dict[str, Any] | None:
    """The clock in MHz that a module is scheduled for, its cells by yosys before placement, and those of the FPGA.

    route: place and route the module, if it fits, for the clock that it allows, which is None otherwise. Cells are None
    without yosys; the whole is for targets that are no FPGAs. Raises `InputError` if a module cannot be routed.
    """
    from tinyml.runtime.devices.hardware.placement import routed_clock
    from tinyml.runtime.devices.hardware.synthesis import synthesis_tool, synthesised

    if compiled.verilog is None or (fabric := board.fabric) is None:
        return None
    counted = clock = None
    if synthesis_tool() is not None:
        with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
            counted = synthesised(compiled.verilog, fabric, Path(folder))
            if route and not counted.shortages(fabric.there):
                clock = routed_clock(fabric, Path(folder))
    cells = dict.fromkeys(asdict(fabric.there)) if counted is None else asdict(counted)
    there = {name: count for name, count in asdict(fabric.there).items() if name != "registers"}
    return {
        "clock_mhz": fabric.clock,
        "fmax_mhz": clock,
        **cells,
        "available": there,
        "shortages": counted and counted.shortages(fabric.there),
    }


def require_cells(hardware: dict[str, Any] | None, board: Board, model: str) -> None:
    """Raise `InputError` for a module that takes more cells than there are."""
    if hardware is not None and hardware["shortages"]:
        needs = " and ".join(hardware["shortages"])
        raise InputError(
            f"does not fit {board.name} ({board.part}): needs {needs}; fewer bits or a smaller model helps", file=model
        )
