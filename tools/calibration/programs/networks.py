"""Networks of the kinds of layers that models of TensorFlow, PyTorch and ONNX consist of, with random weights.

The micro-programs of `micro_programs` consist of the ops of SeeDot's language. These networks contain the others:
residual additions, depthwise and grouped convolutions, means, hard activations, softmax, normalisation, attention,
recurrent cells, int8 networks in ONNX's QDQ form, and networks of few bits in QONNX. They are written as ONNX models,
which requires `onnx`.

The sizes of a network are drawn. The tables are fitted to the sizes `FITTED` of each kind, and judged by others, which
`make figures ONLY=estimates` measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tinyml.lowering.frontends.onnx.formats import EVEN, ROUNDING

SAMPLES = 32

FITTED = range(2)
"""The sizes that cost tables may be fitted to; all others are held back."""

INT8, FEW_BITS = "int8", "few bits"
"""The beginnings of the kinds of quantised networks."""

BREVITAS = "onnx.brevitas"


@dataclass(frozen=True)
class Network:
    """A network with random weights.

    kind: the kind of its layers.
    size: the number of the draw of its sizes.
    content: the file of the ONNX model.
    shape: the shape of the input, of one sample.
    """

    kind: str
    size: int
    content: bytes
    shape: tuple[int, ...]

    @property
    def is_quantised(self) -> bool:
        """Whether the network has formats of its own."""
        return self.kind.startswith((INT8, FEW_BITS))

    def write(self, folder: Path) -> Path:
        """Write the network and its validation data to a new folder and return the program's file."""
        folder.mkdir()
        x = np.random.default_rng(self.size).normal(0, 1, (SAMPLES, int(np.prod(self.shape))))
        np.savez(folder / "val.npz", x=x.astype(np.float32))
        (folder / "network.onnx").write_bytes(self.content)
        return folder / "network.onnx"


