"""ONNX files read into graphs.

`onnx.checker` and `onnx.shape_inference` are C++ code that trusts what it reads: a hostile model can crash them. The
message is therefore only parsed, and everything that the importer relies on is checked here or where it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tinyml.dialects.distribution import install_command
from tinyml.dialects.errors import InputError
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.lowering.frontends.onnx.model.graph import Attribute, Declared, Dims, OnnxGraph, OnnxNode
from tinyml.lowering.frontends.onnx.model.old_definitions import modernised
from tinyml.lowering.frontends.onnx.model.tensors import ELEMENTS, tensor_array, text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto

OPSETS = range(7, 29)
"""The opsets of the domain `ai.onnx` that the importer knows."""

DEFAULT_DOMAINS = ("", "ai.onnx")

DEEPEST = 16
"""The greatest depth of nested graphs."""


def read_model(content: bytes, file: str) -> OnnxGraph:
    """The graph of a model; raises `InputError` for an invalid ONNX model, and without the package `onnx`."""
    try:
        onnx = import_module("onnx")
    except ImportError as error:
        raise InputError(f"ONNX models need the package onnx: {install_command('onnx')}", file=file) from error
    model: ModelProto = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    # protobuf raises exceptions of its own kinds, which differ between its implementations.
    except Exception as error:
        raise InputError("not an ONNX model: the file is damaged", file=file) from error
    if not model.HasField("graph"):
        raise InputError("not an ONNX model: it holds no graph", file=file)
    opsets = {_domain(each.domain): each.version for each in model.opset_import}
    if opsets.get("", OPSETS[-1]) not in OPSETS:
        raise InputError(f"opset {opsets['']} is not supported, only {OPSETS[0]} to {OPSETS[-1]}", file=file)
    if model.functions:
        raise InputError("functions inside of the model are not supported; onnx.inliner inlines them", file=file)
    properties = {text(each.key): text(each.value) for each in model.metadata_props}
    graph = _OnnxReader(file, opsets).graph(model.graph, 0)
    return replace(graph, producer=text(model.producer_name), properties=properties)


class _OnnxReader:
    def __init__(self, file: str, opsets: Mapping[str, int]):
        self.file = file
        self.opsets = opsets
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
        for node in (node for each in graph.node for node in modernised(self.node(each, depth))):
            inner = [value for value in node.attributes.values() if isinstance(value, OnnxGraph)]
            read = {*node.inputs, *(name for each in inner for name in each.free)} - {""}
            free |= read - known
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
        return OnnxNode(op, domain, version, name, inputs, outputs, attributes, self.file)

    def attribute(self, attribute: AttributeProto, depth: int) -> Attribute:
        """The value of an attribute, by its declared type as numbered in AttributeProto.AttributeType."""
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
    """The name of a domain; empty for ONNX itself."""
    return "" if name in DEFAULT_DOMAINS else text(name)


def needed_nodes(nodes: Sequence[OnnxNode], outputs: Sequence[Declared]) -> Iterator[OnnxNode]:
    """The nodes on which outputs depend, in their order, without the names of outputs that nothing reads."""
    wanted = {output.name for output in outputs}
    kept: list[OnnxNode] = []
    for node in reversed(nodes):
        if not wanted.isdisjoint(node.outputs):
            kept.append(replace(node, outputs=tuple(name if name in wanted else "" for name in node.outputs)))
            wanted |= {*node.inputs}
            wanted |= {name for each in node.attributes.values() if isinstance(each, OnnxGraph) for name in each.free}
    return reversed(kept)
