"""The head detectors Face-A, Face-B and Face-C of MinUn (2021, table 7) as ONNX models, with the published weights.

A detector has a convolution of stride 2, RNNPool (Saha et al., NeurIPS 2020), and bottlenecks (MBConv). Some
bottlenecks are followed by two convolutions for confidences and boxes. In RNNPool, one FastGRNN reads the rows and the
columns of each patch, and a second one reads the last states of the first, in both directions. RNNPool is a Scan over
bands of the image that contains a Scan over the patches of the band. Memory therefore contains the states of all
patches, but never the patches.

Layers that the table does not specify are those of the published programs (microsoft/EdgeML, tools/SeeDot:
model/rnnpool/face-2, face-3 and face-4). Their weights are published in fixed point, with ranges that determine the
scales. `parameters` reads them from an .npz file with the names of these programs: `CBR1F` and so on for the first
convolution, `W1 U1 Bg1 Bh1 W2 ..` for the cells, `L{n}F1 L{n}B1 L{n}W1 ..` for bottlenecks, `normW{k}`, `conf{k}w`,
`loc{k}w` and so on for heads. Filters are groups x height x width x channels in x channels out, and every convolution
of a bottleneck is (conv(x) + B) * W.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array: TypeAlias = "NDArray[np.float32]"

HIDDEN, CHANNELS = 16, 4
"""Numbers of a hidden state, and channels of the first convolution."""

BOX, BACKGROUNDS = 4, 3
"""Numbers of a box, and confidences of the first head for the background, of which the greatest counts."""

INPUT_SCALE, MEAN = 138.0, 117.312
"""The model takes (gray - MEAN) / INPUT_SCALE, which lies in [-1, 1]."""


@dataclass(frozen=True)
class Face:
    """The architecture of a detector.

    patch: the side of a patch in pixels, which is twice the stride.
    bottlenecks: the (channels, stride) of each bottleneck.
    heads: the index of the bottleneck before each head, mapped to whether the vectors of channels are normalised for
        the head.
    priors: for each head, the stride and the side of its boxes, in pixels of the image.
    height, width: the extents of the image.
    """

    patch: int
    bottlenecks: Sequence[tuple[int, int]]
    heads: Mapping[int, bool]
    priors: Sequence[tuple[int, int]]
    height: int = 240
    width: int = 320

    @property
    def counts(self) -> list[int]:
        """The number of boxes of each head."""
        return [(self.height // step) * (self.width // step) for step, _ in self.priors]


LARGE = ((8, 8), (8, 16), (16, 32), (16, 48))

FACES = {
    "face-a": Face(
        8,
        [*[(32, 1)] * 8, (96, 2), (96, 1), (96, 1), *[(128, 1)] * 3],
        {3: True, 7: True, 10: True, 13: False},
        LARGE,
    ),
    "face-b": Face(
        16,
        [(32, 1), (96, 1), (96, 1), (128, 1)],
        {0: True, 1: True, 3: True},
        ((16, 16), (16, 32), (16, 48)),
    ),
    "face-c": Face(8, [(32, 1), (32, 1), (64, 2), (64, 1)], {0: True, 1: True, 2: True, 3: False}, LARGE),
}


def parameters(face: Face, file: Path) -> dict[str, Array]:
    """The parameters of a detector, with scales multiplied into the weights, from a file of the published arrays."""
    with np.load(file) as arrays:
        given = {name: np.asarray(arrays[name], np.float32) for name in arrays.files}
    scale = given["CBR1W"].reshape(-1)
    made = {"F": given["CBR1F"] * scale * np.float32(INPUT_SCALE), "B": given["CBR1B"] * scale}
    for cell in "12":
        made |= {f"{name}{cell}": given[f"{name}{cell}"] for name in "WU"}
        made |= {f"{name}{cell}": given[f"{name}{cell}"].reshape(-1, 1) for name in ("Bg", "Bh")}
    for number in range(len(face.bottlenecks)):
        for stage in "123":
            filter, bias, scale = (given[f"L{number}{name}{stage}"] for name in "FBW")
            made[f"L{number}F{stage}"] = filter * (scale.reshape(-1, 1, 1, 1, 1) if stage == "2" else scale)
            made[f"L{number}B{stage}"] = bias * scale
    for index, (number, normalised) in enumerate(face.heads.items()):
        scale = given[f"normW{index + 1}"].reshape(-1, 1) if normalised else np.float32(1)
        for letter, name in (("C", "conf"), ("P", "loc")):
            made[f"{letter}{number}F"], made[f"{letter}{number}B"] = (
                given[f"{name}{index}w"] * scale,
                given[f"{name}{index}b"],
            )
    return made


def random_parameters(face: Face, random: np.random.Generator) -> dict[str, Array]:
    """Random parameters with which the magnitude of activations is about the same in all layers."""
    made: dict[str, Array] = {}

    def uniform(name: str, shape: Sequence[int], size: float, centre: float = 0.0) -> None:
        made[name] = (centre + random.uniform(-size, size, shape)).astype(np.float32)

    def convolution(filter: str, bias: str, shape: Sequence[int]) -> None:
        uniform(filter, shape, (3.0 / np.prod(shape[1:4])) ** 0.5)
        uniform(bias, (shape[0] * shape[4],), 0.3)

    convolution("F", "B", (1, 3, 3, 1, CHANNELS))
    for cell, inputs in (("1", CHANNELS), ("2", HIDDEN)):
        for letter, columns in (("W", inputs), ("U", HIDDEN)):
            uniform(letter + cell, (HIDDEN, columns), 1.5 / columns**0.5)
        uniform(f"Bg{cell}", (HIDDEN, 1), 0.5, 0.5)
        uniform(f"Bh{cell}", (HIDDEN, 1), 0.5)
    inside = 4 * HIDDEN
    for number, (channels, _) in enumerate(face.bottlenecks):
        wide = 2 * inside
        for stage, shape in enumerate(((1, 1, 1, inside, wide), (wide, 3, 3, 1, 1), (1, 1, 1, wide, channels)), 1):
            convolution(f"L{number}F{stage}", f"L{number}B{stage}", shape)
        inside = channels
        if number in face.heads:
            confidences = BACKGROUNDS + 1 if number == min(face.heads) else 2
            convolution(f"C{number}F", f"C{number}B", (1, 3, 3, channels, confidences))
            convolution(f"P{number}F", f"P{number}B", (1, 3, 3, channels, BOX))
    return made


@dataclass
class _Graph:
    """A graph under construction.

    name: the prefix of the names of its values.
    constants: the constants of the whole model, by name.
    """

    name: str
    constants: dict[str, NDArray[Any]]
    nodes: list[onnx.NodeProto] = field(default_factory=list[onnx.NodeProto])

    def op(self, kind: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        """Append a node and return the name of its output.

        kind: the type of the node.
        name: the name of the output; None for a generated name.
        """
        name = name or f"{self.name}_{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants[name] = value
        return name

    def integers(self, *values: int) -> str:
        return self.constant("integers_" + "_".join(map(str, values)).replace("-", "m"), np.array(values, np.int64))

    def part(self, value: str, axis: int, start: int, end: int) -> str:
        return self.op("Slice", value, *map(self.integers, (start, end, axis)))

    def repeated(self, value: str, count: int, name: str | None = None) -> str:
        """Append nodes that extend a sequence to `count` elements, by repeating its last element."""
        return self.op("Concat", value, self.part(value, 0, count - 1, count), axis=0, name=name)

    def halves(self, value: str, shape: Sequence[int]) -> tuple[str, str]:
        """Append nodes that compute, from a sequence of `shape`, the sequence without its last element and the sequence
        without its first. Return both names.
        """
        whole, count = self.op("Reshape", value, self.integers(*shape)), shape[0]
        return self.part(whole, 0, 0, count - 1), self.part(whole, 0, 1, count)

    def scan(
        self, name: str, body: _Graph, states: Mapping[str, str], steps: Mapping[str, str], **attributes: Any
    ) -> str:
        """Append a Scan and return its only output, which is that of the last node of the body.

        states, steps: names in the body, mapped to values of this graph.
        """
        inputs = [
            helper.make_tensor_value_info(x, TensorProto.FLOAT, None) for x in (*states.values(), *steps.values())
        ]
        output = helper.make_tensor_value_info(body.nodes[-1].output[0], TensorProto.FLOAT, None)
        graph = helper.make_graph(body.nodes, f"{name}_body", inputs, [output])
        return self.op("Scan", *states, *steps, name=name, body=graph, num_scan_inputs=len(steps), **attributes)


class _Model(_Graph):
    """The model of a detector under construction."""

    def __init__(self, face: Face, given: Mapping[str, Array]):
        super().__init__("image", {name: given[name] for name in given if name[-1] in "12" and name[0] in "WUB"})
        self.face = face
        self.given = given
        self.constant("one", np.ones((1, 1), np.float32))
        self.constant("start", np.zeros((HIDDEN, 1), np.float32))

    def convolution(self, x: str, filter: str, bias: str, stride: int = 1, relu: str | None = None) -> str:
        """Append a convolution with zero padding that preserves the extents of the image.

        relu: the name of the result after a relu; None for no relu.
        x: the name of the operand.
        filter, bias: names of parameters in `given`.
        """
        groups, height, width, inside, outside = self.given[filter].shape
        shape = groups * outside, inside, height, width
        weights = self.constant(filter, self.given[filter].transpose(0, 4, 3, 1, 2).reshape(shape))
        bias = self.constant(bias, self.given[bias].reshape(-1))
        pads = [height // 2, width // 2] * 2
        made = self.op("Conv", x, weights, bias, strides=[stride] * 2, pads=pads, group=groups)
        if relu is None:
            return made
        limits = (self.constant(name, np.asarray(limit, np.float32)) for name, limit in (("least", 0), ("most", 6)))
        return self.op("Clip", made, *limits, name=relu)

    def last_state(self, to: _Graph, name: str, cell: str, sequence: str, backwards: bool = False) -> str:
        """Append a FastGRNN (zeta 1, nu 0) that reads a sequence of columns, and return the name of its last state.

        to: the graph to which it is appended.
        name: the prefix of the names of its values.
        cell: `1` or `2`, the suffix of the names of its parameters.
        backwards: true to read the sequence from its end.
        """
        body, x, state = _Graph(name, self.constants), f"{name}_x", f"{name}_h"
        sum = body.op("Add", body.op("MatMul", f"W{cell}", x), body.op("MatMul", f"U{cell}", state))
        gate = body.op("Sigmoid", body.op("Add", sum, f"Bg{cell}"))
        new = body.op("Tanh", body.op("Add", sum, f"Bh{cell}"))
        rest = body.op("Mul", body.op("Sub", "one", gate), new)
        body.op("Add", body.op("Mul", gate, state), rest)
        return to.scan(name, body, {"start": state}, {sequence: x}, scan_input_directions=[int(backwards)])

    def patch_states(self) -> _Graph:
        """A graph that computes the states for a patch from its left and its right half, each (columns, rows,
        channels).
        """
        body, side = _Graph("patch", self.constants), self.face.patch
        patch = body.op("Concat", "left", "right", axis=0)
        ends: list[str] = []
        for name, order in (("rows", [1, 0, 2]), ("columns", [0, 1, 2])):
            lines = body.op("Reshape", body.op("Transpose", patch, perm=order), body.integers(side, side, CHANNELS, 1))
            line = _Graph(f"{name}_line", self.constants)
            line.op("Identity", self.last_state(line, f"{name}_read", "1", f"{name}_line"))
            states = body.scan(name, line, {}, {lines: f"{name}_line"})
            ends += [self.last_state(body, f"{name}_{at}", "2", states, at == "back") for at in ("forth", "back")]
        body.op("Reshape", body.op("Concat", *ends, axis=0), body.integers(4 * HIDDEN))
        return body

    def pool(self, pixels: str) -> str:
        """Append RNNPool over overlapping patches; the last row and column of the result copy the preceding ones.

        pixels: the name of the image.
        """
        half = self.face.patch // 2
        rows, columns = self.face.height // 2 // half, self.face.width // 2 // half
        above, below = self.halves(
            self.op("Transpose", pixels, perm=[0, 2, 3, 1]), (rows, half, columns * half, CHANNELS)
        )
        band = _Graph("band", self.constants)
        turned = band.op("Transpose", band.op("Concat", "above", "below", axis=0), perm=[1, 0, 2])
        left, right = band.halves(turned, (columns, half, 2 * half, CHANNELS))
        line = band.scan("band_patches", self.patch_states(), {}, {left: "left", right: "right"})
        band.repeated(line, columns - 1)
        pooled = self.repeated(self.scan("bands", band, {}, {above: "above", below: "below"}), rows - 1)
        image = self.op("Reshape", pooled, self.integers(1, rows, columns, 4 * HIDDEN))
        return self.op("Transpose", image, perm=[0, 3, 1, 2], name="pooled")

    def head(self, number: int, value: str) -> Iterator[str]:
        """Yield the names of the confidences and the boxes of a head, in which the numbers of each box are adjacent."""
        if self.face.heads[number]:
            value = self.op("LpNormalization", value, axis=1, p=2)
        confidences = self.convolution(value, f"C{number}F", f"C{number}B")
        if number == min(self.face.heads):
            backgrounds = self.part(confidences, 1, 0, BACKGROUNDS)
            greatest = self.op("ReduceMax", backgrounds, self.integers(1), keepdims=1)
            confidences = self.op("Concat", greatest, self.part(confidences, 1, BACKGROUNDS, BACKGROUNDS + 1), axis=1)
        for image, length in ((confidences, 2), (self.convolution(value, f"P{number}F", f"P{number}B"), BOX)):
            pixels = self.op("Transpose", image, perm=[0, 2, 3, 1])
            yield self.op("Reshape", pixels, self.integers(1, -1, length))

    def build(self) -> onnx.ModelProto:
        face, inside = self.face, 4 * HIDDEN
        x = self.pool(self.convolution("x", "F", "B", 2, "pixels"))
        heads: list[list[str]] = []
        for number, (channels, stride) in enumerate(face.bottlenecks):
            name = f"L{number}"
            wide = self.convolution(x, f"{name}F1", f"{name}B1", relu=f"{name}_wide")
            read = self.convolution(wide, f"{name}F2", f"{name}B2", stride, f"{name}_read")
            made = self.convolution(read, f"{name}F3", f"{name}B3")
            x = self.op("Add", x, made, name=name) if (channels, stride) == (inside, 1) else made
            inside = channels
            if number in face.heads:
                heads.append(list(self.head(number, x)))
        outputs: list[onnx.ValueInfoProto] = []
        for name, length, parts in zip(("scores", "boxes"), (2, BOX), zip(*heads, strict=True), strict=True):
            self.op("Concat", *parts, axis=1, name=name)
            outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, sum(face.counts), length]))
        image = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, face.height, face.width])
        constants = [numpy_helper.from_array(np.ascontiguousarray(v), name) for name, v in self.constants.items()]
        graph = helper.make_graph(self.nodes, "face", [image], outputs, constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def face_model(face: Face, given: Mapping[str, Array]) -> onnx.ModelProto:
    """The model of a detector: from an image to the scores (1, boxes, 2) and the offsets (1, boxes, 4) of its heads."""
    return _Model(face, given).build()