class _Writer:
    """A writer of a chain of ONNX nodes.

    shape: the shape of the last tensor, with a batch of 1.
    quantised: whether weights and results are quantised.
    bits: the bits of weights and of results that QONNX quantises; None for int8 in QDQ form.
    to_even: whether quantised results are rounded once from integers, halves to even, as PyTorch does.
    """

    def __init__(
        self,
        shape: Sequence[int],
        seed: Any,
        *,
        quantised: bool = False,
        bits: int | None = None,
        to_even: bool = False,
    ) -> None:
        self.onnx: Any = import_module("onnx")
        self.random = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.arrays: list[Any] = []
        self.shape: tuple[int, ...] = tuple(shape)
        self.first = tuple(shape)
        self.last = "x"
        self.quantised, self.bits, self.to_even = quantised, bits, to_even
        if quantised:
            if bits is None:
                self.quantise(0.03)
            else:
                self.few_bits(self.last, 0.03, 8)

    def node(self, op: str, *operands: str, results: int = 1, **attributes: Any) -> str:
        names = [f"t{len(self.nodes)}" + (f"_{number}" if number else "") for number in range(results)]
        self.nodes.append(self.onnx.helper.make_node(op, operands, names, f"{op}{len(self.nodes)}", **attributes))
        self.last = names[0]
        return self.last

    def array(self, values: Any, dtype: Any = np.float32) -> str:
        name = f"c{len(self.arrays)}"
        self.arrays.append(self.onnx.numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def weights(self, *shape: int) -> str:
        """Random weights that keep the magnitude of a tensor."""
        drawn = self.random.normal(0, 1.4 / np.sqrt(np.prod(shape[1:])), shape)
        if not self.quantised:
            return self.array(drawn)
        if self.bits is not None:
            return self.few_bits(self.array(drawn), float(np.abs(drawn).max() / 2 ** (self.bits - 1)), self.bits)
        scale = float(np.abs(drawn).max() / 127)
        raws = self.array(np.round(drawn / scale), np.int8)
        return self.node("DequantizeLinear", raws, self.array(scale), self.array(0, np.int8))

    def bias(self, rows: int) -> str:
        return self.array(self.random.normal(0, 0.2, rows))

    def quantise(self, scale: float, zero: int = 3) -> str:
        scales, zeros = self.array(scale), self.array(zero, np.int8)
        self.node("QuantizeLinear", self.last, scales, zeros)
        return self.node("DequantizeLinear", self.last, scales, zeros)

    def few_bits(self, x: str, scale: float, bits: int, *, signed: bool = True) -> str:
        numbers = self.array(scale), self.array(0.0), self.array(bits)
        return self.node("Quant", x, *numbers, domain=BREVITAS, signed=int(signed), narrow=0, rounding_mode="ROUND")

    def done(self) -> str:
        """Quantise the last tensor if the network is quantised, and return the name of the result."""
        if not self.quantised:
            return self.last
        if self.bits is not None:
            is_positive = self.nodes[-1].op_type == "Relu"
            return self.few_bits(self.last, float(self.random.uniform(0.1, 0.3)), self.bits, signed=not is_positive)
        return self.quantise(float(self.random.uniform(0.02, 0.04)), int(self.random.integers(-20, 20)))

    def conv(
        self,
        x: str,
        channels: int | None,
        kernel: tuple[int, int],
        stride: tuple[int, int] = (1, 1),
        padding: tuple[int, int] = (0, 0),
        activation: str = "",
    ) -> str:
        """A convolution; `channels` is None for a depthwise one."""
        before = self.shape[1]
        rows, groups = (before, before) if channels is None else (channels, 1)
        weights = self.weights(rows, before // groups, *kernel)
        self.node(
            "Conv",
            x,
            weights,
            self.bias(rows),
            kernel_shape=kernel,
            strides=stride,
            pads=[*padding, *padding],
            group=groups,
        )
        sizes = (
            (size + 2 * pad - taps) // step + 1
            for size, pad, taps, step in zip(self.shape[2:], padding, kernel, stride, strict=True)
        )
        self.shape = (1, rows, *sizes)
        if activation:
            self.activation(activation)
        return self.done()

    def activation(self, name: str) -> str:
        if name == "Clip":
            return self.node("Clip", self.last, self.array(0.0), self.array(6.0))
        return self.node(name, self.last)

    def add(self, a: str, b: str) -> str:
        self.node("Add", a, b)
        return self.done()

    def pool(self, x: str, kind: str) -> str:
        self.node(kind, x, kernel_shape=(2, 2), strides=(2, 2))
        self.shape = (*self.shape[:2], *(size // 2 for size in self.shape[2:]))
        return self.done()

    def mean(self, x: str) -> str:
        self.node("GlobalAveragePool", x)
        self.shape = (1, self.shape[1], 1, 1)
        return self.done()

    def gemm(self, x: str, rows: int, activation: str = "") -> str:
        length = int(np.prod(self.shape[1:]))
        if len(self.shape) > 2:
            x = self.node("Flatten", x)
        self.node("Gemm", x, self.weights(rows, length), self.bias(rows), transB=1)
        self.shape = (1, rows)
        if activation:
            self.activation(activation)
        return self.done()

    def finish(self) -> bytes:
        helper, proto = self.onnx.helper, self.onnx.TensorProto
        graph = helper.make_graph(
            self.nodes,
            "network",
            [helper.make_tensor_value_info("x", proto.FLOAT, self.first)],
            [self.onnx.ValueInfoProto(name=self.last)],
            self.arrays,
        )
        domains = [helper.make_opsetid("", 20), *([helper.make_opsetid(BREVITAS, 1)] if self.bits else [])]
        content = helper.make_model(graph, opset_imports=domains, ir_version=8)
        if self.to_even:
            helper.set_model_props(content, {ROUNDING: EVEN})
        return bytes(content.SerializeToString())


def _residual_1d(net: _Writer, channels: int, taps: int) -> None:
    a = net.conv(net.last, channels, (1, 5), (1, 2), (0, 2), "Relu" if net.quantised else "Clip")
    b = net.conv(a, None, (1, taps), (1, 1), (0, taps // 2), "Relu")
    b = net.conv(b, channels, (1, 1))
    net.add(a, b)
    net.conv(net.last, channels + 4, (1, 3), (1, 2), (0, 1), "Relu")
    net.mean(net.last)
    net.gemm(net.last, 4)


def _residual_2d(net: _Writer, channels: int, taps: int) -> None:
    a = net.conv(net.last, channels, (taps, taps), (1, 1), (taps // 2, taps // 2), "Relu")
    b = net.conv(a, channels, (taps, taps), (1, 1), (taps // 2, taps // 2), "Relu")
    net.add(a, b)
    net.mean(net.last)
    net.gemm(net.last, 5)


def _inverted(net: _Writer, channels: int, wide: int, activation: str) -> None:
    a = net.conv(net.last, channels, (3, 3), (2, 2), (1, 1), activation)
    b = net.conv(a, wide, (1, 1), activation=activation)
    b = net.conv(b, None, (3, 3), (1, 1), (1, 1), activation)
    b = net.conv(b, channels, (1, 1))
    net.add(a, b)
    net.conv(net.last, wide, (1, 1), activation=activation)
    net.mean(net.last)
    net.gemm(net.last, 3)


def _squeeze(net: _Writer, channels: int, less: int) -> None:
    a = net.conv(net.last, channels, (3, 3), (2, 2), (1, 1), "HardSwish")
    full = net.shape
    net.mean(a)
    net.conv(net.last, less, (1, 1), activation="Relu")
    gate = net.conv(net.last, channels, (1, 1), activation="HardSigmoid")
    net.node("Mul", a, gate)
    net.done()
    net.shape = full
    net.conv(net.last, None, (3, 3), (2, 2), (1, 1), "Relu")
    net.gemm(net.last, 4)


def _pools(net: _Writer, channels: int, kind: str) -> None:
    net.conv(net.last, channels, (3, 3), (1, 1), (1, 1), "Relu")
    net.pool(net.last, kind)
    net.conv(net.last, 2 * channels, (3, 3), activation="Relu")
    net.pool(net.last, kind)
    net.gemm(net.last, 4)


def _separable(net: _Writer, channels: int) -> None:
    net.conv(net.last, channels, (3, 3), (2, 2), (1, 1), "Clip")
    for stride in (1, 2):
        net.conv(net.last, None, (3, 3), (stride, stride), (1, 1), "Clip")
        net.conv(net.last, channels * (1 + stride), (1, 1), activation="Clip")
    net.mean(net.last)
    net.gemm(net.last, 4)
    net.node("Softmax", net.last)


def _dense(net: _Writer, rows: int, activation: str) -> None:
    net.gemm(net.last, rows, activation)
    net.gemm(net.last, rows, activation)
    net.gemm(net.last, 6)
    net.node("Softmax", net.last)


def _attention(net: _Writer, steps: int, width: int) -> None:
    def product(x: str, rows: int, columns: int) -> str:
        return net.node("MatMul", x, net.array(net.random.normal(0, 1.2 / np.sqrt(rows), (rows, columns))))

    def normal(x: str) -> str:
        ones = np.abs(net.random.normal(1, 0.1, width))
        return net.node("LayerNormalization", x, net.array(ones), net.array(net.random.normal(0, 0.1, width)))

    x = net.node("Reshape", net.last, net.array([1, steps, -1], np.int64))
    inputs = int(np.prod(net.first)) // steps
    x = product(x, inputs, width)
    q, k, v = product(x, width, width), product(x, width, width), product(x, width, width)
    k = net.node("Transpose", k, perm=(0, 2, 1))
    weights = net.node("Softmax", net.node("Mul", net.node("MatMul", q, k), net.array(width**-0.5)))
    mixed = product(net.node("MatMul", weights, v), width, width)
    x = normal(net.node("Add", x, mixed))
    wide = net.node("Gelu", product(x, width, 2 * width))
    x = normal(net.node("Add", x, product(wide, 2 * width, width)))
    net.node("ReduceMean", x, net.array([1], np.int64), keepdims=0)
    net.shape = (1, width)
    net.gemm(net.last, 4)


def _recurrent(net: _Writer, cell: str, steps: int, hidden: int) -> None:
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[cell]
    inputs = int(np.prod(net.first)) // steps
    x = net.node("Reshape", net.last, net.array([steps, 1, inputs], np.int64))
    w = net.array(net.random.normal(0, 1 / np.sqrt(inputs), (1, gates * hidden, inputs)))
    r = net.array(net.random.normal(0, 1 / np.sqrt(hidden), (1, gates * hidden, hidden)))
    b = net.array(net.random.normal(0, 0.2, (1, 2 * gates * hidden)))
    more = {"linear_before_reset": 1} if cell == "GRU" else {}
    net.node(cell, x, w, r, b, results=2, hidden_size=hidden, **more)
    net.last = f"{net.last}_1"
    net.node("Reshape", net.last, net.array([1, hidden], np.int64))
    net.shape = (1, hidden)
    net.gemm(net.last, 4)


def _elementwise(net: _Writer, channels: int, activation: str) -> None:
    a = net.conv(net.last, channels, (3, 3), (1, 1), (1, 1), activation)
    b = net.conv(a, channels, (1, 1), activation=activation)
    c = net.node("Mul", a, b)
    c = net.node("Concat", c, a, axis=1)
    net.shape = (1, 2 * channels, *net.shape[2:])
    net.conv(c, channels, (1, 1), (2, 2))
    net.gemm(net.last, 3)


_Drawn = tuple[tuple[int, ...], tuple[Any, ...]]
"""The shape of an input, and the arguments of a kind's function."""


def _numbers(random: np.random.Generator, *ranges: tuple[int, int]) -> list[int]:
    return [int(random.integers(low, high + 1)) for low, high in ranges]


def _signal(random: np.random.Generator) -> _Drawn:
    axes, length, channels = _numbers(random, (1, 6), (24, 64), (6, 16))
    return (1, axes, 1, length), (channels, int(random.choice((3, 5))))


def _image(random: np.random.Generator, *arguments: Any) -> _Drawn:
    """A square image, and a number of channels for the network's layers, followed by the given arguments."""
    before, side, channels = _numbers(random, (1, 3), (8, 16), (4, 10))
    return (1, before, side, side), (channels, *arguments)


def _widened(random: np.random.Generator, activation: str) -> _Drawn:
    return _image(random, int(random.integers(9, 25)), activation)


def _sequence(random: np.random.Generator, cell: str = "") -> _Drawn:
    steps, inputs, width = _numbers(random, (6, 14), (3, 8), (7, 18))
    return (1, steps * inputs), (cell, steps, width) if cell else (steps, 2 * (width // 2))


def _vector(random: np.random.Generator, activation: str) -> _Drawn:
    length, rows = _numbers(random, (9, 50), (10, 30))
    return (1, length), (rows, activation)


KINDS: Mapping[str, tuple[Callable[..., None], Callable[[np.random.Generator], _Drawn]]] = {
    "residual 1-D": (_residual_1d, _signal),
    "residual 2-D": (_residual_2d, lambda random: _image(random, 3)),
    "hard swish": (_inverted, lambda random: _widened(random, "HardSwish")),
    "inverted residual": (_inverted, lambda random: _widened(random, str(random.choice(("Clip", "Relu"))))),
    "squeeze": (_squeeze, lambda random: _image(random, int(random.integers(2, 6)))),
    "pools": (_pools, lambda random: _image(random, str(random.choice(("MaxPool", "AveragePool"))))),
    "separable": (_separable, _image),
    "dense": (_dense, lambda random: _vector(random, str(random.choice(("HardSigmoid", "Elu", "Tanh"))))),
    "attention": (_attention, _sequence),
    "GRU": (_recurrent, lambda random: _sequence(random, "GRU")),
    "LSTM": (_recurrent, lambda random: _sequence(random, "LSTM")),
    "RNN": (_recurrent, lambda random: _sequence(random, "RNN")),
    "elementwise": (
        _elementwise,
        lambda random: _image(random, str(random.choice(("LeakyRelu", "Sigmoid", "Tanh", "Softplus")))),
    ),
    "int8 residual 1-D": (_residual_1d, _signal),
    "int8 residual 2-D": (_residual_2d, lambda random: _image(random, 3)),
    "int8 inverted residual": (_inverted, lambda random: _widened(random, "Relu")),
    "int8 squeeze": (_squeeze, lambda random: _image(random, int(random.integers(2, 6)))),
    "int8 pools": (_pools, lambda random: _image(random, str(random.choice(("MaxPool", "AveragePool"))))),
    "int8 even residual 1-D": (_residual_1d, _signal),
    "int8 even inverted residual": (_inverted, lambda random: _widened(random, "Relu")),
    "int8 even squeeze": (_squeeze, lambda random: _image(random, int(random.integers(2, 6)))),
    "int8 even pools": (_pools, lambda random: _image(random, str(random.choice(("MaxPool", "AveragePool"))))),
    "few bits residual": (_residual_2d, lambda random: _image(random, 3)),
    "few bits inverted residual": (_inverted, lambda random: _widened(random, "Relu")),
}


def network(kind: str, size: int) -> Network:
    """The network of a kind with the sizes of draw `size`."""
    seed = [size, *kind.encode()]
    shape, arguments = KINDS[kind][1](np.random.default_rng(seed))
    bits = size % 3 + 3 if kind.startswith(FEW_BITS) else None
    writer = _Writer(shape, seed, quantised=kind.startswith((INT8, FEW_BITS)), bits=bits, to_even="even" in kind)
    KINDS[kind][0](writer, *arguments)
    return Network(kind, size, writer.finish(), shape)


def networks(sizes: Iterable[int]) -> Iterator[Network]:
    """The networks of all kinds, for each of the given sizes."""
    return (network(kind, size) for size in sizes for kind in KINDS)
