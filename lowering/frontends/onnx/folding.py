"""Constant folding: numpy computes nodes with constant inputs during import.

The size of each result is checked against the limit on elements before the result is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import ceil, prod
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Label, Value
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.tensors import ELEMENTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
Fold: TypeAlias = Callable[[Builder, OnnxNode, Sequence["Array | None"]], "Array | Sequence[Array]"]

_FOLDS: dict[str, Fold] = {}


def fold(to: Builder, node: OnnxNode, inputs: Inputs) -> Sequence[Value] | None:
    """Compute the outputs of a node during import. Returns None if this is not possible."""
    if node.op == "Shape" and inputs and (value := inputs[0]) is not None and not isinstance(value, Label):
        first, last = node.integer("start", 0), node.integer("end", len(value.shape))
        return [Constant(np.array(value.shape[first:last], np.int64))]
    if node.op == "Size" and inputs and (value := inputs[0]) is not None:
        return [Constant(np.array(prod(value.shape), np.int64))]
    arrays: list[Array | None] = []
    for value in inputs:
        if value is not None and not isinstance(value, Constant):
            return None
        arrays.append(None if value is None else value.array)
    if node.op not in _FOLDS:
        return None
    try:
        with np.errstate(all="ignore"):
            result = _FOLDS[node.op](to, node, arrays)
    # numpy raises many types of errors for operands that do not fit.
    except (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError, AttributeError, MemoryError) as error:
        raise node.error(f"its constants do not fit: {' '.join(str(error).split())}") from error
    outputs = [np.asarray(output) for output in (result if isinstance(result, list | tuple) else [result])]
    to.count(sum(output.size for output in outputs))
    return [Constant(output) for output in outputs]


def _folds(*ops: str) -> Callable[[Fold], Fold]:
    def register(function: Fold) -> Fold:
        _FOLDS.update(dict.fromkeys(ops, function))
        return function

    return register


def array(inputs: Sequence[Array | None], position: int) -> Array:
    """The constant input at a position. Raises `ValueError` if it is omitted."""
    if position >= len(inputs) or (value := inputs[position]) is None:
        raise ValueError(f"{position + 1} inputs are needed")
    return value


def _axes(node: OnnxNode, inputs: Sequence[Array | None], position: int) -> tuple[int, ...] | None:
    if position < len(inputs) and (value := inputs[position]) is not None:
        return tuple(int(axis) for axis in value.ravel())
    return None


_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": lambda a, b: a / b if a.dtype.kind == "f" else np.trunc(a / b).astype(a.dtype),
    "Mod": lambda a, b: np.mod(a, b),
    "Pow": lambda a, b: (a**b).astype(a.dtype),
    "Equal": lambda a, b: a == b,
    "Greater": lambda a, b: a > b,
    "GreaterOrEqual": lambda a, b: a >= b,
    "Less": lambda a, b: a < b,
    "LessOrEqual": lambda a, b: a <= b,
    "And": lambda a, b: np.logical_and(a, b),
    "Or": lambda a, b: np.logical_or(a, b),
}

_UNARY: dict[str, Callable[[Array], Array]] = {
    "Neg": lambda a: -a,
    "Abs": np.abs,
    "Sqrt": np.sqrt,
    "Exp": np.exp,
    "Log": np.log,
    "Floor": np.floor,
    "Ceil": np.ceil,
    "Reciprocal": lambda a: 1 / a,
    "Not": np.logical_not,
    "Identity": lambda a: a,
    "Relu": lambda a: np.maximum(a, a.dtype.type(0)),
}


@_folds(*_BINARY)
def _binary(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    a, b = array(inputs, 0), array(inputs, 1)
    to.check_shape(np.broadcast_shapes(a.shape, b.shape))
    return _BINARY[node.op](a, b)


@_folds(*_UNARY)
def _unary(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    return _UNARY[node.op](array(inputs, 0))


@_folds("Max", "Min")
def _extreme(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    arrays = [array(inputs, i) for i in range(len(inputs))]
    to.check_shape(np.broadcast_shapes(*(operand.shape for operand in arrays)))
    return reduce(np.maximum if node.op == "Max" else np.minimum, arrays)


@_folds("Clip")
def _clip(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    """Clamp a constant in its own element type; before opset 11 the limits are attributes."""
    value, limits = array(inputs, 0), [*inputs[1:], None, None]
    for name, extreme, limit in zip(("min", "max"), (np.maximum, np.minimum), limits, strict=False):
        if limit is None and name in node.attributes:
            limit = np.asarray(node.number(name), value.dtype)
        if limit is not None:
            value = extreme(value, limit.reshape(())).astype(value.dtype)
    return value


@_folds("Constant")
def _constant(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    known = {"value", "value_float", "value_int", "value_floats", "value_ints"} & node.attributes.keys()
    if len(known) != 1:
        raise node.error("expected one of value, value_float, value_floats, value_int and value_ints")
    [name] = known
    value = node.attributes[name]
    if isinstance(value, int | float | tuple):
        return np.array(value, np.int64 if "int" in name else np.float32)
    if not isinstance(value, np.ndarray):
        raise node.error("its value is not a tensor")
    return value


@_folds("Cast")
def _cast(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    target = ELEMENTS.get(node.integer("to"))
    if target is None:
        raise node.error(f"element type {node.integer('to')} is not supported")
    return array(inputs, 0).astype("float32" if target == "bfloat16" else target)


@_folds("Concat")
def _concat(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    arrays = [array(inputs, i) for i in range(len(inputs))]
    to.check_shape((max(1, sum(operand.size for operand in arrays)),))
    return np.concatenate(arrays, node.integer("axis"))


@_folds("Gather")
def _gather(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    values, indices, axis = array(inputs, 0), array(inputs, 1), node.integer("axis", 0)
    to.check_shape((max(prod(values.shape), 1) * max(prod(indices.shape), 1),))
    return np.take(values, indices.astype(np.int64), axis)


@_folds("Unsqueeze")
def _unsqueeze(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    return np.expand_dims(array(inputs, 0), _axes(node, inputs, 1) or ())


@_folds("Squeeze")
def _squeeze(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    return np.squeeze(array(inputs, 0), _axes(node, inputs, 1))


@_folds("Reshape")
def _reshape(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    value = array(inputs, 0)
    shape = [int(extent) for extent in array(inputs, 1).ravel()]
    if not node.integer("allowzero", 0):
        shape = [value.shape[axis] if extent == 0 else extent for axis, extent in enumerate(shape)]
    return value.reshape(shape)


@_folds("Transpose")
def _transpose(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    value = array(inputs, 0)
    return value.transpose(node.integers("perm", tuple(reversed(range(value.ndim)))))


@_folds("Slice")
def _slice(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    value = array(inputs, 0)
    starts, ends = ([int(number) for number in array(inputs, i).ravel()] for i in (1, 2))
    axes = _axes(node, inputs, 3) or range(len(starts))
    steps = [int(number) for number in array(inputs, 4).ravel()] if len(inputs) > 4 else [1] * len(starts)
    index = [slice(None)] * value.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        index[axis] = slice(start, None if step < 0 and end < -value.shape[axis] else end, step)
    return value[tuple(index)]


@_folds("ConstantOfShape")
def _constant_of_shape(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    shape = [int(extent) for extent in array(inputs, 0).ravel()]
    to.check_shape(shape)
    value = node.attributes.get("value", np.zeros(1, np.float32))
    if not isinstance(value, np.ndarray) or value.size != 1:
        raise node.error("its value is not a single number")
    return np.full(shape, value.ravel()[0])


@_folds("Expand")
def _expand(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    value = array(inputs, 0)
    shape = np.broadcast_shapes(value.shape, tuple(int(extent) for extent in array(inputs, 1).ravel()))
    to.check_shape(shape)
    return np.broadcast_to(value, shape)


@_folds("Tile")
def _tile(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    value, repeats = array(inputs, 0), [int(number) for number in array(inputs, 1).ravel()]
    to.check_shape([extent * times for extent, times in zip(value.shape, repeats, strict=True)])
    return np.tile(value, repeats)


@_folds("Range")
def _range(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    start, limit, step = (array(inputs, i).item() for i in range(3))
    count = max(0, ceil((limit - start) / step))
    to.check_shape((max(count, 1),))
    return (start + step * np.arange(count)).astype(array(inputs, 0).dtype)


@_folds("Trilu")
def _trilu(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    diagonal = 0 if len(inputs) < 2 or inputs[1] is None else int(array(inputs, 1).item())
    return (np.triu if node.integer("upper", 1) else np.tril)(array(inputs, 0), diagonal)


@_folds("Where")
def _where(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    condition, a, b = (array(inputs, i) for i in range(3))
    to.check_shape(np.broadcast_shapes(condition.shape, a.shape, b.shape))
    return np.where(condition, a, b)


@_folds("Split")
def _split(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Sequence[Array]:
    value, axis = array(inputs, 0), node.integer("axis", 0)
    if len(inputs) > 1:
        ends = np.cumsum(array(inputs, 1).ravel()).tolist()
        return np.split(value, ends[:-1], axis)
    return np.array_split(value, max(len(node.outputs), 1), axis)


_REDUCTIONS: dict[str, Callable[..., Array]] = {
    "ReduceSum": np.sum,
    "ReduceProd": np.prod,
    "ReduceMean": np.mean,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
}


@_folds(*_REDUCTIONS)
def _reduce(to: Builder, node: OnnxNode, inputs: Sequence[Array | None]) -> Array:
    value, axes = array(inputs, 0), _axes(node, inputs, 1)
    if not axes and node.integer("noop_with_empty_axes", 0):
        return value
    return _REDUCTIONS[node.op](value, axis=axes or None, keepdims=bool(node.integer("keepdims", 1))).astype(
        value.dtype
    )


FOLDED = frozenset({*_FOLDS, "Shape", "Size"})
"""Ops of the default domain that are folded for constants, or for the shapes of tensors."""
