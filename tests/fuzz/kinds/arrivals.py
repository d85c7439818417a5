"""Random ONNX networks with channels first, whose input is in memory or is provided by a callback row by row."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from programs.printed import WARNING_FLAGS

from fuzz.verdicts import ACCEPTED, TINYML, Harm, call
from tinyml.dialects.context import context
from tinyml.runtime.devices.device import DeviceError
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.schedules.table import schedule_names

SAMPLES = 6
ACTIVATIONS = ("Relu", "Tanh", "Sigmoid", "LeakyRelu")
FORMATS = (("fixed", 8), ("fixed", 16), ("posit", 8), ("zskew", 8))


class Images:
    """A network under construction, on an image of shape (1, channels, rows, columns)."""

    def __init__(self, random: Random):
        self.random = random
        self.numbers = np.random.default_rng(random.randrange(1 << 30))
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, Any] = {}
        self.first = self.shape = random.randint(1, 4), random.randint(4, 10), random.randint(4, 10)
        self.last = "x"

    def add(self, kind: str, *constants: Any, **attributes: Any) -> None:
        """Add a node whose inputs are the last result and the given constants."""
        names = [f"c{len(self.constants) + i}" for i in range(len(constants))]
        self.constants |= dict(zip(names, constants, strict=True))
        result = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [self.last, *names], [result], **attributes))
        self.last = result

    def convolution(self) -> None:
        """Add a convolution, which may be dilated, strided, padded or grouped."""
        random, (channels, rows, columns) = self.random, self.shape
        dilations = [random.choice([1, 1, 2, 3]) for _ in range(2)]
        kernel = [
            random.randint(1, max(min(3, (extent - 1) // dilation + 1), 1))
            for extent, dilation in zip((rows, columns), dilations, strict=True)
        ]
        pads = [random.randint(0, size - 1) for size in kernel] * 2
        strides = [random.randint(1, 2) for _ in range(2)]
        groups = random.choice([1, 1, channels])
        filters = groups * random.randint(1, 3)
        weights = self.numbers.normal(size=(filters, channels // groups, *kernel)) / np.prod(kernel)
        bias = self.numbers.normal(size=filters)
        self.add(
            *("Conv", weights.astype(np.float32), bias.astype(np.float32)),
            dilations=dilations, kernel_shape=kernel, pads=pads, strides=strides, group=groups,
        )  # fmt: skip
        extents = [
            (extent + 2 * pads[i] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1
            for i, extent in enumerate((rows, columns))
        ]
        self.shape = filters, extents[0], extents[1]

    def pool(self) -> None:
        channels, rows, columns = self.shape
        if min(rows, columns) > 1:
            kind = self.random.choice(["MaxPool", "AveragePool"])
            self.add(kind, kernel_shape=[2, 2], strides=[2, 2])
            self.shape = channels, rows // 2, columns // 2

    def activation(self) -> None:
        self.add(self.random.choice(ACTIVATIONS))

    def finish(self) -> onnx.ModelProto:
        """The finished network, which returns its last result, as an image or flat, and possibly an earlier result."""
        outputs = [self.last]
        if self.random.random() < 0.5:
            self.add("Flatten")
            outputs = [self.last]
        if len(self.nodes) > 1 and self.random.random() < 0.4:
            outputs.append(self.nodes[self.random.randrange(len(self.nodes) - 1)].output[0])
        real = onnx.TensorProto.FLOAT
        graph = helper.make_graph(
            self.nodes,
            "network",
            [helper.make_tensor_value_info("x", real, [1, *self.first])],
            [helper.make_tensor_value_info(name, real, None) for name in dict.fromkeys(outputs)],
            [numpy_helper.from_array(array, name) for name, array in self.constants.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def network(random: Random) -> Images:
    """A random network; `Images.finish` returns its model."""
    made = Images(random)
    made.convolution()
    for _ in range(random.randint(0, 4)):
        random.choice([Images.convolution, Images.convolution, Images.pool, Images.activation])(made)
    return made


def arrivals(number: int, random: Random, folder: Path) -> str:
    """Compile a network whose input is in memory or is provided by a callback, and return the verdict.

    Raises `Harm` if the C compiles with warnings, or if the sanitized host build does not compute the evaluator's bits.
    """
    made = network(random)
    (folder / "network.onnx").write_bytes(made.finish().SerializeToString())
    x = np.random.default_rng(number).normal(size=(SAMPLES, int(np.prod(made.first)))).astype(np.float32)
    np.savez(folder / "x.npz", x=x)
    format, width = random.choice(FORMATS)
    plan, arrives = random.choice(schedule_names()), random.choice(["callback", "callback", "memory"])
    out = folder / "out"
    verdict = call(
        *(TINYML, "compile", folder / "network.onnx", "--val", folder / "x.npz", "-o", out, "--target", "host"),
        *("--format", format, "--width", str(width), "--plan", plan, "--input", arrives),
    )
    if verdict != ACCEPTED:
        return verdict
    formats = load_program(out / "ir" / "1-formats.mlir", context())
    interface, raws, runner = interface_of(formats), encode_inputs(formats, x), HostRunner(sanitize=True)
    expected = evaluate(formats, raws)
    try:
        built = runner.build(out, interface, folder / "build", extra_flags=WARNING_FLAGS)
        result = runner.run(built, interface, raws)
    except DeviceError as error:
        raise Harm("sanitizer", str(error)) from error
    if (different := first_mismatch(expected, Outputs(result.labels, result.scores, result.more))) is not None:
        raise Harm("mismatch", f"{format} {width}, {plan}, {arrives}: {different}")
    return verdict
