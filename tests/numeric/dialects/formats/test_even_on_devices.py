"""Sums, casts, additions and averages with many ties round halves to even on every kind of device."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.on_boards import difference, printed
from programs.spread import EXHAUSTIVE, spread
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.runtime.devices.registry import LLVM, is_available, runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import first_mismatch

BOARDS = ("host", "uno", "cortex-m0", "cortex-m4", "cortex-m55", "riscv")

FORMATS = {
    "fixed.s": ("!fixed.s<8, 3, even>", "!fixed.s<8, 1, even>", "!fixed.q<8, 0>", "!fixed.acc<32, 3>"),
    "fixed.q": ("!fixed.q<8, 3, even>", "!fixed.q<8, 1, even>", "!fixed.q<8, 0>", "!fixed.acc<32, 3>"),
    "zeroskew.q": (
        "!zeroskew.q<8, 0.125, 3, even>",
        "!zeroskew.q<6, 0.5, -2, even>",
        "!zeroskew.q<8, 1.0, 0>",
        "!zeroskew.even_acc<32, 0.125>",
    ),
}
"""The formats of the input, of results four times as coarse, and of weights, and the accumulator of the products."""

PROGRAM = """
func.func @ties(%X: tensor<6x4x{fine}>) -> tensor<8x4x{coarse}> {{
  %W = tdsl.const dense<[[1, 2, 3, -1, 0, 5], [-2, 1, 0, 0, 1, 1]]> : tensor<2x6xi8> -> tensor<2x6x{weight}>
  %product = tdsl.matmul %W, %X {{acc = {acc}}} : tensor<2x6x{weight}>, tensor<6x4x{fine}> -> tensor<2x4x{coarse}>
  %cast = tdsl.cast %X : tensor<6x4x{fine}> -> tensor<6x4x{coarse}>
  %sum = tdsl.add %cast, %X : tensor<6x4x{coarse}>, tensor<6x4x{fine}> -> tensor<6x4x{coarse}>
  %y = tdsl.concat %product, %sum {{axis = 0 : i64}}
    : tensor<2x4x{coarse}>, tensor<6x4x{coarse}> -> tensor<8x4x{coarse}>
  func.return %y : tensor<8x4x{coarse}>
}}
"""


def program(name: str) -> ModuleOp:
    fine, coarse, weight, acc = FORMATS[name]
    module = Parser(context(), PROGRAM.format(fine=fine, coarse=coarse, weight=weight, acc=acc)).parse_module()
    module.verify()
    return module


def inputs() -> NDArray[Any]:
    """Random integers from -40 to 39. Half of them are even, and a quarter of their quotients by four are ties, of both
    signs and parities.
    """
    return np.random.default_rng(0).integers(-40, 40, (6, 24)).astype(np.int8)


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
def test_devices_give_the_bits_of_the_evaluator(name: str, tmp_path: Path):
    module, x = program(name), inputs()
    scores = evaluate(module, x).scores
    assert scores is not None
    assert len(np.unique(scores)) > 20
    # Each format on other devices; in `make exhaustive` on all.
    turn = [*FORMATS].index(name)
    for device in [*BOARDS, LLVM] if EXHAUSTIVE in os.environ else [*BOARDS, LLVM][turn :: len(FORMATS)]:
        if is_available(device):
            source = printed(module, device, tmp_path / device)
            assert difference(module, x, source, runner_for(device), tmp_path / f"{device}-build") is None, device


@pytest.mark.long
@pytest.mark.parametrize("name", spread(FORMATS, 1))
def test_hardware_gives_the_bits_of_the_evaluator(name: str, tmp_path: Path):
    need_simulator("iverilog")
    module, x = program(name), inputs()
    bits = lowered(module.clone(), end="loops-to-bits", target="ecp5-25k")
    result = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), x)
    assert first_mismatch(evaluate(module, x), Outputs(None, result.scores)) is None
