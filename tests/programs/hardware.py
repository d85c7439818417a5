"""Programs on bits (L4) as hardware, simulated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.targets.verilog.print_verilog import print_verilog
from tinyml.transforms.rtl.unroll_loops import UnrollLoopsPass
from tinyml.transforms.simplify import SimplifyPass


def need_simulator(command: str) -> None:
    """Skip a test on a machine without a simulator of Verilog."""
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")


def verilog_of(module: ModuleOp, factor: int = 1) -> str:
    """The Verilog of a program on bits, whose module is left as it is. factor: of `unroll-loops`."""
    hardware = module.clone()
    *steps, schedule, lower = pipelines.flatten("bits-to-hardware", {})
    steps += [UnrollLoopsPass(factor), SimplifyPass(), CommonSubexpressionElimination()]
    pipelines.run(hardware, context(), [*steps, schedule, lower])
    return print_verilog(hardware)


def read_bits(folder: Path) -> ModuleOp:
    """The program on bits in a folder that `tinyml compile` wrote."""
    from tinyml.tools.driver.stages import load_program

    return load_program(folder / "ir" / "4-bits.mlir", context())
