"""Comparisons with constants, and choices by them.

A comparison of many elements is recorded until single ones are gathered: `tdsl.at_least` compares single elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, handles, needed
from tinyml.lowering.frontends.onnx.building.values import Comparison, Constant, Indicator, Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import unary

_MIRRORED = {
    "Greater": "Less",
    "GreaterOrEqual": "LessOrEqual",
    "Less": "Greater",
    "LessOrEqual": "GreaterOrEqual",
}


@handles(*_MIRRORED)
def compare(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    lhs, rhs, op = needed(to, inputs, 0), needed(to, inputs, 1), node.op
    if isinstance(lhs, Constant):
        lhs, rhs, op = rhs, lhs, _MIRRORED[op]
    if not isinstance(rhs, Constant) or rhs.array.size != 1 or rhs.array.dtype.kind not in "fiu":
        raise node.error("only comparisons with one constant number are supported")
    threshold = float(rhs.array.item())
    tensor = to.stored(lhs)
    if op in ("Greater", "LessOrEqual"):
        # x > t is the opposite of -x >= -t.
        tensor, threshold = unary(to, tdsl.NegOp, tensor), 0.0 - threshold
    return Comparison(tensor, threshold, op in ("Greater", "Less"))


@handles("Not")
def opposite(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    value = needed(to, inputs, 0)
    if not isinstance(value, Comparison):
        raise node.error("expected the result of a comparison")
    return value.opposite


@handles("Where")
def where(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    condition, *branches = (needed(to, inputs, i) for i in range(3))
    if not isinstance(condition, Comparison):
        raise node.error("expected the result of a comparison as its condition")
    if_true, if_false = _of_one_shape(to, branches)
    return OrderedTensor.plain(to.choose([condition], if_true, if_false))


def _of_one_shape(to: Builder, branches: Sequence[Value]):
    """Two branches as tensors; a single number is repeated for each element of the other."""
    values = [to.tensor(branch) for branch in branches]
    shapes = [tdsl.shape_of(value) for value in values]
    for i, branch in enumerate(branches):
        if isinstance(branch, Constant) and branch.array.size == 1 and shapes[i] != shapes[1 - i]:
            values[i] = to.fill(float(branch.array.item()), shapes[1 - i])
    return values


@handles("Cast", "CastLike")
def cast(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Reals unchanged, whatever their type in the file; comparisons as 0 and 1."""
    value = needed(to, inputs, 0)
    return Indicator([value]) if isinstance(value, Comparison) else value
