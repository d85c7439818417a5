"""Import of the operators that resize images: to the nearest pixel, and by bilinear interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.margins import repeated
from tinyml.lowering.frontends.layers.model_builder import Parameter
from tinyml.lowering.frontends.layers.network_layers import MAX_RESIZED_EXTENT, nearest_pixels
from tinyml.lowering.frontends.onnx.ops.movement import picked
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, element, power_of_two, rows_format
from tinyml.lowering.frontends.tflite.meanings import by_meaning
from tinyml.lowering.frontends.tflite.model import Operator
from tinyml.lowering.frontends.tflite.operands import input_of, integers_of


def resize_nearest(to: GraphBuilder, op: Operator) -> None:
    """Import RESIZE_NEAREST_NEIGHBOR, which copies the nearest source pixel to each new pixel.

    It becomes a `tdsl.resize_nearest` if each source pixel is y * H div H', and otherwise a gather.
    """
    x, size = input_of(op, 0), _size(to, op)
    sources = [_nearest(op, before, after) for before, after in zip(x.shape[1:3], size, strict=True)]
    if all(
        indices == nearest_pixels(before, len(indices)) for before, indices in zip(x.shape[1:3], sources, strict=True)
    ):
        to.define(op.outputs[0], to.op(tdsl.ResizeNearestOp, to.value(x), size))
        return
    result = to.image(x)
    for axis, indices in enumerate(sources, 1):
        result = picked(to, result, axis, indices)
    to.define(op.outputs[0], to.plain(result))


def _nearest(op: Operator, before: int, after: int) -> list[int]:
    """For each of `after` new pixels of an axis, the source pixel that TensorFlow Lite computes in single precision."""
    aligned = op.options["align_corners"] and after > 1
    scale = np.float32(before - 1) / np.float32(after - 1) if aligned else np.float32(before) / np.float32(after)
    centres = np.arange(after, dtype=np.float32) + np.float32(0.5 if op.options["half_pixel_centers"] else 0)
    rounded = np.floor(centres * scale + np.float32(0.5 if op.options["align_corners"] else 0))
    return np.clip(rounded.astype(int), 0, before - 1).tolist()


UNIT = 1 << 10
"""The number of units per pixel in TensorFlow Lite's integer positions."""

PHASES = 16
"""The maximum number of convolutions that replace a bilinear interpolation."""


def resize_bilinear(to: GraphBuilder, op: Operator) -> None:
    """Import RESIZE_BILINEAR, which interpolates linearly along height and width.

    On 8 bits, the new pixels are grouped by their fractional position between pixels of the image. Each group is a
    depthwise convolution with the four weights of this fractional position. As in TensorFlow Lite, raws are summed, and
    the sum is rounded once.
    """
    x, output = input_of(op, 0), op.outputs[0]
    if x.dtype == "float32":
        by_meaning(to, op)
        return
    size = _size(to, op)
    if x.dtype != "int8" or element(x) != element(output):
        raise VerifyException("expected one quantisation of int8 for input and output")
    axes = [_positions(op, before, after) for before, after in zip(x.shape[1:3], size, strict=True)]
    image, firsts = to.op(tdsl.ReinterpretOp, to.value(x), power_of_two(8, 0)), list[int]()
    for axis, positions in enumerate(axes, 1):
        low, high = min(positions) // UNIT, -(-max(positions) // UNIT)
        margins = max(0, -low), max(0, high - x.shape[axis] + 1)
        image = repeated(to, image, axis, *margins)
        firsts.append(margins[0])
    periods = [_period(positions) for positions in axes]
    if periods[0] * periods[1] > PHASES:
        raise _unsupported(op)
    phases = [
        [
            _phase(to, op, image, [axes[0][row :: periods[0]], axes[1][column :: periods[1]]], firsts)
            for column in range(periods[1])
        ]
        for row in range(periods[0])
    ]
    rows = [_alternating(to, row, 2) for row in phases]
    to.define(output, to.op(tdsl.ReinterpretOp, _alternating(to, rows, 1), element(output)))


def _size(to: GraphBuilder, op: Operator) -> list[int]:
    x, size = input_of(op, 0), integers_of(op, 1, "the size")
    if len(size) != 2 or min(size) < 1 or len(x.shape) != 4:
        raise VerifyException(f"expected an image of rank 4 and its new height and width, got {size}")
    to.check_shape((x.shape[0], *size, x.shape[3]))
    if max(size) > MAX_RESIZED_EXTENT:
        raise VerifyException(f"an extent of {max(size)} is not supported, only up to {MAX_RESIZED_EXTENT}")
    return size


