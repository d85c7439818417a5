"""Zero-skew integers are requantised bit for bit as TensorFlow Lite's published code does it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES
from programs.lowered import lowered
from programs.runtime_functions import run_cases
from programs.spread import spread_product
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import Factor, Function, Product
from tinyml.dialects.formats.zeroskew.numbers import multiplier_and_shift
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import DEFAULT_TARGET, HOST
from tinyml.tools.driver.measure import first_mismatch

M = NumpyMachine()
VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "tflite" / "vectors.json").read_text())


def multiply_by_quantized_multiplier(x: int, multiplier: int, shift: int) -> int:
    """The function of this name in TensorFlow Lite's `kernels/internal/common.h`, computed as published with the
    functions of gemmlowp's `fixedpoint.h`.
    """
    left, exponent = max(shift, 0), max(-shift, 0)
    product = (x << left) * multiplier
    nudge = 1 << 30 if product >= 0 else 1 - (1 << 30)
    high = int(math.copysign(abs(product + nudge) >> 31, product + nudge))
    mask = (1 << exponent) - 1
    remainder = high & mask
    threshold = (mask >> 1) + (1 if high < 0 else 0)
    return (high >> exponent) + (1 if remainder > threshold else 0)


def numbers(count: int) -> NDArray[np.int32]:
    random = np.random.default_rng(0)
    x = random.integers(-(1 << 31), 1 << 31, count).astype(np.int32) >> random.integers(0, 31, count).astype(np.int32)
    edges = np.array([0, 1, -1, (1 << 31) - 1, -(1 << 31), 1 << 30, -(1 << 30), 65535, -65536, 32768], np.int32)
    x[: len(edges)] = edges
    return x


MOST = (1 << 31) - 1
COUNT = 32
FACTORS = [(1 << 30, 0), (MOST, 0), (MOST, -31), (1518500250, -7), (1 << 30, -1), (1073807361, 3), (0, 0)]


@pytest.mark.parametrize(("multiplier", "shift"), FACTORS)
def test_numbers_are_requantised_as_published(multiplier: int, shift: int):
    x = numbers(3000) >> np.int32(max(shift, 0))
    reference = RUNTIME_FUNCTIONS["tm_requantize_s32"].reference(x, np.int32(multiplier), np.int8(shift))
    assert reference.tolist() == [multiply_by_quantized_multiplier(int(one), multiplier, shift) for one in x]


def test_multipliers_are_those_of_quantize_multiplier():
    assert multiplier_and_shift(0.25) == (1 << 30, -1)
    assert multiplier_and_shift(1.0) == (1 << 30, 1)
    assert multiplier_and_shift(0.3) == (1288490189, -1)
    assert multiplier_and_shift(1 - 2.0**-40) == (1 << 30, 1)
    assert multiplier_and_shift(2.0**-33) == (0, 0)
    assert multiplier_and_shift(2.0**40) == ((1 << 31) - 1, 30)


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
def test_the_function_of_the_runtime(device: str, tmp_path: Path):
    x = numbers(8 * COUNT).reshape(8, COUNT)
    call = f"for (uint8_t i = 0; i < {COUNT}; i++) out[i] = tm_requantize_s32(X[i], {{}}, {{}});"
    cases = [(call.format(*factor), x) for factor in FACTORS]
    found = run_cases(cases, '#include "tinyml/requantize.h"', ("int32_t", COUNT), device, tmp_path)
    for scores, (multiplier, shift) in zip(found, FACTORS, strict=True):
        expected = RUNTIME_FUNCTIONS["tm_requantize_s32"].reference(x, np.int32(multiplier), np.int8(shift))
        np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_sums_and_products_are_those_of_tflite(name: str):
    for case in VECTORS[name]:
        lhs, rhs, result = (ZeroSkewType(8, *case[which]) for which in ("lhs", "rhs", "output"))
        a, b = (np.array(case[which], np.int8) for which in "ab")
        assert getattr(result, name)(M, a, lhs, b, rhs).tolist() == case["y"]


@pytest.mark.parametrize(("bits", "left"), [(8, 20), (16, 15)])
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_of_equal_scales_are_those_of_tflite(bits: int, left: int, sign: int):
    """Sums and differences of operands of equal scale equal those of TensorFlow Lite's ADD and SUB. These shift
    operands left by 20 or 15 bits and scale them; tinyml does not.
    """
    zeros = (3, -20, 11) if bits == 8 else (0, 0, 0)
    lhs, rhs, result = (ZeroSkewType(bits, 0.3, zero) for zero in zeros)
    least, most = -(1 << bits - 1), (1 << bits - 1) - 1
    random = np.random.default_rng(bits)
    a, b = random.integers(least, most, (2, 3000), lhs.dtype, endpoint=True)
    a[:4], b[:4] = (least, most, least, most), (least, most, most, least)
    expected: list[int] = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        halves = [
            multiply_by_quantized_multiplier((raw - zero) << left, *multiplier_and_shift(0.5))
            for raw, zero in ((x, zeros[0]), (y, zeros[1]))
        ]
        factor = multiplier_and_shift(2.0 / (1 << left))
        scaled = multiply_by_quantized_multiplier(halves[0] + sign * halves[1], *factor) + zeros[2]
        expected.append(min(max(scaled, least), most))
    compute = result.add if sign == 1 else result.sub
    assert compute(M, a, lhs, b, rhs).tolist() == expected


DENSE = """
func.func @dense(%X: tensor<{k}x1x{x}>) -> tensor<{n}x1x{y}> {{
  %W = tdsl.const dense<{weights}> : tensor<{n}x{k}xi8> -> tensor<{n}x{k}x{w}>
  %B = tdsl.const dense<{biases}> : tensor<{n}x1xi32> -> tensor<{n}x1x{b}>
  %Y = tdsl.matmul_sum %W, %X from %B : tensor<{n}x1x{b}> : tensor<{n}x{k}x{w}>, tensor<{k}x1x{x}> -> tensor<{n}x1x{y}>
  func.return %Y : tensor<{n}x1x{y}>
}}
"""


def dense(case: dict[str, Any]) -> str:
    """The text of a dense layer at L1.

    case: the quantisations `input` and `output`, the scale or scales `weights`, the raws `w` of the weights and `b` of
        the biases.
    """
    x, y = (ZeroSkewType(8, *case[which]) for which in ("input", "output"))
    w = ZeroSkewType(8, case["weights"])
    b = y.accumulator(w, x, None).start_constant(y)
    n, k = len(case["w"]), len(case["w"][0])
    return DENSE.format(n=n, k=k, x=x, y=y, w=w, b=b.type, weights=case["w"], biases=[[one] for one in case["b"]])


@pytest.mark.long
@pytest.mark.parametrize(("device", "case"), spread_product(8, DEVICES, VECTORS["dense"]))
def test_dense_layers_are_those_of_tflite(case: dict[str, Any], device: str, tmp_path: Path):
    ctx = context()
    module = Parser(ctx, dense(case)).parse_module()
    module.verify()
    x = np.array(case["x"], np.int8)
    expected = evaluate(module, x)
    assert expected.scores is not None
    assert expected.scores.tolist() == case["y"]
    interface, target = interface_of(module), DEFAULT_TARGET if device == HOST else device
    lowered(module, ctx, target=target)
    write_c(module, ctx, target, tmp_path)
    runner = runner_for(device)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build"), interface, x)
    assert first_mismatch(expected, Outputs(None, result.scores)) is None


@pytest.mark.long
def test_dense_layers_follow_the_published_rule():
    """Dense layers with random scales, per tensor and per channel, requantise their sums with the published multipliers
    and shifts.
    """
    random = np.random.default_rng(2)
    for number in range(40):
        n, k = 4, int(random.integers(1, 60))
        scales = (10 ** random.uniform(-3, 0, n if number % 2 else 1)).astype(np.float32).tolist()
        x, w = random.integers(-128, 128, (8, k)), random.integers(-127, 128, (n, k))
        b, zero = random.integers(-5000, 5000, n), int(random.integers(-128, 128))
        exact = (x - zero) @ w.T + b
        unit = float(np.abs(exact * scales).max()) / 100
        case = {"input": [0.3, zero], "weights": scales, "output": [unit, 3], "w": w.tolist(), "b": b.tolist()}
        module = Parser(context(), dense(case)).parse_module()
        source, result = (np.float32(case[which][0]) for which in ("input", "output"))
        units = [float(source) * one for one in scales] if number % 2 else [float(source * np.float32(scales[0]))] * n
        parts = [multiplier_and_shift(unit / float(result)) for unit in units]
        sums = [
            [multiply_by_quantized_multiplier(int(s), *part) for s, part in zip(row, parts, strict=True)]
            for row in exact
        ]
        expected = np.clip(np.array(sums) + 3, -128, 127).tolist()
        scores = evaluate(module, x.astype(np.int8)).scores
        assert scores is not None
        assert scores.tolist() == expected


def test_scales_are_chosen_as_tflite_chooses_them():
    assert ZeroSkewType.of_width(8).for_range(0.0, 2.55) == ZeroSkewType(8, 0.01, -128)
    assert ZeroSkewType.of_width(8).for_range(1.0, 2.55) == ZeroSkewType(8, 0.01, -128)
    assert ZeroSkewType.of_width(8).for_range(-1.27, 1.28).zero_point.data == -1
    weights = np.array([[1.27, -0.5], [0.1, -2.54]])
    prototype = ZeroSkewType.of_width(8)
    assert prototype.fitted_to(weights, None, rows=True) == ZeroSkewType(8, [0.01, 0.02])
    assert prototype.fitted_to(weights, None, rows=False) == ZeroSkewType(8, 0.02)
    even = ZeroSkewType(8, 0.5, to_even=True)
    assert even.fitted_to(weights, None, rows=False) == ZeroSkewType(8, 0.02, to_even=True)
    assert prototype.fitted_to(np.zeros((2, 2)), None, rows=False).decode(np.zeros(1, np.int8)) == 0


def test_what_does_not_fit_is_refused():
    eight = ZeroSkewType(8, 0.5, 0)
    with pytest.raises(InputError, match="can leave 32 bits"):
        eight.accumulator_for(Product(1 << 14, Factor(eight), Factor(eight)), None)
    with pytest.raises(InputError, match="widths from 2 to 8"):
        ZeroSkewType.of_width(12)


@pytest.mark.parametrize("scale", [2**-11, 2**-12, 3e-4], ids=["2^-11", "2^-12", "3e-4"])
@pytest.mark.parametrize("function", ["tanh", "sigmoid"])
def test_interpolated_functions_are_near_the_real_ones(function: Function, scale: float):
    """The error of tanh and sigmoid in 16 bits is less than 4 * 2^-15, also for input scales that are powers of two,
    for which the emitted code needs no shift.
    """
    source, result = ZeroSkewType(16, scale), ZeroSkewType(16, 2**-15)
    raws = np.arange(-(1 << 15), 1 << 15, dtype=np.int16)
    reals = np.tanh(source.decode(raws)) if function == "tanh" else 1 / (1 + np.exp(-source.decode(raws)))
    found = result.decode(result.function(NumpyMachine(), function, raws, source))
    assert np.abs(found - np.minimum(reals, 1 - 2**-15)).max() < 4 * 2**-15


def test_limits_of_a_clamp_may_be_infinite():
    """A clamp may have infinite limits: functions such as Elu clamp to (-inf, 0]."""
    format, raws = ZeroSkewType(8, 0.5, 3), np.arange(-128, 128, dtype=np.int8)
    assert np.array_equal(format.clamp(M, raws, -math.inf, 0.0), np.minimum(raws, 3))
    assert np.array_equal(format.clamp(M, raws, 0.0, math.inf), np.maximum(raws, 3))
