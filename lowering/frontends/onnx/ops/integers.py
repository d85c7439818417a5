"""Inputs of integers and truth values. A program computes them as reals with whole values.

Integers may be positions (Gather, ScatterND), masks (Where, And, Or, Not) and numbers: Cast converts them to floats.
Ops whose result on integers differs from the result on reals, such as Div, are rejected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.integers import WIDE, masks_scores
from tinyml.lowering.frontends.layers.lookups import gathered, position_of, scattered
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.onnx.builder import (
    HANDLERS,
    Builder,
    Constant,
    Deferred,
    Inputs,
    Value,
    handles,
    needed,
)
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import FLOATS, binary
from tinyml.lowering.frontends.onnx.ops.movement import axis_of
from tinyml.lowering.frontends.onnx.tensors import ELEMENTS

MOVING = ("Concat", "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Tile", "Transpose")
"""Ops that move elements of any type; also Unsqueeze."""

COMPUTING = (
    "Abs", "Add", "Clip", "Max", "Min", "Mul", "Neg", "Pow", "ReduceMax", "ReduceMin", "ReduceSum", "Sub", "Sum",
)  # fmt: skip
"""Ops on integers of many bits whose results are those of the same op on reals."""

COMPARING = ("Greater", "GreaterOrEqual", "Less", "LessOrEqual")

EXPECTED = (
    "expected indices of Gather or ScatterND, a condition of Where, a Cast to floats, sums, products or movements; "
    "layers read int8 and uint8, or integers before a RequantShift"
)


@dataclass(frozen=True)
class Integers(Deferred):
    """A tensor of integers or truth values, stored as reals.

    element: the element type in the model, as numpy names it.
    """

    tensor: OrderedTensor
    element: str

    @property
    def shape(self) -> tdsl.Shape:
        return self.tensor.shape

    def emitted(self, to: Builder) -> OrderedTensor:
        return self.tensor

    def read_by(self, to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
        """Import a node that reads integers. Returns None for Shape and Size, which read only the shape.

        Raises `InputError` for an op whose result on reals would differ from its result on integers.
        """
        if node.domain == "":
            if node.op in ("Shape", "Size"):
                return None
            if node.op in _READERS and (result := _READERS[node.op](to, node, inputs)) is not None:
                return result
            moves = node.op in (*MOVING, "Unsqueeze")
            if moves or (node.op in COMPUTING and self.element in WIDE):
                return Integers(to.stored(_on_reals(to, node, inputs)), self.element)
            if node.op in COMPARING:
                return _on_reals(to, node, inputs)
        raise node.error(f"reads {self.element}, which is not supported here: {EXPECTED}")


def _on_reals(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    plain = [value.tensor if isinstance(value, Integers) else value for value in inputs]
    result = HANDLERS["", node.op](to, node, plain)
    assert not isinstance(result, Sequence)
    return result


def _cast(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    value, element = needed(to, inputs, 0), ELEMENTS.get(node.integer("to"))
    assert isinstance(value, Integers)
    if element in FLOATS:
        return value.tensor
    return Integers(value.tensor, element) if element in (value.element, *WIDE) else None


def _gather(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    source, positions = needed(to, inputs, 0), needed(to, inputs, 1)
    if not isinstance(positions, Integers):
        return None
    tensor = to.stored(source)
    axis = axis_of(node, node.integer("axis", 0), len(tensor.shape))
    result = gathered(to, tensor, axis, to.plain(positions.tensor), wraps=True)
    return _like(source, result)


def _like(source: Value, result: OrderedTensor) -> Value:
    if isinstance(source, Integers):
        return Integers(result, source.element)
    if isinstance(source, Constant) and source.array.dtype.kind in "iub":
        return Integers(result, str(source.array.dtype))
    return result


_REDUCTIONS: dict[str, type[tdsl.BinaryOp] | None] = {
    "none": None,
    "add": tdsl.AddOp,
    "mul": tdsl.MulOp,
    "max": tdsl.MaximumOp,
    "min": tdsl.MinimumOp,
}
"""The ops that combine elements and updates of ScatterND, by its attribute `reduction`."""


def scatter_nd(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import ScatterND: parts of a tensor are replaced, or combined with updates, at computed indices. Raises
    `InputError` for constant indices, for shapes that do not match, and for an unsupported reduction.
    """
    data, indices = needed(to, inputs, 0), needed(to, inputs, 1)
    tensor, updates = (to.tensor(needed(to, inputs, position)) for position in (0, 2))
    shape, (*listed, depth) = shape_of(tensor), indices.shape or (0,)
    if not 0 < depth <= len(shape) or shape_of(updates) != (*listed, *shape[depth:]):
        raise node.error(
            f"updates of shape {list(shape_of(updates))} and indices of shape {list(indices.shape)} do not fit data of "
            f"shape {list(shape)}"
        )
    if (reduction := node.text("reduction", "none")) not in _REDUCTIONS:
        raise node.error(f"reduction = {reduction} is not supported, only {', '.join(_REDUCTIONS)}")
    if not isinstance(indices, Integers):
        raise node.error("its indices must be an input of integers")
    updates = to.reshape(updates, (np.prod(listed, dtype=int).item(), *shape[depth:]))
    rows = to.reshape(to.plain(indices.tensor), (shape_of(updates)[0], depth))

    def positions(index: SSAValue) -> list[SSAValue]:
        numbers = [to.op(tdsl.SliceOp, rows, [index, to.index(axis)], (1, 1)) for axis in range(depth)]
        return [position_of(to, number, shape[axis], wraps=True) for axis, number in enumerate(numbers)]

    return _like(data, OrderedTensor.plain(scattered(to, tensor, positions, updates, _REDUCTIONS[reduction])))


