"""Programs on bits (L4) as hardware, simulated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.targets.verilog.print_verilog import print_verilog
from tinyml.transforms.rtl.spread_entries import SpreadEntriesPass
from tinyml.transforms.rtl.unroll_loops import UnrollLoopsPass


def need_simulator(command: str) -> None:
    """Skip a test on a machine without a simulator of Verilog."""
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")


def verilog_of(module: ModuleOp, factor: int | None = 1, cells: int = 0, elements: int | None = None) -> str:
    """The Verilog of a program on bits, whose module is left as it is.

    factor, cells: of `unroll-loops`. elements: of `spread-entries`.
    """
    hardware = module.clone()
    chosen = {"unroll-loops": UnrollLoopsPass(factor, cells=cells), "spread-entries": SpreadEntriesPass(elements)}
    steps = pipelines.flatten("bits-to-hardware", {})
    pipelines.run(hardware, context(), [chosen.get(step.name, step) for step in steps])
    return print_verilog(hardware)


def read_bits(folder: Path) -> ModuleOp:
    """The program on bits in a folder that `tinyml compile` wrote."""
    from tinyml.tools.driver.stages import load_program

    return load_program(folder / "ir" / "4-bits.mlir", context())
