"""The reader of ONNX files. It checks the files and updates nodes of older opsets to the newest op definitions.

`onnx.checker` and `onnx.shape_inference` are C++ code that does not validate its input, so that a malicious model can
crash them. The package `onnx` therefore only parses the message. Every property that the importer requires is checked
here or where it is used. All opsets are supported; nodes of older definitions are rewritten here. Code of the package
`onnx` inlines local functions, in a child process (`conversions.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.package_metadata import install_command
from tinyml.lowering.frontends.onnx.formats import EVEN, ROUNDING
from tinyml.lowering.frontends.onnx.graph import Attribute, Declared, Dims, OnnxGraph, OnnxNode
from tinyml.lowering.frontends.onnx.tensors import ELEMENTS, tensor_array, text

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray
    from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto

    Array = NDArray[Any]


OPSETS = range(1, 29)
"""The supported opsets of the domain `ai.onnx`."""

NUMPY_OPSET = 7
"""The first opset whose binary ops broadcast as numpy does. Before it, an attribute states the axis of the second
operand's first axis.
"""

_CONVERSIONS = "tinyml.lowering.frontends.onnx.conversions"
"""The module that runs onnx's own code. It belongs to an extension that may not be installed."""

DEFAULT_DOMAINS = ("", "ai.onnx")

DEEPEST = 16
"""Maximum nesting depth of graphs."""


def read_model(content: bytes, file: str) -> OnnxGraph:
    """Parse the graph of a model. Raises `InputError` for an invalid model, for an unsupported opset, and without the
    package `onnx`.
    """
    try:
        onnx = import_module("onnx")
    except ImportError as error:
        raise InputError(f"ONNX models need the package onnx: {install_command('onnx')}", file=file) from error
    model = _parsed(onnx, content, file)
    if model.functions:
        content = imported(f"{_CONVERSIONS}:with_inlined_functions")(content, file)
        model = _parsed(onnx, content, file)
    if (version := _opsets(model).get("", OPSETS[-1])) not in OPSETS:
        raise InputError(f"opset {version} is not supported, only {OPSETS[0]} to {OPSETS[-1]}", file=file)
    properties = {text(entry.key): text(entry.value) for entry in model.metadata_props}
    graph = _OnnxReader(file, _opsets(model), properties.get(ROUNDING) == EVEN).graph(model.graph, 0)
    annotations = {
        text(annotation.tensor_name): text(entry.value)
        for annotation in model.graph.quantization_annotation
        for entry in annotation.quant_parameter_tensor_names
        if entry.key == "finn_datatype"
    }
    return replace(graph, producer=text(model.producer_name), properties=properties, annotations=annotations)


def _parsed(onnx: Any, content: bytes, file: str) -> ModelProto:
    model: ModelProto = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    # protobuf's exception types differ between its implementations.
    except Exception as error:
        raise InputError("not an ONNX model: the file is damaged", file=file) from error
    if not model.HasField("graph"):
        raise InputError("not an ONNX model: it holds no graph", file=file)
    return model


def _opsets(model: ModelProto) -> Mapping[str, int]:
    return {_domain(opset.domain): opset.version for opset in model.opset_import}