def _positions(op: Operator, before: int, after: int) -> list[int]:
    """The positions of new pixels along an axis of the image, in multiples of 1 / `UNIT` pixel, as TensorFlow Lite
    computes them.

    before, after: the extent of the axis before and after resizing.
    """
    aligned = op.options["align_corners"] and after > 1
    over, under = (before - 1, after - 1) if aligned else (before, after)
    step = (UNIT * over + under // 2) // under
    first = step // 2 - UNIT // 2 if op.options["half_pixel_centers"] else 0
    return [min(max(first + at * step, -UNIT), before * UNIT) for at in range(after)]


def _period(positions: Sequence[int]) -> int:
    """The number of new pixels after which fractional positions repeat; the number of all new pixels if positions do
    not repeat or are all equal.
    """
    count = len(positions)
    if count == 1:
        return 1
    step = positions[1] - positions[0]
    if step == 0:
        return count
    period = UNIT // gcd(UNIT, step)
    regular = positions == [positions[0] + at * step for at in range(count)]
    return period if regular and count % period == 0 else count


def _phase(
    to: GraphBuilder, op: Operator, image: SSAValue, places: Sequence[Sequence[int]], firsts: Sequence[int]
) -> SSAValue:
    """Emit the new pixels that have one fractional position between pixels.

    image: the padded image.
    places: the positions of the new pixels along the height and the width.
    firsts: the padding before the image's pixels along the height and the width.
    """
    (_, height, width, channels), weights = tdsl.shape_of(image), np.ones((1, 1), np.int64)
    starts, sizes, strides = [0] * 4, [1, height, width, channels], list[int]()
    for axis, (positions, margin) in enumerate(zip(places, firsts, strict=True), 1):
        low, rest = divmod(positions[0], UNIT)
        taps = np.array([UNIT - rest, rest] if rest else [UNIT])
        weights = weights * (taps[:, None] if axis == 1 else taps[None])
        stride = (positions[-1] - positions[0]) // UNIT // max(len(positions) - 1, 1) or 1
        starts[axis], sizes[axis] = low + margin, (len(positions) - 1) * stride + len(taps)
        strides.append(stride)
    steps = 1, *strides, 1
    if weights.size == 1:
        counts = [1, *map(len, places), channels]
        return to.part(image, starts, counts, [step if n > 1 else 1 for step, n in zip(steps, counts, strict=True)])
    # A sum of an even number of parts is halved without an error before it is rounded.
    common = int(np.gcd.reduce(weights.ravel()))
    integer_weights = weights // common * 2
    if integer_weights.max() > np.iinfo(np.int8).max:
        raise _unsupported(op)
    filter = np.broadcast_to(integer_weights.astype(np.int8), (channels, *integer_weights.shape))[..., None]
    scale = common / (2 * UNIT * UNIT)
    parameter = to.parameter(Parameter(filter, rows_format(input_of(op, 0), scale, channels), "between"))
    window = to.part(image, starts, sizes)
    return to.op(tdsl.Conv2dOp, parameter, window, strides, (1, 1), channels, None, power_of_two(8, 0))


def _unsupported(op: Operator) -> VerifyException:
    before, after = (" x ".join(map(str, tensor.shape[1:3])) for tensor in (input_of(op, 0), op.outputs[0]))
    return VerifyException(
        f"{before} pixels of 8 bits become {after}: supported are 1/2, 2 and 4 times each extent, without "
        "align_corners; in floats, any extents"
    )


def _alternating(to: GraphBuilder, tensors: Sequence[SSAValue], axis: int) -> SSAValue:
    """Emit a tensor that interleaves parts along an axis: its elements come from each of the parts in turn."""
    if len(tensors) == 1:
        return tensors[0]
    shape = list(tdsl.shape_of(tensors[0]))
    columns = [to.reshape(tensor, (*shape[: axis + 1], 1, *shape[axis + 1 :])) for tensor in tensors]
    shape[axis] *= len(tensors)
    return to.reshape(to.op(tdsl.ConcatOp, columns, axis + 1), shape)
