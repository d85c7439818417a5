"""The table of supported operators, and the functions of those that move elements or compute single ones."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.parameter import signed
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, input_of, integers, optional_input, parameter
from tinyml.lowering.frontends.tflite.formats import activation_format, element, format_of
from tinyml.lowering.frontends.tflite.model import Operator, Tensor
from tinyml.lowering.frontends.tflite.sums import (
    average_pool,
    conv_2d,
    depthwise_conv_2d,
    fully_connected,
    max_pool,
    mean,
    resize_nearest,
    transpose_conv,
)


def reshape(to: GraphBuilder, op: Operator) -> None:
    """RESHAPE, SQUEEZE and EXPAND_DIMS, to the declared shape of the result."""
    x, output = input_of(op, 0), op.outputs[0]
    if prod(x.shape) != prod(output.shape):
        raise VerifyException(f"cannot reshape {x.shape} to {output.shape}")
    to.define(output, to.op(tdsl.ReshapeOp, to.value(x), output.shape))


def transpose(to: GraphBuilder, op: Operator) -> None:
    """TRANSPOSE."""
    x, axes = input_of(op, 0), integers(op, 1, "the permutation")
    if sorted(axes) != list(range(len(x.shape))):
        raise VerifyException(f"permutation {axes} of a tensor of rank {len(x.shape)}")
    to.define(op.outputs[0], to.op(tdsl.TransposeOp, to.value(x), axes))


def pad(to: GraphBuilder, op: Operator) -> None:
    """PAD with zeros, and PADV2 with a constant."""
    x = input_of(op, 0)
    edges = integers(op, 1, "the padding")
    if len(edges) != 2 * len(x.shape) or min(edges) < 0:
        raise VerifyException(f"padding {edges} of a tensor of rank {len(x.shape)}")
    filling = 0.0 if (value := optional_input(op, 2)) is None else _number(value)
    to.define(op.outputs[0], to.op(tdsl.PadOp, to.value(x), edges[::2], edges[1::2], filling))


def _number(tensor: Tensor) -> float:
    """The real of a constant with a single element."""
    if tensor.data is None or tensor.data.size != 1:
        raise VerifyException(f"{tensor} must be one constant number")
    return float(format_of(tensor).decode(signed(tensor.data)).item())


def concatenation(to: GraphBuilder, op: Operator) -> None:
    """CONCATENATION of tensors of one quantisation."""
    output = op.outputs[0]
    parts = [to.value(input_of(op, position)) for position in range(len(op.inputs))]
    axis = op.options["axis"] + (len(output.shape) if op.options["axis"] < 0 else 0)
    to.define(output, to.activated(to.op(tdsl.ConcatOp, parts, axis), op.options["activation"]))


def slice_(to: GraphBuilder, op: Operator) -> None:
    """SLICE by begin and size; a size of -1 extends to the end."""
    x = input_of(op, 0)
    begin, size = integers(op, 1, "the begin"), integers(op, 2, "the size")
    if not len(begin) == len(size) == len(x.shape):
        raise VerifyException(f"begin {begin} and size {size} of a tensor of rank {len(x.shape)}")
    sizes = [
        extent - start if count == -1 else count for extent, start, count in zip(x.shape, begin, size, strict=True)
    ]
    inside = zip(x.shape, begin, sizes, strict=True)
    if not all(start >= 0 and 0 < count <= extent - start for extent, start, count in inside):
        raise VerifyException(f"begin {begin} and size {size} leave a tensor of shape {x.shape}")
    to.define(op.outputs[0], to.part(to.value(x), begin, sizes))


def strided_slice(to: GraphBuilder, op: Operator) -> None:
    """STRIDED_SLICE, with numpy's rules for ranges."""
    x, output = input_of(op, 0), op.outputs[0]
    rank = len(x.shape)
    begin, end, step = (integers(op, position + 1, "the range") for position in range(3))
    options = op.options
    if options["ellipsis_mask"] or options["new_axis_mask"] or options["offset"]:
        raise VerifyException("masks of ellipses and new axes are not supported")
    if not len(begin) == len(end) == len(step) <= rank or 0 in step:
        raise VerifyException(f"the range {begin}, {end}, {step} of a tensor of rank {rank}")
    ranges: list[range] = []
    for axis, extent in enumerate(x.shape):
        if axis >= len(begin):
            ranges.append(range(extent))
            continue
        first, last = (
            None if options[mask] >> axis & 1 else numbers[axis]
            for mask, numbers in (("begin_mask", begin), ("end_mask", end))
        )
        if options["shrink_axis_mask"] >> axis & 1:
            at = begin[axis] + (extent if begin[axis] < 0 else 0)
            if not 0 <= at < extent:
                raise VerifyException(f"index {begin[axis]} of an axis of {extent} elements")
            ranges.append(range(at, at + 1))
        else:
            ranges.append(range(extent)[first : last : step[axis]])
    if not all(ranges):
        raise VerifyException("the range is empty")
    # The step is irrelevant for a single element.
    steps = [taken.step if len(taken) > 1 else 1 for taken in ranges]
    value = to.part(to.value(x), [taken[0] for taken in ranges], [len(taken) for taken in ranges], steps)
    to.define(output, to.reshape(value, output.shape))


def _at(shape: tuple[int, ...], axis: int, number: int, elsewhere: int | None) -> list[int]:
    """A list with a number for one axis, and for the others `elsewhere`, or their extents if that is None."""
    return [number if here == axis else extent if elsewhere is None else elsewhere for here, extent in enumerate(shape)]


