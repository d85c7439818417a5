"""ONNX models that onnxruntime has quantised compute onnxruntime's raws."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import numpy_helper
from oracles.onnx_models import (
    Array,
    assert_same_but_ties,
    decoded_outputs,
    imported,
    model,
    node,
    reference,
)

from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import predict_function

quantization: Any = import_module("onnxruntime.quantization")

RANDOM = np.random.default_rng(181)


def reals(*shape: int) -> Array:
    return RANDOM.normal(size=shape).astype(np.float32)


class Reader:
    """A reader of calibration data with the interface that onnxruntime requires."""

    def __init__(self, shape: Sequence[int]):
        self.samples = iter([{"x": reals(*shape)} for _ in range(8)])

    def get_next(self) -> dict[str, Array] | None:
        return next(self.samples, None)


def quantised(float_model: onnx.ModelProto, shape: Sequence[int], folder: Path, **options: Any) -> onnx.ModelProto:
    """A model after static quantisation by onnxruntime."""
    source, result = folder / "float.onnx", folder / "quantised.onnx"
    source.write_bytes(float_model.SerializeToString())
    quantization.quantize_static(source, result, Reader(shape), **options)
    return onnx.ModelProto.FromString(result.read_bytes())


def network(groups: int, channels: int, kernel: int, stride: int, pads: list[int]) -> onnx.ModelProto:
    """The model of a convolution, a second convolution whose result is added, pools, and a dense layer, on images 1 x 2
    x 8 x 8.
    """
    nodes = [
        node("Conv", "x w0 b0", "c0", pads=[1, 1, 1, 1]),
        node("Relu", "c0", "r0"),
        node("Conv", "r0 w1 b1", "c1", pads=pads, strides=[stride, stride], group=groups),
        node("Clip", "c1 zero six", "r1"),
        node("Conv", "r1 w2", "c2", group=1),
        node("Add", "r1 c2", "a"),
        node("MaxPool", "a", "m", kernel_shape=[2, 2]),
        node("AveragePool", "m", "p", kernel_shape=[2, 2]),
        node("Flatten", "p", "f"),
        node("Gemm", "f v b3", transB=1),
    ]
    size = 8 + pads[0] + pads[2] - kernel
    extent = size // stride + 1 - 2
    rows = groups * channels
    constants = {
        "w0": reals(2 * groups, 2, 3, 3),
        "b0": np.abs(reals(2 * groups)),
        "w1": reals(rows, 2, kernel, kernel),
        "b1": np.abs(reals(rows)),
        "w2": reals(rows, rows, 1, 1),
        "zero": np.array(0, np.float32),
        "six": np.array(6, np.float32),
        "v": reals(5, rows * extent * extent),
        "b3": reals(5),
    }
    return model(nodes, [1, 2, 8, 8], constants, opset=17)


OPTIONS: dict[str, dict[str, Any]] = {
    "unsigned": {"activation_type": quantization.QuantType.QUInt8, "weight_type": quantization.QuantType.QUInt8},
    "signed": {"activation_type": quantization.QuantType.QInt8, "weight_type": quantization.QuantType.QInt8},
    "per channel": {
        "activation_type": quantization.QuantType.QUInt8,
        "weight_type": quantization.QuantType.QInt8,
        "per_channel": True,
    },
}


@pytest.fixture(autouse=True)
def no_advice(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)


def in_powers_of_two(made: onnx.ModelProto) -> onnx.ModelProto:
    """Round the scales of a model's activations up to powers of two, and their zero points down to even numbers, in
    place. Return the model. Floats then represent sums and averages exactly.
    """
    sums = [op for op in made.graph.node if op.op_type in ("QLinearConv", "QGemm")]
    of_weights = {name for op in sums for name in op.input[3:6]}
    for each in made.graph.initializer:
        value = numpy_helper.to_array(each)
        if each.name in of_weights or value.ndim > 0:
            continue
        if value.dtype == np.float32:
            value = np.exp2(np.ceil(np.log2(value)))
        else:
            value = value // np.array(2, value.dtype) * np.array(2, value.dtype)
        each.CopyFrom(numpy_helper.from_array(np.asarray(value), each.name))
    return made


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("shape", [(1, 2, 1, 1, [0, 0, 0, 0]), (2, 3, 3, 2, [1, 1, 1, 1])])
def test_qoperator_models(tmp_path: Path, name: str, shape: tuple[int, int, int, int, list[int]]):
    """Every raw equals that of onnxruntime's integer kernels, which round halves to even in single precision.

    Scales of weights are arbitrary, because each sum of products is scaled by one multiplication. Scales of activations
    are powers of two: otherwise sums of activations would differ between processors.
    """
    form = quantization.QuantFormat.QOperator
    made = in_powers_of_two(quantised(network(*shape), (1, 2, 8, 8), tmp_path, quant_format=form, **OPTIONS[name]))
    inputs = 1.5 * reals(60, 128)
    got = decoded_outputs(imported(made), inputs)
    assert len(np.unique(got)) > 40
    np.testing.assert_array_equal(got, reference(made, inputs))


def quantise(value: str, scale: str, zero: str = "zero") -> list[onnx.NodeProto]:
    """The nodes QuantizeLinear and DequantizeLinear after a value."""
    return [
        node("QuantizeLinear", f"{value} {scale} {zero}", f"{value}_q"),
        node("DequantizeLinear", f"{value}_q {scale} {zero}", f"{value}_d"),
    ]


def between(nodes: list[onnx.NodeProto], constants: dict[str, Array], shape: Sequence[int]) -> onnx.ModelProto:
    """A model of the given ops from x_d to z between QDQ pairs with the scales sx and sz."""
    last = quantise("z", "sz")
    last[1].output[0] = "y"
    return model([*quantise("x", "sx"), *nodes, *last], shape, constants, opset=21)


def power(exponent: int) -> Array:
    return np.array(2.0**exponent, np.float32)


@st.composite
def layers(draw: st.DrawFn) -> tuple[onnx.ModelProto, int]:
    """A random convolution in the QDQ form whose scales are powers of two, and the number of elements of its input."""
    groups, signed, by_row = draw(st.integers(1, 2)), draw(st.booleans()), draw(st.booleans())
    rows, depth, kernel = groups * draw(st.integers(1, 2)), draw(st.integers(1, 2)), draw(st.integers(1, 3))
    count = rows if by_row else 1
    exponents = draw(st.lists(st.integers(-8, -4), min_size=count, max_size=count))
    scales = np.array([2.0**exponent for exponent in exponents], np.float32)
    sx = draw(st.integers(-6, -2))
    zero = np.array(draw(st.integers(-128, 127) if signed else st.integers(0, 255)), np.int8 if signed else np.uint8)
    constants = {
        "sx": power(sx),
        "sz": power(draw(st.integers(-4, 1))),
        "zero": zero,
        "w": RANDOM.integers(-128, 128, (rows, depth, kernel, kernel)).astype(np.int8),
        "ws": scales if by_row else scales.reshape(()),
        "b": RANDOM.integers(-4000, 4000, rows).astype(np.int32),
        "bs": scales * 2.0**sx if by_row else (scales * 2.0**sx).reshape(()),
    }
    pads = draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))
    strides = draw(st.lists(st.integers(1, 2), min_size=2, max_size=2))
    nodes = [
        node("DequantizeLinear", "w ws", "w_d", axis=0),
        node("DequantizeLinear", "b bs", "b_d", axis=0),
        node("Conv", "x_d w_d b_d", "c", pads=pads, strides=strides, group=groups),
        node(draw(st.sampled_from(["Relu", "Identity"])), "c", "z"),
    ]
    size = draw(st.integers(3, 5))
    return between(nodes, constants, [1, groups * depth, size, size]), groups * depth * size * size


@pytest.mark.long
@given(layers())
@settings(max_examples=25, deadline=None)
def test_layers_between_quantisations(drawn: tuple[onnx.ModelProto, int]):
    """The raws of random convolutions between QDQ pairs equal onnxruntime's. Their sums are exact in floats, so that
    the order of additions, which ONNX leaves open, does not matter.
    """
    made, size = drawn
    inputs = 8 * reals(4, size)
    np.testing.assert_array_equal(decoded_outputs(imported(made), inputs), reference(made, inputs))


ELEMENTWISE: dict[str, list[onnx.NodeProto]] = {
    "Add": [*quantise("x_d", "so"), node("Add", "x_d x_d_d", "z")],
    "Sub": [*quantise("x_d", "so"), node("Sub", "x_d_d x_d", "z")],
    "Mul": [*quantise("x_d", "so"), node("Mul", "x_d x_d_d", "z")],
    "AveragePool": [node("AveragePool", "x_d", "z", kernel_shape=[2, 2], strides=[1, 2], pads=[1, 0, 1, 0])],
    "MaxPool": [node("MaxPool", "x_d", "z", kernel_shape=[2, 2], strides=[1, 2], pads=[1, 0, 1, 0])],
    "Concat": [*quantise("x_d", "so"), node("Concat", "x_d x_d_d", "z", axis=1)],
    "LeakyRelu": [node("LeakyRelu", "x_d", "z", alpha=0.3)],
    "Clip": [node("Clip", "x_d low high", "z")],
    "requantisation": [node("Identity", "x_d", "z")],
}


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize("zero", [np.int8(-7), np.uint8(130)])
def test_ops_between_quantisations(name: str, zero: np.generic):
    """The raws of elementwise ops between QDQ pairs equal onnxruntime's for arbitrary scales, because each step is
    rounded to single precision.
    """
    constants = {"sx": 0.0371, "so": 0.0517, "sz": 0.0633, "low": -0.7, "high": 1.3}
    arrays = {name: np.array(value, np.float32) for name, value in constants.items()}
    made = between(ELEMENTWISE[name], arrays | {"zero": np.array(zero)}, [1, 2, 4, 4])
    inputs = 3 * reals(200, 32)
    np.testing.assert_array_equal(decoded_outputs(imported(made), inputs), reference(made, inputs))


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Tanh": np.tanh,
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "Softmax": lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True),
    "GlobalAveragePool": lambda x: x.mean((2, 3)),
    "Exp": np.exp,
    "Neg": np.negative,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_between_quantisations(name: str):
    """The raws of functions between QDQ pairs equal onnxruntime's except near ties, where processors differ. The
    tolerance is 2^-20 of the greater of 2^7 steps and 1.
    """
    scale = 0.0093
    arrays = {"sx": np.array(0.0371, np.float32), "sz": np.array(scale, np.float32)}
    made = between([node(name, "x_d", "z")], arrays | {"zero": np.array(-9, np.int8)}, [1, 2, 4, 4])
    inputs = 3 * reals(50, 32)
    got, expected = decoded_outputs(imported(made), inputs), reference(made, inputs)
    raws = np.clip(np.rint(inputs / arrays["sx"]) - 9, -128, 127) + 9
    exact = FUNCTIONS[name](raws.astype(np.float64).reshape(-1, 2, 4, 4) * float(arrays["sx"])).reshape(50, -1)
    assert_same_but_ties(got, expected, exact, float(arrays["sz"]), 2.0**-20 * max(2**7, 1 / scale))


def test_dense_layers_between_quantisations():
    arrays = {"sx": power(-4), "sz": power(0), "ws": power(-5), "bs": power(-9), "zero": np.array(3, np.int8)}
    arrays |= {"w": RANDOM.integers(-128, 128, (6, 4)).astype(np.int8), "b": np.array([300, -9, 77, 0], np.int32)}
    weights = [node("DequantizeLinear", "w ws", "w_d"), node("DequantizeLinear", "b bs", "b_d")]
    for last, shape in (
        (node("Gemm", "x_d w_d b_d", "z"), [1, 6]),
        (node("MatMul", "x_d w_d", "z"), [1, 6]),
        (node("MatMul", "x_d w_d", "z"), [1, 3, 6]),
    ):
        made = between([*weights, last], arrays, shape)
        inputs = 4 * reals(20, int(np.prod(shape)))
        np.testing.assert_array_equal(decoded_outputs(imported(made), inputs), reference(made, inputs))


def test_a_flattened_image_costs_no_transposition(tmp_path: Path):
    form = quantization.QuantFormat.QDQ
    made = quantised(network(1, 2, 3, 1, [1, 1, 1, 1]), (1, 2, 8, 8), tmp_path, quant_format=form)
    ops = [op.name for op in imported(made).walk()]
    assert ops.count("tdsl.transpose") == 1, "only that at the entrance"
    assert ops.count("tdsl.cast") == 0


def test_raws_are_read_with_their_own_scale():
    nodes = [node("QuantizeLinear", "x a zero", "q"), node("DequantizeLinear", "q b zero")]
    constants = {"a": power(-3), "b": power(-4), "zero": np.array(0, np.int8)}
    with pytest.raises(InputError, match=r"reads raws of !zeroskew\.f<8, 0\.125, 0> as !zeroskew\.f<8, 0\.0625, 0>"):
        imported(model(nodes, [1, 4], constants, opset=21))


def test_models_on_integers_take_raws():
    nodes = [node("DequantizeLinear", "x s zero", "d"), node("Relu", "d", "r"), node("QuantizeLinear", "r s zero")]
    constants = {"s": power(-3), "zero": np.array(128, np.uint8)}
    module = imported(model(nodes, [1, 4], constants, opset=21, element=onnx.TensorProto.UINT8))
    [argument] = predict_function(module).function_type.inputs
    assert str(argument) == "tensor<1x4x!zeroskew.f<8, 0.125, 0>>"
