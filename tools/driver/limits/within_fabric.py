"""The cells of an FPGA that a hardware module takes, as far as tools can count them, and programs within a share."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects import rtl
from tinyml.dialects.errors import InputError, TooLargeError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.targets.board import Board
    from tinyml.targets.verilog.fabric import Fabric, Resources
    from tinyml.tools.driver.stages import Compiled

ROUNDS = 3
"""Programs that are counted again after the first, before all loops stay as they are."""

MARGIN = 125
"""Percent of the estimated cells that a program is taken to have where nothing counts them (docs/fpga.md)."""

LEAST_STEP = 0.95
"""What is left of a share, at most, after a choice that left the program as it was."""


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
    from tinyml.runtime.devices.verilog_tools import MISSING, placement_tool, synthesis_tool

    if board.fabric is None:
        raise InputError(f"--route is for programmable logic, which {board.name} is not")
    placement_tool(board.fabric)
    if synthesis_tool() is None:
        raise InputError(MISSING)


def compile_within_cells(
    compiled: Compiled, cells: int, board: Board, again: Callable[[int], Compiled], *, route: bool = False
) -> tuple[Compiled, int, dict[str, Any] | None]:
    """The program, the share of cells in percent that its loops are unrolled for, and the report of its hardware.

    A program of which yosys counts more LUTs than `cells` percent, or more cells than there are, is compiled again for
    as much less than the estimate fell short. Its loops stay as they are after `ROUNDS` of that, whatever they take.
    Without yosys the estimate is taken to be `MARGIN` percent. again: compiles for a share in percent. route: place and
    route the module, if it fits, for the clock that it allows. The report is None for targets that are no FPGAs, and
    the same program is kept there. Raises `InputError` if a module cannot be routed.
    """
    from tinyml.runtime.devices.verilog_tools import routed_clock, synthesis_tool, synthesised

    if compiled.verilog is None or (fabric := board.fabric) is None:
        return compiled, cells, None
    if synthesis_tool() is None:
        cells = 100 * cells // MARGIN
        return again(cells), cells, _report(fabric, None, None)
    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:

        def counted(verilog: str | None) -> Resources:
            assert verilog is not None
            return synthesised(verilog, fabric, Path(folder))

        taken = counted(compiled.verilog)
        limit = fabric.there.luts * cells / 100
        if _excess(taken, fabric, limit) > 1:
            compiled, cells, taken = _smaller((compiled, cells, taken), fabric, again, counted)
        fits = not taken.shortages(fabric.there)
        return compiled, cells, _report(fabric, taken, routed_clock(fabric, Path(folder)) if route and fits else None)


def _smaller(
    first: tuple[Compiled, int, Resources],
    fabric: Fabric,
    again: Callable[[int], Compiled],
    counted: Callable[[str | None], Resources],
) -> tuple[Compiled, int, Resources]:
    """A program that keeps the share that the first one exceeds, with what is counted of it, or one that is not
    unrolled.
    """
    compiled, cells, taken = first
    limit, least = fabric.there.luts * cells / 100, again(0)
    for _ in range(ROUNDS):
        excess, before = _excess(taken, fabric, limit), compiled.verilog
        if excess <= 1 or before == least.verilog:
            return compiled, cells, taken
        while compiled.verilog == before:
            # A share that buys nothing else than a larger one did is no other choice.
            cells = int(min(cells / excess, cells * LEAST_STEP))
            compiled, excess = again(cells), 1
        taken = counted(compiled.verilog)
    if _excess(taken, fabric, limit) <= 1:
        return compiled, cells, taken
    return least, 0, counted(least.verilog)


def _excess(taken: Resources, fabric: Fabric, luts: float) -> float:
    """How many times its limit a module takes of what it exceeds most: LUTs of a share, other cells of all."""
    there = fabric.there
    return max(taken.luts / max(luts, 1), taken.dsps / max(there.dsps, 1), taken.brams / max(there.brams, 1))


def _report(fabric: Fabric, counted: Resources | None, clock: float | None) -> dict[str, Any]:
    """The clock in MHz that a module is scheduled for and the one that it allows, its cells before placement, and those
    of the FPGA; what is unknown is None.
    """
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
