"""Random quantised networks in ONNX's QDQ form with floating-point parts, dilation and several outputs."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import onnx
from oracles.onnx_models import model, node, number


class Network:
    """A chain of nodes under construction.

    size: approximately the standard deviation of the last tensor.
    """

    def __init__(self, random: Random):
        self.random = random
        self.constants = np.random.default_rng(random.randrange(1 << 30))
        self.nodes: list[onnx.NodeProto] = []
        self.arrays: dict[str, Any] = {}
        self.outputs: list[str] = []
        self.last, self.size = "x", 1.0
        # Channels come first.
        self.shape = random.randint(1, 4), random.randint(3, 8), random.randint(3, 8)
        self.first_shape = [1, *self.shape]

    def add(self, op: str, *operands: str, **attributes: Any) -> None:
        """Add a node that reads the last tensor, and make its result the last tensor."""
        name = f"t{len(self.nodes)}"
        self.nodes.append(node(op, " ".join([self.last, *operands]), name, **attributes))
        self.last = name

    def array(self, values: Any, dtype: Any = np.float32) -> str:
        name = f"c{len(self.arrays)}"
        self.arrays[name] = np.asarray(values, dtype)
        return name

    def quantised(self) -> None:
        """Add QuantizeLinear and DequantizeLinear with a range that suits the last tensor."""
        scale = self.array(self.size * self.random.uniform(1, 4) / 100)
        zero = self.array(self.random.randint(-60, 60), np.int8)
        self.add("QuantizeLinear", scale, zero)
        self.add("DequantizeLinear", scale, zero)

    def weights(self, shape: tuple[int, ...]) -> str:
        """Add weights of 8 bits or in floats, and return the name of the tensor."""
        if self.random.random() < 0.4:
            return self.array(self.constants.normal(0, 0.3, shape))
        raws = self.array(self.constants.integers(-127, 128, shape), np.int8)
        name = f"t{len(self.nodes)}"
        zero = self.array(0, np.int8)
        self.nodes.append(node("DequantizeLinear", f"{raws} {self.array(0.005)} {zero}", name))
        return name

    def convolution(self) -> None:
        channels, *image = self.shape
        gaps = [self.random.choice([1, 1, 2, 3]) for _ in image]
        kernel = [
            self.random.randint(1, min(3, 1 + (extent - 1) // gap)) for extent, gap in zip(image, gaps, strict=True)
        ]
        rows = self.random.randint(1, 5)
        out = [extent - (size - 1) * gap for extent, size, gap in zip(image, kernel, gaps, strict=True)]
        self.add("Conv", self.weights((rows, channels, *kernel)), kernel_shape=kernel, dilations=gaps)
        self.shape = rows, *out
        self.size *= 0.3 * (channels * kernel[0] * kernel[1]) ** 0.5

    def elementwise(self) -> None:
        match self.random.choice(["Relu", "LeakyRelu", "Tanh", "Sigmoid", "Add", "Mul", "Clip"]):
            case "Add" | "Mul" as op:
                self.add(
                    op, self.array(self.constants.normal(0, self.size if op == "Add" else 1, (self.shape[0], 1, 1)))
                )
            case "Clip":
                self.add("Clip", self.array(number(0)), self.array(number(self.size)))
            case op:
                self.add(op)
                self.size = min(self.size, 1.0) if op in ("Tanh", "Sigmoid") else self.size

    def pool(self) -> None:
        channels, height, width = self.shape
        if min(height, width) > 1:
            self.add(self.random.choice(["MaxPool", "AveragePool"]), kernel_shape=[2, 2])
            self.shape = channels, height - 1, width - 1

    def finish(self) -> onnx.ModelProto:
        outputs = [*dict.fromkeys([self.last, *self.outputs])]
        return model(self.nodes, self.first_shape, self.arrays, outputs=outputs)


def random_onnx(random: Random) -> onnx.ModelProto:
    """A random network with at least one quantised tensor; its input and its outputs need not be quantised."""
    network = Network(random)
    if random.random() < 0.6:
        network.quantised()
    for _ in range(random.randint(1, 4)):
        random.choice([Network.convolution, Network.elementwise, Network.pool])(network)
        if random.random() < 0.7:
            network.quantised()
        if random.random() < 0.3:
            network.outputs.append(network.last)
    if random.random() < 0.8 or all(each.op_type != "QuantizeLinear" for each in network.nodes):
        network.quantised()
    network.outputs = [name for name in network.outputs if name != "x"]
    return network.finish()
