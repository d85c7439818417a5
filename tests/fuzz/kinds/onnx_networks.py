"""Small ONNX networks, on images, on sequences and in quantised numbers, with changed structure or bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import Message
from onnx import helper, numpy_helper
from oracles.onnx_models import FLOAT, model, node, number

from fuzz.kinds.files import damaged
from fuzz.verdicts import OPT, TINYML, call


@cache
def networks() -> Sequence[onnx.ModelProto]:
    """Three small models: a convolutional network, a network with a scan and a GRU, and a quantised network."""
    random = np.random.default_rng(0)

    def reals(*shape: int) -> Any:
        return random.normal(size=shape).astype(np.float32)

    images = [
        node("Conv", "x w b", "c", pads=[1, 1, 1, 1], group=1),
        node("BatchNormalization", "c b b b v", "n"),
        node("Clip", "n zero six", "r"),
        node("AveragePool", "r", "a", kernel_shape=[2, 2], count_include_pad=1, pads=[0, 0, 1, 1]),
        node("Concat", "a a", "k", axis=1),
        node("Shape", "k", "s", start=0, end=1),
        node("Concat", "s rest", "t", axis=0),
        node("Reshape", "k t", "f"),
        node("Gemm", "f g", "y"),
    ]
    constants = {"w": reals(3, 2, 3, 3), "b": reals(3), "v": np.ones(3, np.float32), "g": reals(96, 4)}
    constants |= {"zero": number(0), "six": number(6), "rest": np.array([-1])}
    body = helper.make_graph(
        [node("MatMul", "t w", "m"), node("Add", "h m", "o")],
        "body",
        [helper.make_tensor_value_info(name, FLOAT, [1, 3]) for name in ("h", "t")],
        [helper.make_tensor_value_info("o", FLOAT, [1, 3])],
    )
    loops = [
        node("Scan", "i x", "z", body=body, num_scan_inputs=1, scan_input_axes=[1]),
        node("GRU", "x u r", "- p", hidden_size=3, layout=1),
        node("Squeeze", "p one", "q"),
        node("Greater", "z zero", "a"),
        node("Cast", "a", "c", to=FLOAT),
        node("Gather", "c first", "g", axis=1),
        node("Mul", "q g", "y"),
    ]
    weights = {"i": reals(1, 3), "w": reals(3, 3), "u": reals(1, 9, 3), "r": reals(1, 9, 3), "zero": number(0)}
    weights |= {"one": np.array([1]), "first": np.array([0])}
    raws = [
        node("QuantizeLinear", "x s z", "q"),
        node("QLinearConv", "q s z w t u s z", "c"),
        node("DequantizeLinear", "c s z", "d"),
        node("Relu", "d", "r"),
        node("QuantizeLinear", "r s z", "e"),
        node("DequantizeLinear", "e s z", "y"),
    ]
    numbers = {"s": number(0.1), "t": np.array([0.1, 0.2], np.float32), "z": np.array(3, np.uint8)}
    numbers |= {"w": np.ones((2, 2, 1, 1), np.int8), "u": np.zeros(2, np.int8)}
    return (
        model(images, ["N", 2, 4, 4], constants),
        model(loops, [1, 5, 3], weights),
        model(raws, [1, 2, 3, 3], numbers),
    )


COMPILED, LOWERED = 0.005, 0.05
"""The parts of the cases that are compiled, and that are lowered to loops."""

DEEPEST = 10
"""So many graphs are put into each other; protobuf copies no messages below 100 others, three for each graph."""

EXTENTS = (0, 1, -1, 2, 3, 1 << 20, 1 << 40, (1 << 63) - 1, -(1 << 63))
NAMES = ("", "x", "y", "w", "c", "nowhere")
OPS = (
    "Relu",
    "Conv",
    "Add",
    "Scan",
    "LSTM",
    "Gather",
    "Slice",
    "Pad",
    "Expand",
    "Tile",
    "Range",
    "Split",
    "Erf",
    "ReduceMean",
    "MatMul",
    "Reshape",
    "ConstantOfShape",
    "DequantizeLinear",
    "MaxPool",
    "ConvTranspose",
    "Resize",
)


def changed_list(values: Any, choices: Sequence[Any], random: Random) -> None:
    """Replace or remove an element of a repeated protobuf field, or append one.

    choices: possible new elements; an appended element may also be a copy of another one.
    """
    index = random.randrange(len(values)) if values else 0
    match random.randrange(3):
        case 0 if values:
            values[index] = random.choice(choices)
        case 1 if values:
            del values[index]
        case _:
            values.append(random.choice([*values, *choices]))


def change_node(graph: onnx.GraphProto, random: Random) -> None:
    each = random.choice(graph.node)
    names = [*NAMES, *(name for node in graph.node for name in (*node.input, *node.output))]
    match random.randrange(5):
        case 0:
            each.op_type = random.choice(OPS)
        case 1:
            changed_list(each.input, names, random)
        case 2:
            changed_list(each.output, names, random)
        case 3 if each.attribute:
            change_attribute(random.choice(each.attribute), random)
        case _:
            attributes = ["axis", "axes", "pads", "group", "perm", "to", "strides", "kernel_shape", "value", "keepdims"]
            value = random.choice([random.choice(EXTENTS), [random.choice(EXTENTS)] * random.randint(1, 4), 0.5, "x"])
            each.attribute.append(helper.make_attribute(random.choice(attributes), value))


def change_attribute(attribute: onnx.AttributeProto, random: Random) -> None:
    match random.randrange(4):
        case 0:
            attribute.type = random.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 11])  # pyright: ignore[reportAttributeAccessIssue]
        case 1:
            attribute.i = random.choice(EXTENTS)
        case 2:
            changed_list(attribute.ints, EXTENTS, random)
        case _:
            attribute.name = random.choice(["axis", "body", "x"])


def change_constant(graph: onnx.GraphProto, random: Random) -> None:
    if not graph.initializer:
        return
    tensor = random.choice(graph.initializer)
    match random.randrange(7):
        case 0:
            tensor.data_type = random.choice([0, 1, 2, 3, 6, 7, 8, 9, 10, 16, 17, 99])
        case 1:
            changed_list(tensor.dims, EXTENTS, random)
        case 2:
            tensor.raw_data = damaged(tensor.raw_data, random)
        case 3:
            tensor.name = random.choice(NAMES)
        case 4:
            # Shapes, axes, edges and counts.
            numbers = np.array([random.choice(EXTENTS) for _ in range(random.choice([0, 1, 1, 2, 4, 8]))], np.int64)
            tensor.CopyFrom(numpy_helper.from_array(numbers, tensor.name))
        case 5:
            tensor.data_location = onnx.TensorProto.EXTERNAL
            for key in ("location", "offset", "length"):
                values = ["../x", "/etc/passwd", "model.onnx", "0", "-1", "9" * 20, ""]
                tensor.external_data.add(key=key, value=random.choice(values))
        case _:
            graph.initializer.remove(tensor)


def change_order(graph: onnx.GraphProto, random: Random) -> None:
    nodes = list(graph.node)
    match random.randrange(3):
        case 0:
            random.shuffle(nodes)
        case 1:
            nodes.append(random.choice(nodes))
        case _:
            nodes.remove(random.choice(nodes))
    del graph.node[:]
    graph.node.extend(nodes)


def change_interface(graph: onnx.GraphProto, random: Random) -> None:
    value = random.choice([*graph.input, *graph.output])
    tensor = value.type.tensor_type
    match random.randrange(4):
        case 0 if tensor.shape.dim:
            random.choice(tensor.shape.dim).dim_value = random.choice(EXTENTS)
        case 1 if tensor.shape.dim:
            random.choice(tensor.shape.dim).dim_param = random.choice(["", "N", "M"])
        case 2:
            tensor.elem_type = random.choice([0, 1, 2, 3, 7, 8, 9, 11, 99])
        case _:
            value.name = random.choice(NAMES)


def nest(graph: onnx.GraphProto, random: Random) -> None:
    """Insert the graph into itself as the body of a loop or of a branch, once or `DEEPEST` times."""
    innermost = onnx.GraphProto()
    innermost.CopyFrom(graph)
    for _ in range(random.choice([1, 1, 1, DEEPEST])):
        outer = onnx.GraphProto(name="body", input=innermost.input, output=innermost.output)
        outer.node.append(node(random.choice(["Scan", "Loop", "If"]), "x", "y", num_scan_inputs=1))
        outer.node[0].attribute.add(name="body", type=onnx.AttributeProto.GRAPH).g.CopyFrom(innermost)
        innermost = outer
    graph.node.extend(innermost.node)


def lengthen(graph: onnx.GraphProto, random: Random) -> None:
    """Insert a chain of 50 or 500 nodes between a value and its readers."""
    name = random.choice(graph.node).output
    count = random.choice([50, 500])
    kinds = [random.choice(["Relu", "Neg", "Identity", "Transpose"]) for _ in range(count)]
    names = [*name[:1], *(f"step{number}" for number in range(count))]
    for each in graph.node:
        for position, read in enumerate(each.input):
            if read == names[0]:
                each.input[position] = names[-1]
    graph.node.extend(node(kind, names[step], names[step + 1]) for step, kind in enumerate(kinds) if len(names) > count)


CHANGES: tuple[Callable[[onnx.GraphProto, Random], None], ...] = (
    change_node,
    change_node,
    change_node,
    change_constant,
    change_constant,
    change_order,
    change_interface,
    nest,
    lengthen,
)


def with_other_lengths(content: bytes, random: Random) -> bytes:
    """Replace one to three bytes of a file by values that change lengths in the encoding of protocol buffers, and
    return the file.

    The values are the least and greatest bytes, bytes with and without the continuation bit, a long variable-length
    integer, and the byte with its lowest bit inverted.
    """
    piece = bytearray(content)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(piece))
        number = random.choice([b"\x00", b"\x7f", b"\x80", b"\xff", b"\xff" * 9 + b"\x01", bytes([piece[at] ^ 1])])
        piece[at : at + 1] = number
    return bytes(piece)


def onnx_models(number: int, random: Random, folder: Path) -> str:
    """Import and verify a network after up to three changes, and return the verdict. Some networks have another opset
    or a damaged file. Some networks are also lowered, and a few are compiled.
    """
    network = onnx.ModelProto()
    network.CopyFrom(random.choice(networks()))
    for _ in range(random.randint(0, 3)):
        if network.graph.node:
            random.choice(CHANGES)(network.graph, random)
    if random.random() < 0.05:
        network.opset_import[0].version = random.choice([0, 12, 18, 22, 23, -1])
    content = serialised(network)
    if random.random() < 0.3:
        content = random.choice([damaged, with_other_lengths])(content, random)
    file, data = folder / "model.onnx", folder / "data.npz"
    file.write_bytes(content)
    way = random.random()
    if way < COMPILED:
        np.savez(data, x=np.random.default_rng(number).normal(size=(4, random.choice([15, 18, 32]))))
        return call(TINYML, "compile", file, "--val", data, "-o", folder / "out", "--target", "host")
    if way < COMPILED + LOWERED:
        return call(OPT, file, "-p", "canonicalize,cse,formats-to-buffers,buffers-to-loops")
    return call(OPT, file, "-p", "canonicalize,cse")


def serialised(message: Message) -> bytes:
    return message.SerializeToString()
