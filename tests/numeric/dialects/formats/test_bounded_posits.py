"""A program whose activations are posits with different es, shifts and ranges computes the same bits on each
executor.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import BOARDS
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.on_boards import difference, printed
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.formats.posit.type import PositType
from tinyml.runtime.devices.registry import LLVM, is_available, runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import first_mismatch
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass

X, W, Y = PositType(8, 1, -5, 8, -1), PositType(8, 0, -6, 1), PositType(8, 0, -6, 7, 2)
T, S, Z = PositType(6, 1, -8, 7), PositType(10, 0, -8, 5, 1), PositType(8, 2, -7, 6, 1)


def program() -> ModuleOp:
    weights = W.encode(np.random.default_rng(1).normal(size=(3, 6)) / 2).tolist()
    text = f"""
        func.func @mixed(%x: tensor<6x1x{X}>) -> tensor<3x1x{Z}> {{
          %w = tdsl.const dense<{weights}> : tensor<3x6xi8> -> tensor<3x6x{W}>
          %y = tdsl.matmul %w, %x : tensor<3x6x{W}>, tensor<6x1x{X}> -> tensor<3x1x{Y}>
          %t = tdsl.tanh %y : tensor<3x1x{Y}> -> tensor<3x1x{T}>
          %s = tdsl.add %t, %y : tensor<3x1x{T}>, tensor<3x1x{Y}> -> tensor<3x1x{S}>
          %z = tdsl.mul %s, %t : tensor<3x1x{S}>, tensor<3x1x{T}> -> tensor<3x1x{Z}>
          func.return %z : tensor<3x1x{Z}>
        }}"""
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    module.verify()
    return module


def inputs() -> np.ndarray:
    """Numbers of all magnitudes, including the ends of the posits' ranges."""
    reals = np.random.default_rng(2).normal(size=(40, 6)) * np.exp2(np.random.default_rng(3).integers(-6, 9, (40, 1)))
    reals[0], reals[1] = 1e9, 0.0
    return X.encode(reals)


@pytest.mark.long(seconds=10)
def test_devices_give_the_bits_of_the_evaluator(tmp_path: Path):
    module, x = program(), inputs()
    scores = evaluate(module, x).scores
    assert scores is not None
    assert len(np.unique(scores)) > 20
    for device in [*BOARDS, *([LLVM] if is_available(LLVM) else [])]:
        if is_available(device):
            source = printed(module, device, tmp_path / device)
            assert difference(module, x, source, runner_for(device), tmp_path / f"{device}-build") is None, device


@pytest.mark.long
def test_hardware_gives_the_bits_of_the_evaluator(tmp_path: Path):
    need_simulator("iverilog")
    module, x = program(), inputs()
    bits = lowered(module.clone(), end="loops-to-bits", target="ecp5-25k")
    result = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), x)
    assert first_mismatch(evaluate(module, x), Outputs(None, result.scores)) is None


@pytest.mark.parametrize("width", range(2, 17))
def test_narrowed_formats_have_units_that_are_posits(width: int):
    """In few bits with a great es, there may be no power of two between the coarser unit and the upper bound."""
    for format in PositType.of_width(width).scalings(-3.0, 5.0):
        assert format.bounds is not None
        narrowed = [format.narrowed(bits).bounds for bits in range(14)]
        assert all(each is not None and each[1] == format.bounds[1] for each in narrowed)
        assert [each[0] for each in narrowed if each] == sorted(each[0] for each in narrowed if each)
