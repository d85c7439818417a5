"""Mid-rise weights: rounding to the nearest odd integer, scales with the least loss, and equal bits on every device."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES, roomy
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.number_formats import Array
from programs.on_boards import difference, printed
from programs.spread import spread_product
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.midrise import MidriseType
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import first_mismatch
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles

BITS = 1, 2, 3, 4
WITHOUT_PRODUCTS = "attiny85", "ch32v003"
"""Boards that do not multiply."""


@pytest.mark.parametrize("bits", BITS)
def test_numbers_are_the_nearest_odd_ones(bits: int):
    format = MidriseType(bits, 3)
    count = 1 << bits
    levels: Array = np.arange(1 - count, count, 2)
    assert len(levels) == count
    most = count / 4
    reals: Array = np.random.default_rng(bits).uniform(-most, most, 1000)
    nearest = levels[np.abs(reals[:, None] * 8 - levels).argmin(1)]
    np.testing.assert_array_equal(format.encode(reals), nearest)
    ties: Array = np.arange(2 - count, count - 1, 2)
    np.testing.assert_array_equal(format.encode(ties / 8), ties + 1)
    other = format.encode_away(reals).astype(int)
    inside = np.abs(reals * 8) < levels[-1]
    assert (np.abs(other - nearest)[inside] == 2).all()


@pytest.mark.parametrize("bits", BITS)
def test_the_scale_loses_least(bits: int):
    """`fitted_to` chooses the scale with the least sum of squared errors, weighted by importance. Its error is less
    than that of the scale at which nothing saturates.
    """
    random = np.random.default_rng(bits)
    numbers = np.append(random.normal(size=500), 6.0)
    importance = random.uniform(0.1, 10, numbers.shape)
    plain = MidriseType.of_width(bits).for_range(numbers.min(), numbers.max())
    assert plain.decode(plain.encode(np.array(6.0))) >= 6.0 * (1 - np.ldexp(1.0, -bits))
    fitted = plain.fitted_to(numbers, importance, rows=False)
    losses = [MidriseType(bits, frac).squared_error(numbers, importance) for frac in range(-6, 12)]
    assert fitted.squared_error(numbers, importance) == min(losses) < plain.squared_error(numbers, importance)


def test_other_widths_are_refused():
    with pytest.raises(InputError, match="from 1 to 4, got 5"):
        MidriseType.of_width(5)


LAYERS = {"first": (70, 41), "second": (9, 70), "third": (24, 9), "fourth": (18, 24), "last": (1, 18)}
WEIGHTS = "first:midrise:1", "second:midrise:2", "third:midrise:4", "fourth:fixed:2", "last:midrise:3"


@cache
def network() -> tuple[ModuleOp, Array]:
    """A network with 8-bit activations, and raws of its input. Its weights are layers of 1, 2 and 4 bits, a ternary
    layer and a row of 3 bits.
    """
    random, lines, before = np.random.default_rng(7), ["func.func @net(%x: tensor<41x1xf32>) -> tensor<1x1xf32> {"], "x"
    for name, (rows, columns) in LAYERS.items():
        weights = random.normal(size=(rows, columns)).astype(np.float32)
        type = f"tensor<{rows}x{columns}xf32>"
        types = f"{type}, tensor<{columns}x1xf32> -> tensor<{rows}x1xf32>"
        lines += [
            f"  %{name} = tdsl.const dense<{weights.tolist()}> : {type} -> {type}",
            f"  %{name}_sum = tdsl.matmul %{name}, %{before} : {types}",
            f"  %{name}_out = tdsl.relu %{name}_sum : tensor<{rows}x1xf32> -> tensor<{rows}x1xf32>",
        ]
        before = f"{name}_out"
    lines += [f"  func.return %{before.removesuffix('_out')}_sum : tensor<1x1xf32>", "}"]
    module = Parser(context(), "\n".join(lines)).parse_module()
    inputs = random.uniform(-1, 1, (40, 41)).astype(np.float32)
    record_profiles(module, inputs)
    AssignFormatPass("fixed", 8, widths=WEIGHTS).apply(context(), module)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": "host"}))
    return module, encode_inputs(module, inputs[:6])


def test_sums_are_exact_and_rounded_once():
    module, raws = network()
    values: dict[object, Array] = {}
    evaluate(module, raws, observe=values.__setitem__)
    sums = [op for op in module.walk() if isinstance(op, tdsl.ContractionOp)]
    assert len(sums) == len(LAYERS)
    for op in sums:
        [(lhs, rhs)] = op.pairs
        reals = [tdsl.format_of(value).decode(values[value]) for value in (lhs, rhs)]
        np.testing.assert_array_equal(values[op.out], tdsl.format_of(op.out).encode(reals[0] @ reals[1]))


@pytest.mark.long
@pytest.mark.parametrize(("packed", "device"), spread_product(9, ["always", "never"], [*DEVICES, *WITHOUT_PRODUCTS]))
def test_devices_give_the_bits_of_the_evaluator(device: str, packed: str, tmp_path: Path):
    module, raws = network()
    target = roomy(device)
    source = printed(module, target, tmp_path / "c", {"packed": packed})
    assert difference(module, raws, source, runner_for(target), tmp_path) is None


@pytest.mark.long
def test_hardware_gives_the_bits_of_the_evaluator(tmp_path: Path):
    need_simulator("iverilog")
    module, raws = network()
    bits = lowered(module.clone(), end="loops-to-bits", target="host")
    result = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), raws[:2])
    assert first_mismatch(evaluate(module, raws[:2]), Outputs(result.labels, result.scores, result.more)) is None


@pytest.mark.parametrize("device", WITHOUT_PRODUCTS)
def test_sums_take_no_products_where_a_chip_has_none(device: str, tmp_path: Path):
    module, _ = network()
    text = (printed(module, device, tmp_path / "c") / "net.c").read_text()
    assert "_odd1_" in text
    assert "_odd2_" in text
    assert "_odd4_" in text
    assert " * x[" not in text
