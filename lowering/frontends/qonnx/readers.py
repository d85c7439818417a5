"""Importers of the nodes that read tensors of integers: products, elementwise functions, and ops that move elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import format_of
from tinyml.lowering.frontends.layers.dense_layers import GREATEST
from tinyml.lowering.frontends.layers.dense_layers import limited as clamp
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, Parameter
from tinyml.lowering.frontends.layers.network_layers import Windows, binary
from tinyml.lowering.frontends.onnx.builder import HANDLERS, Builder, Constant, Inputs, Value, optional
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import FLOATS
from tinyml.lowering.frontends.onnx.ops.movement import concat
from tinyml.lowering.frontends.onnx.ops.products import matrices, multiplied, product
from tinyml.lowering.frontends.onnx.ops.windows import filter_windows, windows_of
from tinyml.lowering.frontends.onnx.tensors import ELEMENTS
from tinyml.lowering.frontends.qonnx.integer_formats import MAX_BITS, binary_exponent, format_of_range, format_of_sums
from tinyml.lowering.frontends.qonnx.values import Products, Stack, Step, Stored, WholeConstant
from tinyml.lowering.frontends.qonnx.whole import Whole, reads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Singles: TypeAlias = NDArray[np.float32]

GREATEST_SUM = 1 << 31


@reads(
    "Reshape",
    "Flatten",
    "Squeeze",
    "Unsqueeze",
    "Transpose",
    "Identity",
    "Dropout",
    "Slice",
    "Gather",
    "Resize",
    "MaxPool",
    "GlobalMaxPool",
    "Pad",
)
def moved(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    """Import a node that only moves elements: the same movement is applied to the integers of the operand. The
    functions and ranges of channels are unchanged.

    Returns None if the operand is not `whole`, or if functions or units differ between channels and the node does not
    preserve the axis of channels. Also returns None for a Pad that adds other numbers than zeros, and for a Pad if
    functions follow the integers or their format lacks 0.
    """
    if inputs[0] is not whole:
        return None
    if whole.is_rounded:
        return moved(rounded := whole.whole(to), to, node, [rounded, *inputs[1:]])
    if node.op == "Pad" and not _adds_zeros(whole, node, inputs):
        return None
    differ = whole.units.size > 1 or any(step.constant.size > 1 for step in whole.steps)
    source = whole.source
    before, axis = whole.shape, source.axis
    if differ and node.op not in ("Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze"):
        return None
    if differ and node.op != "Transpose" and math.prod(before) != before[axis]:
        return None
    tensor = HANDLERS["", node.op](to, node, [source.sums(to), *inputs[1:]])
    if not isinstance(tensor, OrderedTensor):
        return None
    if differ:
        if node.op == "Transpose":
            axis = node.integers("perm", tuple(reversed(range(len(before))))).index(axis)
        elif before[axis] in tensor.shape:
            axis = tensor.shape.index(before[axis])
        else:
            return None
        return replace(whole, source=Stored.of(tensor, source.low, source.high, axis))
    low, high = source.low.min(keepdims=True), source.high.max(keepdims=True)
    if node.op == "Pad":
        low, high = np.minimum(low, 0), np.maximum(high, 0)
    return replace(whole, source=Stored.of(tensor, low, high))


def _adds_zeros(whole: Whole, node: OnnxNode, inputs: Inputs) -> bool:
    """Whether the elements that a Pad adds are zeros in the operand's format, and no functions follow the integers. The
    format of -1 and 1 has no zero.
    """
    filling = optional(inputs, 2)
    number = 0 if filling is None else filling.array if isinstance(filling, Constant) else math.nan
    raw = int(whole.source.exact.encode(np.zeros(1))[0])
    return node.text("mode", "constant") == "constant" and not (np.any(number) or raw or whole.steps)


@reads("Cast")
def cast(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Whole | None:
    """Import a conversion to floats, or to integers that include all values. Returns None for a tensor that is no
    integer before a conversion to integers. Raises `InputError` for integers that would wrap around.
    """
    target = ELEMENTS.get(node.integer("to"), "")
    if target in FLOATS:
        return whole
    if whole.is_rounded:
        whole = whole.whole(to)
    if np.dtype(target or "f").kind not in "iu" or whole.steps or whole.source.frac or (whole.units != 1).any():
        return None
    low, high, limits = int(whole.source.low.min()), int(whole.source.high.max()), np.iinfo(target)
    if low < limits.min or high > limits.max:
        raise to.error(f"integers from {low} to {high} would wrap around in {target}: add a Clip before it")
    return whole


@reads("Concat")
def concatenated(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Whole | None:
    """Import a concatenation of integers that have one unit. Returns None for other operands."""
    operands = [value for value in inputs if isinstance(value, Whole)]
    if len(operands) < len(inputs):
        return None
    stored = [operand for whole_operand in operands if (operand := _stored(whole_operand, to)) is not None]
    if len(stored) < len(operands) or len({whole_operand.units.item() for whole_operand in operands}) > 1:
        return None
    if len({operand.frac for operand in stored}) > 1:
        return None
    low, high = min(int(operand.low.item()) for operand in stored), max(int(operand.high.item()) for operand in stored)
    formats = {format_of(operand.tensor.value).type for operand in stored}
    element = formats.pop() if len(formats) == 1 else format_of_sums(low, high, stored[0].frac).type
    tensors = [OrderedTensor(to.requantised(operand.tensor.value, element), operand.tensor.order) for operand in stored]
    joined = concat(to, node, tensors)
    assert isinstance(joined, OrderedTensor)
    return Whole(Stored.of(joined, np.array([low]), np.array([high])), operands[0].units)


def _joined(to: Builder, node: OnnxNode, lhs: Whole, rhs: Whole) -> Whole | None:
    """Import a sum or a difference of two tensors of integers that have one unit.

    Returns None if a function follows one of the tensors, if there are several units, or if a result may be
    `GREATEST_SUM` or more in magnitude.
    """
    if lhs.steps or rhs.steps or lhs.channels > 1 or rhs.channels > 1 or lhs.units.item() != rhs.units.item():
        return None
    frac = max(lhs.source.frac, rhs.source.frac)
    (least, most), (lower, upper) = (
        [end << frac - operand.source.frac for end in (operand.source.low, operand.source.high)]
        for operand in (lhs, rhs)
    )
    low, high = (least + lower, most + upper) if node.op == "Add" else (least - upper, most - lower)
    if max(-int(low.item()), int(high.item())) >= GREATEST_SUM:
        return None
    make = tdsl.AddOp if node.op == "Add" else tdsl.SubOp
    exact = format_of_sums(int(low.item()), int(high.item()), frac)
    tensor = binary(to, make, lhs.source.sums(to), rhs.source.sums(to), exact.type)
    return Whole(Stored.of(tensor, low, high), lhs.units)


def _stored(whole: Whole, to: Builder) -> Stored | None:
    """The integers as a computed tensor that products can read; None if functions follow the integers, or if channels
    have separate units.

    Functions that round to integers of at most 16 bits are first emitted as a quantiser.
    """
    if whole.is_rounded:
        return _stored(whole.whole(to), to)
    if whole.steps or whole.units.size > 1:
        return None
    if isinstance(whole.source, Stored) and whole.source.low.size == 1:
        return whole.source
    low, high = whole.source.low.min(keepdims=True), whole.source.high.max(keepdims=True)
    return Stored.of(whole.source.sums(to), low, high)


def _rescaled(whole: Whole, to: Builder) -> Whole:
    """Merge factors and addends into the unit and the integers of a tensor.

    Return the tensor unchanged if a factor or an addend differs between channels, or if another function follows the
    integers. Also return it unchanged unless the merged addend is the merged unit times an integer of a magnitude below
    2^`MAX_BITS`.
    """
    if not whole.steps or whole.units.size > 1:
        return whole
    if any(not step.affine or step.constant.size > 1 for step in whole.steps):
        return whole
    origin, at_one = whole.reals(np.array([[0, 1]]))[0].astype(np.float64)
    moved = origin / (at_one - origin) if at_one > origin else np.nan
    if not abs(moved) < 1 << MAX_BITS or moved != round(moved):
        return whole
    source, unit = whole.source, math.ldexp(at_one - origin, whole.source.frac)
    addend = np.array([round(moved)])
    low, high = source.low.min(keepdims=True) + addend, source.high.max(keepdims=True) + addend
    if addend[0]:
        exact = format_of_range(int(low[0]), int(high[0]), source.frac)
        source = Stored.of(source.emit(to, addend, None, exact.type), low, high)
    return Whole(source, np.array([unit]))


def _weights(to: Builder, value: Value | None) -> WholeConstant | None:
    """Constant weights as integers with scales; None for any other value. Reals that are integers get the scale 1.
    Raises `InputError` for unsigned bytes of 128 or more.
    """
    if not isinstance(value, Constant | WholeConstant) or 0 in value.shape:
        return None
    if isinstance(value, WholeConstant):
        return value
    if value.array.dtype.kind not in "fiu":
        return None
    if value.array.dtype == np.uint8 and value.array.max() > np.iinfo(np.int8).max:
        # ONNX does not define sums of products of bytes. Files of PULP's deployment tools mean signed bytes.
        raise to.error(
            f"its weights are of uint8, up to {value.array.max()}: exporters store signed bytes in this type; "
            "write them as int8 (array.view('int8'))"
        )
    integers = np.rint(value.array)
    if (integers != value.array).any() or np.abs(integers).max() >= 1 << 15:
        return None
    # The range is symmetric, except where this would take one more bit.
    low, high = int(integers.min()), int(integers.max())
    most = max(high, -low - 1, 1)
    limits = min(low, -most), most
    return WholeConstant.of(integers.astype(np.int64), np.ones((), np.float32), limits, name=value.name)


def _products(
    whole: Whole, to: Builder, weights: WholeConstant, rows: Any, shape: tdsl.Shape, axis: int, **more: Any
) -> Whole | None:
    """Build sums of products of a tensor and constant weights. Returns None if the integers of the tensor cannot be
    emitted, or if the scales of the weights differ within an output. Raises `InputError` for sums that exceed 32
    bits.

    rows: the integers and the scales of the weights, one row per output.
    shape, axis: the shape of the sums in the model, and the axis of their channels.
    more: the remaining fields of `Products`, for a convolution.
    """
    whole = _rescaled(whole, to)
    stored = _stored(whole, to)
    if stored is None:
        return None
    integers, scales = rows
    flat = integers.reshape(len(integers), -1)
    scale = scales.reshape(len(scales), -1)
    if (scale != scale[:, :1]).any():
        return None
    units = scale[:, 0].astype(np.float64)
    frac = binary_exponent(float(units[0])) if (units == units[0]).all() else None
    units = np.ones(1) if frac is not None else units
    if (units == units[0]).all():
        units = units[:1]
    least, most = int(stored.low.item()), int(stored.high.item())
    if more and any(more["windows"].padding):
        least, most = min(least, 0), max(most, 0)
    high = np.maximum(flat * least, flat * most).sum(1)
    low = np.minimum(flat * least, flat * most).sum(1)
    if max(-int(low.min()), int(high.max())) >= GREATEST_SUM:
        raise to.error("sums of products can leave 32 bits")
    turned = WholeConstant.of(integers, scales, (weights.low, weights.high), bipolar=weights.bipolar, name=weights.name)
    products = Products(shape, axis, stored.frac + (frac or 0), low, high, stored, turned, **more)
    return Whole(products, whole.units * units)


@reads("MatMul")
def matmul(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Whole | None:
    rhs = optional(inputs, 1)
    if isinstance(rhs, Whole) and inputs[0] is whole:
        return _computed_products(whole, to, rhs)
    weights = _weights(to, rhs)
    if weights is None or len(weights.shape) != 2 or not whole.shape or whole.shape[-1] != weights.shape[0]:
        return None
    shape = (*whole.shape[:-1], weights.shape[1])
    return _products(whole, to, weights, (weights.integers.T, weights.units.T), shape, len(shape) - 1)


def _computed_products(lhs: Whole, to: Builder, rhs: Whole) -> Whole | None:
    """Build the product of two computed tensors of integers, matrices or stacks of matrices. Returns None if the
    integers of one of them cannot be emitted, or if one of them is a vector. Raises `InputError` for stacks that do
    not broadcast, and for sums that exceed 32 bits.
    """
    left, right = (_stack_or_stored(operand, to) for operand in (lhs, rhs))
    if left is None or right is None or min(len(left.shape), len(right.shape)) < 2:
        return None
    try:
        stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    except ValueError:
        raise to.error(f"the stacks of shapes {list(left.shape)} and {list(right.shape)} do not match") from None
    ends = [int(a.item()) * int(b.item()) for a in (left.low, left.high) for b in (right.low, right.high)]
    low, high = (np.array([end * left.shape[-1]]) for end in (min(ends), max(ends)))
    if max(-int(low.item()), int(high.item())) >= GREATEST_SUM:
        raise to.error("sums of products can leave 32 bits")
    frac = left.frac + right.frac
    exact = format_of_sums(int(low.item()), int(high.item()), frac)
    if isinstance(left, Stored) and isinstance(right, Stored) and math.prod(right.shape[:-2]) == 1:
        tensor = multiplied(to, to.node, left.tensor, right.tensor, exact.type)
        return Whole(Stored.of(tensor, low, high, len(tensor.shape) - 1), lhs.units * rhs.units)
    pairs = zip(_matrices(left, to, stack), _matrices(right, to, stack), strict=True)
    size = left.shape[-2], right.shape[-1]
    products = [OrderedTensor.plain(to.reshape(product(to, *pair, element=exact.type), (1, *size))) for pair in pairs]
    matrices_of_stack = [Stored.of(matrix, low, high, 2) for matrix in products]
    return Whole(Stack.of(matrices_of_stack, (*stack, *size)), lhs.units * rhs.units)


def _stack_or_stored(whole: Whole, to: Builder) -> Stack | Stored | None:
    whole = _rescaled(whole, to)
    return _stored(whole, to) if whole.steps or not isinstance(whole.source, Stack) else whole.source


def _matrices(source: Stack | Stored, to: Builder, stack: tdsl.Shape) -> Iterator[OrderedTensor | Constant]:
    if isinstance(source, Stored):
        return matrices(to, source.tensor, source.shape, stack)
    parts = [OrderedTensor.plain(to.reshape(to.plain(matrix.sums(to)), source.shape[-2:])) for matrix in source.parts]
    numbers = np.broadcast_to(np.arange(len(parts)).reshape(source.shape[:-2]), stack).ravel().tolist()
    return (parts[number] for number in numbers)


@reads("Gemm")
def gemm(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    weights = _weights(to, optional(inputs, 1))
    if weights is None or len(weights.shape) != 2 or node.integer("transA", 0):
        return None
    if (node.number("alpha", 1.0), node.number("beta", 1.0)) != (1, 1):
        return None
    rows = weights.integers, weights.units
    if not node.integer("transB", 0):
        rows = rows[0].T, rows[1].T
    shape = (*whole.shape[:-1], len(rows[0]))
    return _with_bias(_products(whole, to, weights, rows, shape, len(shape) - 1), optional(inputs, 2))


@reads("Conv")
def conv(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    weights = _weights(to, optional(inputs, 1))
    if weights is None or len(whole.shape) not in (3, 4) or len(weights.shape) != len(whole.shape):
        return None
    windows = filter_windows(node, whole, weights)
    result = _convolved(whole, to, weights, windows, node.integer("group", 1))
    return _with_bias(result, optional(inputs, 2))


def _convolved(whole: Whole, to: Builder, weights: WholeConstant, windows: Windows, groups: int) -> Whole | None:
    extents: list[int] = []
    for at, extent in enumerate(whole.shape[2:], 4 - len(whole.shape)):
        reach = (windows.kernel[at] - 1) * windows.dilations[at]
        margins = windows.padding[2 * at] + windows.padding[2 * at + 1]
        extents.append((extent + margins - reach - 1) // windows.strides[at] + 1)
    shape = (whole.shape[0], weights.shape[0], *extents)
    rows = weights.integers, weights.units
    return _products(whole, to, weights, rows, shape, 1, windows=windows, groups=groups)


@reads("AveragePool", "GlobalAveragePool")
def averaged(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Whole | None:
    """Import averages of windows without padding, as sums times the reciprocal of the window size. Returns None for
    other averages.
    """
    if len(whole.shape) not in (3, 4):
        return None
    extents = whole.shape[2:]
    kernel = extents if node.op == "GlobalAveragePool" else node.integers("kernel_shape")
    windows = windows_of(node, extents, kernel, ceil=True)
    if any(windows.padding):
        return None
    channels = whole.shape[1]
    ones = np.ones((channels, 1, *kernel), np.int64)
    weights = WholeConstant.of(ones, np.full((), 1 / math.prod(kernel), np.float32), (0, 1))
    return _convolved(whole, to, weights, windows, channels)


def _with_bias(whole: Whole | None, bias: Value | None) -> Value | None:
    if whole is None or bias is None:
        return whole
    if not isinstance(bias, Constant) or bias.array.size not in (1, whole.shape[whole.source.axis]):
        return None
    return whole.followed_by(_added(bias.array.ravel().astype(np.float32)))


def _emits(make: type[tdsl.BinaryOp]) -> Callable[[Builder, OrderedTensor, Parameter], OrderedTensor]:
    return lambda to, tensor, constant: binary(to, make, tensor, constant)


def _added(numbers: Singles) -> Step:
    return Step(numbers, lambda x, c: x + c, _emits(tdsl.AddOp), affine=True, adds=True)


def _multiplied(numbers: Singles) -> Step:
    return Step(numbers, lambda x, c: x * c, _emits(tdsl.MulOp), affine=True)


def _divided(to: Builder, tensor: OrderedTensor, constant: Parameter) -> OrderedTensor:
    factors = Parameter((1 / constant.raws.astype(np.float64)).astype(np.float32))
    return binary(to, tdsl.MulOp, tensor, factors)


def _negated(to: Builder, tensor: OrderedTensor, constant: Parameter) -> OrderedTensor:
    opposite = OrderedTensor(to.op(tdsl.NegOp, tensor.value), tensor.order)
    return binary(to, tdsl.AddOp, opposite, constant)


@reads("Add", "Sub", "Mul", "Div")
def arithmetic(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Whole | None:
    """Import a sum, a difference, a product or a quotient with a constant, or a sum or a difference of integers in one
    unit. Returns None for other operands.
    """
    if len(inputs) != 2:
        return None
    if node.op in ("Add", "Sub"):
        lhs, rhs = inputs
        if isinstance(lhs, Whole) and isinstance(rhs, Whole):
            return _joined(to, node, lhs, rhs)
    first = inputs[0] is whole
    other = inputs[1] if first else inputs[0]
    if not isinstance(other, Constant) or other.array.dtype.kind not in "fiu":
        return None
    placed = by_channel(whole, other.array.astype(np.float32))
    if placed is None or (node.op == "Div" and (not first or not placed[1].all())):
        return None
    whole, numbers = placed
    match node.op:
        case "Add":
            step = _added(numbers)
        case "Mul":
            step = _multiplied(numbers)
        case "Div":
            step = Step(numbers, lambda x, c: x / c, _divided, affine=True)
        case _:
            step = _added(-numbers) if first else Step(numbers, lambda x, c: c - x, _negated)
    return whole.followed_by(step)


def by_channel(whole: Whole, numbers: NDArray[Any]) -> tuple[Whole, NDArray[Any]] | None:
    """Match a constant that is one number, or varies along the axis of channels only. If the channels of stored
    integers do not differ, any axis may become their axis of channels. Return the tensor and the number of each
    channel.

    Returns None for any other constant, and for one that would broadcast the tensor to a greater shape.
    """
    rank = len(whole.shape)
    if numbers.size == 1:
        return (whole, numbers.ravel()) if numbers.ndim <= rank else None
    if numbers.ndim > rank or numbers.size == 0:
        return None
    extents = (1,) * (rank - numbers.ndim) + numbers.shape
    [axis, *others] = [at for at, extent in enumerate(extents) if extent > 1]
    if others or extents[axis] != whole.shape[axis]:
        return None
    source = whole.source
    if source.axis != axis:
        if whole.channels > 1:
            return None
        source = replace(source, axis=axis) if isinstance(source, Stored) else None
    return None if source is None else (replace(whole, source=source), numbers.ravel())


@reads("BatchNormalization")
def normalised(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Whole | None:
    """Import BatchNormalization, with the operations in the order of onnxruntime.

    Returns None in training mode, and where `by_channel` returns None. Also returns None unless the parameters are
    constants with one number per channel, and the sum of variance and epsilon is positive.
    """
    arrays = [value.array.astype(np.float32) for value in inputs[1:5] if isinstance(value, Constant)]
    if len(arrays) < 4 or node.integer("training_mode", 0) or len(whole.shape) < 2:
        return None
    if any(array.shape != whole.shape[1:2] for array in arrays):
        return None
    scale, offset, mean, variance = arrays
    epsilon = np.float32(node.number("epsilon", 1e-5))
    if not (variance + epsilon > 0).all():
        return None
    factor = (scale * (np.float32(1) / np.sqrt(variance + epsilon))).astype(np.float32)
    shape = (-1, *(1,) * (len(whole.shape) - 2))
    placed = by_channel(whole, factor.reshape(shape))
    if placed is None:
        return None
    followed = placed[0].followed_by(_multiplied(placed[1]))
    return followed.followed_by(_added((offset - mean * factor).astype(np.float32)))


_NONE = np.zeros(1, np.float32)


@reads("Relu")
def relu(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Whole:
    def emit(to: Builder, x: OrderedTensor, _: Parameter) -> OrderedTensor:
        return OrderedTensor(to.op(tdsl.ReluOp, x.value), x.order)

    return whole.followed_by(Step(_NONE, lambda x, _: np.maximum(x, np.float32(0)), emit))


@reads("Clip")
def clip(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Whole | None:
    ends: list[float] = []
    for position, extreme in ((1, -GREATEST), (2, GREATEST)):
        limit = optional(inputs, position)
        if limit is not None and not (isinstance(limit, Constant) and limit.array.size == 1):
            return None
        ends.append(extreme if limit is None else float(np.float32(limit.array.item())))
    low, high = ends

    def emit(to: Builder, x: OrderedTensor, _: Parameter) -> OrderedTensor:
        return OrderedTensor(clamp(to, x.value, low, high), x.order)

    return whole.followed_by(
        Step(_NONE, lambda x, _: np.minimum(np.maximum(x, np.float32(low)), np.float32(high)), emit)
    )


_ROUNDINGS: dict[str, Callable[[Any], Any]] = {"Floor": np.floor, "Round": np.rint, "Ceil": np.ceil}


@reads(*_ROUNDINGS)
def rounded(whole: Whole, to: Builder, node: OnnxNode, inputs: Inputs) -> Whole:
    function = _ROUNDINGS[node.op]
    return whole.followed_by(Step(_NONE, lambda x, _: function(x), None))
