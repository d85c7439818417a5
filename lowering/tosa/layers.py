"""Products, pools and means in TOSA: sums of 32 bits that are rescaled to 8 bits.

TensorFlow Lite rounds halves in averages away from zero, but `tosa.avg_pool2d` rounds them upwards. Averages are
therefore lowered to quotients of sums. A depthwise convolution with weights of 1 computes the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from xdsl.dialects import tosa as xdsl_tosa
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i8, i32, i64
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.xdsl_additions import tosa
from tinyml.lowering.tosa.integers import Integers, quantised, sum_scales
from tinyml.lowering.tosa.writer import TosaWriter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Raws: TypeAlias = NDArray[Any]

Values: TypeAlias = Callable[[SSAValue], SSAValue]
"""A function that returns the TOSA value of a tensor."""


class Windows(NamedTuple):
    """Windows that slide over an image: padding above, below, on the left and on the right; strides and dilations."""

    pad: tuple[int, int, int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int] = (1, 1)

    def fitted(self, to: TosaWriter, image: SSAValue, kernel: Sequence[int]) -> tuple[SSAValue, Windows]:
        """Crop an image or reduce its padding so that the last window ends at the padded border, as TOSA
        requires. Return the image, and windows with the new padding.

        kernel: the extents of a window.
        """
        shape, pad = list(tosa.extents(image)), list(self.pad)
        for axis, (stride, dilation, extent) in enumerate(zip(self.strides, self.dilations, kernel, strict=True)):
            before, behind = pad[2 * axis : 2 * axis + 2]
            rest = (shape[axis + 1] - 1 + before + behind - (extent - 1) * dilation) % stride
            pad[2 * axis + 1] = behind - min(rest, behind)
            shape[axis + 1] -= max(rest - behind, 0)
        return to.slice(image, [0] * 4, shape), self._replace(pad=tuple(pad))

    @property
    def properties(self) -> dict[str, Attribute]:
        return {
            "pad": DenseArrayBase.from_list(i64, self.pad),
            "stride": DenseArrayBase.from_list(i64, self.strides),
            "dilation": DenseArrayBase.from_list(i64, self.dilations),
        }


def constant_raws(value: SSAValue) -> Raws:
    """The raws of a constant. Raises `InputError` for a tensor that is computed."""
    if not isinstance(value.owner, tdsl.ConstOp):
        raise InputError("products of two tensors that are computed are not written in TOSA")
    return value.owner.raws


def convolution(to: TosaWriter, op: tdsl.Conv2dOp, values: Values) -> SSAValue:
    """Lower a convolution with groups of consecutive channels. If there are several groups of one channel each, it
    becomes a depthwise convolution.
    """
    image, margins = _image(op.rhs)
    windows = Windows(margins, op.steps, op.spread)
    weights, raws = constant_raws(op.lhs), values(image)
    channels, groups = tdsl.shape_of(image)[3], op.group_count
    if groups == channels > 1:
        rows, height, width, _ = weights.shape
        own = weights.reshape(channels, rows // channels, height, width).transpose(2, 3, 0, 1)
        return _finished(to, op, image, windows, raws, own, weights)
    return _finished(to, op, image, windows, raws, np.split(weights, groups), weights)


def _image(image: SSAValue) -> tuple[SSAValue, tuple[int, int, int, int]]:
    """Return the image before a pad op, and its padding, which the TOSA convolution performs. Without a pad op, the
    image itself and zeros.
    """
    pad = image.owner
    if isinstance(pad, tdsl.PadOp) and (margins := margins_of(pad)) is not None:
        return pad.input, margins
    return image, (0, 0, 0, 0)


def margins_of(pad: tdsl.PadOp) -> tuple[int, int, int, int] | None:
    """The zero padding above, below, on the left and on the right of an image, in pixels; None for a pad op of any
    other form.
    """
    if pad.filling or any(pad.gaps) or len(pad.margins) != 4:
        return None
    batch, (top, bottom), (left, right), depth = pad.margins
    return None if any((*batch, *depth)) else (top, bottom, left, right)


def dense(to: TosaWriter, op: tdsl.MatmulOp | tdsl.MatmulSumOp, values: Values) -> SSAValue:
    """Lower the product of a weight matrix and columns to a convolution over an image with one pixel per column. Raises
    `InputError` for a sum of several products.
    """
    if len(op.pairs) != 1:
        raise InputError("a sum of several products is not written in TOSA")
    [(lhs, rhs)] = op.pairs
    weights, (depth, columns) = constant_raws(lhs), tdsl.shape_of(rhs)
    pixels = values(rhs)
    if columns > 1:
        order = DenseArrayBase.from_list(i32, [1, 0])
        pixels = to.op(tosa.TransposeOp, [pixels], (columns, depth), i8, perms=order)
    image, filter = to.reshape(pixels, (columns, 1, 1, depth)), weights.reshape(-1, 1, 1, depth)
    sums = _finished(to, op, rhs, Windows((0, 0, 0, 0), (1, 1)), image, [filter], weights)
    if columns > 1:
        order, shape = DenseArrayBase.from_list(i32, [3, 1, 2, 0]), (len(weights), 1, 1, columns)
        sums = to.op(tosa.TransposeOp, [sums], shape, i8, perms=order)
    return to.reshape(sums, tdsl.shape_of(op.out))


def _finished(
    to: TosaWriter, op: tdsl.ContractionOp, image: SSAValue, windows: Windows, raws: SSAValue,
    filters: Raws | Sequence[Raws], weights: Raws,
) -> SSAValue:  # fmt: skip
    """Emit sums of products, converted to the format of the result.

    image: the image of the program.
    raws: the TOSA value of the image.
    filters: O x KH x KW x C for each group of channels, or KH x KW x C x M for a depthwise convolution.
    weights: one row per result.
    """
    source, result = quantised(image), quantised(op.out)
    [(matrix, _)] = op.pairs
    _, weight_zero = tdsl.format_of(matrix).without_offset()
    rows = len(weights)
    start = np.zeros(rows, np.int64)
    if op.initial is not None:
        start = np.broadcast_to(constant_raws(op.initial).astype(np.int64).ravel(), rows)
    sums = _sums(to, raws, (source.zero_point.data, weight_zero), filters, start, windows)
    sizes = np.abs(weights.astype(np.int64) - weight_zero).reshape(rows, -1).sum(1)
    most = int((sizes * (1 << source.bits) + np.abs(start)).max())
    factors = [scale / result.scale for scale in sum_scales(op)]
    return to.requantised(sums, factors, most, result.zero_point.data, i8)


def _sums(
    to: TosaWriter, image: SSAValue, zeros: tuple[int, int], filters: Raws | Sequence[Raws], start: Raws,
    windows: Windows,
) -> SSAValue:  # fmt: skip
    """Emit a convolution that computes sums of 32 bits without rounding them.

    zeros: the zero points of the image and of the weights.
    filters: as in `_finished`.
    start: the initial values of the sums.
    """
    depthwise = not isinstance(filters, Sequence)
    kernel = filters.shape[:2] if depthwise else filters[0].shape[1:3]
    image, windows = windows.fitted(to, image, kernel)
    batch, height, width, channels = tosa.extents(image)
    (top, bottom, left, right), (down, across), (tall, wide) = windows
    rows = (height - 1 + top + bottom - (kernel[0] - 1) * tall) // down + 1
    columns = (width - 1 + left + right - (kernel[1] - 1) * wide) // across + 1
    kind, groups = (tosa.DepthwiseConv2DOp, [filters]) if depthwise else (tosa.Conv2DOp, filters)
    depth, slices = channels // len(groups), list[SSAValue]()
    for group, (filter, bias) in enumerate(zip(groups, np.split(start, len(groups)), strict=True)):
        group_image = to.slice(image, (0, 0, 0, group * depth), (batch, height, width, depth))
        points = (to.constant([zero], i8) for zero in zeros)
        operands = [group_image, to.constant(filter, i8), to.constant(bias), *points]
        shape = batch, rows, columns, len(bias)
        slices.append(to.op(kind, operands, shape, acc_type=i32, **windows.properties))
    if len(slices) == 1:
        return slices[0]
    return to.op(xdsl_tosa.ConcatOp, slices, (batch, rows, columns, len(start)), axis=IntegerAttr(3, i32))


def max_pool(to: TosaWriter, op: tdsl.MaxPoolOp, values: Values) -> SSAValue:
    image, windows = Windows(op.margins, op.steps).fitted(to, values(op.image), op.window)
    properties = windows.properties | {"kernel": DenseArrayBase.from_list(i64, op.window)}
    del properties["dilation"]
    return to.op(xdsl_tosa.MaxPool2DOp, [image], tdsl.shape_of(op.out), i8, **properties)


def average_pool(to: TosaWriter, op: tdsl.AveragePoolOp, values: Values) -> SSAValue:
    """Lower an average pool. The average of the raws is rounded to nearest, halves away from zero, and then
    converted to the scale of the result.
    """
    source, channels = quantised(op.image), tdsl.shape_of(op.image)[3]
    ones = np.ones((*op.window, channels, 1), np.int8)
    start, windows = np.zeros(channels, np.int64), Windows(op.margins, op.steps)
    # Padding elements are zeros, like the zero point.
    total = _sums(to, values(op.image), (0, 0), ones, start, windows)
    counts = op.counts()[0]
    halves = (to.constant(counts // 2), to.constant(-(counts // 2)))
    positive = to.binary(tosa.GreaterEqualOp, total, to.number(total, 0))
    enlarged = to.binary(xdsl_tosa.AddOp, total, to.chosen(positive, *halves))
    quotient = to.binary(tosa.IntDivOp, enlarged, to.constant(counts))
    return recoded(to, to.clamp(quotient, *source.raw_limits), source, quantised(op.out))


def recoded(to: TosaWriter, raws: SSAValue, source: Integers, result: Integers) -> SSAValue:
    """Convert 32-bit raws of the format `source` to 8-bit raws of the format `result`."""
    if source == result:
        return to.narrowed(raws)
    centred = to.binary(xdsl_tosa.SubOp, raws, to.number(raws, source.zero_point.data))
    return to.requantised(centred, source.scale / result.scale, 1 << 9, result.zero_point.data, i8)


def mean(to: TosaWriter, op: tdsl.MeanOp, values: Values) -> SSAValue:
    """Lower TensorFlow Lite's MEAN. The division by the number of elements is part of the rescaling factor."""
    source, result = quantised(op.input), quantised(op.out)
    total = to.widened(values(op.input), source.zero_point.data)
    for axis in op.reduced:
        shape = [1 if at == axis else extent for at, extent in enumerate(tosa.extents(total))]
        total = to.op(xdsl_tosa.ReduceSumOp, [total], shape, axis=IntegerAttr(axis, i32))
    factor = result.mean_factor(op.count, source)
    return to.rescaled(total, [factor], op.count << 8, zero=result.zero_point.data, element=i8)