class _OnnxReader:
    def __init__(self, file: str, opsets: Mapping[str, int], in_integers: bool):
        self.file = file
        self.opsets = opsets
        self.in_integers = in_integers
        self.elements = 0
        self.names: set[str] = set()

    def error(self, message: str) -> InputError:
        return InputError(message, file=self.file)

    def array(self, tensor: TensorProto) -> NDArray[Any]:
        array = tensor_array(tensor, self.file)
        self.elements += array.size
        if self.elements > (limit := ELEMENT_LIMIT.get()):
            raise self.error(f"the constants have more than {limit} elements; --max-elements raises the limit")
        return array

    def graph(self, graph: GraphProto, depth: int) -> OnnxGraph:
        if depth > DEEPEST:
            raise self.error(f"graphs are nested more than {DEEPEST} deep")
        if graph.sparse_initializer:
            raise self.error("sparse initializers are not supported")
        constants = {text(tensor.name): self.array(tensor) for tensor in graph.initializer}
        inputs = [self.declared(value) for value in graph.input if text(value.name) not in constants]
        outputs = [self.declared(value) for value in graph.output]
        known = {*constants, *(value.name for value in inputs)}
        if not outputs:
            raise self.error(f"graph '{text(graph.name)}' has no outputs")
        if len(known) < len(constants) + len(inputs):
            raise self.error(f"graph '{text(graph.name)}' has two inputs of one name")
        free: set[str] = set()
        nodes: list[OnnxNode] = []
        for node in _ordered([node for proto in graph.node for node in _modernised(self.node(proto, depth))]):
            free |= names_read(node) - known
            for name in filter(None, node.outputs):
                if name in known or name in free:
                    raise node.error(f"computes '{name}', which is defined, or used, before")
                known.add(name)
            nodes.append(node)
        free |= {output.name for output in outputs} - known
        if free and depth == 0:
            raise self.error(self.undefined(sorted(free)[0], nodes))
        return OnnxGraph(list(needed_nodes(nodes, outputs)), constants, inputs, outputs, frozenset(free))

    @staticmethod
    def undefined(name: str, nodes: list[OnnxNode]) -> str:
        reader = next((node for node in nodes if name in node.inputs), None)
        where = "an output" if reader is None else f"an input of {reader.op} '{reader.name}'"
        return f"'{name}', {where}, is neither a constant nor an input nor computed before"

    def declared(self, value: ValueInfoProto) -> Declared:
        tensor = value.type.tensor_type
        element = ELEMENTS.get(tensor.elem_type, f"type {tensor.elem_type}")
        dims: Dims | None = None
        if tensor.HasField("shape"):
            extents = tensor.shape.dim
            dims = tuple(dim.dim_value if dim.HasField("dim_value") else text(dim.dim_param) for dim in extents)
        return Declared(text(value.name), element, dims)

    def node(self, node: NodeProto, depth: int) -> OnnxNode:
        domain = _domain(node.domain)
        op, inputs, outputs = text(node.op_type), tuple(map(text, node.input)), tuple(map(text, node.output))
        name = text(node.name) or next(filter(None, outputs), "")
        attributes: dict[str, Attribute] = {}
        for attribute in node.attribute:
            attributes[text(attribute.name)] = self.attribute(attribute, depth)
        version = self.opsets.get(domain, OPSETS[-1])
        namespace = next((text(entry.value) for entry in node.metadata_props if entry.key == "namespace"), "")
        return OnnxNode(
            op,
            domain,
            version,
            name,
            inputs,
            outputs,
            attributes,
            self.file,
            layer=_layer(namespace),
            in_integers=self.in_integers,
        )

    def attribute(self, attribute: AttributeProto, depth: int) -> Attribute:
        match int(attribute.type):
            case 1:
                return attribute.f
            case 2:
                return attribute.i
            case 3:
                return text(attribute.s)
            case 4:
                return self.array(attribute.t)
            case 5:
                return self.graph(attribute.g, depth + 1)
            case 6:
                return tuple(attribute.floats)
            case 7:
                return tuple(attribute.ints)
            case 8:
                return tuple(map(text, attribute.strings))
            case kind:
                raise self.error(f"attribute '{text(attribute.name)}' has type {kind}, which is not supported")


def _domain(name: str) -> str:
    return "" if name in DEFAULT_DOMAINS else text(name)


def names_read(node: OnnxNode) -> set[str]:
    """The names of all values that a node and its inner graphs read."""
    inner = [value for value in node.attributes.values() if isinstance(value, OnnxGraph)]
    return {*node.inputs, *(name for graph in inner for name in graph.free)} - {""}


def _ordered(nodes: Sequence[OnnxNode]) -> Sequence[OnnxNode]:
    """Sort nodes topologically. Ties keep the order of the file. If the graph has a cycle, the nodes are returned
    in the order of the file.
    """
    producers = {name: number for number, node in reversed([*enumerate(nodes)]) for name in node.outputs if name}
    needed = [{producers[name] for name in names_read(node) if name in producers} for node in nodes]
    placed: dict[int, None] = {}
    for first in range(len(nodes)):
        open_ = {first: iter(sorted(needed[first]))}
        while open_:
            number = next(reversed(open_))
            before = next((candidate for candidate in open_[number] if candidate not in placed), None)
            if before is None:
                placed[number] = None
                del open_[number]
            elif before in open_:
                return nodes
            else:
                open_[before] = iter(sorted(needed[before]))
    return [nodes[number] for number in placed]


def needed_nodes(nodes: Sequence[OnnxNode], outputs: Sequence[Declared]) -> Iterator[OnnxNode]:
    """Yield the nodes on which `outputs` depend, in order. In the yielded nodes, each output that is neither read by a
    yielded node nor one of `outputs` has an empty name.
    """
    needed = {output.name for output in outputs}
    kept: list[OnnxNode] = []
    for node in reversed(nodes):
        if not needed.isdisjoint(node.outputs):
            kept.append(replace(node, outputs=tuple(name if name in needed else "" for name in node.outputs)))
            needed |= names_read(node)
    return reversed(kept)


Rewrite: TypeAlias = Callable[[OnnxNode], Sequence[OnnxNode]]


