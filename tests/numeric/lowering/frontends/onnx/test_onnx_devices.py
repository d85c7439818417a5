"""Imported ONNX models give the evaluator's bits on every device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.onnx_models import imported, model, node, number
from programs.devices import DEVICES
from programs.lowered import lowered
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import first_mismatch


def quantised_network() -> ModuleOp:
    """Layers and functions in the QDQ form, of images 1 x 2 x 5 x 5."""
    random = np.random.default_rng(7)

    def through(value: str, scale: str) -> list[Any]:
        """A value, quantised and dequantised: VALUE_."""
        return [
            node("QuantizeLinear", f"{value} {scale} zero", f"{value}_q"),
            node("DequantizeLinear", f"{value}_q {scale} zero", f"{value}_"),
        ]

    nodes = [
        *through("x", "sx"),
        node("DequantizeLinear", "w ws", "w_", axis=0),
        node("DequantizeLinear", "b bs", "b_", axis=0),
        node("Conv", "x_ w_ b_", "c", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Relu", "c", "r"),
        *through("r", "sr"),
        node("HardSwish", "r_", "h"),
        *through("h", "sh"),
        node("Mul", "r_ h_", "m"),
        *through("m", "sm"),
        node("Concat", "m_ h_", "k", axis=1),
        *through("k", "sm"),
        node("AveragePool", "k_", "p", kernel_shape=[2, 2]),
        *through("p", "sh"),
        node("Flatten", "p_", "f"),
        node("DequantizeLinear", "v vs", "v_"),
        node("Gemm", "f v_", "g"),
        *through("g", "sg"),
        node("Sigmoid", "g_", "s"),
        *through("s", "ss"),
        node("Add", "s_ g_", "a"),
        *through("a", "sg"),
        node("Softmax", "a_", "t"),
        *through("t", "ss"),
    ]
    scales = {"sx": 0.021, "sr": 0.034, "sh": 0.031, "sm": 0.09, "sg": 0.13, "ss": 1 / 256, "vs": 0.017}
    ws = np.array([0.011, 0.023, 0.017], np.float32)
    constants = {name: number(scale) for name, scale in scales.items()}
    constants |= {"ws": ws, "bs": (ws * np.float32(0.021)).astype(np.float32), "zero": np.array(-20, np.int8)}
    constants |= {"w": random.integers(-128, 128, (3, 2, 3, 3)).astype(np.int8)}
    constants |= {"b": random.integers(-900, 900, 3).astype(np.int32)}
    constants |= {"v": random.integers(-128, 128, (24, 4)).astype(np.int8)}
    return imported(model(nodes, [1, 2, 5, 5], constants, outputs=("t_",), opset=20))


@pytest.mark.parametrize("device", DEVICES)
def test_a_quantised_network_on_devices(device: str, tmp_path: Path):
    module, ctx, options = quantised_network(), context(), {"target": device}
    x = encode_inputs(module, 2 * np.random.default_rng(8).normal(size=(4, 50)))
    at_import = evaluate(module, x)
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    expected, interface = evaluate(module, x), interface_of(module)
    assert first_mismatch(at_import, expected) is None
    lowered(module, ctx, **options)
    write_c(module, ctx, device, tmp_path)
    runner = runner_for(device)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build"), interface, x)
    assert first_mismatch(expected, Outputs(result.labels, result.scores)) is None
