"""A number of samples that is written into a model: the first extent of its inputs.

A program computes one sample. If a graph computes each sample alone, its number of samples is replaced by 1, as where
the file leaves this number open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.onnx.graph import MICROSOFT, Declared, OnnxGraph, OnnxNode
from tinyml.lowering.frontends.onnx.reader import constant_node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]

_LAYERS = (
    "AveragePool", "BatchNormalization", "Conv", "ConvTranspose", "Flatten", "Gemm", "GlobalAveragePool",
    "GlobalMaxPool", "GroupNormalization", "InstanceNormalization", "MaxPool", "QGemm", "QLinearAveragePool",
    "QLinearConv", "QLinearGlobalAveragePool",
)  # fmt: skip
"""Ops whose first axis is that of the samples. A graph without such an op has no samples."""

_ELEMENTWISE = (
    "Abs", "Add", "Cast", "Celu", "Clip", "Div", "Dropout", "Elu", "Erf", "Exp", "Gelu", "HardSigmoid", "HardSwish",
    "Identity", "LeakyRelu", "Log", "Max", "Min", "Mish", "Mul", "Neg", "PRelu", "Pow", "Relu", "Selu", "Sigmoid",
    "QLinearAdd", "QLinearLeakyRelu", "QLinearMul", "QLinearSigmoid", "Softplus", "Softsign", "Sub", "Sum", "Swish",
    "Tanh",
)  # fmt: skip

_ALONG_AXIS: Mapping[str, int] = {
    "Concat": 0, "Gather": 0, "LayerNormalization": -1, "LogSoftmax": -1, "LpNormalization": -1,
    "QLinearSoftmax": -1, "RMSNormalization": -1, "Softmax": -1, "Split": 0,
}  # fmt: skip
"""Ops that combine or select elements along an attribute `axis`, with its default."""

_OVER_AXES = ("ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Squeeze", "Unsqueeze")
"""Ops whose second input lists axes."""


def written_batch(graph: OnnxGraph) -> int | None:
    """The first extent that all inputs of a graph have, if it is a number above 1 and the graph has layers whose first
    axis is that of the samples; None otherwise.
    """
    if not any(node.op in _LAYERS and not node.domain for node in graph.nodes):
        return None
    first = {declared.dims[0] if declared.dims else 1 for declared in graph.inputs}
    [extent] = first if len(first) == 1 else [1]
    return extent if isinstance(extent, int) and extent > 1 else None


def with_one_sample(graph: OnnxGraph) -> OnnxGraph:
    """The graph with one sample in place of a written number of samples, if it computes each sample alone. Otherwise
    the graph itself.
    """
    batch = written_batch(graph)
    return graph if batch is None else _Samples(graph, batch).single() or graph


class _Samples:
    """The values of a graph whose first axis is that of the samples.

    ranks: for each of these values, its number of axes.
    shapes: for the name of each shape of such a value, the number of axes.
    """

    def __init__(self, graph: OnnxGraph, batch: int) -> None:
        self.graph = graph
        self.batch = batch
        self.ranks = {declared.name: len(declared.dims or ()) for declared in graph.inputs}
        self.shapes: dict[str, int] = {}
        self.constants: dict[str, Array] = dict(graph.constants)

    def single(self) -> OnnxGraph | None:
        nodes: list[OnnxNode] = []
        for node in self.graph.nodes:
            if node.op == "Constant" and not node.domain:
                self.constants[node.outputs[0]] = np.asarray(next(iter(node.attributes.values()), ()))
            if (self.ranks | self.shapes).keys().isdisjoint(node.inputs):
                nodes.append(node)
                continue
            if node.op == "Shape" and not node.attributes and node.inputs[0] in self.ranks:
                self.shapes[node.outputs[0]] = self.ranks[node.inputs[0]]
                nodes.append(node)
                continue
            rank = self.rank_after(node) if node.domain in ("", MICROSOFT) else None
            if rank is None:
                return None
            nodes += self.resized(node) if node.op == "Reshape" and node.inputs[1] in self.constants else [node]
            self.ranks |= {name: rank for name in node.outputs if name}
        if not all(output.name in self.ranks for output in self.graph.outputs):
            return None
        inputs = [replace(declared, dims=(1, *(declared.dims or ())[1:])) for declared in self.graph.inputs]
        outputs = [_single(declared) for declared in self.graph.outputs]
        return replace(self.graph, nodes=nodes, inputs=inputs, outputs=outputs)

    def rank_after(self, node: OnnxNode) -> int | None:
        """The number of axes of the result of a node; None if it may combine samples."""
        x, *others = node.inputs
        rank = self.ranks.get(x)
        if node.op in _ELEMENTWISE:
            return self.broadcast(node)
        if rank is None:
            return None
        if node.op == "Reshape" and others and others[0] in self.shapes:
            return self.shapes[others[0]]
        if node.op == "MatMul":
            return _matmul(self, node, rank)
        alone = (self.ranks | self.shapes).keys().isdisjoint(others)
        if (rule := _RULES.get(node.op)) is not None:
            return rule(self, node, rank) if alone else None
        if node.op in _ALONG_AXIS:
            axis = node.integer("axis", _ALONG_AXIS[node.op])
            same = {self.ranks.get(name) for name in node.inputs} if node.op == "Concat" else {rank}
            if axis % rank == 0 or same != {rank} or (node.op != "Concat" and not alone):
                return None
            if node.op == "Gather":
                indices = self.constants.get(others[0])
                return None if indices is None else rank - 1 + indices.ndim
            return rank
        if node.op in _OVER_AXES and alone and others and (axes := self.constants.get(others[0])) is not None:
            return self.over_axes(node, rank, [int(axis) for axis in axes.ravel()])
        return None

    def over_axes(self, node: OnnxNode, rank: int, axes: Sequence[int]) -> int | None:
        after = rank + len(axes) if node.op == "Unsqueeze" else rank
        if not axes or any(axis % after == 0 for axis in axes):
            return None
        if node.op == "Unsqueeze":
            return after
        return rank if node.op != "Squeeze" and node.integer("keepdims", 1) else rank - len(axes)

    def broadcast(self, node: OnnxNode) -> int | None:
        """The number of axes of an elementwise result. Each constant operand is the same for all samples."""
        ranks = {self.ranks[name] for name in node.inputs if name in self.ranks}
        if len(ranks) != 1:
            return None
        [rank] = ranks
        for name in node.inputs:
            array = self.constants.get(name)
            if not name or name in self.ranks:
                continue
            if array is None or array.ndim > rank or (array.ndim == rank and array.shape[0] != 1):
                return None
        return rank

    def resized(self, node: OnnxNode) -> Sequence[OnnxNode]:
        shape = np.array([1, *self.constants[node.inputs[1]].ravel()[1:]], np.int64)
        constant = constant_node(node, "one sample", shape)
        return [constant, replace(node, inputs=(node.inputs[0], constant.outputs[0]))]


def _single(output: Declared) -> Declared:
    return output if not output.dims else replace(output, dims=(1, *output.dims[1:]))


def _quantiser(samples: _Samples, node: OnnxNode, rank: int) -> int | None:
    sizes = [samples.constants[name].size if name in samples.constants else 0 for name in node.inputs[1:]]
    return rank if {*sizes} == {1} else None


def _pad(samples: _Samples, node: OnnxNode, rank: int) -> int | None:
    pads = samples.constants.get(node.inputs[1])
    known = pads is not None and pads.size == 2 * rank and not any(node.inputs[3:])
    return rank if known and pads is not None and not pads[0] and not pads[rank] else None


def _slice(samples: _Samples, node: OnnxNode, rank: int) -> int | None:
    axes = samples.constants.get(node.inputs[3]) if len(node.inputs) > 3 else None
    return rank if axes is not None and all(int(axis) % rank for axis in axes.ravel()) else None


def _layer(samples: _Samples, node: OnnxNode, rank: int) -> int | None:
    return rank


def _gemm(samples: _Samples, node: OnnxNode, rank: int) -> int | None:
    added = samples.constants.get(node.inputs[2]) if len(node.inputs) > 2 and node.inputs[2] else np.zeros(1)
    equal = added is not None and (added.ndim < 2 or added.shape[0] == 1)
    return rank if equal and rank == 2 and not node.integer("transA", 0) else None


def _matmul(samples: _Samples, node: OnnxNode, rank: int) -> int | None:
    """A product with one matrix, or a product of two stacks of matrices whose first axis is that of the samples."""
    matrix = node.inputs[3 if node.op == "QLinearMatMul" else 1]
    if matrix in samples.constants:
        return rank if rank > 1 and samples.constants[matrix].ndim == 2 else None
    return rank if rank > 2 and samples.ranks.get(matrix) == rank else None


def _flatten(samples: _Samples, node: OnnxNode, rank: int) -> int | None:
    return 2 if node.integer("axis", 1) % rank == 1 % rank else None


def _reshape(samples: _Samples, node: OnnxNode, rank: int) -> int | None:
    """A Reshape that keeps the axis of the samples. If it leaves the number of samples open, the graph with one sample
    cannot be imported unless the other extents are those of a sample.
    """
    shape = samples.constants.get(node.inputs[1])
    if shape is None or not shape.size or node.integer("allowzero", 0):
        return None
    first, *rest = (int(extent) for extent in shape.ravel())
    return len(rest) + 1 if first in (samples.batch, 0) or (first == -1 and min(rest, default=0) > 0) else None


def _transpose(samples: _Samples, node: OnnxNode, rank: int) -> int | None:
    order = node.integers("perm", range(rank)[::-1])
    return rank if len(order) == rank and order[0] == 0 else None


_RULES: Mapping[str, Callable[[_Samples, OnnxNode, int], int | None]] = {
    **dict.fromkeys(_LAYERS, _layer),
    "Flatten": _flatten,
    "Gemm": _gemm,
    "DequantizeLinear": _quantiser,
    "Pad": _pad,
    "QLinearMatMul": _matmul,
    "QuantizeLinear": _quantiser,
    "Slice": _slice,
    "Reshape": _reshape,
    "Transpose": _transpose,
}
"""The ranks of the results of layers and movements, whose other operands are the same for all samples."""