MOVED: Mapping[str, Mapping[str, int]] = {
    "Clip": {"min": 1, "max": 2},
    "Pad": {"pads": 1, "paddings": 1, "value": 2},
    "Reshape": {"shape": 1},
    "Slice": {"starts": 1, "ends": 2, "axes": 3},
    "Split": {"split": 1},
    "Squeeze": {"axes": 1},
    "TopK": {"k": 1},
    "Unsqueeze": {"axes": 1},
    "Upsample": {"scales": 1},
    **{
        f"Reduce{kind}": {"axes": 1}
        for kind in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
    },
}
"""Attributes that became inputs in later opsets, with the positions of the inputs."""


_REALS = frozenset(("min", "max", "value", "scales"))


def _modernised(node: OnnxNode) -> Sequence[OnnxNode]:
    if node.domain:
        return [node]
    moved = _inputs_for_attributes(node)
    last = moved[-1]
    rewrite = _REWRITES.get(last.op)
    return moved if rewrite is None else [*moved[:-1], *rewrite(last)]


_LAYER = re.compile(r"(?:^|/)([^/:]+): torch\.nn\.modules\.(?!container\.)(?:\w+\.)+(\w+)(?=/|$)")


def _layer(namespace: str) -> str:
    """The innermost layer of `torch.nn` in a namespace that PyTorch's exporter writes, such as `: Net/0:
    torch.nn.modules...`; empty if there is none.
    """
    layers: list[tuple[str, str]] = _LAYER.findall(namespace)
    return f"{layers[-1][1]} '{layers[-1][0]}'" if layers else ""


def constant_node(node: OnnxNode, name: str, value: Array) -> OnnxNode:
    """A Constant node for an input of `node`, named after the node's first output and the input."""
    output = f"{next(filter(None, node.outputs), node.name)}:{name}"
    return OnnxNode("Constant", "", node.version, output, (), (output,), {"value": value}, node.file)


def _inputs_for_attributes(node: OnnxNode) -> list[OnnxNode]:
    """Convert the attributes that became inputs in the newest definition of an op to Constant nodes. Return these
    nodes, followed by the node itself.
    """
    moved = {name: at for name, at in MOVED.get(node.op, {}).items() if name in node.attributes}
    if not moved:
        return [node]
    constants = [constant_node(node, name, _array(node, name, node.attributes[name])) for name in moved]
    inputs = [*node.inputs, *[""] * (max(moved.values()) + 1 - len(node.inputs))]
    for constant, at in zip(constants, moved.values(), strict=True):
        if inputs[at]:
            raise node.error(f"attribute '{constant.name.rpartition(':')[2]}' is given as an input, too")
        inputs[at] = constant.name
    kept = {name: value for name, value in node.attributes.items() if name not in moved}
    return [*constants, replace(node, inputs=tuple(inputs), attributes=kept)]


def _array(node: OnnxNode, name: str, value: Attribute) -> Array:
    if not isinstance(value, int | float | tuple):
        raise node.error(f"attribute '{name}' is not a number or a list")
    return np.array(value, np.float32 if name in _REALS else np.int64)


def _softmax(node: OnnxNode) -> Sequence[OnnxNode]:
    """The nodes that replace a Softmax or LogSoftmax of an opset before 13. A node of a newer opset, or with the axis
    -1, is unchanged.

    The replaced op normalises all axes from `axis` (1 by default) to the last as one vector. The replacement therefore
    flattens these axes.
    """
    if node.version >= 13 or not node.inputs or not node.outputs or node.attributes.get("axis", 1) == -1:
        return [node]
    shape, flat, result = (f"{node.outputs[0]}:{name}" for name in ("shape", "flat", "softmax"))
    axis = {"axis": node.integer("axis", 1)}
    return [
        replace(node, op="Shape", outputs=(shape,), attributes={}),
        replace(node, op="Flatten", outputs=(flat,), attributes=axis),
        replace(node, inputs=(flat,), outputs=(result,), attributes={"axis": -1}),
        replace(node, op="Reshape", inputs=(result, shape), attributes={}),
    ]


def _resize(node: OnnxNode) -> Sequence[OnnxNode]:
    """The nodes that replace an Upsample, or a Resize of an opset before 11. Their modes are explicit. A Resize of a
    newer opset is unchanged.

    The source pixel of the older ops is `floor(y / scale)`.
    """
    if node.op == "Resize" and node.version >= 11:
        return [node]
    before: list[OnnxNode] = []
    if node.op == "Upsample" and node.version < NUMPY_OPSET:
        factors = [1.0, 1.0, node.number("height_scale"), node.number("width_scale")]
        before = [constant_node(node, "scales", np.array(factors, np.float32))]
        node = replace(node, inputs=(*node.inputs[:1], before[0].outputs[0]))
    if len(node.inputs) != 2:
        raise node.error(f"expected an image and its scales, got {len(node.inputs)} inputs")
    modes = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    image, scales = node.inputs
    return [*before, replace(node, op="Resize", inputs=(image, "", scales), attributes={**modes, **node.attributes})]


