"""Replacement of normalisations by the mean and the standard deviation of each sample, and of softmax, that are written
as separate operators.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tinyml.lowering.frontends.layers.normalisations import Elementary, Normalisation, Softmax, layers_of
from tinyml.lowering.frontends.tflite.model import Operator, Tensor, TfliteGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

LAYER_NORMALIZATION = "LAYER_NORMALIZATION"
"""An internal operator with the inputs x, factor and addend, and four options that describe the root.

`axes`: the reduced axes. `epsilon`: the addend under the root. `total`: true for a sum instead of a mean. `centred`:
true for a variance, false for a mean of squares.
"""

AXIS_SOFTMAX = "AXIS_SOFTMAX"
"""An internal operator: the softmax of its input along the axis in its option `axis`."""

_KINDS = {
    "ADD": "add",
    "DIV": "div",
    "EXP": "exp",
    "MAXIMUM": "maximum",
    "MEAN": "mean",
    "MINIMUM": "minimum",
    "MUL": "mul",
    "NEG": "neg",
    "REDUCE_MAX": "greatest",
    "RSQRT": "rsqrt",
    "SQRT": "sqrt",
    "SQUARE": "square",
    "SQUARED_DIFFERENCE": "squared_difference",
    "SUB": "sub",
    "SUM": "sum",
}


def normalised(graph: TfliteGraph) -> TfliteGraph:
    """Replace the operators of each normalisation on floats by one `LAYER_NORMALIZATION`, and those of each softmax by
    one `AXIS_SOFTMAX`.
    """
    elementary = [(op, _elementary(op)) for op in graph.operators]
    others = set[Hashable](graph.outputs).union(*(op.inputs for op, step in elementary if step is None))
    ops = [step for _, step in elementary if step is not None]
    layers = layers_of(ops, _constant, frozenset(others))
    if not layers:
        return graph
    operators = [
        _operator(op, layers[op.outputs[0]]) if op.outputs and op.outputs[0] in layers else op for op in graph.operators
    ]
    return replace(graph, operators=_needed(operators, graph))


def _constant(key: Hashable) -> NDArray[Any] | None:
    return key.data if isinstance(key, Tensor) and key.dtype == "float32" else None


def _elementary(op: Operator) -> Elementary | None:
    kind = _KINDS.get(op.kind)
    if kind is None or len(op.outputs) != 1 or None in op.inputs or op.outputs[0].dtype != "float32":
        return None
    axes: tuple[int, ...] | None = ()
    reduces = kind in ("mean", "sum", "greatest")
    if reduces and (axes := _axes(op)) is None:
        return None
    inputs = op.inputs[:1] if reduces else op.inputs
    return Elementary(kind, tuple(inputs), op.outputs[0], axes, op.options.get("activation", "NONE") != "NONE")


def _axes(op: Operator) -> tuple[int, ...] | None:
    """The axes of a reduction whose result has the rank of its input; None for any other operator."""
    x, axes = op.inputs[0], op.inputs[1] if len(op.inputs) > 1 else None
    if x is None or axes is None or axes.data is None or len(op.outputs[0].shape) != len(x.shape):
        return None
    rank, listed = len(x.shape), {int(axis) for axis in axes.data.ravel()}
    # The importer of the reduction reports an axis that does not exist.
    return tuple(sorted(axis % rank for axis in listed)) if all(-rank <= axis < rank for axis in listed) else None


def _operator(op: Operator, by: Normalisation | Softmax) -> Operator:
    output = op.outputs[0]
    assert isinstance(by.x, Tensor)
    if isinstance(by, Softmax):
        return Operator(op.index, AXIS_SOFTMAX, [by.x], op.outputs, {"axis": by.axis})
    factor, addend = (Tensor(output.index, "", array.shape, "float32", None, array) for array in (by.factor, by.addend))
    options = {
        "axes": by.axes, "epsilon": by.epsilon, "total": by.total, "centred": by.centred,
        "activation": op.options.get("activation", "NONE"),
    }  # fmt: skip
    return Operator(op.index, LAYER_NORMALIZATION, [by.x, factor, addend], op.outputs, options)


def _needed(operators: Sequence[Operator], graph: TfliteGraph) -> list[Operator]:
    """The operators that are needed: those whose results are used, those that update a state and have no results, and
    those that `graph` does not contain.
    """
    read: set[Tensor | None] = {*graph.outputs}
    kept: list[Operator] = []
    for op in reversed(operators):
        if not op.outputs or any(tensor in read for tensor in op.outputs) or op not in graph.operators:
            kept.append(op)
            read |= {*op.inputs}
    return kept[::-1]
