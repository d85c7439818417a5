"""Ops of `stablehlo` and `chlo`, to which JAX lowers functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import Attribute, Block, Operation

from tinyml.dialects import stablehlo
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.stablehlo import chlo
from tinyml.dialects.stablehlo.base import numbers
from tinyml.lowering.frontends.mlir.contraction import (
    REDUCTIONS,
    Equation,
    Windows,
    contract,
    greatest,
    is_lowest,
    pool,
    reduce,
    takes_first_greatest,
    with_initial,
)
from tinyml.lowering.frontends.mlir.elementwise import apply, of_constants
from tinyml.lowering.frontends.mlir.graph import Tensor
from tinyml.lowering.frontends.mlir.linalg import padded
from tinyml.lowering.frontends.mlir.loops import concat
from tinyml.lowering.frontends.mlir.reader import Reader, handles
from tinyml.lowering.frontends.mlir.scalars import applied, converted

ELEMENTWISE: Mapping[type[Operation], str] = {
    stablehlo.AbsOp: "Abs", stablehlo.AddOp: "Add", stablehlo.AndOp: "And", stablehlo.CeilOp: "Ceil",
    stablehlo.DivideOp: "Div", stablehlo.ExponentialOp: "Exp", stablehlo.ExponentialMinusOneOp: "Expm1",
    stablehlo.FloorOp: "Floor", stablehlo.LogOp: "Log", stablehlo.LogPlusOneOp: "Log1p",
    stablehlo.LogisticOp: "Sigmoid", stablehlo.MaximumOp: "Max", stablehlo.MinimumOp: "Min",
    stablehlo.MultiplyOp: "Mul", stablehlo.NegateOp: "Neg", stablehlo.NotOp: "Not", stablehlo.OrOp: "Or",
    stablehlo.PowerOp: "Pow", stablehlo.RemainderOp: "Rem", stablehlo.RsqrtOp: "Rsqrt", stablehlo.SelectOp: "Where",
    stablehlo.SqrtOp: "Sqrt", stablehlo.SubtractOp: "Sub", stablehlo.TanhOp: "Tanh", chlo.ErfOp: "Erf",
}  # fmt: skip

DIRECTIONS = {
    "EQ": "Equal",
    "NE": "NotEqual",
    "GT": "Greater",
    "GE": "GreaterOrEqual",
    "LT": "Less",
    "LE": "LessOrEqual",
}


@handles(*ELEMENTWISE, of_constants=of_constants(ELEMENTWISE))
def elementwise(reader: Reader, op: Operation) -> Tensor:
    return applied(reader, op, ELEMENTWISE[type(op)])


@handles(stablehlo.CompareOp)
def compare(reader: Reader, op: stablehlo.CompareOp) -> Tensor:
    return apply(reader.to, DIRECTIONS[op.comparison_direction.data], reader.operand(op, 0), reader.operand(op, 1))


@handles(stablehlo.ClampOp)
def clamp(reader: Reader, op: stablehlo.ClampOp) -> Tensor:
    low, x, high = reader.operands(op)
    return apply(reader.to, "Min", apply(reader.to, "Max", x, low), high)


@handles(chlo.SquareOp)
def square(reader: Reader, op: Operation) -> Tensor:
    x = reader.operand(op, 0)
    return apply(reader.to, "Mul", x, x)


@handles(chlo.ErfcOp)
def complementary_error_function(reader: Reader, op: Operation) -> Tensor:
    one = reader.to.constant(np.array(1.0, np.float32))
    return apply(reader.to, "Sub", one, apply(reader.to, "Erf", reader.operand(op, 0)))


@handles(stablehlo.ConstantOp)
def constant(reader: Reader, op: stablehlo.ConstantOp) -> Tensor:
    return reader.constant(op, "value")


@handles(stablehlo.IotaOp)
def iota(reader: Reader, op: stablehlo.IotaOp) -> Tensor:
    """Import `stablehlo.iota`: a tensor whose elements are their index along one axis."""
    shape, axis = reader.shape(op.output), op.iota_dimension.value.data
    numbers = np.arange(shape[axis]).reshape([-1 if at == axis else 1 for at in range(len(shape))])
    return converted(reader, op, reader.to.constant(numbers, shape))


@handles(stablehlo.ConvertOp)
def convert(reader: Reader, op: stablehlo.ConvertOp) -> Tensor:
    return converted(reader, op, reader.operand(op, 0))


@handles(stablehlo.OptimizationBarrierOp)
def same(reader: Reader, op: stablehlo.OptimizationBarrierOp) -> Sequence[Tensor]:
    return reader.operands(op)


@handles(stablehlo.BroadcastInDimOp)
def broadcast(reader: Reader, op: stablehlo.BroadcastInDimOp) -> Tensor:
    return reader.to.broadcast(reader.value(op.operand), numbers(op.broadcast_dimensions), reader.shape(op.result))


@handles(stablehlo.ReshapeOp)
def reshape(reader: Reader, op: stablehlo.ReshapeOp) -> Tensor:
    return reader.to.reshape(reader.operand(op, 0), reader.shape(op.results[0]))


@handles(stablehlo.TransposeOp)
def transpose(reader: Reader, op: stablehlo.TransposeOp) -> Tensor:
    return reader.to.transpose(reader.value(op.operand), numbers(op.permutation))


@handles(stablehlo.SliceOp)
def slice_(reader: Reader, op: stablehlo.SliceOp) -> Tensor:
    sizes = [len(bounds) for bounds in op.ranges]
    return reader.to.slice(reader.value(op.operand), numbers(op.start_indices), sizes, numbers(op.strides))


@handles(stablehlo.ReverseOp)
def reverse(reader: Reader, op: stablehlo.ReverseOp) -> Tensor:
    """Reverse the order of the elements along some axes."""
    x, axes = reader.to.whole(reader.value(op.operand)), numbers(op.dimensions)
    if x.array is not None:
        return reader.to.constant(np.flip(x.array, axes))
    ends = [-1] * len(axes), [-(x.shape[axis] + 1) for axis in axes]
    bounds = [reader.to.integers(numbers) for numbers in (*ends, axes, [-1] * len(axes))]
    return reader.to.node("Slice", [x, *bounds], x.shape)


@handles(stablehlo.ConcatenateOp)
def concatenate(reader: Reader, op: stablehlo.ConcatenateOp) -> Tensor:
    return concat(reader.to, reader.operands(op), op.dimension.value.data)


@handles(stablehlo.PadOp)
def pad(reader: Reader, op: stablehlo.PadOp) -> Tensor:
    if any(numbers(op.interior_padding)):
        raise reader.error("padding between elements is not supported")
    low, high = numbers(op.edge_padding_low), numbers(op.edge_padding_high)
    return padded(reader, reader.value(op.operand), low, high, reader.value(op.padding_value))


@handles(stablehlo.DotGeneralOp)
def dot_general(reader: Reader, op: stablehlo.DotGeneralOp) -> Tensor:
    """Import a product whose result has the batch axes, then the rows of the left operand, then the columns of the
    right operand.
    """
    lhs, rhs = reader.operands(op)
    left = [f"m{axis}" for axis in range(len(lhs.shape))]
    right = [f"n{axis}" for axis in range(len(rhs.shape))]
    stacked: list[str] = []
    axes = op.dot_dimension_numbers
    for at, (a, b) in enumerate(_pairs(axes.lhs_batching_dimensions, axes.rhs_batching_dimensions)):
        left[a] = right[b] = f"b{at}"
        stacked.append(left[a])
    for at, (a, b) in enumerate(_pairs(axes.lhs_contracting_dimensions, axes.rhs_contracting_dimensions)):
        left[a] = right[b] = f"c{at}"
    result = [
        *stacked,
        *(letter for letter in left if letter[0] == "m"),
        *(letter for letter in right if letter[0] == "n"),
    ]
    equation = Equation.parse(f"{' '.join(left)}, {' '.join(right)} -> {' '.join(result)}")
    return contract(reader.to, equation, lhs, rhs, reader.shape(op.results[0]))


def _pairs(lhs: Attribute, rhs: Attribute) -> Iterable[tuple[int, int]]:
    return zip(numbers(lhs), numbers(rhs), strict=True)


@handles(stablehlo.ConvolutionOp)
def convolution(reader: Reader, op: stablehlo.ConvolutionOp) -> Tensor:
    """Import a convolution with groups, strides, dilations and padding; `dimension_numbers` names its axes."""
    image, filter = reader.operands(op)
    axes, inner, outer = op.dimension_numbers.axes
    groups, count = op.feature_group_count.value.data, len(axes) - 2
    ones = (1,) * count
    strides, dilations = numbers(op.window_strides, ones), numbers(op.rhs_dilation, ones)
    spread = any(dilation != 1 for dilation in numbers(op.lhs_dilation, ones))
    if spread or op.batch_group_count.value.data != 1 or any(numbers(op.window_reversal)):
        raise reader.error("transposed convolutions and groups of samples are not supported")
    widths = numbers(op.padding, (0,) * 2 * count)
    low, high = [0] * len(axes), [0] * len(axes)
    for at in range(count):
        low[axes.index(str(at))], high[axes.index(str(at))] = widths[2 * at], widths[2 * at + 1]
    image = padded(reader, image, low, high, reader.to.constant(np.array(0.0, np.float32)))
    names = {"b": "n", "f": "c", "i": "c", "o": "o"}
    features = inner.index("i")
    if groups > 1 and filter.shape[features] == 1:
        # Depthwise: a channel is a group, and the axis i is dropped.
        names |= {"f": "g", "i": "", "o": "g o"}
        filter = _split(reader, filter, inner.index("o"), groups)
        at = features + (inner.index("o") < features)
        filter = reader.to.reshape(filter, (*filter.shape[:at], *filter.shape[at + 1 :]))
    elif groups > 1:
        image = _split(reader, image, axes.index("f"), groups)
        filter = _split(reader, filter, inner.index("o"), groups)
        names |= {"f": "g c", "o": "g o"}
    left = [names.get(axis) or f"{strides[int(axis)]}*y{axis}+{dilations[int(axis)]}*k{axis}" for axis in axes]
    right = [names.get(axis, f"k{axis}") for axis in inner]
    names["f"] = names["o"]
    result = [names.get(axis) or f"y{axis}" for axis in outer]
    equation = Equation.parse(f"{' '.join(left)}, {' '.join(right)} -> {' '.join(result)}")
    shape = list(reader.shape(op.results[0]))
    features = outer.index("f")
    split = (groups, shape[features] // groups) if groups > 1 else (shape[features],)
    grouped = (*shape[:features], *split, *shape[features + 1 :])
    return reader.to.reshape(contract(reader.to, equation, image, filter, grouped), tuple(shape))


def _split(reader: Reader, tensor: Tensor, axis: int, groups: int) -> Tensor:
    if tensor.shape[axis] % groups:
        raise reader.error(f"{tensor.shape[axis]} channels do not make {groups} groups")
    shape = *tensor.shape[:axis], groups, tensor.shape[axis] // groups, *tensor.shape[axis + 1 :]
    return reader.to.reshape(tensor, shape)


def _reducer(reader: Reader, block: Block) -> str:
    ops = [*block.ops]
    kind = ELEMENTWISE.get(type(ops[0]), "") if len(ops) == 2 else ""
    if kind not in REDUCTIONS or {*ops[0].operands} != {*block.args} or [*ops[1].operands] != [*ops[0].results]:
        raise reader.error("reduces by other than a sum, a maximum or a minimum, which is not supported")
    return kind


@handles(stablehlo.ReduceOp)
def reduction(reader: Reader, op: stablehlo.ReduceOp) -> list[Tensor]:
    axes = numbers(op.dimensions)
    if len(op.inputs) == 2:
        return _greatest(reader, op, axes)
    if len(op.inputs) != 1:
        raise reader.error("reduces several tensors at once, which is not supported")
    x, start = reader.operands(op)
    kind = _reducer(reader, op.body.block)
    value = reader.to.reshape(reduce(reader.to, REDUCTIONS[kind], x, axes), reader.shape(op.results[0]))
    return [with_initial(reader.to, kind, value, start)]


def _greatest(reader: Reader, op: stablehlo.ReduceOp, axes: Sequence[int]) -> list[Tensor]:
    """Import an argmax as JAX exports it: a reduction of numbers and their indices along an axis to the maximum and
    its index.
    """
    x, numbers = reader.operand(op, 0), reader.operand(op, 1)
    along = tuple(extent if axis in axes else 1 for axis, extent in enumerate(x.shape))
    counts = numbers.array is not None and len(axes) == 1 and numbers.stored == along
    counts = counts and bool((numbers.array.ravel() == np.arange(x.shape[axes[0]])).all())  # type: ignore[union-attr]
    kinds = stablehlo.CompareOp | stablehlo.SelectOp | stablehlo.AndOp | stablehlo.OrOp | stablehlo.ReturnOp
    compares = all(isinstance(inner, kinds) for inner in op.body.block.ops)

    def step(arguments: Sequence[Tensor]) -> Sequence[Tensor]:
        return reader.run(op.body.block, arguments)

    known = counts and compares and is_lowest(reader.operand(op, 2))
    if not known or not takes_first_greatest(reader.to, step, in_order=False):
        raise reader.error("reduces two tensors other than to a maximum and its index, which is not supported")
    results = greatest(reader.to, x, axes[0])
    return [reader.to.reshape(tensor, reader.shape(result)) for tensor, result in zip(results, op.results, strict=True)]


@handles(stablehlo.ReduceWindowOp)
def reduce_window(reader: Reader, op: stablehlo.ReduceWindowOp) -> Tensor:
    if len(op.inputs) != 1:
        raise reader.error("reduces several tensors at once, which is not supported")
    x, start = reader.operands(op)
    kind, ones = _reducer(reader, op.body.block), (1,) * len(x.shape)
    if kind == "Min" or any(dilation != 1 for dilation in numbers(op.base_dilations, ones)):
        raise reader.error("only maxima and sums of windows without dilations of the image are supported")
    sizes = numbers(op.window_dimensions)
    windows = Windows(sizes, numbers(op.window_strides, ones), numbers(op.window_dilations, ones))
    widths = numbers(op.padding, (0,) * 2 * len(sizes))
    x = padded(reader, x, widths[::2], widths[1::2], start)
    pooled = pool(reader.to, "Max" if kind == "Max" else "Sum", x, windows, reader.shape(op.results[0]))
    return with_initial(reader.to, kind, pooled, start)
