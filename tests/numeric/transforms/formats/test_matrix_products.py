"""Products of several rows and several columns, by windows or by columns, compute the evaluator's bits on every
device.
"""

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

SHAPES = [(2, 3, 1), (3, 17, 6), (5, 4, 3), (16, 8, 9), (7, 2, 5)]
"""Rows, products of a sum, columns; the last one stays a loop over products."""

FORMATS = {
    "fixed 8": ("!fixed.q<8, 4>", "!fixed.q<8, 6>", "!fixed.q<8, 1>", "i8"),
    "fixed 16": ("!fixed.q<16, 9>", "!fixed.q<16, 14>", "!fixed.q<16, 8>", "i16"),
    "zeroskew": ("!zeroskew.q<8, 0.05, -9>", "!zeroskew.q<8, 0.01, 0>", "!zeroskew.q<8, 0.2, 6>", "i8"),
    "posit": ("!posit.p<8, 2>", "!posit.p<8, 2>", "!posit.p<8, 2>", "i8"),
}

KINDS = ("constant on the right", "constant on the left", "two tensors", "transposed")


def program(kind: str, shape: tuple[int, int, int], format: str) -> ModuleOp:
    """A program that multiplies two matrices. A constant factor contains random weights; two variable factors are
    consecutive parts of the input.

    kind: which factor is constant or transposed.
    shape: the rows of the left factor, the length of the sums, and the columns of the right factor.
    """
    (rows, length, columns), (x, w, y, raw) = shape, FORMATS[format]
    left, right, result = (f"{a}x{b}x" for a, b in ((rows, length), (length, columns), (rows, columns)))
    turned, constant = f"{columns}x{length}x", "left" in kind
    a, b = (left, right) if constant else (right, left)
    if kind.startswith("constant"):
        taken = [int(extent) for extent in a.split("x")[:-1]]
        weights = np.random.default_rng(3).integers(-100, 100, taken).tolist()
        factors = ("%W", "%X") if constant else ("%X", "%W")
        types = (f"tensor<{a}{w}>", f"tensor<{b}{x}>")
        given, body = types[1], f"%W = tdsl.const dense<{weights}> : tensor<{a}{raw}> -> {types[0]}\n"
        types = types if constant else types[::-1]
    else:
        first, second = rows * length, length * columns
        given, stored = f"tensor<{first + second}x{x}>", turned if kind == "transposed" else right
        factors, types = ("%a", "%b"), (f"tensor<{left}{x}>", f"tensor<{right}{x}>")
        body = (
            f"%c0 = arith.constant 0 : index\n%c1 = arith.constant {first} : index\n"
            f"%p = tdsl.slice %X[%c0] : {given} -> tensor<{first}x{x}>\n"
            f"%q = tdsl.slice %X[%c1] : {given} -> tensor<{second}x{x}>\n"
            f"%a = tdsl.reshape %p : tensor<{first}x{x}> -> {types[0]}\n"
            f"%r = tdsl.reshape %q : tensor<{second}x{x}> -> tensor<{stored}{x}>\n"
        )
        if kind == "transposed":
            body += f"%b = tdsl.transpose %r {{permutation = array<i64: 1, 0>}} : tensor<{stored}{x}> -> {types[1]}\n"
        else:
            factors = ("%a", "%r")
    product = f"%y = tdsl.matmul {factors[0]}, {factors[1]} : {types[0]}, {types[1]} -> tensor<{result}{y}>"
    body += f"{product}\nfunc.return %y : tensor<{result}{y}>\n"
    return Parser(context(), f"func.func @product(%X: {given}) -> tensor<{result}{y}> {{\n{body}}}").parse_module()


def inputs_of(module: ModuleOp) -> NDArray[Any]:
    interface = interface_of(module)
    return np.random.default_rng(4).integers(-120, 121, (3, interface.input_length)).astype(interface.input_dtype)


CASES = spread_product(14, DEVICES, SHAPES, FORMATS, KINDS)


