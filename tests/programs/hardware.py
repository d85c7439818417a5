"""Programs at L4 as simulated hardware."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import num, scratch
from tinyml.dialects.context import context
from tinyml.dialects.rewriting import Rewriter
from tinyml.lowering import pipelines
from tinyml.runtime.devices import verilog_tools
from tinyml.targets.verilog.print_verilog import print_verilog
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.pipeline_names import BUFFERS_TO_LOOPS, LOOPS_TO_BITS
from tinyml.transforms.rtl.spread_entries import SpreadEntriesPass
from tinyml.transforms.rtl.unroll_loops import UnrollLoopsPass


def need_simulator(command: str) -> None:
    """Skip the test if the simulator of Verilog with this command is not installed."""
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")


def _not_available(target: str) -> bool:
    return False


def without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the end of the test, compile for FPGAs as if neither a simulator nor a synthesis tool were installed."""
    monkeypatch.setattr("tinyml.runtime.devices.registry.is_available", _not_available)
    monkeypatch.setattr(verilog_tools, "synthesis_tool", lambda: None)


def verilog_of(module: ModuleOp, factor: int | None = 1, cells: int = 0, elements: int | None = None) -> str:
    """The Verilog of a program at L4. The program is not changed; for the arguments see `hardware_of`."""
    return print_verilog(hardware_of(module, factor, cells, elements))


def hardware_of(module: ModuleOp, factor: int | None = 1, cells: int = 0, elements: int | None = None) -> ModuleOp:
    """The hardware module of a program at L4, which is not changed.

    factor, cells: options of `unroll-loops`.
    elements: an option of `spread-entries`.
    """
    hardware = module.clone()
    chosen = {"unroll-loops": UnrollLoopsPass(factor, cells=cells), "spread-entries": SpreadEntriesPass(elements)}
    steps = pipelines.flatten("bits-to-hardware", {})
    pipelines.run(hardware, context(), [chosen.get(step.name, step) for step in steps])
    return hardware


def open_contractions(module: ModuleOp) -> None:
    """Replace the contractions of a program at L4 by loops that follow the gaps of compressed rows, so that no entries
    are distributed, and erase the ops that declare sliding windows.
    """
    for op in list(module.walk()):
        if isinstance(op, num.ContractOp):
            expand_contraction(op)
        elif isinstance(op, scratch.SlideOp):
            Rewriter.erase_op(op)


def need_circt() -> None:
    """Skip the test if PyPI's `circt` or a simulator of Verilog is not installed."""
    need_simulator("iverilog")
    if find_spec("circt") is None:
        pytest.skip("circt is not installed")


def read_bits(folder: Path) -> ModuleOp:
    """The program at L4 for an FPGA, lowered from the program at L2 in an output folder of `tinyml compile`."""
    from tinyml.tools.driver.stages import load_program

    module = load_program(folder / "ir" / "2-buffers.mlir", context())
    for name in (BUFFERS_TO_LOOPS, LOOPS_TO_BITS):
        pipelines.run(module, context(), pipelines.flatten(name, {"target": "ecp5-25k"}))
    return module
