"""Recognition of normalisations that a graph computes by elementary nodes, because opsets below 17 have no
LayerNormalization.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.onnx.graph import OnnxGraph, OnnxNode
from tinyml.lowering.frontends.onnx.reader import constant_node, needed_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray


def with_normalisations(graph: OnnxGraph) -> OnnxGraph:
    """Merge the elementary nodes of each normalisation into one node.

    (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) becomes LayerNormalization, and x / sqrt(mean(x^2) +
    epsilon) becomes RMSNormalization. A subsequent factor and a subsequent addend remain separate nodes.
    """
    if not any(node.op == "Sqrt" for node in graph.nodes):
        return graph
    written = _Written(graph)
    nodes = [part for node in graph.nodes for part in written.normalised(node)]
    return replace(graph, nodes=list(needed_nodes(nodes, graph.outputs)))


class _Written:
    def __init__(self, graph: OnnxGraph):
        self.constants = graph.constants
        self.makers: Mapping[str, OnnxNode] = {name: node for node in graph.nodes for name in node.outputs if name}

    def normalised(self, node: OnnxNode) -> Sequence[OnnxNode]:
        """The nodes that replace a division by a standard deviation or root mean square, or a multiplication by
        the reciprocal of either.

        Any other node is returned unchanged.
        """
        for x, root in self.quotients(node):
            if (sum := self.made(root, "Sqrt")) is None or (known := self.variance(sum.inputs[0])) is None:
                continue
            squared, axes, epsilon = known
            centred = self.made(x, "Sub")
            if not self.same(x, squared):
                continue
            op, source = "RMSNormalization", x
            if centred is not None and self.mean(centred.inputs[1]) == (centred.inputs[0], axes):
                op, source = "LayerNormalization", centred.inputs[0]
            one = constant_node(node, "scale", np.array(1, np.float32))
            attributes = {"axis": min(axes), "epsilon": epsilon, "axes": axes}
            return [one, replace(node, op=op, inputs=(source, one.outputs[0]), attributes=attributes)]
        return [node]

    def quotients(self, node: OnnxNode) -> Sequence[tuple[str, str]]:
        """Match a quotient, or a product with a reciprocal. Return the possible pairs of dividend and divisor,
        by name; no pairs for any other node.
        """
        if node.domain or len(node.inputs) != 2:
            return []
        a, b = node.inputs
        if node.op == "Div":
            return [(a, b)]
        inverses = [(x, self.made(y, "Reciprocal")) for x, y in ((a, b), (b, a))] if node.op == "Mul" else []
        return [(x, inverse.inputs[0]) for x, inverse in inverses if inverse is not None]

    def variance(self, sum: str) -> tuple[str, tuple[int, ...], float] | None:
        """Match the mean of squares plus an epsilon. Return the name of the squared value, the axes of the mean, and
        the epsilon.

        Returns None for any other value.
        """
        if (added := self.made(sum, "Add")) is None:
            return None
        for of, number in (added.inputs, added.inputs[::-1]):
            epsilon, mean = self.constant(number), self.mean(of)
            if epsilon is None or epsilon.size != 1 or mean is None:
                continue
            squares, axes = mean
            power, product = self.made(squares, "Pow"), self.made(squares, "Mul")
            if product is not None and product.inputs[0] == product.inputs[1]:
                return product.inputs[0], axes, float(epsilon.item())
            exponent = None if power is None else self.constant(power.inputs[1])
            if power is not None and exponent is not None and exponent.size == 1 and exponent.item() == 2:
                return power.inputs[0], axes, float(epsilon.item())
        return None

    def mean(self, name: str) -> tuple[str, tuple[int, ...]] | None:
        """Match a mean whose reduced axes remain with extent 1. Return the name of its input, and the axes. Returns
        None for any other value.
        """
        node = self.made(name, "ReduceMean")
        if node is None or len(node.inputs) < 2 or node.attributes.get("keepdims", 1) != 1:
            return None
        axes = self.constant(node.inputs[1])
        return None if axes is None or not axes.size else (node.inputs[0], tuple(int(axis) for axis in axes.ravel()))

    def same(self, a: str, b: str) -> bool:
        """Whether two names denote equal values: the names are equal, or both values are differences of the
        same operands.

        Some exporters write the same difference twice.
        """
        first, second = self.made(a, "Sub"), self.made(b, "Sub")
        return a == b or (first is not None and second is not None and first.inputs == second.inputs)

    def made(self, name: str, op: str) -> OnnxNode | None:
        """The node that computes the value `name`, if its op is `op`; None otherwise."""
        node = self.makers.get(name)
        return node if node is not None and node.op == op and not node.domain else None

    def constant(self, name: str) -> NDArray[np.generic] | None:
        if (array := self.constants.get(name)) is not None:
            return array
        node = self.made(name, "Constant")
        value = None if node is None else next((value for value in node.attributes.values()), None)
        return np.asarray(value) if isinstance(value, np.ndarray | np.generic | int | float | tuple) else None