@pytest.mark.long
@pytest.mark.parametrize(("device", "shape", "format", "kind"), CASES)
def test_products_keep_their_bits(device: str, shape: tuple[int, int, int], format: str, kind: str, tmp_path: Path):
    need_tools(device)
    module = program(kind, shape, format)
    raws = inputs_of(module)
    for number, name in enumerate([device, *with_llvm((device, shape, format, kind))]):
        files = printed(module, name, tmp_path / f"c{number}")
        assert difference(module, raws, files, runner_for(name), tmp_path / f"build{number}") is None


ZEROS = [(-128, -128), (11, -7), (0, 127), (5, 0)]
"""Zero points of the matrix and of the columns; minus -128 is no raw."""


def with_zero_points(shape: tuple[int, int, int], zeros: tuple[int, int]) -> ModuleOp:
    """A program that multiplies two tensors whose zero points differ. The factors are consecutive parts of the input.

    shape: the rows of the left factor, the length of the sums, and the columns of the right factor.
    zeros: the zero points of the left and the right factor.
    """
    (rows, length, columns), (left, right) = shape, (f"!zeroskew.q<8, 0.05, {zero}>" for zero in zeros)
    first, second, y = rows * length, length * columns, f"tensor<{rows}x{columns}x!zeroskew.q<8, 0.4, 6>>"
    a, b = f"tensor<{rows}x{length}x{left}>", f"tensor<{length}x{columns}x{right}>"
    text = f"""func.func @product(%X: tensor<{first + second}x{left}>) -> {y} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant {first} : index
      %p = tdsl.slice %X[%c0] : tensor<{first + second}x{left}> -> tensor<{first}x{left}>
      %q = tdsl.slice %X[%c1] : tensor<{first + second}x{left}> -> tensor<{second}x{left}>
      %r = tdsl.cast %q : tensor<{second}x{left}> -> tensor<{second}x{right}>
      %a = tdsl.reshape %p : tensor<{first}x{left}> -> {a}
      %b = tdsl.reshape %r : tensor<{second}x{right}> -> {b}
      %y = tdsl.matmul %a, %b : {a}, {b} -> {y}
      func.return %y : {y}
    }}"""
    return Parser(context(), text).parse_module()


@pytest.mark.long
@pytest.mark.parametrize(
    ("device", "shape", "zeros"), spread_product(9, DEVICES, [(2, 3, 1), (5, 4, 3), (16, 32, 4), (1, 9, 1)], ZEROS)
)
def test_zero_points_of_two_tensors(device: str, shape: tuple[int, int, int], zeros: tuple[int, int], tmp_path: Path):
    need_tools(device)
    module = with_zero_points(shape, zeros)
    raws = inputs_of(module)
    raws[0], raws[1] = -128, 127
    for number, name in enumerate([device, *with_llvm((device, shape, zeros))]):
        files = printed(module, name, tmp_path / f"c{number}")
        assert difference(module, raws, files, runner_for(name), tmp_path / f"build{number}") is None


@pytest.mark.parametrize("zeros", ZEROS)
def test_kernels_take_raws_of_two_tensors_with_zero_points(zeros: tuple[int, int]):
    module = with_zero_points((16, 32, 4), zeros)
    lowered(module, context(), start="refine-formats", end="buffers-to-loops", target="cortex-m4")
    assert "num.dot_rows" in {op.routine.name for op in module.walk() if isinstance(op, num.CallOp)}
    assert not [op for op in module.walk() if isinstance(op, num.MacOp)]


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_hardware_keeps_their_bits(kind: str, tmp_path: Path):
    need_simulator("iverilog")
    module = program(kind, (3, 4, 2), "fixed 8")
    bits, raws = (
        lowered(module.clone(), start="refine-formats", end="loops-to-bits", target="ecp5-25k"),
        inputs_of(module),
    )
    result = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), raws)
    assert first_mismatch(evaluate(module, raws), Outputs(result.labels, result.scores, result.more)) is None


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_take_products_of_several_rows_and_columns(kind: str):
    module = program(kind, (16, 8, 9), "fixed 8")
    lowered(module, context(), start="refine-formats", end="buffers-to-loops", target="cortex-m4")
    called = {op.routine.name for op in module.walk() if isinstance(op, num.CallOp)}
    assert called
    assert "num.strided_dot" not in called
