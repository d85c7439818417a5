"""The number formats of a quantised model.

A model in QDQ form computes on floats between DequantizeLinear and QuantizeLinear. A value that reaches a
QuantizeLinear, directly or through ops that only move elements, is computed in the format of this QuantizeLinear.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import UNSIGNED_ZERO
from tinyml.lowering.frontends.onnx.graph import MICROSOFT, OnnxGraph, OnnxNode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.zeroskew.single_precision import FloatSkewType
    from tinyml.dialects.formats.zeroskew.type import ZeroSkewType

Skewed: TypeAlias = "FloatSkewType | ZeroSkewType"

ACTIVATIONS = "tinyml.dialects.formats.zeroskew.single_precision:FloatSkewType"
INTEGERS = "tinyml.dialects.formats.zeroskew.type:ZeroSkewType"
"""The format extensions for formats of quantised models: with ONNX Runtime's arithmetic, and with integers alone."""

ROUNDING, EVEN = "tinyml.rounding", "even"
"""The entry in the metadata of a model whose quantised results are rounded once from integers, halves to even."""

WEIGHT_WIDTH, START_WIDTH = 8, 32

KEEPING = (
    "Relu",
    "Clip",
    "Reshape",
    "Flatten",
    "Squeeze",
    "Unsqueeze",
    "Transpose",
    "MaxPool",
    "GlobalMaxPool",
    "Identity",
    "Dropout",
    "Slice",
    "Split",
    "Gather",
    "Pad",
    "ArgMax",
)
"""Ops that select or clamp numbers of their input, so that quantisation commutes with them."""


ON_RAWS = ("QuantizeLinear", "DequantizeLinear", "QLinearConv", "QLinearMatMul", "Cast", "CastLike")
"""Ops that convert numbers or have scales as inputs: they distinguish quantised tensors from reals."""


_SCALED = ("DequantizeLinear", "QLinearConv", "QLinearMatMul")
"""Ops whose second and third inputs are the scale and the zero point of the first."""

SUMS = ("Conv", "Gemm", "MatMul")
"""Ops that compute sums of products."""


def sums_of(graph: OnnxGraph, names: Iterable[str]) -> Sequence[OnnxNode]:
    """The sums of products that read one of the values `names`, directly or after ops of `KEEPING`."""
    reached, sums = {*names}, list[OnnxNode]()
    for node in graph.nodes:
        if node.domain or reached.isdisjoint(node.inputs):
            continue
        if node.op in SUMS:
            sums.append(node)
        if node.op in KEEPING:
            reached |= {*node.outputs}
    return sums


def quantised_format(node: OnnxNode, scale: NDArray[Any] | None, zero: NDArray[Any] | None) -> Skewed:
    """The format of activations with a scale and a zero point. Raws have the type of the zero point. Without a zero
    point, raws have the type uint8 and the zero point 0.
    """
    if scale is None or scale.size != 1 or scale.dtype.kind != "f" or not 0 < (value := float(scale.item())) < np.inf:
        raise node.error("expected one positive scale, a constant")
    kind = "uint8" if zero is None else zero.dtype.name
    if kind not in ("int8", "uint8") or (zero is not None and zero.size != 1):
        raise node.error(f"raws of {kind} with several zero points, or of that type, are not supported, only 8 bits")
    point = (0 if zero is None else int(zero.item())) - (UNSIGNED_ZERO if kind == "uint8" else 0)
    if node.in_integers:
        integers: type[ZeroSkewType] = imported(INTEGERS)
        return integers(WEIGHT_WIDTH, value, point, to_even=True)
    format: type[FloatSkewType] = imported(ACTIVATIONS)
    return format(value, point)


def weights_format(node: OnnxNode, raws: NDArray[Any], scale: NDArray[Any], zero: NDArray[Any] | None) -> NumberFormat:
    """The format of constant 8-bit raws, or of 32-bit biases, with one scale or one per row; no zero point means 0."""
    scales = [float(value) for value in scale.ravel()]
    if raws.dtype.name not in ("int8", "uint8", "int32") or scale.dtype.kind != "f":
        raise node.error(f"constants of {raws.dtype} are not supported, only of int8, uint8 and int32")
    if not scales or not all(0 < value < np.inf for value in scales):
        raise node.error("scales must be positive numbers")
    points = {int(point) for point in zero.ravel()} if zero is not None and zero.size else {0}
    if raws.dtype == np.uint8:
        points = {point - UNSIGNED_ZERO for point in points}
    if len(points) > 1 or (points != {0} and (len(scales) > 1 or raws.dtype.itemsize > 1)):
        raise node.error("a zero point other than 0 is supported for constants of 8 bits with one scale only")
    width = WEIGHT_WIDTH if raws.dtype.itemsize == 1 else START_WIDTH
    format: type[ZeroSkewType] = imported(INTEGERS)
    return format(width, scales if len(scales) > 1 else scales[0], points.pop())


def result_formats(graph: OnnxGraph) -> Mapping[str, Skewed]:
    """By name, the format in which each value is computed. Values that are computed as floats are omitted."""
    constants = constants_of(graph)
    formats: dict[str, Skewed] = {}
    for node in reversed(graph.nodes):
        if not node.inputs or not node.inputs[0]:
            continue
        if node.op == "QuantizeLinear" and node.domain == "":
            formats.setdefault(node.inputs[0], _of_node(node, constants))
        elif node.op in KEEPING and node.outputs and node.outputs[0] in formats:
            formats.setdefault(node.inputs[0], formats[node.outputs[0]])
    return formats


def input_format(graph: OnnxGraph, name: str, element: str) -> Skewed | None:
    """The format to which a graph quantises its input, or from which it dequantises its input.

    Returns None for an input on floats, and if nodes use different formats.
    """
    constants = constants_of(graph)
    readers = [node for node in graph.nodes if name in node.inputs]
    if element in ("int8", "uint8"):
        scaled = [node for node in readers if node.op in _SCALED or node.domain == MICROSOFT]
        formats = {_of_node(node, constants) for node in scaled if len(node.inputs) > 2 and node.inputs[0] == name}
    elif all(node.op == "QuantizeLinear" for node in readers) and name not in {output.name for output in graph.outputs}:
        formats = {_of_node(node, constants) for node in readers}
    else:
        return None
    return formats.pop() if len(formats) == 1 else None


def _of_node(node: OnnxNode, constants: Mapping[str, NDArray[Any]]) -> Skewed:
    scale, zero = (constants.get(name) for name in (*node.inputs[1:3], "", "")[:2])
    return quantised_format(node, scale, zero)


def constants_of(graph: OnnxGraph) -> Mapping[str, NDArray[Any]]:
    """The constants of a graph by name, including those of Constant nodes."""
    of_nodes = {
        node.outputs[0]: value
        for node in graph.nodes
        if node.op == "Constant" and isinstance(value := node.attributes.get("value"), np.ndarray)
    }
    return {**graph.constants, **of_nodes}