def split(to: GraphBuilder, op: Operator) -> None:
    """SPLIT into equal parts along an axis."""
    x, axes = input_of(op, 1), integers(op, 0, "the axis")
    if len(axes) != 1:
        raise VerifyException(f"expected one axis, got {axes}")
    axis = axes[0] + (len(x.shape) if axes[0] < 0 else 0)
    if not 0 <= axis < len(x.shape) or x.shape[axis] % len(op.outputs):
        raise VerifyException(f"{len(op.outputs)} parts of {x.shape} along axis {axis}")
    extent = x.shape[axis] // len(op.outputs)
    for number, output in enumerate(op.outputs):
        begin, size = _at(x.shape, axis, number * extent, 0), _at(x.shape, axis, extent, None)
        to.define(output, to.part(to.value(x), begin, size))


BINARY: dict[str, type[tdsl.BinaryOp]] = {"ADD": tdsl.AddOp, "SUB": tdsl.SubOp, "MUL": tdsl.MulOp}

UNARY: dict[str, type[tdsl.UnaryOp]] = {
    "LOGISTIC": tdsl.SigmoidOp,
    "TANH": tdsl.TanhOp,
    "HARD_SWISH": tdsl.HardSwishOp,
    "QUANTIZE": tdsl.CastOp,
    "DEQUANTIZE": tdsl.CastOp,
}


def binary(to: GraphBuilder, op: Operator) -> None:
    """ADD, SUB and MUL, whose operands broadcast."""
    lhs, rhs, output = to.value(input_of(op, 0)), to.value(input_of(op, 1)), op.outputs[0]
    result = to.op(BINARY[op.kind], lhs, rhs, element(output))
    to.define(output, to.activated(result, op.options["activation"]))


def unary(to: GraphBuilder, op: Operator) -> None:
    """Functions of one element; a dequantised constant is folded."""
    x, output = input_of(op, 0), op.outputs[0]
    if op.kind == "DEQUANTIZE" and x.data is not None:
        reals = format_of(x).decode(signed(x.data)).astype(np.float32)
        to.define(output, to.parameter(parameter(output, reals, activation_format(output))))
        return
    to.define(output, to.op(UNARY[op.kind], to.value(x), element(output)))


def activation(to: GraphBuilder, op: Operator) -> None:
    """RELU and similar activations as separate operators, of which only RELU rescales its input."""
    output = op.outputs[0]
    value = to.value(input_of(op, 0))
    if element(input_of(op, 0)) != element(output):
        if op.kind != "RELU":
            raise VerifyException("expected one quantisation for input and output")
        value = to.requantised(value, element(output))
    to.define(output, to.activated(value, op.kind))


def leaky_relu(to: GraphBuilder, op: Operator) -> None:
    """LEAKY_RELU."""
    output = op.outputs[0]
    to.define(output, to.op(tdsl.LeakyReluOp, to.value(input_of(op, 0)), op.options["alpha"], element(output)))


def l2_normalization(to: GraphBuilder, op: Operator) -> None:
    """L2_NORMALIZATION over the last axis."""
    value = to.op(tdsl.NormaliseOp, to.value(input_of(op, 0)), element(op.outputs[0]))
    to.define(op.outputs[0], to.activated(value, op.options["activation"]))


def softmax(to: GraphBuilder, op: Operator) -> None:
    """SOFTMAX over the last axis."""
    if op.options["beta"] != 1:
        raise VerifyException(f"the factor beta must be 1, got {op.options['beta']}")
    to.define(op.outputs[0], to.op(tdsl.SoftmaxOp, to.value(input_of(op, 0)), element(op.outputs[0])))


Import = Callable[[GraphBuilder, Operator], None]
"""A function that appends the ops of an operator and defines its outputs; raises `VerifyException` if it cannot."""

OPERATORS: dict[str, Import] = {
    "ADD": binary,
    "AVERAGE_POOL_2D": average_pool,
    "CONCATENATION": concatenation,
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "DEQUANTIZE": unary,
    "EXPAND_DIMS": reshape,
    "FULLY_CONNECTED": fully_connected,
    "HARD_SWISH": unary,
    "L2_NORMALIZATION": l2_normalization,
    "LEAKY_RELU": leaky_relu,
    "LOGISTIC": unary,
    "MAX_POOL_2D": max_pool,
    "MEAN": mean,
    "MUL": binary,
    "PAD": pad,
    "PADV2": pad,
    "QUANTIZE": unary,
    "RELU": activation,
    "RELU6": activation,
    "RELU_N1_TO_1": activation,
    "RESHAPE": reshape,
    "RESIZE_NEAREST_NEIGHBOR": resize_nearest,
    "SLICE": slice_,
    "SOFTMAX": softmax,
    "SPLIT": split,
    "SQUEEZE": reshape,
    "STRIDED_SLICE": strided_slice,
    "SUB": binary,
    "TANH": unary,
    "TRANSPOSE": transpose,
    "TRANSPOSE_CONV": transpose_conv,
}

STATEFUL = (
    "ASSIGN_VARIABLE",
    "BIDIRECTIONAL_SEQUENCE_LSTM",
    "BIDIRECTIONAL_SEQUENCE_RNN",
    "CALL_ONCE",
    "CUSTOM CIRCULAR_BUFFER",
    "LSTM",
    "READ_VARIABLE",
    "RNN",
    "SVDF",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "UNIDIRECTIONAL_SEQUENCE_RNN",
    "VAR_HANDLE",
)
"""Operators that keep state between inferences, which programs here do not."""
