"""Programs whose weights are partly or entirely code compute the evaluator's bits on their board and on the host."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.lowered import lowered
from programs.printed import WARNINGS

from tinyml.dialects.context import context
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.cli.parse_mlir import parse_mlir
from tinyml.tools.driver.measure import first_mismatch
from tinyml.transforms.ir.cost.estimate import estimate_on

KERNELS = {"uno": "void tm_avr_rows_", "cortex-m4": "void tm_cm_rows_"}
SPARSE = "tm_dot_row_s8_s8_s24(&"
Raws = NDArray[Any]
ALL = 32256


def tensor(rows: int, columns: int, frac: int, encoding: str = "") -> str:
    return f"tensor<{rows}x{columns}x!fixed.q<8, {frac}>{encoding}>"


def constant(name: str, raws: Raws, frac: int, encoding: str = "") -> str:
    rows, columns = raws.shape
    type = tensor(rows, columns, frac, encoding)
    return f"    %{name} = tdsl.const dense<{raws.tolist()}> : tensor<{rows}x{columns}xi8> -> {type}\n"


def product(name: str, lhs: str, rhs: str, *types: str, op: str = "matmul") -> str:
    return f"    %{name} = tdsl.{op} %{lhs}, %{rhs} : {types[0]}, {types[1]} -> {types[2]}\n"


def program(x: str, body: str, name: str, result: str) -> str:
    head = f"builtin.module {{\n  func.func @model(%x: {x}) -> ({result}) {{\n"
    return f"{head}{body}    func.return %{name} : {result}\n  }}\n}}\n"


X, Y, Z = tensor(60, 1, 7), tensor(14, 1, 4), tensor(9, 1, 3)


def sparse_layer(random: np.random.Generator) -> str:
    raws = random.integers(-127, 128, (14, 60)) * (random.random((14, 60)) < 0.1)
    encoding = ", #tdsl.csr"
    matrix = tensor(14, 60, 6, encoding)
    return constant("A", raws, 6, encoding) + product("y", "A", "x", matrix, X, Y, op="spmv")


def network(random: np.random.Generator) -> str:
    """The text of a program with a sparse layer, a dense layer with a bias whose first results saturate, and another
    dense layer.
    """
    dense, last = random.integers(-127, 128, (9, 14)), random.integers(-20, 21, (5, 9))
    dense[:2] = [[127], [-127]]
    result, activated = tensor(5, 1, 2), tensor(9, 1, 7)
    body = [
        sparse_layer(random),
        constant("B", dense, 5) + constant("C", last, 4) + constant("b", random.integers(-127, 128, (9, 1)), 4),
        product("p", "B", "y", tensor(9, 14, 5), Y, Z),
        f"    %z = tdsl.add %p, %b : {Z}, {tensor(9, 1, 4)} -> {Z}\n",
        f"    %t = tdsl.tanh %z : {Z} -> {activated}\n",
        product("r", "C", "t", tensor(5, 9, 4), activated, result),
    ]
    return program(X, "".join(body), "r", result)


@dataclass(frozen=True)
class Taken:
    """The measured time of a program on a board, the estimated time, and its bytes of flash.

    coded: the number of its kernels whose code contains weights.
    sparse: the number of its calls of kernels that read sparse rows.
    """

    time: float
    estimate: float
    flash: int
    coded: int
    sparse: int


def taken(text: str, flash: int | None, folder: Path, target: str = "uno") -> Taken:
    """The times and sizes of a program on a board. Asserts that the board and the host compute the evaluator's bits.

    flash: the limit on flash in bytes; None for no limit.
    """
    ctx = context()
    module = parse_mlir(ctx, text.encode(), "model.mlir")
    interface = interface_of(module)
    x = np.random.default_rng(1).integers(-127, 128, (5, interface.input_length)).astype(np.int8)
    x[0], x[1] = 127, -127
    expected = evaluate(module, x)
    options: dict[str, Any] = {"target": target, "flash": flash}
    lowered(module, ctx, start="refine-formats", end="buffers-to-loops", **options)
    estimate = estimate_on(module, target, "-Os")
    assert estimate is not None
    lowered(module, ctx, start="loops-to-bits", **options)
    source = folder / str(flash)
    write_c(module, ctx, target, source)
    printed = next(source.glob("*.c")).read_text()
    for runner in (HostRunner(sanitize=True), runner_for(target)):
        built = runner.build(source, interface, folder, "-Os", WARNINGS)
        result = runner.run(built, interface, x)
        assert first_mismatch(expected, Outputs(None, result.scores, result.more)) is None
    assert result.cycles is not None
    return Taken(
        float(result.cycles.mean()),
        estimate.time,
        built.flash_bytes,
        printed.count(KERNELS[target]),
        printed.count(SPARSE),
    )


@pytest.mark.long
@settings(max_examples=2)
@given(st.integers(0, 99))
def test_weights_become_code_as_far_as_flash_allows(tmp_path_factory: pytest.TempPathFactory, seed: int):
    text, folder = network(np.random.default_rng(seed)), tmp_path_factory.mktemp("coded")
    plain, whole = (taken(text, flash, folder) for flash in (None, ALL))
    half = taken(text, (plain.flash + whole.flash) // 2, folder)
    assert (plain.coded, whole.coded) == (0, 3)
    assert 0 < half.coded <= 3
    assert whole.time < half.time < plain.time
    assert plain.flash < half.flash < whole.flash
    assert whole.estimate == pytest.approx(whole.time, rel=0.1)


@pytest.mark.long
def test_some_rows_of_a_sparse_matrix_become_code(tmp_path: Path):
    text = program(X, sparse_layer(np.random.default_rng(3)), "y", Y)
    plain, whole = (taken(text, flash, tmp_path) for flash in (None, ALL))
    half = taken(text, (plain.flash + whole.flash) // 2, tmp_path)
    assert [(found.coded, found.sparse) for found in (plain, half, whole)] == [(0, 1), (1, 1), (1, 0)]
    assert whole.time < half.time < plain.time


def convolution(random: np.random.Generator, *, by_channel: bool) -> str:
    """The text of a convolution of windows of 2x3 pixels with 6 channels; some results saturate.

    by_channel: whether the convolution is depthwise.
    """
    channels = 1 if by_channel else 6
    weights, biases = random.integers(-127, 128, (6, 2, 3, channels)), random.integers(-127, 128, 6)
    weights[0] = 127
    x, y = (f"tensor<1x{shape}x!fixed.q<8, {frac}>>" for shape, frac in (("5x7x6", 7), ("4x5x6", 5)))
    w, b = (f"tensor<{shape}x!fixed.q<8, 7>>" for shape in (f"6x2x3x{channels}", "6"))
    return program(
        x,
        f"    %w = tdsl.const dense<{weights.tolist()}> : tensor<6x2x3x{channels}xi8> -> {w}\n"
        f"    %b = tdsl.const dense<{biases.tolist()}> : tensor<6xi8> -> {b}\n"
        f"    %y = tdsl.conv2d %w, %x from %b : {b} {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, "
        f"groups = {6 // channels} : i64, acc = !fixed.acc<24, 14>}} : {w}, {x} -> {y}\n",
        "y",
        y,
    )


@pytest.mark.long
@pytest.mark.parametrize(("by_channel", "share"), [(False, 0.8), (True, 1)])
def test_filters_become_code_that_runs_for_each_window(by_channel: bool, share: float, tmp_path: Path):
    text = convolution(np.random.default_rng(5), by_channel=by_channel)
    plain, coded = (taken(text, flash, tmp_path) for flash in (None, ALL))
    assert (plain.coded, coded.coded) == (0, 1)
    assert coded.time < share * plain.time
    assert coded.estimate == pytest.approx(coded.time, rel=0.1)


@pytest.mark.long
def test_sparse_rows_become_code_on_a_cortex_m4(tmp_path: Path):
    text = program(X, sparse_layer(np.random.default_rng(3)), "y", Y)
    plain, coded = (taken(text, flash, tmp_path, "cortex-m4") for flash in (None, ALL))
    assert (plain.coded, coded.coded) == (0, 1)
    assert coded.time < 0.6 * plain.time
