"""One matrix product in each standard posit, on an Uno, a Cortex-M4 and simulated hardware: results are the exact
sums of products, rounded once.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.quire import quire_dot
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.on_boards import printed
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.formats.posit.type import PositType
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.model.model_interface import interface_of
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass

STANDARD = [*product((*range(2, 17), 32), range(4))]
LENGTH, ROWS, SAMPLES = 7, 2, 6


def matmul(format: PositType) -> tuple[ModuleOp, NDArray[np.signedinteger], NDArray[np.signedinteger]]:
    """The program `W x`, samples of x, and the raws of the exact results.

    The first row of W has the greatest posits. A sample has the greatest posits, one only zeros, and one NaR.
    """
    greatest, random = format.posit.maxpos, np.random.default_rng(format.n.data)
    weights = random.integers(-greatest, greatest + 1, (ROWS, LENGTH)).astype(format.dtype)
    weights[0, ::2] = greatest
    x = random.integers(-greatest, greatest + 1, (SAMPLES, LENGTH)).astype(format.dtype)
    x[1], x[2], x[3, 5] = greatest, 0, format.posit.nar
    types = f"tensor<{ROWS}x{LENGTH}x{format}>", f"tensor<{LENGTH}x1x{format}>"
    text = f"""
        func.func @product(%x: {types[1]}) -> tensor<{ROWS}x1x{format}> {{
          %w = tdsl.const dense<{weights.tolist()}> : tensor<{ROWS}x{LENGTH}x{format.storage}> -> {types[0]}
          %y = tdsl.matmul %w, %x : {types[0]}, {types[1]} -> tensor<{ROWS}x1x{format}>
          func.return %y : tensor<{ROWS}x1x{format}>
        }}"""
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    sums = [[quire_dot(row, sample, format.posit) for row in weights] for sample in x]
    return module, x, np.array(sums).astype(format.dtype)


@pytest.mark.long
@pytest.mark.parametrize(("n", "es"), spread(STANDARD, 8))
@pytest.mark.parametrize("device", ["uno", "cortex-m4"])
def test_c_computes_exact_integers(n: int, es: int, device: str, tmp_path: Path):
    module, x, exact = matmul(PositType(n, es))
    interface, runner = interface_of(module), runner_for(device)
    build = runner.build(printed(module, device, tmp_path / "c"), interface, tmp_path / "build")
    scores = runner.run(build, interface, x).scores
    assert scores is not None
    np.testing.assert_array_equal(scores.reshape(SAMPLES, ROWS), exact)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(("n", "es"), spread(STANDARD, 6))
def test_verilog_computes_exact_integers(n: int, es: int, tmp_path: Path):
    need_simulator("iverilog")
    module, x, exact = matmul(PositType(n, es))
    bits = lowered(module.clone(), end="loops-to-bits", target="ecp5-25k")
    scores = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), x).scores
    assert scores is not None
    np.testing.assert_array_equal(scores.reshape(SAMPLES, ROWS), exact)
