"""Ops on raws in the QOperator form compute onnxruntime's raws for any scales and zero points, except for ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from oracles.onnx_models import (
    Array,
    assert_same_but_ties,
    decoded_outputs,
    imported,
    model,
    node,
    number,
    reference,
)

from tinyml.dialects.errors import InputError

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
    "QLinearAveragePool of all": [node("QLinearAveragePool", "q sx zx sz zz", "z", kernel_shape=[6, 6], **DOMAIN)],
    "QLinearGlobalAveragePool": [node("QLinearGlobalAveragePool", "q sx zx sz zz", "z", **DOMAIN)],
    "QLinearMatMul": [node("QLinearMatMul", "q sx zx w so zo sz zz", "z")],
    "MaxPool": [node("MaxPool", "q", "o", kernel_shape=[2, 2]), node("QLinearSigmoid", "o sx zx sz zz", "z", **DOMAIN)],
}


IN_FLOATS: dict[str, Callable[[Array, Array], Array]] = {
    "QLinearAdd": np.add,
    "QLinearMul": np.multiply,
    "QLinearSigmoid": lambda x, _: 1 / (1 + np.exp(-x)),
    "QLinearAveragePool": lambda x, _: averages(x),
}
"""Ops whose kernels have several roundings in single precision, and what they compute of the input and of `o`."""

WITHIN = 2.0**-11
"""Steps by which either side may miss the exact result: eight roundings, to 24 bits, of numbers below 2^10 steps."""


def averages(x: Array) -> Array:
    """The averages of 2 x 2 windows after padding by one row at the top and one at the bottom. Padding is not
    counted.
    """
    ones = np.ones_like(x[:1, :1])
    rows, counts = (np.pad(each, [(0, 0), (0, 0), (1, 1), (0, 0)]) for each in (x, ones))
    sums, count = (sum(each[:, :, i : i + 7, j : j + 5] for i in (0, 1) for j in (0, 1)) for each in (rows, counts))
    return np.asarray(sums / count)


def quantised(reals: Array, scale: Array, zero: Array) -> Array:
    """Reals after quantisation and dequantisation, in double precision."""
    info = np.iinfo(zero.dtype)
    raws = np.rint(reals.astype(np.float32) / scale).astype(np.float64) + int(zero)
    return (np.clip(raws, info.min, info.max) - int(zero)) * float(scale)


@pytest.mark.parametrize("scales", ["any", "one", "powers of two"])
@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("name", OPS)
def test_ops_on_raws(name: str, kind: Any, scales: str):
    """Results equal onnxruntime's, except for ties in ops that onnxruntime computes in floats. Scales are arbitrary,
    equal for all tensors (many averages are then ties), or powers of two (floats are then exact).

    If there are several roundings, their order and number differ between processors, which affects only ties.
    onnxruntime adds zero points before it rounds halves to even. tinyml does so for averages, and in sums and products
    only for even zero points.
    """
    random = np.random.default_rng(len(name))
    info = np.iinfo(kind)
    constants = {scale: number(float(random.uniform(0.02, 0.04))) for scale in ("sx", "so", "sz")}
    constants |= {zero: random.integers(info.min // 2, info.max // 2, (), kind) for zero in ("zx", "zo", "zz")}
    if scales == "one":
        constants |= {"so": constants["sx"], "sz": constants["sx"]}
    elif scales == "powers of two":
        constants |= {"sx": number(2.0**-5), "so": number(2.0**-6), "sz": number(2.0**-5)}
        if name in ("QLinearAdd", "QLinearMul"):
            constants["zz"] = constants["zz"] // np.array(2, kind) * np.array(2, kind)
    if name == "QLinearMatMul":
        constants |= {"w": random.integers(info.min, info.max, (6, 5), kind), "sz": number(0.3)}
    ends = node("QuantizeLinear", "x sx zx", "q"), node("DequantizeLinear", "z sz zz")
    read = {each for step in (ends[0], *OPS[name], ends[1]) for each in step.input}
    needed = {each: np.array(array) for each, array in constants.items() if each in read}
    made = model([ends[0], *OPS[name], ends[1]], [1, 3, 6, 6], needed)
    inputs = (1.5 * random.normal(size=(40, 108))).astype(np.float32)
    got, expected = decoded_outputs(imported(made), inputs), reference(made, inputs)
    if name not in IN_FLOATS or (scales == "powers of two" and name != "QLinearSigmoid"):
        np.testing.assert_array_equal(got, expected)
        return
    x = quantised(inputs.reshape(-1, 3, 6, 6), constants["sx"], constants["zx"])
    exact = IN_FLOATS[name](x, quantised(x, constants["so"], constants["zo"]))
    assert_same_but_ties(got, expected, exact.reshape(40, -1), float(constants["sz"]), WITHIN)


SOFTMAXES: dict[str, tuple[dict[str, Any], list[int]]] = {
    "the last axis": ({"opset": 13}, [3, 12]),
    "a middle axis": ({"opset": 13, "axis": 1}, [1, 5, 4]),
    "all axes from the first on": ({"opset": 11, "axis": 1}, [2, 5, 4]),
}


@pytest.mark.parametrize("scale", [2.0**-8, 1 / 255, 0.01, 0.003])
@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("name", SOFTMAXES)
def test_a_softmax_of_raws(name: str, kind: Any, scale: float):
    """Results equal onnxruntime's except near ties, since the order in which onnxruntime adds floats depends on its
    compiler. It multiplies by the reciprocal of the scale rounded down to an integer, also for scales that are no
    reciprocals of integers.

    The tolerance is the error of 20 additions and two products, in single precision, of a share of at most 2^9 steps.
    """
    attributes, shape = SOFTMAXES[name]
    random, info = np.random.default_rng(3), np.iinfo(kind)
    constants = {"sx": number(0.0612), "zx": np.array(info.min + 120, kind), "sz": number(scale)}
    constants["zz"] = np.array(info.min, kind)
    ends = node("QuantizeLinear", "x sx zx", "q"), node("DequantizeLinear", "z sz zz")
    made = model(
        [ends[0], node("QLinearSoftmax", "q sx zx sz zz", "z", **attributes, **DOMAIN), ends[1]], shape, constants
    )
    inputs = 3 * random.normal(size=(400, int(np.prod(shape)))).astype(np.float32)
    got, expected = decoded_outputs(imported(made), inputs), reference(made, inputs)
    x = quantised(inputs, constants["sx"], constants["zx"]).reshape(-1, *shape)
    if attributes["opset"] < 13:
        x = x.reshape(len(x), shape[0], -1)
    axis = 2 if attributes == {"opset": 13, "axis": 1} else -1
    shares = np.exp(x) / np.exp(x).sum(axis, keepdims=True)
    steps = np.floor(np.float32(1) / constants["sz"]) * float(constants["sz"])
    assert np.unique(expected).size > 50
    assert_same_but_ties(got, expected, (shares * steps).reshape(400, -1), float(constants["sz"]), 2.0**-11)


def test_a_softmax_of_steps_above_1_is_refused():
    constants = {"sx": number(0.1), "zx": np.int8(0), "sz": number(2.0), "zz": np.int8(0)}
    ends = node("QuantizeLinear", "x sx zx", "q"), node("DequantizeLinear", "z sz zz")
    nodes = [ends[0], node("QLinearSoftmax", "q sx zx sz zz", "z", opset=13, **DOMAIN), ends[1]]
    arrays = {name: np.array(value) for name, value in constants.items()}
    with pytest.raises(
        InputError, match="QLinearSoftmax 'QLinearSoftmax_z': a scale of 2 is not supported, only up to 1"
    ):
        imported(model(nodes, [1, 4], arrays))


@pytest.mark.parametrize(("kind", "weights"), [("int8", "int8"), ("uint8", "int8"), ("uint8", "uint8")])
def test_sums_of_the_greatest_products(kind: Any, weights: Any):
    """Products of matrices equal onnxruntime's even if sums of two products need 17 bits, which some processors' 8-bit
    kernels would saturate.

    onnxruntime has no kernel for int8 with weights of uint8.
    """
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
