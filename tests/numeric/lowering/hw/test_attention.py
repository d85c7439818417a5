"""Transformer blocks as hardware compute every raw output of the evaluator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles.onnx_models import Array, imported, model, node
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.paths import ROOT
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices.verilog_tools import IcarusSimulation, VerilatorSimulation
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.stages import load_program

TARGET = "ecp5-25k"
SIMULATIONS = {"iverilog": IcarusSimulation, "verilator": VerilatorSimulation}


def small_block() -> ModuleOp:
    """A block of 3 rows of 4 numbers with a norm, attention with a head of 4 numbers, and an MLP of 4 with GELU."""
    random, constants = np.random.default_rng(14), dict[str, Array]()
    for name in ("wq", "wk", "wv", "w1", "w2"):
        constants[name] = (random.normal(size=(4, 4)) / 2).astype(np.float32)
    constants["s"] = random.uniform(0.5, 1, 4).astype(np.float32)
    nodes = [
        node("LayerNormalization", "x s", "n"),
        *(node("MatMul", f"n w{each}", each) for each in "qkv"),
        node("Attention", "q k v", "a", q_num_heads=1, kv_num_heads=1),
        node("Add", "x a", "z"),
        node("MatMul", "z w1", "h"),
        node("Gelu", "h", "g"),
        node("MatMul", "g w2"),
    ]
    return imported(model(nodes, [1, 3, 4], constants, opset=23))


def check(module: ModuleOp, data: Path, samples: int, simulator: str, folder: Path) -> None:
    """Choose fixed point of 8 bits by the inputs in `data`, and compare a simulated module with the evaluator."""
    need_simulator(simulator)
    options = {"data": str(data), "target": TARGET, "format": "fixed", "width": 8}
    for name in ("reals-to-formats", "refine-formats"):
        pipelines.run(module, context(), pipelines.flatten(name, options))
    raws = encode_inputs(module, np.load(data)["x"][:samples])
    bits = lowered(module.clone(), context(), end="loops-to-bits", target=TARGET)
    result = SIMULATIONS[simulator](verilog_of(bits), folder).run(interface_of(module), raws)
    assert first_mismatch(evaluate(module, raws), Outputs(result.labels, result.scores, result.more)) is None


@pytest.mark.long
def test_a_small_block(tmp_path: Path):
    x = np.random.default_rng(15).normal(size=(20, 12)).astype(np.float32)
    np.savez(tmp_path / "val.npz", x=x)
    check(small_block(), tmp_path / "val.npz", 2, "iverilog", tmp_path)


@pytest.mark.long(seconds=50)
def test_a_block_of_16_rows(tmp_path: Path):
    """The block that `docs/attention.md` measures, with 4 heads of 16 numbers and an MLP of 128."""
    folder = ROOT / "tests/models/attention"
    check(load_program(folder / "block.onnx", context()), folder / "val.npz", 1, "verilator", tmp_path)