def _broadcast(node: OnnxNode) -> Sequence[OnnxNode]:
    """The nodes that replace a binary op of an opset before 7 whose attribute `axis` places the axes of the second
    operand. Axes of extent 1 are appended to the operand. Any other node is unchanged.
    """
    if node.version >= NUMPY_OPSET or len(node.inputs) != 2:
        return [node]
    if node.op != "PRelu" and "axis" not in node.attributes:
        return [node]
    # A slope of PRelu has one number for each channel.
    first = 1 if node.op == "PRelu" else node.integer("axis")
    if first < 0:
        raise node.error(f"axis = {first} is not supported, only axes counted from the first")
    a, b = node.inputs
    added: list[OnnxNode] = []

    def add(op: str, *inputs: str, **attributes: Attribute) -> str:
        result = f"{node.outputs[0]}:{len(added)}"
        added.append(replace(node, op=op, name=result, inputs=inputs, outputs=(result,), attributes=attributes))
        return result

    def listed(value: int) -> str:
        added.append(constant_node(node, f"number {len(added)}", np.array([value], np.int64)))
        return added[-1].outputs[0]

    shape = add("Shape", b)
    ranks = [add("Reshape", add("Size", piece), listed(1)) for piece in (add("Shape", a), shape)]
    count = add("Max", add("Sub", add("Sub", ranks[0], ranks[1]), listed(first)), listed(0))
    ones = add("ConstantOfShape", count, value=np.ones(1, np.int64))
    placed = add("Reshape", b, add("Concat", shape, ones, axis=0))
    return [*added, replace(node, inputs=(a, placed))]


def _cast(node: OnnxNode) -> Sequence[OnnxNode]:
    """A Cast with the number of its element type, which opsets before 6 state by its name."""
    target = node.attributes.get("to")
    if node.version >= 6 or not isinstance(target, str):
        return [node]
    names = {"FLOAT": "float32", "DOUBLE": "float64"}
    element_name = names.get(target, target.lower())
    element = next((number for number, name in ELEMENTS.items() if name == element_name), None)
    if element is None:
        raise node.error(f"the element type {target} is not known")
    return [replace(node, attributes={**node.attributes, "to": element})]


def _concat(node: OnnxNode) -> Sequence[OnnxNode]:
    """A Concat whose axis is stated. Opsets before 4 have the default 1."""
    return [node if node.version >= 4 else replace(node, attributes={"axis": 1, **node.attributes})]


def _selu(node: OnnxNode) -> Sequence[OnnxNode]:
    """A Selu whose constants are stated. Opsets before 6 have shorter defaults."""
    defaults = {"alpha": 1.6732, "gamma": 1.0507}
    return [node if node.version >= 6 else replace(node, attributes={**defaults, **node.attributes})]


def _tile(node: OnnxNode) -> Sequence[OnnxNode]:
    if node.version < 6:
        raise node.error(f"the Tile of opset {node.version} is not supported: export the model with opset 13 or newer")
    return [node]


def _batch_normalization(node: OnnxNode) -> Sequence[OnnxNode]:
    """Return a BatchNormalization unchanged. Raises `InputError` if it has a mean per element, or if it computes the
    means of the batch.

    Opsets before 9 allow a mean per element, but no exporter writes it. Opsets before 7 state whether means are given.
    """
    node.only("spatial", 1)
    if node.version < NUMPY_OPSET:
        node.only("is_test", 1)
    return [node]


def _scan(node: OnnxNode) -> Sequence[OnnxNode]:
    if node.version < 9:
        raise node.error("the Scan of opset 8 is not supported: export the model with opset 9 or newer")
    return [node]


_REWRITES: Mapping[str, Rewrite] = {
    **dict.fromkeys(
        ("Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "PRelu", "Pow", "Sub", "Xor"), _broadcast
    ),
    "BatchNormalization": _batch_normalization,
    "Cast": _cast,
    "Concat": _concat,
    "LogSoftmax": _softmax,
    "Resize": _resize,
    "Scan": _scan,
    "Selu": _selu,
    "Softmax": _softmax,
    "Tile": _tile,
    "Upsample": _resize,
}
"""Functions that rewrite nodes of older definitions which differ by more than `MOVED`."""
