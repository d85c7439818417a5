"""Ops of `tosa` 1.0 on floats, as torch-mlir emits them.

In TOSA 1.0 (the specification by Arm, and its dialect in MLIR since LLVM 21), shapes, zero points and paddings are
operands. This frontend requires them to be constants. Elementwise ops broadcast along extents of 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import AnyFloat, FloatAttr
from xdsl.ir import Operation

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.contraction import Equation, Windows, contract, pool, reduce
from tinyml.lowering.frontends.mlir.elementwise import apply, of_constants
from tinyml.lowering.frontends.mlir.graph import Tensor, op_name
from tinyml.lowering.frontends.mlir.linalg import padded
from tinyml.lowering.frontends.mlir.loops import concat
from tinyml.lowering.frontends.mlir.reader import Reader, handles
from tinyml.lowering.frontends.mlir.scalars import converted, mapped
from tinyml.lowering.frontends.mlir.text import attributes, extents

UNARY: Mapping[str, str] = {
    "tosa.abs": "Abs", "tosa.ceil": "Ceil", "tosa.erf": "Erf", "tosa.exp": "Exp", "tosa.floor": "Floor",
    "tosa.log": "Log", "tosa.logical_not": "Not", "tosa.negate": "Neg", "tosa.rsqrt": "Rsqrt",
    "tosa.sigmoid": "Sigmoid", "tosa.tanh": "Tanh",
}  # fmt: skip
"""Ops on the first operand; the further operands of `negate` are zero points."""

BINARY: Mapping[str, str] = {
    "tosa.add": "Add", "tosa.sub": "Sub", "tosa.mul": "Mul", "tosa.pow": "Pow", "tosa.maximum": "Max",
    "tosa.minimum": "Min", "tosa.equal": "Equal", "tosa.greater": "Greater", "tosa.greater_equal": "GreaterOrEqual",
    "tosa.logical_and": "And", "tosa.logical_or": "Or",
}  # fmt: skip
"""Ops on the first two operands; the third operand of `mul` is a shift, which only integers use."""

REDUCTIONS = {"tosa.reduce_sum": "ReduceSum", "tosa.reduce_max": "ReduceMax", "tosa.reduce_min": "ReduceMin"}


@handles("tosa.const", "tosa.const_shape")
def constant(reader: Reader, op: Operation) -> Tensor:
    return reader.constant(op, "values" if "values" in attributes(op) else "value")


@handles(*UNARY, of_constants=of_constants(UNARY))
def unary(reader: Reader, op: Operation) -> Tensor:
    return apply(reader.to, UNARY[op_name(op)], reader.operand(op, 0))


@handles(*BINARY, of_constants=of_constants(BINARY))
def binary(reader: Reader, op: Operation) -> Tensor:
    return _joined(reader, op, BINARY[op_name(op)], reader.operands(op)[:2])


@handles("tosa.select")
def select(reader: Reader, op: Operation) -> Tensor:
    return _joined(reader, op, "Where", reader.operands(op))


def _joined(reader: Reader, op: Operation, name: str, operands: Sequence[Tensor]) -> Tensor:
    shape = reader.shape(op.results[0])
    alike = [
        reader.to.broadcast(operand, range(len(shape) - len(operand.shape), len(shape)), shape) for operand in operands
    ]
    return apply(reader.to, name, *alike)


@handles("tosa.reciprocal", of_constants=["tosa.reciprocal"])
def reciprocal(reader: Reader, op: Operation) -> Tensor:
    one = reader.to.constant(np.array(1.0, np.float32))
    return apply(reader.to, "Div", one, reader.operand(op, 0))


@handles("tosa.clamp")
def clamp(reader: Reader, op: Operation) -> Tensor:
    x = reader.operand(op, 0)
    for name, kind in (("min_val", "Max"), ("max_val", "Min")):
        limit = reader.attribute(op, name)
        if not isinstance(limit, FloatAttr):
            raise reader.error("expected floats as its limits")
        x = apply(reader.to, kind, x, reader.to.constant(np.array(limit.value.data, np.float32)))
    return x


@handles("tosa.cast")
def cast(reader: Reader, op: Operation) -> Tensor:
    """Import a conversion of elements, which rounds floats to integers."""
    x = reader.operand(op, 0)
    if not isinstance(extents(op.results[0].type)[1], AnyFloat):
        x = mapped(x, lambda known: np.rint(known) if known.dtype.kind == "f" else known)
    return converted(reader, op, x)


@handles("tosa.identity")
def identity(reader: Reader, op: Operation) -> Tensor:
    return reader.operand(op, 0)


@handles("tosa.reshape")
def reshape(reader: Reader, op: Operation) -> Tensor:
    return reader.to.reshape(reader.operand(op, 0), reader.shape(op.results[0]))


@handles("tosa.transpose")
def transpose(reader: Reader, op: Operation) -> Tensor:
    axes = reader.integers(op, "perms") if len(op.operands) == 1 else _known(reader, op, 1)
    return reader.to.transpose(reader.operand(op, 0), axes)


@handles("tosa.slice")
def slice_(reader: Reader, op: Operation) -> Tensor:
    starts = _known(reader, op, 1) if len(op.operands) > 1 else reader.integers(op, "start")
    sizes = _known(reader, op, 2) if len(op.operands) > 2 else reader.integers(op, "size")
    return reader.to.slice(reader.operand(op, 0), starts, sizes, [1] * len(sizes))


@handles("tosa.concat")
def concatenate(reader: Reader, op: Operation) -> Tensor:
    [axis] = reader.integers(op, "axis")
    return concat(reader.to, reader.operands(op), axis)


@handles("tosa.reverse")
def reverse(reader: Reader, op: Operation) -> Tensor:
    [axis] = reader.integers(op, "axis")
    x = reader.to.whole(reader.operand(op, 0))
    bounds = [reader.to.integers([bound]) for bound in (-1, -(x.shape[axis] + 1), axis, -1)]
    return reader.to.node("Slice", [x, *bounds], x.shape)


@handles("tosa.pad")
def pad(reader: Reader, op: Operation) -> Tensor:
    widths = _known(reader, op, 1)
    number = reader.operand(op, 2) if len(op.operands) > 2 else reader.to.constant(np.array(0.0, np.float32))
    return padded(reader, reader.operand(op, 0), widths[::2], widths[1::2], number)


def _known(reader: Reader, op: Operation, position: int) -> list[int]:
    array = reader.to.whole(reader.operand(op, position)).array
    if array is None:
        raise reader.error(f"operand {position + 1} is computed, expected a constant")
    return [int(number) for number in array.ravel()]


@handles(*REDUCTIONS)
def reduction(reader: Reader, op: Operation) -> Tensor:
    return reduce(reader.to, REDUCTIONS[op_name(op)], reader.operand(op, 0), reader.integers(op, "axis"))


@handles("tosa.argmax")
def argmax(reader: Reader, op: Operation) -> Tensor:
    [axis], x = reader.integers(op, "axis"), reader.to.whole(reader.operand(op, 0))
    return reader.to.node("ArgMax", [x], reader.shape(op.results[0]), axis=axis, keepdims=0)


@handles("tosa.matmul")
def matmul(reader: Reader, op: Operation) -> Tensor:
    _without_zero_points(reader, op, 2)
    equation, [lhs, rhs] = Equation.parse("b m k, b k n -> b m n"), reader.operands(op)[:2]
    return contract(reader.to, equation, lhs, rhs, reader.shape(op.results[0]))


def _without_zero_points(reader: Reader, op: Operation, first: int) -> None:
    if any(operand.number != 0 for operand in reader.operands(op)[first:]):
        raise reader.error("expected zero points of 0, as floats have them")


FILTERS = {
    "tosa.conv2d": "n y+k x+l c, f k l c -> n y x f",
    "tosa.depthwise_conv2d": "n y+k x+l c, k l c m -> n y x c m",
    "tosa.fully_connected": "n c, f c -> n f",
}


@handles(*FILTERS)
def convolution(reader: Reader, op: Operation) -> Tensor:
    """Import a convolution or a dense layer. The sums of each channel start from a bias."""
    image, filter, bias = reader.operands(op)[:3]
    _without_zero_points(reader, op, 3)
    factors: dict[str, int] = {}
    if op_name(op) != "tosa.fully_connected":
        image = _padded(reader, op, image, 0.0)
        for name, axes in (("stride", "yx"), ("dilation", "kl")):
            factors |= dict(zip(axes, reader.integers(op, name), strict=True))
    shape = reader.shape(op.results[0])
    start = reader.to.broadcast(bias, [len(shape) - 1], shape)
    grouped = shape
    if op_name(op) == "tosa.depthwise_conv2d":
        grouped = (*shape[:-1], *filter.shape[2:])
        start = reader.to.reshape(start, grouped)
    equation = Equation.parse(FILTERS[op_name(op)], factors)
    return reader.to.reshape(contract(reader.to, equation, image, filter, grouped, start), shape)


def _padded(reader: Reader, op: Operation, image: Tensor, number: float) -> Tensor:
    """Pad an NHWC image by the attribute `pad` of an op, which has the order top, bottom, left, right.

    number: the number that fills the padding.
    """
    top, bottom, left, right = reader.integers(op, "pad")
    filling = reader.to.constant(np.array(number, np.float32))
    return padded(reader, image, (0, top, left, 0), (0, bottom, right, 0), filling)


@handles("tosa.max_pool2d")
def max_pool(reader: Reader, op: Operation) -> Tensor:
    image = _padded(reader, op, reader.operand(op, 0), float(np.finfo(np.float32).min))
    return pool(reader.to, "Max", image, _windows(reader, op), reader.shape(op.results[0]))


@handles("tosa.avg_pool2d")
def average_pool(reader: Reader, op: Operation) -> Tensor:
    """Import an average pool, which excludes padding from the averages."""
    _without_zero_points(reader, op, 1)
    image, windows, shape = reader.operand(op, 0), _windows(reader, op), reader.shape(op.results[0])
    sums = pool(reader.to, "Sum", _padded(reader, op, image, 0.0), windows, shape)
    top, _, left, _ = reader.integers(op, "pad")
    counts = [
        _covered(extent, size, stride, low, number)
        for extent, size, stride, low, number in zip(
            image.shape[1:3], windows.sizes[1:3], windows.strides[1:3], (top, left), shape[1:3], strict=True
        )
    ]
    inverse = 1 / (counts[0].reshape(1, -1, 1, 1) * counts[1].reshape(1, 1, -1, 1))
    return apply(reader.to, "Mul", sums, reader.to.constant(inverse.astype(np.float32), shape))


def _covered(extent: int, size: int, stride: int, low: int, number: int) -> np.ndarray:
    """For each window along an axis, the number of its elements that lie inside the image.

    extent: the extent of the image.
    size: the extent of a window.
    low: the padding before the image.
    number: the number of windows.
    """
    starts = np.arange(number) * stride - low
    return np.minimum(starts + size, extent) - np.maximum(starts, 0)


def _windows(reader: Reader, op: Operation) -> Windows:
    sizes, strides = reader.integers(op, "kernel"), reader.integers(op, "stride")
    return Windows((1, *sizes, 1), (1, *strides, 1), (1, 1, 1, 1))