handles("ScatterND")(scatter_nd)


def _where(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    """Import a selection. If the truth values are computed, the result is the sum of both branches, each multiplied by
    0 or 1.
    """
    condition, *branches = (needed(to, inputs, position) for position in range(3))
    numbers = [to.numbers(branch) for branch in branches]
    if isinstance(condition, Integers):
        if any(isinstance(operand, Constant) and masks_scores(operand.array) for operand in numbers):
            raise node.error("a mask of scores that is not constant is not supported")
        factors = [condition.tensor, _opposite(to, condition.tensor)]
        terms = [binary(to, tdsl.MulOp, *pair) for pair in zip(numbers, factors, strict=True)]
        result = binary(to, tdsl.AddOp, *terms)
    else:
        chosen = _on_reals(to, node, inputs)
        result = to.stored(chosen)
    return _like(next((branch for branch in branches if isinstance(branch, Integers)), result), result)


def _opposite(to: Builder, mask: OrderedTensor) -> OrderedTensor:
    return binary(to, tdsl.SubOp, Constant(np.array(1, np.float32)), mask)


def _not(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    mask = _masks(inputs)
    return Integers(_opposite(to, to.stored(mask[0])), "bool") if mask else None


def _and(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    masks = _masks(inputs)
    return Integers(binary(to, tdsl.MulOp, *masks), "bool") if masks else None


def _or(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    masks = _masks(inputs)
    return Integers(binary(to, tdsl.MaximumOp, *masks), "bool") if masks else None


def _masks(inputs: Inputs) -> list[OrderedTensor | Constant]:
    """The inputs of a node as zeros and ones, if all inputs are truth values. Otherwise an empty list, also if an input
    is a comparison of numbers.
    """
    masks = list[OrderedTensor | Constant]()
    for value in inputs:
        if isinstance(value, Integers) and value.element == "bool":
            masks.append(value.tensor)
        elif isinstance(value, Constant) and value.array.dtype == np.bool_:
            masks.append(Constant(value.array.astype(np.float32), value.name))
    return masks if len(masks) == len(inputs) else []


_READERS = {
    "And": _and,
    "Cast": _cast,
    "Gather": _gather,
    "Not": _not,
    "Or": _or,
    "ScatterND": scatter_nd,
    "Where": _where,
}
"""The importers of ops that read integers in their own way. They return None to import the op as one on reals."""
