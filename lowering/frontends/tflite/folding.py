"""Folding of TensorFlow Lite operators that depend only on constants and shapes.

Keras leaves the number of samples open, so that the model computes shapes at run time. For example, SHAPE,
STRIDED_SLICE and PACK precede every RESHAPE of a Flatten layer, and FILL creates the initial state of a recurrent
layer. A program processes one sample, which determines all of these shapes.

In a model that computes on floats, weights stored in fewer bits are converted to floats. These are 8-bit weights with
float activations (TensorFlow Lite's dynamic range quantisation) and float16 weights followed by a DEQUANTIZE.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.tflite.model import (
    NARROW,
    NUMPY_TYPES,
    Operator,
    Tensor,
    TfliteGraph,
    check_elements,
)
from tinyml.lowering.frontends.tflite.operands import input_of, strided_ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def folded(graph: TfliteGraph) -> TfliteGraph:
    """Remove the operators whose results are constants.

    Raises `InputError` for an input with unknown extents other than the number of samples, and for an operator with
    invalid constants or with a declared output that does not match the result.
    """
    for tensor in graph.inputs:
        if any(extent < 0 for extent in tensor.signature[1:]):
            shape = ", ".join("?" if extent < 0 else str(extent) for extent in tensor.signature)
            raise InputError(
                f"the input {tensor} has shape ({shape}), of which only the first extent may be unknown: convert the "
                "model with an input of known length"
            )
    known: dict[Tensor, Tensor] = {}
    left: list[Operator] = []
    elements = 0
    for op in graph.operators:
        op = replace(op, inputs=[None if tensor is None else known.get(tensor, tensor) for tensor in op.inputs])
        result = constant_result(op)
        if result is None:
            try:
                left.append(_in_floats(op))
            except VerifyException as error:
                raise InputError(f"{op}: {error}") from error
            continue
        [output] = op.outputs
        if result.size != prod(output.shape):
            raise InputError(f"{op}: {output} is declared as {output.shape}, the operator computes {result.shape}")
        elements += result.size
        check_elements(elements, "the constants have")
        if output.dtype not in (*NUMPY_TYPES, *NARROW):
            raise InputError(f"{op}: {output} is of type {output.dtype}, which is not supported")
        stored = np.int8 if output.dtype in NARROW else np.dtype(output.dtype)
        known[output] = replace(output, data=result.astype(stored).reshape(output.shape))
    return replace(graph, operators=left, outputs=[known.get(tensor, tensor) for tensor in graph.outputs])


def _in_floats(op: Operator) -> Operator:
    first = op.inputs[0] if op.inputs else None
    if first is None or first.dtype != "float32" or op.kind == "QUANTIZE":
        return op
    return replace(op, inputs=[_dequantised(x) if x is not None and x.quantization else x for x in op.inputs])


def _dequantised(tensor: Tensor) -> Tensor:
    if tensor.data is None:
        return tensor
    return replace(tensor, dtype="float32", quantization=None, data=_reals(tensor))


def _reals(tensor: Tensor) -> Array:
    data, quantization = tensor.data, tensor.quantization
    assert data is not None
    if tensor.dtype not in (*NUMPY_TYPES, *NARROW):
        raise VerifyException(f"{tensor} is of type {tensor.dtype}, which is not supported")
    if quantization is None:
        return data.astype(np.float32)
    count, extents = len(quantization.scales), [1] * data.ndim
    if count > 1 and data.shape[quantization.axis : quantization.axis + 1] != (count,):
        raise VerifyException(f"{tensor} has {count} scales, which do not fit its shape {data.shape}")
    if count > 1:
        extents[quantization.axis] = count
    scales, zeros = (np.array(numbers).reshape(extents) for numbers in (quantization.scales, quantization.zero_points))
    return ((data.astype(np.float64) - zeros) * scales).astype(np.float32)


def constant_result(op: Operator) -> Array | None:
    """The result of an operator on constants; None if it is not folded.

    Raises `InputError` for constants that do not fit together.
    """
    inputs = [tensor for tensor in op.inputs if tensor is not None]
    if op.kind not in FOLDED or len(op.outputs) != 1 or len(inputs) < len(op.inputs) or not inputs:
        return None
    arrays = [_OF_SHAPES[op.kind](tensor.shape) if op.kind in _OF_SHAPES else tensor.data for tensor in inputs]
    constants = [array for array in arrays if array is not None]
    integers = [array for position, array in enumerate(constants) if (op.kind, position) not in MOVED]
    if len(constants) < len(inputs) or any(array.dtype.name not in ("int32", "int64") for array in integers):
        return None
    try:
        with np.errstate(all="ignore"):
            return FOLDED[op.kind](op, constants)
    except (ValueError, IndexError, VerifyException) as error:
        raise InputError(f"{op}: {error}") from error


_OF_SHAPES: dict[str, Callable[[tuple[int, ...]], Array]] = {
    "RANK": lambda shape: np.array(len(shape)),
    "SHAPE": np.array,
}
"""The operators on the shape of a tensor."""

Fold = Callable[[Operator, Sequence["Array"]], "Array"]
"""A function that returns an operator's result for constants; it raises `ValueError` for inconsistent constants."""


