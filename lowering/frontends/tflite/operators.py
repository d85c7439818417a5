"""Import of TensorFlow Lite's operators, by their names in the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi, prod, sqrt

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, Parameter, reals, signed, start_format
from tinyml.lowering.frontends.layers.network_layers import (
    GREATEST,
    TRANSPOSED,
    Pair,
    Windows,
    convolution,
    dense,
    filter_in,
    limited,
    pool,
    same_windows,
    transposed_convolution,
)
from tinyml.lowering.frontends.tflite.builder import (
    GraphBuilder,
    activation_format,
    element,
    parameter_of,
    tensor_format,
    weights_format,
)
from tinyml.lowering.frontends.tflite.model import Operator, Tensor
from tinyml.lowering.frontends.tflite.operands import input_of, integers_of, optional_input, strided_ranges

IMAGE = "NHWC"
"""The axes of images."""


def windows_of(op: Operator, image: Sequence[int], filter: Sequence[int], strides: Pair, dilations: Pair) -> Windows:
    """The windows of an operator. image, filter: the shapes of an NHWC image and an OHWI filter."""
    (_, *extents, _), (_, height, width, _) = image, filter
    if op.options["padding"] == "VALID":
        return Windows((height, width), strides, dilations)
    return same_windows(extents, (height, width), strides, dilations)


def average_pool(to: GraphBuilder, op: Operator) -> None:
    """AVERAGE_POOL_2D."""
    _pool(to, op, tdsl.AveragePoolOp)


def max_pool(to: GraphBuilder, op: Operator) -> None:
    """MAX_POOL_2D."""
    _pool(to, op, tdsl.MaxPoolOp)


def _pool(to: GraphBuilder, op: Operator, kind: type[tdsl.PoolOp]) -> None:
    image, output = input_of(op, 0), op.outputs[0]
    if len(image.shape) != 4:
        raise VerifyException(f"expected an image of rank 4, got {image.shape}")
    kernel = op.options["filter_height"], op.options["filter_width"]
    strides = op.options["stride_h"], op.options["stride_w"]
    windows = windows_of(op, image.shape, (1, *kernel, 1), strides, (1, 1))
    pooled = pool(to, kind, to.image(image), windows, element(output), axes=IMAGE)
    to.define(output, to.activated(pooled.value, op.options["activation"]))


def mean(to: GraphBuilder, op: Operator) -> None:
    """MEAN over some axes."""
    x, output = input_of(op, 0), op.outputs[0]
    rank = len(x.shape)
    axes = sorted({axis + rank if axis < 0 else axis for axis in integers_of(op, 1, "the axes")})
    if not axes or axes[0] < 0 or axes[-1] >= rank:
        raise VerifyException(f"axes {axes} of a tensor of rank {rank}")
    averages = to.op(tdsl.MeanOp, to.value(x), axes, element(output))
    to.define(output, to.reshape(averages, output.shape))


def resize_nearest(to: GraphBuilder, op: Operator) -> None:
    """RESIZE_NEAREST_NEIGHBOR if the nearest pixels are y * H div H'."""
    x, size = input_of(op, 0), integers_of(op, 1, "the size")
    if len(size) != 2 or min(size) < 1 or len(x.shape) != 4:
        raise VerifyException(f"expected an image of rank 4 and its new height and width, got {size}")
    for before, after in zip(x.shape[1:3], size, strict=True):
        if _nearest(op, before, after) != [number * before // after for number in range(after)]:
            raise VerifyException(f"this alignment of {after} pixels to {before} is not supported")
    to.define(op.outputs[0], to.op(tdsl.ResizeNearestOp, to.value(x), size))


def _nearest(op: Operator, before: int, after: int) -> list[int]:
    """The source pixel of each new pixel along an axis, computed in single precision as TensorFlow Lite does."""
    aligned = op.options["align_corners"] and after > 1
    scale = np.float32(before - 1) / np.float32(after - 1) if aligned else np.float32(before) / np.float32(after)
    centres = np.arange(after, dtype=np.float32) + np.float32(0.5 if op.options["half_pixel_centers"] else 0)
    rounded = np.floor(centres * scale + np.float32(0.5 if op.options["align_corners"] else 0))
    return np.clip(rounded.astype(int), 0, before - 1).tolist()


BIASES = {8: "int32", 16: "int64"}
"""The type of biases, and of sums, by the width of activations."""


def conv_2d(to: GraphBuilder, op: Operator) -> None:
    """CONV_2D: filters O x KH x KW x C / groups."""
    image, filter = input_of(op, 0), input_of(op, 1)
    if len(image.shape) != 4 or len(filter.shape) != 4:
        raise VerifyException(f"expected an image and a filter of rank 4, got {image.shape} and {filter.shape}")
    if image.shape[3] % filter.shape[3]:
        raise VerifyException(f"filters of {filter.shape[3]} channels do not divide {image.shape[3]}")
    _convolve(to, op, "OHWI", image.shape[3] // filter.shape[3])


def depthwise_conv_2d(to: GraphBuilder, op: Operator) -> None:
    """DEPTHWISE_CONV_2D: a filter 1 x KH x KW x O, with channels in the order of the groups."""
    image, filter = input_of(op, 0), input_of(op, 1)
    if len(image.shape) != 4 or len(filter.shape) != 4 or filter.shape[0] != 1:
        raise VerifyException(f"expected an image and a filter 1xKHxKWxO, got {image.shape} and {filter.shape}")
    _convolve(to, op, "IHWO", image.shape[3])


def _convolve(to: GraphBuilder, op: Operator, axes: str, groups: int) -> None:
    """A convolution. axes: of the filter in the file."""
    image, filter, output = input_of(op, 0), input_of(op, 1), op.outputs[0]
    format = weights_format(filter, axes.index("O"), wide=True)
    weights = filter_in(to, _weights(filter, format), axes)
    strides = op.options["stride_h"], op.options["stride_w"]
    dilations = op.options["dilation_h"], op.options["dilation_w"]
    windows = windows_of(op, image.shape, weights.shape, strides, dilations)
    start = bias(op, format, activation_format(image), len(weights.raws))
    sums = convolution(to, to.image(image), weights, windows, groups, start, element(output), axes=IMAGE)
    to.define(output, to.activated(sums.value, op.options["activation"]))


def transpose_conv(to: GraphBuilder, op: Operator) -> None:
    """TRANSPOSE_CONV, whose inputs are the shape of the result, filters O x KH x KW x C, and the image."""
    filter, image, output = input_of(op, 1), input_of(op, 2), op.outputs[0]
    if len(image.shape) != 4 or len(filter.shape) != 4 or integers_of(op, 0, "the shape") != list(output.shape):
        raise VerifyException(f"expected an image and a filter of rank 4 and a result of shape {output.shape}")
    strides = op.options["stride_h"], op.options["stride_w"]
    ordinary = windows_of(op, output.shape, filter.shape, strides, (1, 1))
    # The result's shape determines what is cropped below and on the right.
    top, _, left, _ = ordinary.padding
    whole = (
        (extent - 1) * step + size
        for extent, step, size in zip(image.shape[1:3], strides, ordinary.kernel, strict=True)
    )
    bottom, right = (
        full - before - extent for full, before, extent in zip(whole, (top, left), output.shape[1:3], strict=True)
    )
    windows = Windows(ordinary.kernel, strides, (1, 1), (top, bottom, left, right))
    format = weights_format(filter, 0, wide=True)
    weights = filter_in(to, _weights(filter, format), "OHWI", TRANSPOSED)
    start = bias(op, format, activation_format(image), filter.shape[0], position=3)
    sums = transposed_convolution(to, to.image(image), weights, windows, 1, start, element(output), axes=IMAGE)
    to.define(output, to.activated(sums.value, op.options["activation"]))


def fully_connected(to: GraphBuilder, op: Operator) -> None:
    """FULLY_CONNECTED: weights O x I times each vector of I elements."""
    x, weights, output = input_of(op, 0), input_of(op, 1), op.outputs[0]
    if len(weights.shape) != 2 or op.options["weights_format"]:
        raise VerifyException(f"expected weights that are a plain matrix, got shape {weights.shape}")
    format = weights_format(weights, 0)
    start = bias(op, format, activation_format(x), weights.shape[0])
    sums = dense(to, to.value(x), _weights(weights, format), output.shape, start, element(output))
    to.define(output, to.activated(sums, op.options["activation"]))


def _weights(tensor: Tensor, format: NumberFormat) -> Parameter:
    if tensor.data is None:
        raise VerifyException(f"the weights {tensor} must be a constant")
    return parameter_of(tensor, tensor.data, format)


def bias(op: Operator, weights: NumberFormat, x: NumberFormat, rows: int, position: int = 2) -> Parameter | None:
    """The initial values of sums; None for zero.

    Their scale is that of the products, whatever the file declares, since TensorFlow Lite adds the raws.
    """
    tensor = optional_input(op, position)
    if tensor is None:
        if x.bits == 16 and op.options.get("quantized_bias_type") == "int32":
            raise VerifyException("sums of 32 bits of activations of 16 bits are not supported")
        return None
    if tensor.data is None or prod(tensor.shape) != rows:
        raise VerifyException(f"the bias {tensor} must be a constant of {rows} numbers")
    if tensor.dtype == "float32":
        return parameter_of(tensor, tensor.data.ravel(), activation_format(tensor))
    if (expected := BIASES.get(x.bits)) != tensor.dtype:
        raise VerifyException(f"the bias {tensor} is of type {tensor.dtype}, expected {expected or x.type}")
    format = start_format(weights, x)
    return parameter_of(tensor, tensor.data.ravel().astype(format.dtype), format) if np.any(tensor.data) else None


def reshape(to: GraphBuilder, op: Operator) -> None:
    """RESHAPE, SQUEEZE and EXPAND_DIMS, to the declared shape of the result."""
    x, output = input_of(op, 0), op.outputs[0]
    if prod(x.shape) != prod(output.shape):
        cure = "; in Keras, Input(..., batch_size=1) leaves no shape open" if -1 in output.signature else ""
        raise VerifyException(f"cannot reshape {x.shape} to {output.signature or output.shape}{cure}")
    to.define(output, to.op(tdsl.ReshapeOp, to.value(x), output.shape))


def transpose(to: GraphBuilder, op: Operator) -> None:
    """TRANSPOSE."""
    x, axes = input_of(op, 0), integers_of(op, 1, "the permutation")
    if sorted(axes) != list(range(len(x.shape))):
        raise VerifyException(f"permutation {axes} of a tensor of rank {len(x.shape)}")
    to.define(op.outputs[0], to.op(tdsl.TransposeOp, to.value(x), axes))


def pad(to: GraphBuilder, op: Operator) -> None:
    """PAD with zeros, and PADV2 with a constant."""
    x = input_of(op, 0)
    edges = integers_of(op, 1, "the padding")
    if len(edges) != 2 * len(x.shape) or min(edges) < 0:
        raise VerifyException(f"padding {edges} of a tensor of rank {len(x.shape)}")
    filling = 0.0 if (value := optional_input(op, 2)) is None else _number(value)
    if not any(edges):
        to.define(op.outputs[0], to.value(x))
        return
    to.define(op.outputs[0], to.op(tdsl.PadOp, to.value(x), edges[::2], edges[1::2], filling))


def _number(tensor: Tensor) -> float:
    """The real of a constant with a single element."""
    if tensor.data is None or tensor.data.size != 1:
        raise VerifyException(f"{tensor} must be one constant number")
    return float(tensor_format(tensor).decode(signed(tensor.data)).item())


def concatenation(to: GraphBuilder, op: Operator) -> None:
    """CONCATENATION of tensors of one quantisation."""
    output = op.outputs[0]
    parts = [to.value(input_of(op, position)) for position in range(len(op.inputs))]
    axis = _axis(op.options["axis"], len(output.shape))
    to.define(output, to.activated(to.op(tdsl.ConcatOp, parts, axis), op.options["activation"]))


def slice_(to: GraphBuilder, op: Operator) -> None:
    """SLICE by begin and size; a size of -1 extends to the end."""
    x = input_of(op, 0)
    begin, size = integers_of(op, 1, "the begin"), integers_of(op, 2, "the size")
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
    ranges = strided_ranges(op)
    # The step is irrelevant for a single element.
    steps = [taken.step if len(taken) > 1 else 1 for taken in ranges]
    value = to.part(to.value(input_of(op, 0)), [taken[0] for taken in ranges], [len(taken) for taken in ranges], steps)
    to.define(op.outputs[0], to.reshape(value, op.outputs[0].shape))


def _at(shape: tuple[int, ...], axis: int, number: int, elsewhere: int | None) -> list[int]:
    """A list with a number for one axis, and for the others `elsewhere`, or their extents if that is None."""
    return [number if here == axis else extent if elsewhere is None else elsewhere for here, extent in enumerate(shape)]


def split(to: GraphBuilder, op: Operator) -> None:
    """SPLIT into equal parts along an axis."""
    x, axis = input_of(op, 1), _axis_of(op, 0, input_of(op, 1))
    if x.shape[axis] % len(op.outputs):
        raise VerifyException(f"{len(op.outputs)} parts of {x.shape} along axis {axis}")
    _split(to, op, x, axis, [x.shape[axis] // len(op.outputs)] * len(op.outputs))


def split_v(to: GraphBuilder, op: Operator) -> None:
    """SPLIT_V into parts of given sizes, one of which may be -1 for what is left."""
    x, sizes, axis = input_of(op, 0), integers_of(op, 1, "the sizes"), _axis_of(op, 2, input_of(op, 0))
    left = x.shape[axis] - sum(size for size in sizes if size >= 0)
    sizes = [left if size == -1 else size for size in sizes]
    if len(sizes) != len(op.outputs) or sum(sizes) != x.shape[axis] or min(sizes) < 1:
        raise VerifyException(f"parts of the sizes {sizes} of {x.shape} along axis {axis}")
    _split(to, op, x, axis, sizes)


def unpack(to: GraphBuilder, op: Operator) -> None:
    """UNPACK into the parts of an axis, which disappears."""
    x = input_of(op, 0)
    axis = _axis(op.options["axis"], len(x.shape))
    if len(op.outputs) != x.shape[axis]:
        raise VerifyException(f"{len(op.outputs)} parts of {x.shape} along axis {axis}")
    _split(to, op, x, axis, [1] * len(op.outputs))


def _split(to: GraphBuilder, op: Operator, x: Tensor, axis: int, sizes: Sequence[int]) -> None:
    """Define the outputs as parts along an axis."""
    value, begin = to.value(x), 0
    for output, size in zip(op.outputs, sizes, strict=True):
        part = to.part(value, _at(x.shape, axis, begin, 0), _at(x.shape, axis, size, None))
        to.define(output, to.reshape(part, output.shape))
        begin += size


def pack(to: GraphBuilder, op: Operator) -> None:
    """PACK along a new axis."""
    output = op.outputs[0]
    axis = _axis(op.options["axis"], len(output.shape))
    shape = _at(output.shape, axis, 1, None)
    parts = [to.reshape(to.value(input_of(op, position)), shape) for position in range(len(op.inputs))]
    to.define(output, to.op(tdsl.ConcatOp, parts, axis))


def tile(to: GraphBuilder, op: Operator) -> None:
    """TILE, copies of a tensor behind one another along each axis."""
    x, counts = input_of(op, 0), integers_of(op, 1, "the number of copies")
    if len(counts) != len(x.shape) or min(counts, default=1) < 1:
        raise VerifyException(f"{counts} copies of a tensor of rank {len(x.shape)}")
    value = to.value(x)
    for axis, count in enumerate(counts):
        if count > 1:
            to.check_shape([*x.shape, count])
            value = to.op(tdsl.ConcatOp, [value] * count, axis)
    to.define(op.outputs[0], value)


def _axis_of(op: Operator, position: int, x: Tensor) -> int:
    """The axis of a tensor that a constant input names."""
    axes = integers_of(op, position, "the axis")
    if len(axes) != 1:
        raise VerifyException(f"expected one axis, got {axes}")
    return _axis(axes[0], len(x.shape))


def _axis(axis: int, rank: int) -> int:
    """An axis counted from 0."""
    if not -rank <= axis < rank:
        raise VerifyException(f"axis {axis} of a tensor of rank {rank}")
    return axis % rank


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
    """Functions of one element."""
    to.define(op.outputs[0], to.op(UNARY[op.kind], to.value(input_of(op, 0)), element(op.outputs[0])))


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


def extreme(to: GraphBuilder, op: Operator) -> None:
    """MAXIMUM and MINIMUM with a constant number, and MAXIMUM of two tensors of one shape, as that of two pixels."""
    x, y, output = input_of(op, 0), input_of(op, 1), op.outputs[0]
    x, y = (y, x) if x.data is not None else (x, y)
    if {element(x), element(y)} != {element(output)}:
        raise VerifyException("expected one quantisation for inputs and output")
    if y.data is not None and y.data.size == 1:
        low, high = _bounds(activation_format(output))
        low, high = (_number(y), high) if op.kind == "MAXIMUM" else (low, _number(y))
        to.define(output, to.reshape(limited(to, to.value(x), low, high), output.shape))
        return
    if op.kind == "MINIMUM" or x.shape != y.shape:
        raise VerifyException("expected a constant number, or the greater of two tensors of one shape")
    pixels = (1, 1, prod(x.shape), 1)
    both = to.op(tdsl.ConcatOp, [to.reshape(to.value(each), pixels) for each in (x, y)], 1)
    to.define(output, _greatest(to, both, (2, 1), output))


def _bounds(format: NumberFormat) -> tuple[float, float]:
    """The least and the greatest number of a format."""
    if format.dtype.kind == "f":
        return -GREATEST, GREATEST
    info = np.iinfo(format.dtype)
    low, high = format.decode(np.array([info.min, info.max], format.dtype)).tolist()
    return low, high


def reduce_max(to: GraphBuilder, op: Operator) -> None:
    """REDUCE_MAX over axes that follow one another."""
    x, axes = (
        input_of(op, 0),
        sorted({_axis(axis, len(input_of(op, 0).shape)) for axis in integers_of(op, 1, "the axes")}),
    )
    if not axes or axes != list(range(axes[0], axes[-1] + 1)):
        raise VerifyException(f"expected axes that follow one another, got {axes}")
    before, after = x.shape[: axes[0]], x.shape[axes[-1] + 1 :]
    count = prod(x.shape[axes[0] : axes[-1] + 1])
    image = to.reshape(to.value(x), (1, prod(before), count, prod(after)))
    to.define(op.outputs[0], _greatest(to, image, (1, count), op.outputs[0]))


def _greatest(to: GraphBuilder, image: SSAValue, kernel: Pair, output: Tensor) -> SSAValue:
    """The greatest elements of windows that do not overlap, in the shape of an output."""
    pooled = pool(to, tdsl.MaxPoolOp, OrderedTensor.plain(image), Windows(kernel, kernel), element(output), axes=IMAGE)
    return to.reshape(pooled.value, output.shape)


def reverse(to: GraphBuilder, op: Operator) -> None:
    """REVERSE_V2 along some axes."""
    x = input_of(op, 0)
    value = to.value(x)
    for axis in {_axis(axis, len(x.shape)) for axis in integers_of(op, 1, "the axes")}:
        value = to.op(tdsl.ReverseOp, value, axis)
    to.define(op.outputs[0], value)


def of_floats(to: GraphBuilder, op: Operator) -> None:
    """Functions that are computed on floats alone."""
    x, output = input_of(op, 0), op.outputs[0]
    if (x.dtype, output.dtype) != ("float32", "float32"):
        raise VerifyException(
            "a quantised one is not supported: keep the layer in floats, or give formats to a model in floats"
        )
    to.define(output, FLOATS[op.kind](to, op, to.value(x)))


def _elu(to: GraphBuilder, op: Operator, x: SSAValue) -> SSAValue:
    """max(x, 0) + exp(min(x, 0)) - 1."""
    below = to.op(tdsl.ExpOp, limited(to, x, -GREATEST, 0.0))
    return to.op(tdsl.AddOp, limited(to, x, 0.0, GREATEST), to.op(tdsl.AddOp, below, _real(to, -1.0)))


def _gelu(to: GraphBuilder, op: Operator, x: SSAValue) -> SSAValue:
    """x * (1 + erf(x / sqrt(2))) / 2; approximated, x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 * x^3))."""
    if op.options["approximate"]:
        cubed = to.op(tdsl.MulOp, to.op(tdsl.MulOp, x, x), x)
        inner = to.op(tdsl.AddOp, x, to.op(tdsl.MulOp, cubed, _real(to, 0.044715)))
        share = to.op(tdsl.SigmoidOp, to.op(tdsl.MulOp, inner, _real(to, 2 * sqrt(2 / pi))))
        return to.op(tdsl.MulOp, x, share)
    above = to.op(tdsl.ErfOp, to.op(tdsl.MulOp, x, _real(to, sqrt(1 / 2))))
    share = to.op(tdsl.MulOp, to.op(tdsl.AddOp, above, _real(to, 1.0)), _real(to, 0.5))
    return to.op(tdsl.MulOp, x, share)


def _prelu(to: GraphBuilder, op: Operator, x: SSAValue) -> SSAValue:
    """max(x, 0) + slope * min(x, 0)."""
    below = to.op(tdsl.MulOp, limited(to, x, -GREATEST, 0.0), to.value(input_of(op, 1)))
    return to.op(tdsl.AddOp, limited(to, x, 0.0, GREATEST), below)


def _real(to: GraphBuilder, number: float) -> SSAValue:
    return to.parameter(reals(np.array([number])))


FLOATS: dict[str, Callable[[GraphBuilder, Operator, SSAValue], SSAValue]] = {
    "ELU": _elu,
    "EXP": lambda to, op, x: to.op(tdsl.ExpOp, x),
    "GELU": _gelu,
    "LOG": lambda to, op, x: to.op(tdsl.LogOp, x),
    "NEG": lambda to, op, x: to.op(tdsl.NegOp, x),
    "PRELU": _prelu,
}


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
    "ELU": of_floats,
    "EXP": of_floats,
    "EXPAND_DIMS": reshape,
    "FULLY_CONNECTED": fully_connected,
    "GELU": of_floats,
    "HARD_SWISH": unary,
    "L2_NORMALIZATION": l2_normalization,
    "LEAKY_RELU": leaky_relu,
    "LOG": of_floats,
    "LOGISTIC": unary,
    "MAXIMUM": extreme,
    "MAX_POOL_2D": max_pool,
    "MEAN": mean,
    "MINIMUM": extreme,
    "MUL": binary,
    "NEG": of_floats,
    "PACK": pack,
    "PAD": pad,
    "PADV2": pad,
    "PRELU": of_floats,
    "QUANTIZE": unary,
    "REDUCE_MAX": reduce_max,
    "RELU": activation,
    "RELU6": activation,
    "RELU_N1_TO_1": activation,
    "RESHAPE": reshape,
    "RESIZE_NEAREST_NEIGHBOR": resize_nearest,
    "REVERSE_V2": reverse,
    "SLICE": slice_,
    "SOFTMAX": softmax,
    "SPLIT": split,
    "SPLIT_V": split_v,
    "SQUEEZE": reshape,
    "STRIDED_SLICE": strided_slice,
    "SUB": binary,
    "TANH": unary,
    "TILE": tile,
    "TRANSPOSE": transpose,
    "TRANSPOSE_CONV": transpose_conv,
    "UNPACK": unpack,
}
