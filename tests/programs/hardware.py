"""Programs on bits (L4) as hardware, simulated."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices import verilog_tools
from tinyml.targets.verilog.print_verilog import print_verilog
from tinyml.transforms.rtl.spread_entries import SpreadEntriesPass
from tinyml.transforms.rtl.unroll_loops import UnrollLoopsPass


def need_simulator(command: str) -> None:
    """Skip a test on a machine without a simulator of Verilog."""
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")


def _not_available(target: str) -> bool:
    return False


def without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile for FPGAs without simulation and synthesis."""
    monkeypatch.setattr("tinyml.runtime.devices.registry.is_available", _not_available)
    monkeypatch.setattr(verilog_tools, "synthesis_tool", lambda: None)


def verilog_of(module: ModuleOp, factor: int | None = 1, cells: int = 0, elements: int | None = None) -> str:
    """The Verilog of a program on bits, whose module is left as it is; arguments as of `hardware_of`."""
    return print_verilog(hardware_of(module, factor, cells, elements))


def hardware_of(module: ModuleOp, factor: int | None = 1, cells: int = 0, elements: int | None = None) -> ModuleOp:
    """The hardware module of a program on bits, whose module is left as it is.

    factor, cells: of `unroll-loops`.
    elements: of `spread-entries`.
    """
    hardware = module.clone()
    chosen = {"unroll-loops": UnrollLoopsPass(factor, cells=cells), "spread-entries": SpreadEntriesPass(elements)}
    steps = pipelines.flatten("bits-to-hardware", {})
    pipelines.run(hardware, context(), [chosen.get(step.name, step) for step in steps])
    return hardware


def need_circt() -> None:
    """Skip a test without PyPI's `circt`, or without a simulator of Verilog."""
    need_simulator("iverilog")
    if find_spec("circt") is None:
        pytest.skip("circt is not installed")


def read_bits(folder: Path) -> ModuleOp:
    """The program on bits in a folder that `tinyml compile` wrote."""
    from tinyml.tools.driver.stages import load_program

    return load_program(folder / "ir" / "4-bits.mlir", context())
