"""Random programs of short rows, functions and sums of tensors compute the evaluator's bits with vector
instructions.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import numpy as np
import pytest
from programs.devices import need_tools
from programs.formatted import parse, with_formats
from programs.network_writer import NetworkWriter
from programs.on_boards import difference, printed
from programs.spread import EXHAUSTIVE

import tinyml
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs

M55 = "cortex-m55"
WIDTHS = (8, 16)
SEEDS = 24 if EXHAUSTIVE in os.environ else 1
SIZES = (3, 8, 13, 30)
RESULTS = 5


def program(random: Random) -> str:
    """A program of random ops on vectors of several sizes."""
    lines: list[str] = []
    results: list[tuple[str, int]] = []

    def op(text: str, size: int) -> tuple[str, int]:
        lines.append(f"%v{len(lines)} = {text}")
        return f"%v{len(lines) - 1}", size

    def vector(size: int) -> str:
        return f"tensor<{size}x1xf32>"

    def constant(*shape: int) -> str:
        numbers = np.random.default_rng(random.randrange(1 << 30)).uniform(-1, 1, shape)
        type = f"tensor<{'x'.join(map(str, shape))}xf32>"
        return op(f"tdsl.const dense<{numbers.round(4).tolist()}> : {type} -> {type}", shape[0])[0]

    def rows(value: str, size: int, to: int) -> tuple[str, int]:
        weights = constant(to, size)
        return op(f"tdsl.matmul {weights}, {value} : tensor<{to}x{size}xf32>, {vector(size)} -> {vector(to)}", to)

    for _ in range(RESULTS):
        value, size = rows("%x", SIZES[-1], random.choice(SIZES))
        known = [value]
        for _ in range(random.randint(1, 6)):
            match random.choice(["unary", "binary", "binary", "constant", "rows"]):
                case "unary":
                    name = random.choice(["tanh", "sigmoid", "relu"])
                    value, _ = op(f"tdsl.{name} {value} : {vector(size)} -> {vector(size)}", size)
                case "rows":
                    value, size = rows(value, size, random.choice(SIZES))
                    known = []
                case kind:
                    other = constant(size, 1) if kind == "constant" else random.choice([*known, value])
                    name = random.choice(["add", "sub", "mul"])
                    value, _ = op(
                        f"tdsl.{name} {value}, {other} : {vector(size)}, {vector(size)} -> {vector(size)}", size
                    )
            known.append(value)
        results.append((value, size))
    types = ", ".join(vector(size) for _, size in results)
    body = "\n  ".join(lines)
    values = ", ".join(value for value, _ in results)
    return f"""
func.func @loops(%x: {vector(SIZES[-1])}) -> ({types}) {{
  {body}
  func.return {values} : {types}
}}"""


@pytest.mark.long
@pytest.mark.parametrize("width", WIDTHS)
def test_random_programs(width: int, tmp_path: Path):
    need_tools(M55)
    for seed in range(SEEDS):
        random = Random(f"{width} {seed}")
        module = parse(program(random))
        inputs = np.random.default_rng(seed).uniform(-2, 2, (40, SIZES[-1])).astype(np.float32)
        with_formats(module, inputs, "fixed", width)
        run(module, context(), flatten("refine-formats", {"target": M55}))
        folder = printed(module, M55, tmp_path / str(seed))
        [source] = folder.glob("*.c")
        assert source.read_text().count("tm_mve_elements") > RESULTS
        raws = encode_inputs(module, inputs)
        assert difference(module, raws, folder, runner_for(M55), folder / "build") is None, module


DEPTHWISE = {"1x1 behind a convolution": (2, 8, 1), "3x3 behind a wide one": (3, 16, 3)}
"""Channels of the image, channels of the layers, and the extent of the depthwise windows."""


@pytest.mark.long
@pytest.mark.parametrize("name", DEPTHWISE)
def test_the_loop_over_pixels_makes_the_biases(name: str):
    """A depthwise convolution that is streamed by pixels computes the evaluator's bits on a Cortex-M55. The loop over
    rows that sets the biases is fused with the loop over elements.
    """
    need_tools(M55)
    channels, wide, extent = DEPTHWISE[name]
    net, margin = NetworkWriter((1, 6, 6, channels), extent, F32_FORMAT), extent // 2
    biases = [net.weights(wide) for _ in range(2)]
    y = net.insert(tdsl.Conv2dOp(net.weights(wide, 1, 1, channels), net.input, (1, 1), initial=biases[0]))
    if margin:
        y = net.insert(tdsl.PadOp(y, (0, margin, margin, 0), (0, margin, margin, 0)))
    filter = net.weights(wide, extent, extent, 1)
    y = net.insert(tdsl.Conv2dOp(filter, y, (1, 1), groups=wide, initial=biases[1]))
    module = net.module(net.dense(y, 3))
    x = np.random.default_rng(0).normal(size=(12, 36 * channels)).astype(np.float32)
    with pytest.warns(tinyml.CompileWarning):
        program = tinyml.compile(module, x, board=M55, format="fixed", width=16)
    [source] = program.folder.glob("*.c")
    assert "tm_mve_elements" in source.read_text()
    formats = tinyml.load(program.folder / "ir/1-formats.mlir").module
    raws = encode_inputs(formats, x)
    assert difference(formats, raws, program.folder, runner_for(M55), program.folder.parent / "build") is None


def test_a_choice_between_equal_constants_is_a_constant(tmp_path: Path):
    """A leaky ReLU whose negative results all round to zero, because they are below half a step of a coarse format,
    computes the evaluator's bits on a Cortex-M55.
    """
    need_tools(M55)
    x, y = (f"tensor<60x{element}>" for element in ("!fixed.q<8, 10>", "!fixed.q<8, 2>"))
    op = f"%y = tdsl.leaky_relu %x {{slope = 0.125 : f64}} : {x} -> {y}"
    module = parse(f"func.func @zeros(%x: {x}) -> {y} {{\n{op}\nfunc.return %y : {y}\n}}")
    raws = np.arange(-127, 113, 4).astype(np.int8).reshape(1, -1)
    source = printed(module, M55, tmp_path / "source")
    assert difference(module, raws, source, runner_for(M55), tmp_path) is None
