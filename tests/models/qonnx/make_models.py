"""Write the models of this folder again, with the integers that PyPI's `qonnx` computes at each of their quantisers.

`qonnx` executes QONNX files, and onnxruntime executes QCDQ files. If arguments name files, the program checks instead
that tinyml's imports of these files compute the integers of `qonnx`, for inputs on the grid of the first quantiser.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# The packages that execute models have no types.
onnx: Any = import_module("onnx")
helper: Any = import_module("onnx.helper")
numpy_helper: Any = import_module("onnx.numpy_helper")
Model: TypeAlias = Any
"""A message of type `onnx.ModelProto`."""

FOLDER = Path(__file__).parent
SAMPLES, SAMPLES_OF_FILES = 24, 1000
GENERAL, BREVITAS, FINN = "qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general"
QUANTISERS = ("Quant", "IntQuant", "BipolarQuant", "MultiThreshold", "Trunc")
MODES = ("CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN")


class Net:
    """An ONNX model with one input, to which nodes are appended.

    shape: the shape of the input `x`.
    domain: the domain of the quantisers.
    opset: the version of ONNX's operators.
    """

    def __init__(self, shape: list[int], domain: str = GENERAL, opset: int = 11):
        self.shape, self.domain, self.opset = shape, domain, opset
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.random = np.random.default_rng(79)

    def constant(self, numbers: Any, kind: Any = np.float32) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(numbers, kind), name))
        return name

    def op(self, op: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        name = f"{op}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name, domain=domain, **attributes))
        return name

    def quant(
        self, x: str, scale: Any, bits: int, signed: int = 1, narrow: int = 0, zero: float = 0, mode: str = "ROUND"
    ) -> str:
        numbers = (self.constant(scale), self.constant(zero), self.constant(bits))
        return self.op("Quant", x, *numbers, domain=self.domain, signed=signed, narrow=narrow, rounding_mode=mode)

    def sign(self, x: str, scale: float = 1) -> str:
        return self.op("BipolarQuant", x, self.constant(scale), domain=self.domain)

    def weights(self, shape: tuple[int, ...], bits: int, scale: float | None = None, narrow: int = 1) -> str:
        """Add random quantised weights, and return the name of the result.

        scale: None for a scale per output.
        narrow: 1 to exclude the least integer of the range, otherwise 0.
        """
        numbers = self.random.normal(size=shape).astype(np.float32)
        if bits == 1:
            return self.sign(self.constant(numbers), scale or 1)
        if scale is None:
            most = np.abs(numbers).reshape(shape[0], -1).max(1) / (2 ** (bits - 1) - 1)
            return self.quant(self.constant(numbers), most.reshape(-1, *(1,) * (len(shape) - 1)), bits, narrow=narrow)
        return self.quant(self.constant(numbers), scale, bits, narrow=narrow)

    def dense(self, x: str, shape: tuple[int, int], bits: int, scale: float | None = None) -> str:
        return self.op("MatMul", x, self.op("Transpose", self.weights(shape, bits, scale), perm=[1, 0]))

    def convolution(self, x: str, shape: tuple[int, ...], bits: int, scale: float | None = None, **more: Any) -> str:
        return self.op("Conv", x, self.weights(shape, bits, scale), kernel_shape=list(shape[2:]), **more)

    def normalised(self, x: str, channels: int, spread: float) -> str:
        factors = self.random.normal(size=channels) + 0.5, self.random.normal(size=channels)
        moments = self.random.normal(size=channels) * spread / 3, self.random.uniform(0.3, 2, channels) * spread**2
        return self.op("BatchNormalization", x, *map(self.constant, (*factors, *moments)), epsilon=1e-5)

    def model(self, output: str) -> Model:
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, None)],
            self.constants,
        )
        domains = [helper.make_opsetid("", self.opset), helper.make_opsetid(self.domain, 1)]
        return helper.make_model(graph, opset_imports=domains, ir_version=7)


def signs() -> Model:
    """A model with weights and activations of 1 bit, and a reshape by the ops Shape, Gather and Concat, as exporters
    wrote it for opset 9.
    """
    net = Net([1, 2, 6, 6], BREVITAS, 9)
    batch = net.op("Gather", net.op("Shape", "x"), net.constant([0], np.int64), axis=0)
    shape = net.op("Concat", batch, net.constant([-1], np.int64), axis=0)
    x = net.op("Reshape", "x", shape)
    x = net.op("Sub", net.op("Mul", x, net.constant(2)), net.constant([1]))
    x = net.sign(net.normalised(net.dense(net.sign(x), (16, 72), 1), 16, 8))
    x = net.sign(net.normalised(net.dense(x, (12, 16), 1), 12, 4))
    return net.model(net.op("Mul", net.dense(x, (3, 12), 1), net.constant(0.11)))


def images() -> Model:
    """A model with convolutions of 1 and 2 bits, with padding and pools."""
    net = Net([1, 3, 8, 8])
    x = net.quant("x", 1 / 128, 8)
    x = net.sign(net.normalised(net.convolution(x, (4, 3, 3, 3), 1, pads=[1] * 4), 4, 2))
    x = net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = net.normalised(net.convolution(x, (6, 4, 3, 3), 2, 1, pads=[1] * 4, strides=[2, 2]), 6, 5)
    x = net.quant(net.op("Relu", x), 0.25, 2, signed=0)
    return net.model(net.dense(net.op("Flatten", x, axis=1), (5, 24), 2, 1))


def depthwise() -> Model:
    """A model with scales per channel that are not powers of two, groups, an average pool and Trunc."""
    net = Net([1, 3, 8, 8])
    x = net.quant("x", 0.0078431, 8)
    x = net.normalised(net.convolution(x, (8, 3, 3, 3), 8, pads=[1] * 4, strides=[2, 2]), 8, 2)
    x = net.quant(net.op("Relu", x), 0.09, 4, signed=0)
    x = net.normalised(net.convolution(x, (8, 1, 3, 3), 4, pads=[1] * 4, group=8), 8, 2)
    x = net.quant(net.op("Relu", x), 0.125, 4, signed=0)
    x = net.op("AveragePool", x, kernel_shape=[4, 4], strides=[1, 1])
    scale, bits = net.constant(0.125 / 16), (net.constant(8), net.constant(4))
    x = net.op("Trunc", x, scale, net.constant(0), *bits, domain=GENERAL, rounding_mode="FLOOR")
    x = net.op("Reshape", x, net.constant([1, -1], np.int64))
    bias = net.constant(net.random.normal(size=5))
    return net.model(net.op("Gemm", x, net.weights((5, 8), 4), bias, transB=1))


def residual() -> Model:
    """A model with sums of activations, of equal and of different scales."""
    net = Net([1, 4, 6, 6])
    x = net.quant("x", 1 / 16, 5)
    added = net.quant(net.normalised(net.convolution(x, (4, 4, 3, 3), 3, 0.25, pads=[1] * 4), 4, 2), 1 / 16, 5)
    x = net.quant(net.op("Relu", net.op("Add", x, added)), 1 / 8, 3, signed=0)
    added = net.quant(net.normalised(net.convolution(x, (4, 4, 3, 3), 3, 0.25, pads=[1] * 4), 4, 2), 1 / 4, 4)
    x = net.quant(net.op("Add", x, added), 1 / 4, 3, signed=0)
    x = net.quant(net.op("GlobalAveragePool", x), 1 / 16, 6, signed=0)
    return net.model(net.dense(net.op("Flatten", x), (3, 4), 3, 0.25))


def skewed() -> Model:
    """A model with even and odd zero points, ranges without their least or greatest integer, and 16 bits."""
    net = Net([1, 16], FINN)
    x = net.quant("x", 0.125, 8, signed=0, zero=100)
    x = net.op("Add", net.dense(x, (12, 16), 6, 0.25), net.constant(net.random.normal(size=12)))
    x = net.quant(net.op("Relu", x), 0.5, 3, signed=0, narrow=1)
    x = net.quant(net.normalised(net.dense(x, (12, 12), 4, 0.25), 12, 1), 0.0625, 8, zero=7)
    x = net.quant(net.op("Div", net.dense(x, (8, 12), 3, 0.25), net.constant(0.3)), 0.25, 1, signed=0)
    return net.model(net.quant(net.dense(x, (4, 8), 5, 0.25), 0.0625, 16))


def thresholds() -> Model:
    """A model with MultiThreshold, by channel and for all channels."""
    net = Net([1, 16])
    x = net.quant("x", 0.25, 4)
    for count, rows, more in (
        (3, 8, {"out_dtype": "UINT2"}),
        (1, 8, {"out_dtype": "BIPOLAR", "out_scale": 2.0, "out_bias": -1.0}),
        (7, 1, {"out_dtype": "INT3", "out_scale": 0.5, "out_bias": -2.0}),
    ):
        x = net.dense(x, (8, 16 if count == 3 else 8), 3, 0.25)
        levels = np.sort(net.random.normal(size=(rows, count)) * 2, 1)
        x = net.op("MultiThreshold", x, net.constant(levels), domain=GENERAL, **more)
    return net.model(net.dense(x, (3, 8), 3, 0.5))


def rounded() -> Model:
    """A model with every rounding mode after a sum."""
    net = Net([1, 16])
    x = net.quant("x", 0.25, 4)
    parts = [net.quant(net.dense(x, (4, 16), 3, 0.25), 0.25, 4, mode=mode) for mode in MODES]
    x = net.op("Concat", *parts, axis=1)
    return net.model(net.dense(x, (3, 4 * len(MODES)), 3, 0.5))


def limited() -> Model:
    """A model with QuantizeLinear, Clip and DequantizeLinear, as Brevitas exports them."""
    net = Net([1, 3, 6, 6], GENERAL, 13)

    def quantised(x: str, scale: str, zero: str, low: int, high: int, kind: Any) -> str:
        raws = net.op("QuantizeLinear", x, scale, zero)
        raws = net.op("Clip", raws, net.constant(low, kind), net.constant(high, kind))
        return net.op("DequantizeLinear", raws, scale, zero)

    signed, unsigned = net.constant(0, np.int8), net.constant(0, np.uint8)
    x = quantised("x", net.constant(1 / 16), signed, -15, 15, np.int8)
    raws = net.random.integers(-3, 4, (5, 3, 3, 3))
    scales = net.constant(2.0 ** -net.random.integers(2, 5, 5))
    points = net.constant(np.zeros(5), np.int8)
    limits = net.constant(-3, np.int8), net.constant(3, np.int8)
    weights = net.op("Clip", net.constant(raws, np.int8), *limits)
    weights = net.op("DequantizeLinear", weights, scales, points, axis=0)
    x = net.op("Conv", x, weights, net.constant(net.random.normal(size=5)), kernel_shape=[3, 3])
    x = quantised(net.op("Relu", x), net.constant(1 / 4), unsigned, 0, 15, np.uint8)
    x = net.op("Flatten", x, axis=1)
    weights = net.op(
        "DequantizeLinear", net.constant(net.random.integers(-7, 8, (4, 80)), np.int8), net.constant(1 / 8)
    )
    return net.model(net.op("Gemm", x, weights, transB=1))


def declared(model: Model, integers: str) -> Model:
    """Annotate the input of a model with its integer type.

    integers: the name of the type in FINN, such as `INT8`.
    """
    entry = onnx.StringStringEntryProto(key="finn_datatype", value=integers)
    annotation = onnx.TensorAnnotation(tensor_name="x", quant_parameter_tensor_names=[entry])
    model.graph.quantization_annotation.append(annotation)
    return model


def floors() -> Model:
    """A model with integers in floats that Mul, Add, Div, Floor and Clip requantise, as in exports of QuantLib."""
    net = Net([1, 3, 6, 6], GENERAL, 11)

    def requantised(x: str, channels: int) -> str:
        factors = net.random.integers(3, 40, (1, channels, 1, 1))
        x = net.op("Add", net.op("Mul", x, net.constant(factors)), net.constant(factors * 9))
        x = net.op("Floor", net.op("Div", x, net.constant(256)))
        return net.op("Clip", x, net.constant(0), net.constant(15))

    weights = net.constant(net.random.integers(-7, 8, (5, 3, 3, 3)))
    x = requantised(net.op("Conv", "x", weights, kernel_shape=[3, 3]), 5)
    weights = net.constant(net.random.integers(-7, 8, (6, 5, 3, 3)))
    x = requantised(net.op("Conv", x, weights, kernel_shape=[3, 3]), 6)
    x = net.op("MatMul", net.op("Flatten", x, axis=1), net.constant(net.random.integers(-7, 8, (24, 4))))
    return declared(net.model(x), "UINT8")


def annotated() -> Model:
    """A model whose input is annotated as bipolar (-1 or 1); a factor and an addend convert it to 0 or 1."""
    net = Net([1, 20], BREVITAS, 14)
    x = net.op("Div", net.op("Add", "x", net.constant([1])), net.constant(2))
    bias = net.constant(net.random.normal(size=12))
    x = net.op("Gemm", x, net.weights((12, 20), 2, 0.768), bias, transB=1)
    x = net.quant(net.op("Relu", net.normalised(x, 12, 3)), 0.0884, 8, signed=0)
    x = net.op("Gemm", x, net.weights((8, 12), 2, 0.914), net.constant(net.random.normal(size=8)), transB=1)
    x = net.quant(net.op("Relu", net.normalised(x, 8, 9)), 0.5, 2, signed=0)
    return declared(net.model(net.sign(net.op("Gemm", x, net.weights((1, 8), 2, 0.774), transB=1))), "BIPOLAR")


def transposed() -> Model:
    """A model on images with channels last, as in exports of Keras, and scales per channel that are powers of two."""
    net = Net([1, 6, 6, 3], FINN, 9)
    x = net.op("Transpose", net.quant("x", 1 / 8, 5), perm=[0, 3, 1, 2])
    x = net.op("Pad", x, mode="constant", pads=[0, 0, 1, 0, 0, 0, 0, 1], value=0.0)
    numbers = net.constant(net.random.normal(size=(5, 3, 3, 3)))
    scales = 2.0 ** -net.random.integers(1, 4, (5, 1, 1, 1))
    x = net.op("Conv", x, net.quant(numbers, scales, 4), kernel_shape=[3, 3])
    x = net.op("Transpose", x, perm=[0, 2, 3, 1])
    x = net.op("Add", x, net.quant(net.constant(net.random.normal(size=5)), 1 / 8, 6))
    x = net.quant(net.op("Relu", x), 1 / 4, 6, signed=0)
    x = net.op("Mul", x, net.constant(0.3))
    return net.model(net.dense(net.op("Reshape", x, net.constant([1, -1], np.int64)), (3, 125), 3, 0.25))


def shifts() -> Model:
    """A model of integers with RequantShift, as QuantLib and Deeploy write it: convolutions, a residual sum, and
    attention without softmax, whose products are stacks of computed matrices. Small divisors make ties frequent.
    """
    net = Net([1, 3, 8, 8], "PACTOps", 10)
    random = net.random

    def shifted(x: str, factors: Any, addends: Any, divisor: int, levels: int = 256, signed: int = 1) -> str:
        given: dict[str, Any] = {"div": float(divisor), "n_levels_out": [float(levels)], "signed": [float(signed)]}
        return net.op("RequantShift", x, net.constant(factors), net.constant(addends), **given)

    def integers(low: int, high: int, *shape: int) -> str:
        return net.constant(random.integers(low, high + 1, shape))

    def convolved(x: str, inputs: int, divisor: int, signed: int) -> str:
        x = net.op("Conv", x, integers(-8, 7, 6, inputs, 3, 3), kernel_shape=[3, 3], pads=[1] * 4)
        factors, addends = random.integers(-3, 4, (6, 1, 1)), random.integers(-9, 10, (6, 1, 1)) * divisor // 2
        return shifted(x, factors, addends, divisor, signed=signed)

    x = convolved("x", 3, 32, 0)
    added = shifted(convolved(x, 6, 64, 1), 8, 4, 16)
    x = shifted(net.op("Add", added, x), 3, 1, 8, 16, 0)
    x = net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = net.op("Transpose", net.op("Reshape", x, net.constant([1, 6, 16], np.int64)), perm=[0, 2, 1])
    heads: list[str] = []
    for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]):
        sums = net.op("Add", integers(-20, 20, 8), net.op("MatMul", x, integers(-4, 4, 6, 8)))
        part = net.op("Reshape", shifted(sums, 5, 0, 16), net.constant([1, 16, 2, 4], np.int64))
        heads.append(net.op("Transpose", part, perm=order))
    scores = shifted(net.op("MatMul", heads[0], heads[1]), 3, 0, 256)
    x = shifted(net.op("MatMul", scores, heads[2]), 5, 2, 256)
    x = net.op("Reshape", net.op("Transpose", x, perm=[0, 2, 1, 3]), net.constant([1, 128], np.int64))
    x = net.op("Gemm", x, integers(-8, 7, 5, 128), integers(-99, 99, 5), transB=1)
    return net.model(shifted(x, 700000, [1 << 30, -(1 << 30), 0, 1, -1], 1 << 24))


def rounds() -> Model:
    """A model whose quantisers are Div, Round and Clip, followed by Mul, as DeepQuant writes them."""
    net = Net([1, 4, 16], GENERAL, 13)

    def quantised(x: str, scale: float, low: int, high: int) -> str:
        x = net.op("Round", net.op("Add", net.op("Div", x, net.constant(scale)), net.constant(0)))
        limits = (net.op("Cast", net.constant(limit, np.int64), to=1) for limit in (low, high))
        return net.op("Clip", x, *limits)

    def dequantised(x: str, scale: float) -> str:
        return net.op("Mul", net.op("Sub", x, net.constant(0)), net.constant(scale))

    x = quantised(dequantised(quantised("x", 1 / 16, -128, 127), 1 / 16), 1 / 16, -128, 127)
    numbers = net.constant(net.random.normal(size=(8, 16)))
    weights = net.op("Transpose", quantised(numbers, 0.25, -8, 7), perm=[1, 0])
    bias = quantised(net.constant(net.random.normal(size=8)), 1 / 64, -(1 << 31), (1 << 31) - 1)
    sums = dequantised(net.op("Add", bias, net.op("MatMul", x, weights)), 1 / 64)
    x = dequantised(quantised(sums, 1 / 8, -128, 127), 1 / 8)
    return net.model(dequantised(quantised(x, 0.5, 0, 15), 0.5))


MODELS: tuple[Callable[[], Model], ...] = (
    signs,
    images,
    depthwise,
    residual,
    skewed,
    thresholds,
    rounded,
    limited,
    annotated,
    transposed,
    floors,
    shifts,
    rounds,
)


def step_of(model: Model, node: Any, constants: Mapping[str, NDArray[Any]]) -> float:
    """The distance between two adjacent levels of a quantiser's result; for signs, half the distance."""
    if node.op_type == "MultiThreshold":
        given = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        return float(given.get("out_scale", 1.0)) / (2 if given["out_dtype"] == b"BIPOLAR" else 1)
    return float(constants[node.input[1]].ravel()[0])


