"""A matrix product whose tensors all have one given type, in posits of the standard, in windows of posits and in fixed
point: on each device, results are the exact sums of products of the rounded numbers, rounded once.

The expected numbers are computed in fractions from the specification of the type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.quire import nearest_sum
from programs.devices import need_tools
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.on_boards import printed
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.lookup import format_spelled
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.posit.specification import posits
from tinyml.dialects.formats.posit.type import PositType
from tinyml.lowering.pipelines import run
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass

DEVICES = ("host", "uno", "cortex-m4", "esp32-c3")
LENGTH, ROWS, SAMPLES = 5, 2, 8

STANDARD = [f"!posit.p<{n}, {es}>" for n, es in product((*range(3, 17), 32), range(4))]
WINDOWS = [
    "!posit.p<5, 1, -3, 2>",
    "!posit.p<6, 0, -4, 1, -2>",
    "!posit.p<6, 2, -8, 4>",
    "!posit.p<7, 1, -8, 6, 3>",
    "!posit.p<8, 0, -6, 7, -1>",
    "!posit.p<8, 3, -12, 3>",
    "!posit.p<9, 0, -7, 2, -4>",
    "!posit.p<10, 2, -14, 1, 1>",
    "!posit.p<12, 1, -13, 2>",
    "!posit.p<16, 0, -14, 1, -3>",
    "!posit.p<16, 1, -20, 4>",
    "!posit.p<16, 3, -24, 4>",
]
FIXED = ["!fixed.q<8, 5>", "!fixed.q<5, 9>", "!fixed.q<16, 11>", "!fixed.q<12, -2>"]


def nearest_in(format: NumberFormat) -> Callable[[Fraction], int]:
    """The function that rounds a fraction to a type."""
    if isinstance(format, FixedType):
        most = (1 << format.bits - 1) - 1
        return lambda real: min(max(math.floor(real * Fraction(2) ** format.scale + Fraction(1, 2)), -most), most)
    assert isinstance(format, PositType)
    if format.bounds is None:
        return lambda real: nearest_sum([real], format.posit)
    return posits(format.n.data, format.es.data, format.bounds, format.scaling).nearest


def product_in(type: str, of_weights: str | None = None) -> tuple[ModuleOp, NDArray[Any], NDArray[Any]]:
    """The program `W x` with the given type, samples of x, and the raws of the exact results.

    of_weights: the type of W, if it differs.


    The numbers span the range of the type; some are beyond it.
    """
    format = format_spelled(context(), type)
    random = np.random.default_rng(len(type) + 31 * format.bits)
    listed = format.decode(format.ends()[1])
    reach = min(2.0 * float(listed), 2.0**12)
    sizes = random.uniform(-8, 0, (ROWS + SAMPLES, LENGTH))
    numbers = random.choice([-1.0, 1.0], sizes.shape) * reach * np.exp2(sizes * random.choice([0.2, 1.0], sizes.shape))
    numbers = numbers.astype(np.float32).astype(np.float64)
    weights, x = numbers[:ROWS], numbers[ROWS:]
    x[1], x[2] = 0.0, reach
    profile = "tdsl.profile = #tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>"
    of_result = f"tdsl.profile = [{profile.removeprefix('tdsl.profile = ')}]"
    shapes = f"tensor<{ROWS}x{LENGTH}xf32>", f"tensor<{LENGTH}x1xf32>", f"tensor<{ROWS}x1xf32>"
    listed_weights = ", ".join(f"[{', '.join(f'{number:e}' for number in row)}]" for row in weights.tolist())
    text = f"""
        func.func @product(%x: {shapes[1]} {{{profile}}}) -> {shapes[2]} {{
          %w = tdsl.const dense<[{listed_weights}]> : {shapes[0]} {{{of_result}}} -> {shapes[0]}
          %y = tdsl.matmul %w, %x {{{of_result}}} : {shapes[0]}, {shapes[1]} -> {shapes[2]}
          func.return %y : {shapes[2]}
        }}"""
    module = Parser(context(), text).parse_module()
    reals = next(op for op in module.walk() if isinstance(op, tdsl.ConstOp))
    weights = tdsl.format_of(reals.result).decode(reals.raws)
    run(module, context(), [AssignFormatPass(type, weights=of_weights), ChooseAccumulatorsPass()])
    nearest, exact = nearest_in(format), np.vectorize(Fraction, otypes=[object])
    formats = format if of_weights is None else format_spelled(context(), of_weights), format
    rounded = [
        np.vectorize(nearest_in(one), otypes=[object])(exact(some))
        for one, some in zip(formats, (weights, x), strict=True)
    ]
    numbers_of = [exact(one.decode(raws.astype(one.dtype))) for one, raws in zip(formats, rounded, strict=True)]
    sums = numbers_of[1] @ numbers_of[0].T
    raws = np.vectorize(nearest, otypes=[object])(sums)
    return module, rounded[1].astype(format.dtype), raws.astype(format.dtype)


@pytest.mark.long
@pytest.mark.parametrize("type", [*spread(STANDARD, 9), *spread(WINDOWS, 4), *FIXED])
def test_numpy_computes_exact_sums(type: str):
    module, x, exact = product_in(type)
    outputs = evaluate(module, x)
    np.testing.assert_array_equal(outputs.tensors[0].reshape(SAMPLES, ROWS), exact)


@pytest.mark.long(seconds=4)
@pytest.mark.parametrize("type", [*spread(STANDARD, 6), *spread(WINDOWS, 4), *spread(FIXED, 2)])
@pytest.mark.parametrize("device", DEVICES)
def test_devices_compute_exact_sums(type: str, device: str, tmp_path: Path):
    need_tools(device)
    module, x, exact = product_in(type)
    interface, runner = interface_of(module), runner_for(device)
    build = runner.build(printed(module, device, tmp_path / "c"), interface, tmp_path / "build")
    scores = runner.run(build, interface, x).scores
    assert scores is not None
    np.testing.assert_array_equal(scores.reshape(SAMPLES, ROWS), exact)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("type", [*spread(STANDARD, 4), *spread(WINDOWS, 3), *spread(FIXED, 1)])
def test_verilog_computes_exact_sums(type: str, tmp_path: Path):
    need_simulator("iverilog")
    module, x, exact = product_in(type)
    bits = lowered(module.clone(), end="loops-to-bits", target="ecp5-25k")
    scores = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), x).scores
    assert scores is not None
    np.testing.assert_array_equal(scores.reshape(SAMPLES, ROWS), exact)


CODED = [
    (f"!posit.p<{weights}, 0, {2 - weights}, 1, -1>", f"!posit.p<{vector}, 0, {2 - vector}, {high}>")
    for weights, vector, high in ((8, 7, 6), (7, 7, 6), (6, 6, 5), (5, 8, 7), (4, 6, 5))
]


@pytest.mark.long(seconds=4)
@pytest.mark.parametrize(("weights", "vector"), CODED)
@pytest.mark.parametrize("packed", ["always", "never"])
@pytest.mark.parametrize("device", ["uno", "cortex-m4"])
def test_devices_multiply_integers_by_coded_vectors(
    weights: str, vector: str, packed: str, device: str, tmp_path: Path
):
    """The weights become integers, and kernels decode the vector by a table, with packed and with whole weights."""
    need_tools(device)
    module, x, exact = product_in(vector, weights)
    interface, runner = interface_of(module), runner_for(device)
    build = runner.build(printed(module, device, tmp_path / "c", {"packed": packed}), interface, tmp_path / "build")
    assert "_t8_s32" in next((tmp_path / "c").glob("*.c")).read_text()
    scores = runner.run(build, interface, x).scores
    assert scores is not None
    np.testing.assert_array_equal(scores.reshape(SAMPLES, ROWS), exact)