def _strided(op: Operator, inputs: Sequence[Array]) -> Array:
    return inputs[0][np.ix_(*strided_ranges(op))]


def _sliced(op: Operator, inputs: Sequence[Array]) -> Array:
    x, begin, size = inputs
    ends = [None if count == -1 else start + count for start, count in zip(begin.flat, size.flat, strict=True)]
    return x[tuple(slice(start, end) for start, end in zip(begin.flat, ends, strict=True))]


def _gathered(op: Operator, inputs: Sequence[Array]) -> Array:
    if op.options["batch_dims"]:
        raise ValueError("batches of indices are not supported")
    return np.take(inputs[0], inputs[1], op.options["axis"])


def _reduced(op: Operator, inputs: Sequence[Array]) -> Array:
    return np.prod(inputs[0], tuple(inputs[1].ravel().tolist()))


def _filled(dims: Array, value: Array) -> Array:
    """Broadcast a value to the shape `dims` without allocating the elements, whose number may exceed the limit."""
    return np.broadcast_to(value, tuple(dims.ravel().tolist()))


def _arithmetic(compute: Callable[[Array, Array], Array]) -> Fold:
    """The folding function of an arithmetic operator that broadcasts.

    The result has at most as many elements as the file declares.
    """

    def fold(op: Operator, inputs: Sequence[Array]) -> Array:
        lhs, rhs = inputs
        if prod(np.broadcast_shapes(lhs.shape, rhs.shape)) != prod(op.outputs[0].shape):
            raise ValueError(f"operands of shapes {lhs.shape} and {rhs.shape} do not give {op.outputs[0].shape}")
        return compute(lhs, rhs)

    return fold


def _agreed(op: Operator, inputs: Sequence[Array]) -> Array:
    lhs, rhs = (tuple(shape.ravel().tolist()) for shape in inputs)
    return np.array(np.broadcast_shapes(lhs, rhs))


FOLDED: dict[str, Fold] = {
    "ADD": _arithmetic(np.add),
    "BROADCAST_ARGS": _agreed,
    "BROADCAST_TO": lambda op, inputs: _filled(inputs[1], inputs[0]),
    "CAST": lambda op, inputs: inputs[0],
    "CONCATENATION": lambda op, inputs: np.concatenate(inputs, op.options["axis"]),
    "DEQUANTIZE": lambda op, inputs: _reals(input_of(op, 0)),
    "EQUAL": _arithmetic(np.equal),
    "EXPAND_DIMS": lambda op, inputs: inputs[0],
    "FILL": lambda op, inputs: _filled(inputs[0], inputs[1]),
    "FLOOR_DIV": _arithmetic(np.floor_divide),
    "GATHER": _gathered,
    "GREATER": _arithmetic(np.greater),
    "GREATER_EQUAL": _arithmetic(np.greater_equal),
    "LESS": _arithmetic(np.less),
    "LESS_EQUAL": _arithmetic(np.less_equal),
    "LOGICAL_AND": _arithmetic(np.logical_and),
    "MAXIMUM": _arithmetic(np.maximum),
    "MINIMUM": _arithmetic(np.minimum),
    "MUL": _arithmetic(np.multiply),
    "NOT_EQUAL": _arithmetic(np.not_equal),
    "PACK": lambda op, inputs: np.stack(inputs, op.options["axis"]),
    "RANK": lambda op, inputs: inputs[0],
    "REDUCE_PROD": _reduced,
    "RESHAPE": lambda op, inputs: inputs[0],
    "SHAPE": lambda op, inputs: inputs[0],
    "SLICE": _sliced,
    "SQUEEZE": lambda op, inputs: inputs[0],
    "STRIDED_SLICE": _strided,
    "SUB": _arithmetic(np.subtract),
}
"""The operators that are folded if their inputs are plain integers."""

MOVED = {("FILL", 1), ("BROADCAST_TO", 0), ("DEQUANTIZE", 0), ("LOGICAL_AND", 0), ("LOGICAL_AND", 1)}
"""The inputs that may have any type, by operator and position."""