def inputs_of(shape: list[int], scale: float, samples: int) -> NDArray[np.float32]:
    """Random inputs that are multiples of a scale. If the scale is a power of two, those of every second sample are
    multiples of half the scale.
    """
    random = np.random.default_rng(7)
    x = random.integers(-150, 151, (samples, *shape)).astype(np.float32) * np.float32(scale)
    if np.log2(scale) % 1 == 0:
        x[1::2] /= 2
    return x


def executed(model: Model, samples: int) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the inputs `x`, the integers at each quantiser by the name of its result, and the outputs `y`."""
    wrapper: Any = import_module("qonnx.core.modelwrapper").ModelWrapper
    execute: Any = import_module("qonnx.core.onnx_exec").execute_onnx
    cleanup: Any = import_module("qonnx.util.cleanup").cleanup_model
    constants: dict[str, NDArray[Any]] = {
        tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer
    }
    nodes = [node for node in model.graph.node if node.op_type in QUANTISERS and node.input[0] not in constants]
    shape = [each.dim_value for each in model.graph.input[0].type.tensor_type.shape.dim]
    first = next((node for node in nodes if node.input[0] == model.graph.input[0].name), None)
    x = inputs_of(shape, 1 / 8 if first is None else step_of(model, first, constants), samples)
    clean = cleanup(wrapper(model))
    kind = clean.get_tensor_datatype(clean.graph.input[0].name)
    if kind.is_integer():
        random = np.random.default_rng(7)
        x = random.integers(int(kind.min()), int(kind.max()) + 1, x.shape).astype(np.float32)
        if kind.name == "BIPOLAR":
            x = np.where(x < 0.5, -1, 1).astype(np.float32)
    found: dict[str, list[Any]] = {node.output[0]: [] for node in nodes}
    # cleanup_model renames values; the order of quantisers is the same.
    known = {tensor.name for tensor in clean.graph.initializer}
    renamed = [node.output[0] for node in clean.graph.node if node.op_type in QUANTISERS and node.input[0] not in known]
    y: list[Any] = []
    for each in x:
        values = execute(clean, {clean.graph.input[0].name: each}, return_full_exec_context=True)
        for node, name in zip(nodes, renamed, strict=True):
            found[node.output[0]].append(values[name] / step_of(model, node, constants))
        y.append(values[clean.graph.output[0].name])
    yield "x", x
    yield from ((name, np.rint(np.stack(each)).astype(np.int16)) for name, each in found.items())
    yield "y", np.stack(y).astype(np.float32)


def executed_raws(model: Model, samples: int) -> Iterator[tuple[str, NDArray[Any]]]:
    """The inputs, integers and outputs that `executed` yields, for a QCDQ file, in which the results of Clip are the
    integers.
    """
    onnxruntime: Any = import_module("onnxruntime")
    constants: set[str] = {tensor.name for tensor in model.graph.initializer}
    nodes = [node for node in model.graph.node if node.op_type == "Clip" and node.input[0] not in constants]
    readers = {node.input[0]: node.output[0] for node in model.graph.node if node.op_type == "DequantizeLinear"}
    observed: Any = onnx.ModelProto()
    observed.CopyFrom(model)
    for node in nodes:
        observed.graph.output.append(helper.make_tensor_value_info(node.output[0], onnx.TensorProto.UNDEFINED, None))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    shape = [each.dim_value for each in model.graph.input[0].type.tensor_type.shape.dim]
    x = inputs_of(shape, 1 / 16, samples)
    for node, output in zip(nodes, observed.graph.output[1:], strict=True):
        output.type.tensor_type.elem_type = onnx.TensorProto.INT8 if node is nodes[0] else onnx.TensorProto.UINT8
    session = onnxruntime.InferenceSession(observed.SerializeToString(), options)
    results = [session.run(None, {"x": each}) for each in x]
    yield "x", x
    for number, node in enumerate(nodes, 1):
        yield readers[node.output[0]], np.stack([each[number] for each in results]).astype(np.int16)
    yield "y", np.stack([each[0] for each in results]).astype(np.float32)


def executed_integers(model: Model, samples: int) -> Iterator[tuple[str, NDArray[Any]]]:
    """The inputs, integers and outputs that `executed` yields, for a file with RequantShift or Round, computed in 64
    bits by ONNX's reference implementation.
    """
    reference: Any = import_module("onnx.reference")
    base: Any = import_module("onnx.reference.op_run").OpRun

    class RequantShift(base):
        op_domain = "PACTOps"

        def _run(self, x: Any, mul: Any, add: Any, div: float, n_levels_out: Any, signed: Any) -> Any:
            least = -(int(n_levels_out[0]) // 2) if signed[0] else 0
            sums = (x.astype(np.int64) * mul.astype(np.int64) + add.astype(np.int64)) + int(div) // 2
            return (np.clip(sums // int(div), least, least + int(n_levels_out[0]) - 1).astype(np.float64),)

    wide: Any = onnx.ModelProto()
    wide.CopyFrom(model)
    for tensor in wide.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype == np.float32:
            tensor.CopyFrom(numpy_helper.from_array(array.astype(np.float64), tensor.name))
    shape = [each.dim_value for each in model.graph.input[0].type.tensor_type.shape.dim]
    shifts = [node for node in wide.graph.node if node.op_type == "RequantShift"]
    x = np.random.default_rng(7).integers(-128, 256, (samples, *shape)).astype(np.float32) / (1 if shifts else 32)
    matrices: set[str] = {node.output[0] for node in wide.graph.node if node.op_type == "MatMul"}
    for node in wide.graph.node:
        if node.op_type == "Cast":
            node.attribute[0].i = onnx.TensorProto.DOUBLE
    for node in shifts:
        node.domain = "PACTOps"
        # Shifts of stacks of matrices have no tensor in the program.
        if node.input[0] not in matrices:
            wide.graph.output.append(helper.make_tensor_value_info(node.output[0], onnx.TensorProto.DOUBLE, None))
    outputs = [each.name for each in wide.graph.output]
    run = reference.ReferenceEvaluator(wide, new_ops=[RequantShift]).run
    results = [run(outputs, {"x": each.astype(np.float64)}) for each in x]
    yield "x", x
    for number, name in enumerate(outputs[1:], 1):
        yield name, np.stack([each[number] for each in results]).astype(np.int16)
    yield "y", np.stack([each[0] for each in results]).astype(np.float32)


def main(files: list[str]) -> int:
    if files:
        return check(files)
    expected: dict[str, NDArray[Any]] = {}
    for make in MODELS:
        model, name = make(), make.__name__
        (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())
        execute = {limited: executed_raws, shifts: executed_integers, rounds: executed_integers}.get(make, executed)
        expected |= {f"{name}:{key}": numbers for key, numbers in execute(model, SAMPLES)}
    np.savez_compressed(FOLDER / "expected.npz", allow_pickle=False, **expected)
    return 0


def check(files: list[str]) -> int:
    sys.path.insert(0, str(FOLDER.parents[1]))
    from oracles.quantised_levels import differences

    wrong = 0
    for file in files:
        expected = dict(executed(onnx.load(file), SAMPLES_OF_FILES))
        for name, number, of in differences(file, expected):
            wrong += number
            print(f"{Path(file).name}: {name}: {number} of {of} integers differ")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
