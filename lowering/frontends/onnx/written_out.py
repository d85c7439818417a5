"""Replacement of normalisations and softmax that a graph writes out as elementary nodes. Opsets below 17 have no
LayerNormalization, and tensor modules have neither.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.normalisations import Elementary, Normalisation, Softmax, layers_of
from tinyml.lowering.frontends.onnx.graph import OnnxGraph, OnnxNode
from tinyml.lowering.frontends.onnx.reader import constant_node, names_read, needed_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]

_BEGINNINGS = ("Sqrt", "Rsqrt", "Pow", "ReduceL2", "Exp")
"""The ops that can compute the root of a normalisation, or the powers of a softmax."""

_KINDS: Mapping[str, str] = {
    "Add": "add",
    "Div": "div",
    "Exp": "exp",
    "Expand": "same",
    "Identity": "same",
    "Max": "maximum",
    "Min": "minimum",
    "Mul": "mul",
    "Neg": "neg",
    "Reciprocal": "reciprocal",
    "Rsqrt": "rsqrt",
    "Sqrt": "sqrt",
    "Sub": "sub",
}
"""Ops whose kind does not depend on their attributes or constants."""

_POWERS = {2.0: "square", 0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal"}

_REDUCTIONS: Mapping[str, Sequence[str]] = {
    "ReduceMax": ("greatest",),
    "ReduceMean": ("mean",),
    "ReduceSum": ("sum",),
    "ReduceSumSquare": ("square", "sum"),
    "ReduceL2": ("square", "sum", "sqrt"),
}
"""The kinds of the elementary ops that a reduction consists of."""


def with_normalisations(graph: OnnxGraph, outer: Mapping[str, Array] | None = None) -> OnnxGraph:
    """Replace the nodes of each normalisation by one LayerNormalization or, without a mean, RMSNormalization, and the
    nodes of each softmax by one Softmax.

    Their attribute `axes` lists the normalised axes, and `total` is 1 if the squares are summed instead of averaged.

    outer: the constants of the enclosing graphs.
    """
    constants = {**(outer or {}), **graph.constants}
    constants |= {node.outputs[0]: _array(node) for node in graph.nodes if node.op == "Constant" and not node.domain}
    inner = [_with_inner(node, constants) for node in graph.nodes]
    if any(node.op in _BEGINNINGS for node in inner):
        inner = list(needed_nodes(_Written(graph, constants).replaced(inner), graph.outputs))
    return replace(graph, nodes=inner)


def _with_inner(node: OnnxNode, constants: Mapping[str, Array]) -> OnnxNode:
    inner = {name: value for name, value in node.attributes.items() if isinstance(value, OnnxGraph)}
    if not inner:
        return node
    changed = {name: with_normalisations(value, constants) for name, value in inner.items()}
    return replace(node, attributes={**node.attributes, **changed})


def _array(node: OnnxNode) -> Array:
    return np.asarray(next(iter(node.attributes.values()), ()))


class _Written:
    """The elementary ops of a graph.

    reduced: for each value that has lost reduced axes, the extents before the reduction, if known, and the axes.
    """

    def __init__(self, graph: OnnxGraph, constants: Mapping[str, Array]):
        self.graph = graph
        self.constants = constants
        self.reduced: dict[str, tuple[tuple[int, ...] | None, tuple[int, ...]]] = {}
        self.nodes: dict[str, OnnxNode] = {}

    def replaced(self, nodes: Sequence[OnnxNode]) -> list[OnnxNode]:
        ops: list[Elementary] = []
        others: set[Hashable] = {output.name for output in self.graph.outputs}
        for node in nodes:
            elementary = self.elementary(node)
            ops += elementary
            if not elementary:
                others |= names_read(node)
        layers = layers_of(ops, self.constant, frozenset(others))
        return [
            new
            for node in nodes
            for new in (self.node(node, layers[node.outputs[0]]) if node.outputs[0] in layers else [node])
        ]

    def constant(self, key: Hashable) -> Array | None:
        array = self.constants.get(str(key))
        return array if array is not None and array.dtype.kind == "f" else None

    def elementary(self, node: OnnxNode) -> Sequence[Elementary]:
        if node.domain or not node.inputs or not all(node.inputs[:1]) or len(node.outputs) != 1:
            return []
        [output], inputs = node.outputs, [name for name in node.inputs if name]
        if node.op in _REDUCTIONS:
            return self.reduction(node)
        if node.op in ("Reshape", "Unsqueeze"):
            return [Elementary("same", (inputs[0],), output)] if self.restores_axes(node) else []
        lost = {self.reduced.get(name) for name in inputs if not self.is_number(name)}
        if len(lost) != 1:
            # Values with and without the reduced axes would broadcast along other axes.
            return []
        [before] = lost
        if node.op == "Pow":
            exponent = self.constant(node.inputs[1])
            kind = None if exponent is None or exponent.size != 1 else _POWERS.get(float(exponent.item()))
            inputs = inputs[:1]
        elif node.op == "Clip":
            kind = "maximum" if len(inputs) == 2 and not any(node.inputs[2:]) else None
        elif node.op == "Expand":
            kind, inputs = "same", inputs[:1]
        else:
            kind = _KINDS.get(node.op)
        if kind is None:
            return []
        if before is not None:
            self.reduced[output] = before
        return [Elementary(kind, tuple(inputs), output)]

    def is_number(self, name: str) -> bool:
        return name in self.constants and self.constants[name].size == 1

    def reduction(self, node: OnnxNode) -> Sequence[Elementary]:
        x, *rest = node.inputs
        listed = self.constants.get(rest[0]) if rest else None
        if listed is None or not listed.size or x in self.reduced:
            return []
        shape = self.graph.shapes.get(x)
        axes = tuple(int(axis) + (len(shape or ()) if axis < 0 and shape else 0) for axis in listed.ravel())
        if node.attributes.get("keepdims", 1) != 1:
            self.reduced[node.outputs[0]] = shape, axes
        kinds = _REDUCTIONS[node.op]
        names = [x, *(f"{node.outputs[0]}:{kind}" for kind in kinds[:-1]), node.outputs[0]]
        return [Elementary(kind, (names[at],), names[at + 1], axes) for kind, at in zip(kinds, count(), strict=False)]

    def restores_axes(self, node: OnnxNode) -> bool:
        """Whether the node gives a reduced value its axes back, with the extent 1."""
        before = self.reduced.get(node.inputs[0])
        numbers = self.constants.get(node.inputs[1]) if len(node.inputs) > 1 else None
        if before is None or numbers is None:
            return False
        shape, axes = before
        listed = [int(number) for number in numbers.ravel()]
        if node.op == "Unsqueeze":
            return listed == [*axes]
        return shape is not None and listed == [1 if at in axes else extent for at, extent in enumerate(shape)]

    def node(self, node: OnnxNode, by: Normalisation | Softmax) -> Sequence[OnnxNode]:
        if isinstance(by, Softmax):
            return [replace(node, op="Softmax", inputs=(str(by.x),), attributes={"axis": by.axis})]
        arrays = {"scale": by.factor} | ({"addend": by.addend} if by.addend.any() else {})
        names = [self.named(array) for array in arrays.values()]
        constants = [
            constant_node(node, name_of_input, array)
            for (name_of_input, array), name in zip(arrays.items(), names, strict=True)
            if name is None
        ]
        fresh = iter(constants)
        inputs = [str(by.x), *(next(fresh).outputs[0] if name is None else name for name in names)]
        op = "LayerNormalization" if by.centred else "RMSNormalization"
        attributes = {"axes": by.axes, "epsilon": by.epsilon, "total": int(by.total)}
        return [*constants, replace(node, op=op, inputs=tuple(inputs), attributes=attributes)]

    def named(self, array: NDArray[np.float32]) -> str | None:
        if array.size == 1:
            return None
        return next((name for name, constant in self.constants.items() if np.array_equal(constant, array)), None)
