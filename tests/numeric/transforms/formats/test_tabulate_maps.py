"""Tables for chains of elementwise ops: each entry equals the result of the chain, bit for bit on every device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES, need_tools, with_llvm
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.on_boards import difference, printed
from programs.spread import spread_product
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import first_mismatch
from tinyml.transforms.formats.tabulate_maps import TabulateMapsPass

FORMATS = {
    "fixed 8": ("!fixed.q<8, 4>", "!fixed.q<8, 4>"),
    "fixed 5": ("!fixed.q<5, 2>", "!fixed.q<8, 5>"),
    "zeroskew": ("!zeroskew.q<8, 0.05, -9>", "!zeroskew.q<8, 0.04, -100>"),
}


def gelu(format: str) -> ModuleOp:
    """A program that computes GELU, x (1 + erf(x / sqrt(2))) / 2, of all raws of a format by several ops, each of which
    rounds.
    """
    x, y = FORMATS[format]
    return Parser(
        context(),
        f"""func.func @gelu(%X: tensor<255x{x}>) -> tensor<255x{y}> {{
      %y = tdsl.map %X : tensor<255x{x}> -> tensor<255x{y}> {{
      ^bb0(%x: {x}):
        %root = num.constant {{value = 0.70710678 : f64}} -> {y}
        %half = num.constant {{value = 0.5 : f64}} -> {y}
        %s = num.mul %x, %root : {x}, {y} -> {x}
        %e = num.erf %s : {x} -> {y}
        %h = num.mul %e, %half : {y}, {y} -> {y}
        %g = num.add %h, %half : {y}, {y} -> {y}
        %r = num.mul %x, %g : {x}, {y} -> {y}
        tdsl.yield %r : {y}
      }}
      func.return %y : tensor<255x{y}>
    }}""",
    ).parse_module()


def raws_of(module: ModuleOp, format: str) -> NDArray[Any]:
    most = 15 if format == "fixed 5" else 127
    return np.clip(np.arange(-127, 128), -most, most).astype(interface_of(module).input_dtype)[None]


def tables(module: ModuleOp) -> int:
    return sum(isinstance(op, num.LookupOp) for op in module.walk())


@pytest.mark.parametrize("format", FORMATS)
def test_entries_are_the_results_of_the_chain(format: str):
    module = gelu(format)
    raws = raws_of(module, format)
    expected = evaluate(module, raws)
    TabulateMapsPass().apply(context(), module)
    assert tables(module) == 1
    assert first_mismatch(expected, evaluate(module, raws)) is None


@pytest.mark.long
@pytest.mark.parametrize(("device", "format"), spread_product(5, DEVICES, FORMATS))
def test_devices_keep_the_bits(device: str, format: str, tmp_path: Path):
    need_tools(device)
    module = gelu(format)
    raws = raws_of(module, format)
    for number, name in enumerate([device, *with_llvm((device, format))]):
        files = printed(module, name, tmp_path / f"c{number}")
        assert difference(module, raws, files, runner_for(name), tmp_path / f"build{number}") is None


def test_hardware_keeps_the_bits(tmp_path: Path):
    need_simulator("iverilog")
    module = gelu("fixed 8")
    raws = raws_of(module, "fixed 8")
    bits = lowered(module.clone(), start="refine-formats", end="loops-to-bits", target="ecp5-25k")
    result = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), raws)
    assert first_mismatch(evaluate(module, raws), Outputs(result.labels, result.scores, result.more)) is None


def test_slopes_are_those_of_the_lines_between_entries():
    module = gelu("fixed 8")
    TabulateMapsPass().apply(context(), module)
    [table] = [op for op in module.walk() if isinstance(op, num.LookupOp)]
    x, one = np.array([-20.0, 3.0, 3.03125]), np.ones(3)
    entries = {raw: entry for raw, entry in zip(range(-127, 128), table.table.get_values(), strict=True)}
    between = (entries[48] + entries[49]) / 32
    np.testing.assert_allclose(table.real([x]), [entries[-127] / 16, entries[48] / 16, between])
    slopes = [entries[-126] - entries[-127], *[entries[49] - entries[48]] * 2]
    np.testing.assert_allclose(table.derivative([x], table.real([x]), one)[0], slopes)
