"""Random programs of short rows, functions and sums of tensors give the evaluator's bits in vectors."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import numpy as np
import pytest
from programs.devices import need_tools
from programs.formatted import parse, with_formats
from programs.on_boards import difference, printed
from programs.spread import EXHAUSTIVE

from tinyml.dialects.context import context
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs

M55 = "cortex-m55"
WIDTHS = (8, 16)
SEEDS = 24 if EXHAUSTIVE in os.environ else 1
SIZES = (3, 8, 13, 30)
RESULTS = 5


def program(random: Random) -> str:
    """Results of some random ops each, on vectors of several sizes."""
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
