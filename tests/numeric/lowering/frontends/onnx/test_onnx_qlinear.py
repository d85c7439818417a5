"""Ops on raws, as the QOperator form has them, give onnxruntime's raws for any scales and zero points."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from oracles.onnx_models import decoded_outputs, imported, model, node, number, reference

DOMAIN = {"domain": "com.microsoft"}

OTHER = [node("DequantizeLinear", "q sx zx", "d"), node("QuantizeLinear", "d so zo", "o")]
"""The raws of the input with another scale and zero point."""

OPS: dict[str, list[onnx.NodeProto]] = {
    "QLinearAdd": [*OTHER, node("QLinearAdd", "q sx zx o so zo sz zz", "z", **DOMAIN)],
    "QLinearMul": [*OTHER, node("QLinearMul", "q sx zx o so zo sz zz", "z", **DOMAIN)],
    "QLinearConcat": [*OTHER, node("QLinearConcat", "sz zz q sx zx o so zo", "z", axis=1, **DOMAIN)],
    "QLinearSigmoid": [node("QLinearSigmoid", "q sx zx sz zz", "z", **DOMAIN)],
    "QLinearLeakyRelu": [node("QLinearLeakyRelu", "q sx zx sz zz", "z", alpha=0.2, **DOMAIN)],
    "QLinearAveragePool": [
        node("QLinearAveragePool", "q sx zx sz zz", "z", kernel_shape=[2, 2], pads=[1, 0, 1, 0], **DOMAIN)
    ],
    "QLinearGlobalAveragePool": [node("QLinearGlobalAveragePool", "q sx zx sz zz", "z", **DOMAIN)],
    "QLinearMatMul": [node("QLinearMatMul", "q sx zx w so zo sz zz", "z")],
    "MaxPool": [node("MaxPool", "q", "o", kernel_shape=[2, 2]), node("QLinearSigmoid", "o sx zx sz zz", "z", **DOMAIN)],
}


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("name", OPS)
def test_ops_on_raws(name: str, kind: Any):
    random = np.random.default_rng(len(name))
    info = np.iinfo(kind)
    constants = {scale: number(float(random.uniform(0.01, 0.05))) for scale in ("sx", "so", "sz")}
    constants |= {zero: random.integers(info.min // 2, info.max // 2, (), kind) for zero in ("zx", "zo", "zz")}
    if name == "QLinearMatMul":
        constants |= {"w": random.integers(info.min, info.max, (6, 5), kind), "sz": number(0.3)}
    ends = node("QuantizeLinear", "x sx zx", "q"), node("DequantizeLinear", "z sz zz")
    read = {each for step in (ends[0], *OPS[name], ends[1]) for each in step.input}
    needed = {each: np.array(array) for each, array in constants.items() if each in read}
    made = model([ends[0], *OPS[name], ends[1]], [1, 3, 6, 6], needed)
    inputs = (1.5 * random.normal(size=(40, 108))).astype(np.float32)
    np.testing.assert_array_equal(decoded_outputs(imported(made), inputs), reference(made, inputs))


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("weights", ["int8", "uint8"])
def test_sums_of_the_greatest_products(kind: Any, weights: Any):
    """Pairs of products whose sums need 17 bits, which kernels for 8 bits saturate on some processors."""
    if (kind, weights) == ("int8", "uint8"):
        pytest.skip("onnxruntime has no kernel for it")
    random, (least, most) = np.random.default_rng(5), (np.iinfo(weights).min, np.iinfo(weights).max)
    matrix = np.where(random.random((64, 7)) < 0.9, most, least).astype(weights)
    raws = np.where(random.random((20, 64)) < 0.9, np.iinfo(kind).max, np.iinfo(kind).min).astype(kind)
    zeros = {"zx": np.array(3, kind), "zw": np.array(0, weights), "zz": np.array(-8 if kind == "int8" else 120, kind)}
    scales = {"sx": 2.0**-4, "sw": 2.0**-6, "sz": 2.0**4}
    product = node("QLinearMatMul", "q sx zx w sw zw sz zz", "z")
    ends = node("QuantizeLinear", "x sx zx", "q"), node("DequantizeLinear", "z sz zz")
    constants = zeros | {name: number(scale) for name, scale in scales.items()} | {"w": matrix}
    made = model([ends[0], product, ends[1]], [1, 64], constants)
    sums = (raws.astype(int) - 3) @ matrix.astype(int)
    limits = np.iinfo(kind).min - int(zeros["zz"]), np.iinfo(kind).max - int(zeros["zz"])
    expected = 2.0**4 * np.clip(np.rint(sums * 2.0**-14), *limits)
    inputs = ((raws.astype(np.float32) - 3) / 16).astype(np.float32)
    np.testing.assert_array_equal(reference(made, inputs), expected)
    np.testing.assert_array_equal(decoded_outputs(imported(made), inputs), expected)
