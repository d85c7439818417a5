"""Recognition of normalisations by the mean and the standard deviation of each sample that are written as separate
operators.

A converter writes Keras's LayerNormalization as `x * (gamma / sd) + (beta - mean * (gamma / sd))`. Recognition starts
at the reciprocal square root that computes 1 / sd. From there to the last operator, each result is matched as a linear
expression in x and mean. One `LAYER_NORMALIZATION` then replaces all these operators. It computes (x - mean) / sd or x
/ sd, multiplies the quotient by a factor and adds an addend.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.tflite.model import Operator, Tensor, TfliteGraph
from tinyml.lowering.frontends.tflite.operands import axis_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

LAYER_NORMALIZATION = "LAYER_NORMALIZATION"
"""An internal operator with the inputs x, factor and addend, and four options that describe the root.

`axes`: the reduced axes. `epsilon`: the addend under the root. `total`: true for a sum instead of a mean. `centred`:
true for a variance, false for a mean of squares.
"""


_UNREACHED = 1e5
"""A reciprocal norm that only rows of zeros exceed."""


@dataclass(frozen=True)
class _Root:
    """The square root of epsilon plus the mean square, the sum of squares or the variance of `x` over some axes.

    mean: the mean that the variance subtracts from `x`; None for squares of `x` itself.
    total: true for the sum of squares.
    """

    x: Tensor
    mean: Tensor | None
    axes: tuple[int, ...]
    epsilon: float
    total: bool


@dataclass(frozen=True, eq=False)
class _Sum:
    """The expression `(of_x * x + of_mean * mean + alone) / root + addend`, which is linear in x and mean.

    divided: false for an expression without the division by the root.
    """

    of_x: NDArray[Any] | float = 0.0
    of_mean: NDArray[Any] | float = 0.0
    alone: NDArray[Any] | float = 0.0
    addend: NDArray[Any] | float = 0.0
    divided: bool = True

    def scaled(self, factor: NDArray[Any] | float) -> _Sum:
        parts = {name: getattr(self, name) * factor for name in ("of_x", "of_mean", "alone", "addend")}
        return replace(self, **parts)

    def plus(self, other: _Sum) -> _Sum:
        parts = {name: getattr(self, name) + getattr(other, name) for name in ("of_x", "of_mean", "alone", "addend")}
        return replace(self, **parts)

    def times(self, linear: _Sum) -> _Sum | None:
        """The product with `linear`, an expression without a root; None if `self` is not a multiple of the reciprocal
        root.
        """
        if np.any(self.of_x) or np.any(self.of_mean) or np.any(self.addend):
            return None
        return replace(linear, of_x=linear.of_x * self.alone, of_mean=linear.of_mean * self.alone, divided=True)

    @property
    def is_whole(self) -> bool:
        """Whether the expression is a complete normalisation: x or x - mean, times a factor, divided by the
        root, plus an addend.
        """
        centred = not np.any(np.add(self.of_x, self.of_mean)) or not np.any(self.of_mean)
        return self.divided and centred and bool(np.any(self.of_x)) and not np.any(self.alone)


def normalised(graph: TfliteGraph) -> TfliteGraph:
    """Replace the operators of each normalisation on floats by one `LAYER_NORMALIZATION`."""
    makers = {tensor: op for op in graph.operators for tensor in op.outputs}
    operators = list(graph.operators)
    for op in graph.operators:
        if op.kind in ("RSQRT", "SQRT") and (root := _root_of(op, makers)) is not None:
            operators = _replaced(replace(graph, operators=operators), op, root)
    return replace(graph, operators=operators)


def _number(tensor: Tensor | None) -> float | None:
    """The number in a float constant with a single element; None for any other tensor."""
    if tensor is None or tensor.data is None or tensor.data.size != 1 or tensor.dtype != "float32":
        return None
    return float(tensor.data.item())


def _root_of(op: Operator, makers: Mapping[Tensor, Operator]) -> _Root | None:
    """Match the input of a square root: a mean of squares, a sum of squares or a variance, optionally plus an epsilon.
    Returns None for other inputs.
    """
    tensor, epsilon = op.inputs[0] if op.inputs else None, 0.0
    added = makers.get(tensor) if tensor is not None else None
    if added is not None and added.kind == "ADD" and len(added.inputs) == 2:
        numbers = [_number(each) for each in added.inputs]
        number = next((each for each in numbers if each is not None), None)
        tensor = added.inputs[0 if numbers[0] is None else 1]
        if number is None or number < 0:
            return None
        epsilon = number
    reduced = makers.get(tensor) if tensor is not None else None
    if reduced is None or reduced.kind not in ("MEAN", "SUM") or (axes := _axes(reduced)) is None:
        return None
    total = reduced.kind == "SUM"
    square = makers.get(reduced.inputs[0]) if reduced.inputs[0] is not None else None
    if square is None or None in square.inputs or square.outputs[0].dtype != "float32":
        return None
    base, mean = square.inputs[0], None
    if square.kind == "SQUARED_DIFFERENCE":
        base, mean = square.inputs
    elif (square.kind == "MUL" and square.inputs[0] is square.inputs[1]) or square.kind == "SQUARE":
        less = makers.get(base) if base is not None else None
        if not total and less is not None and less.kind == "SUB" and less.inputs[1] is not None:
            base, mean = less.inputs
    else:
        return None
    if mean is not None and not _is_mean(makers.get(mean), base, axes):
        if square.kind == "SQUARED_DIFFERENCE":
            return None
        base, mean = square.inputs[0], None
    if base is None or (mean is not None and total):
        return None
    return _Root(base, mean, axes, epsilon, total)


def _axes(op: Operator) -> tuple[int, ...] | None:
    """The axes of a reduction whose result has the rank of its input; None for any other operator."""
    x, axes = op.inputs[0], op.inputs[1] if len(op.inputs) > 1 else None
    if x is None or axes is None or axes.data is None or len(op.outputs[0].shape) != len(x.shape):
        return None
    return tuple(sorted({axis_in(int(axis), len(x.shape)) for axis in axes.data.ravel()}))


def _is_mean(op: Operator | None, x: Tensor | None, axes: tuple[int, ...]) -> bool:
    return op is not None and op.kind == "MEAN" and op.inputs[0] is x and _axes(op) == axes


def _replaced(graph: TfliteGraph, op: Operator, root: _Root) -> list[Operator]:
    """The operators of the graph after one normalisation is replaced.

    `LAYER_NORMALIZATION` replaces the last operator of the normalisation. The other operators of the normalisation
    are removed.
    """
    sums: dict[Tensor, _Sum] = {root.x: _Sum(of_x=1.0, divided=False)}
    if root.mean is not None:
        sums[root.mean] = _Sum(of_mean=1.0, divided=False)
    followed = {op}
    roots = {op.outputs[0]} if op.kind == "SQRT" else set[Tensor]()
    if op.kind == "RSQRT":
        sums[op.outputs[0]] = _Sum(alone=1.0)
    # An operator with a fused activation ends the chain: it stays after the normalisation.
    ends: dict[Tensor, _Sum] = {}
    for each in graph.operators:
        if len(each.outputs) == 1 and each.outputs[0] not in sums and (made := _sum(each, sums, roots)) is not None:
            (sums if _activation(each) == "NONE" else ends)[each.outputs[0]] = made
            followed.add(each)
    read = {tensor for each in graph.operators if each not in followed for tensor in each.inputs} | {*graph.outputs}
    whole = {tensor: made for tensor, made in (sums | ends).items() if made.is_whole and tensor in read}
    operators = [
        _operator(each, whole[each.outputs[0]], root) if each in followed and each.outputs[0] in whole else each
        for each in graph.operators
    ]
    return _needed(operators, graph)


def _activation(op: Operator) -> str:
    activation: str = op.options.get("activation", "NONE")
    return activation


def _sum(op: Operator, sums: Mapping[Tensor, _Sum], roots: set[Tensor]) -> _Sum | None:
    """The linear expression that an operator computes from linear expressions and constants; None for any other
    operator.
    """
    if op.kind not in ("ADD", "SUB", "MUL", "DIV", "NEG", "MINIMUM") or None in op.inputs:
        return None
    if op.outputs[0].dtype != "float32":
        return None
    given = [sums.get(tensor) if tensor is not None else None for tensor in op.inputs]
    if op.kind == "NEG":
        return None if given[0] is None else given[0].scaled(-1.0)
    (first, second), constants = given, [None if each is None else each.data for each in op.inputs]
    if op.kind == "DIV":
        if op.inputs[1] in roots and first is not None and not first.divided:
            return replace(first, divided=True)
        return None
    if op.kind == "MINIMUM":
        # Keras limits the reciprocal of a norm, usually to a million. The limit changes only rows that are nearly zero.
        limit = _number(op.inputs[1])
        return first if limit is not None and limit >= _UNREACHED and first is not None and first.divided else None
    if op.kind == "MUL":
        if first is not None and second is not None:
            if first.divided == second.divided:
                return None
            return first.times(second) if first.divided else second.times(first)
        known, constant = (first, constants[1]) if first is not None else (second, constants[0])
        return None if known is None or constant is None else known.scaled(constant)
    sign = -1.0 if op.kind == "SUB" else 1.0
    if first is not None and second is not None:
        return first.plus(second.scaled(sign)) if first.divided == second.divided else None
    if first is not None and constants[1] is not None and first.divided:
        return replace(first, addend=first.addend + sign * constants[1])
    if second is not None and constants[0] is not None and second.divided:
        second = second.scaled(sign)
        return replace(second, addend=second.addend + constants[0])
    return None


def _operator(op: Operator, sum: _Sum, root: _Root) -> Operator:
    """The operator that replaces `op`: the `LAYER_NORMALIZATION` for a complete normalisation, or `op` itself if
    the expression does not match the root.
    """
    output = op.outputs[0]
    centred = bool(np.any(sum.of_mean))
    if centred != (root.mean is not None):
        return op
    factor, addend = (
        Tensor(output.index, "", array.shape, "float32", None, array)
        for array in (np.asarray(sum.of_x, np.float32), np.asarray(sum.addend, np.float32))
    )
    options = {
        "axes": root.axes, "epsilon": root.epsilon, "total": root.total, "centred": centred,
        "activation": _activation(op),
    }  # fmt: skip
    return Operator(op.index, LAYER_NORMALIZATION, [root.x, factor, addend], op.outputs, options)


def _needed(operators: list[Operator], graph: TfliteGraph) -> list[Operator]:
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
