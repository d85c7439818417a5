"""Products of a package's 12-bit numbers by integer kernels compute the evaluator's bits on every core."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from plugins.tapered.tapered import TAPERED, TaperedType
from programs.devices import CORES
from programs.lowered import lowered
from programs.printed import WARNINGS, write_module
from programs.spread import spread_product
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import DEFAULT_TARGET, HOST

ROWS, COLUMNS = 6, 75
"""Two blocks of a row, and a rest."""
WEIGHTS, VECTOR = TaperedType(12, -2), TaperedType(12, 0)
KERNELS = {
    (DEFAULT_TARGET, "auto"): "tm_dot_s16_s16_s32",
    (DEFAULT_TARGET, "always"): "tm_dot_s16_s16_s32_ram",
    ("cortex-m0", "auto"): "tm_cm_dot_s16_s16_s32",
    ("cortex-m0", "always"): "tm_cm_dot_s16_s16_s32",
}
"""Packed weights are decoded to working memory, for which AVR has a kernel of its own."""


def integers(format: TaperedType) -> FixedType:
    """The fixed-point format that represents all numbers of a tapered format."""
    return FixedType(15, format.scale)


def parse(text: str) -> ModuleOp:
    ctx = context()
    ctx.load_dialect(TAPERED.all_dialects["tapered"]())
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


def product(weights: ExactFormat, vector: ExactFormat, raws: NDArray[np.int64]) -> str:
    frac = weights.scale + vector.scale
    w, x = f"tensor<{ROWS}x{COLUMNS}x{weights.type}>", f"tensor<{COLUMNS}x1x{vector.type}>"
    y = f"tensor<{ROWS}x1x!fixed.q<32, {frac}>>"
    return f"""
func.func @sums(%X: {x}) -> ({y}) attributes {{tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0]>>}} {{
  %W = tdsl.const dense<{raws.tolist()}> : tensor<{ROWS}x{COLUMNS}xi16> -> {w}
  %Y = tdsl.matmul %W, %X {{acc = !fixed.acc<32, {frac}>}} : {w}, {x} -> {y}
  func.return %Y : {y}
}}"""


def decoding() -> str:
    x, y = f"tensor<{COLUMNS}x1x{VECTOR}>", f"tensor<{COLUMNS}x1x{integers(VECTOR)}>"
    return f"""
func.func @decode(%X: {x}) -> ({y}) attributes {{tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0]>>}} {{
  %Y = tdsl.cast %X : {x} -> {y}
  func.return %Y : {y}
}}"""


RAWS = np.random.default_rng(0).integers(-1200, 1201, (ROWS, COLUMNS))
RAWS[0, :3] = 2047, -2047, 1
VECTORS = np.random.default_rng(1).integers(-2047, 2048, (4, COLUMNS)).astype(np.int16)
VECTORS[0], VECTORS[1] = 2047, -2047
PRODUCT = product(WEIGHTS, VECTOR, RAWS)


def run(text: str, vectors: NDArray[np.int16], target: str, device: str, folder: Path, packed: str = "auto") -> int:
    """Run a program, assert that its scores are the evaluator's, and return the time of all inferences; 0 if the device
    does not measure it. Asserts that `PRODUCT` calls the kernel that `KERNELS` contains for the target.

    packed: the option `packed` of the pipelines.
    """
    ctx = context()
    ctx.load_dialect(TAPERED.all_dialects["tapered"]())
    module = parse(text)
    expected, interface = evaluate(module, vectors).scores, interface_of(module)
    lowered(module, ctx, end="loops-to-bits", target=target, packed=packed)
    if text is PRODUCT and (target, packed) in KERNELS:
        assert f"func.call @{KERNELS[target, packed]}(" in str(module)
    source = write_module(module, ctx, target, folder / "source")
    runner = runner_for(device)
    result = runner.run(runner.build(source, interface, folder / "build", "-Os", WARNINGS), interface, vectors)
    np.testing.assert_array_equal(result.scores, expected)
    return 0 if result.cycles is None else int(result.cycles.sum())


@pytest.mark.long
@pytest.mark.parametrize(
    ("packed", "device"),
    spread_product(4, ["auto", "always"], [HOST, *(name for names in CORES.values() for name in names), "cortex-m3"]),
)
def test_bits(device: str, packed: str, tmp_path: Path):
    target = DEFAULT_TARGET if device == HOST else device
    run(PRODUCT, VECTORS, target, device, tmp_path, packed)


@pytest.mark.long
@pytest.mark.parametrize("target", sorted({target for target, _ in KERNELS}))
def test_a_product_takes_no_more_than_its_decoding_and_that_of_integers(target: str, tmp_path: Path):
    weights, vector = integers(WEIGHTS), integers(VECTOR)
    numbers = weights.encode(WEIGHTS.decode(RAWS)).astype(np.int64)
    plain = product(weights, vector, numbers)
    own = run(PRODUCT, VECTORS[-1:], target, target, tmp_path / "own")
    coded = np.concatenate([RAWS.astype(np.int16), VECTORS[-1:]])
    decoded = run(decoding(), coded, target, target, tmp_path / "decoding")
    of_integers = run(plain, vector.encode(VECTOR.decode(VECTORS[-1:])), target, target, tmp_path / "plain")
    assert own <= decoded + of_integers, (own, decoded, of_integers)
