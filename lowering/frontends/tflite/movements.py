"""Import of operators that move elements: reshapes, slices, splits, concatenations and copies."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.layers.margins import copied, mirrored
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, element, number_of
from tinyml.lowering.frontends.tflite.counted_loops import Window
from tinyml.lowering.frontends.tflite.model import Operator, Tensor
from tinyml.lowering.frontends.tflite.operands import (
    axis_in,
    axis_of,
    input_of,
    integers_of,
    optional_input,
    strided_ranges,
)
from tinyml.lowering.frontends.tflite.rescaling import rescaled


def reshape(to: GraphBuilder, op: Operator) -> None:
    """Import RESHAPE, SQUEEZE and EXPAND_DIMS as a reshape to the declared shape of the result."""
    x, output = input_of(op, 0), op.outputs[0]
    if prod(x.shape) != prod(output.shape):
        cure = "; in Keras, Input(..., batch_size=1) leaves no shape open" if -1 in output.signature else ""
        raise VerifyException(f"cannot reshape {x.shape} to {output.signature or output.shape}{cure}")
    to.define(output, to.op(tdsl.ReshapeOp, to.value(x), output.shape))


def transpose(to: GraphBuilder, op: Operator) -> None:
    """Import TRANSPOSE, whose permutation of the axes is constant."""
    x, axes = input_of(op, 0), integers_of(op, 1, "the permutation")
    if sorted(axes) != list(range(len(x.shape))):
        raise VerifyException(f"permutation {axes} of a tensor of rank {len(x.shape)}")
    to.define(op.outputs[0], to.op(tdsl.TransposeOp, to.value(x), axes))


def pad(to: GraphBuilder, op: Operator) -> None:
    """Import PAD, which pads with zeros, and PADV2, which pads with a constant."""
    x = input_of(op, 0)
    edges = integers_of(op, 1, "the padding")
    if len(edges) != 2 * len(x.shape) or min(edges) < 0:
        raise VerifyException(f"padding {edges} of a tensor of rank {len(x.shape)}")
    filling = 0.0 if (value := optional_input(op, 2)) is None else number_of(value)
    if not any(edges):
        to.define(op.outputs[0], to.value(x))
        return
    to.define(op.outputs[0], to.op(tdsl.PadOp, to.value(x), edges[::2], edges[1::2], filling))


def concatenation(to: GraphBuilder, op: Operator) -> None:
    """Import CONCATENATION. Unsigned operands of other scales than the result's are rescaled."""
    output = op.outputs[0]
    inputs = [input_of(op, position) for position in range(len(op.inputs))]
    if {element(operand) for operand in inputs} == {element(output)}:
        operands = [to.value(operand) for operand in inputs]
    else:
        operands = [rescaled(to, operand, output) for operand in inputs]
    axis = axis_in(op.options["axis"], len(output.shape))
    to.define(output, to.activated(to.op(tdsl.ConcatOp, operands, axis), op.options["activation"]))


def slice_(to: GraphBuilder, op: Operator) -> None:
    """Import SLICE by its operands begin and size. A size of -1 extends to the end of the axis."""
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
    """Import STRIDED_SLICE by numpy's rules for ranges."""
    ranges = strided_ranges(op)
    # The step is irrelevant for a single element.
    steps = [indices.step if len(indices) > 1 else 1 for indices in ranges]
    value = to.part(
        to.value(input_of(op, 0)), [indices[0] for indices in ranges], [len(indices) for indices in ranges], steps
    )
    to.define(op.outputs[0], to.reshape(value, op.outputs[0].shape))


def loop_slice(to: GraphBuilder, op: Operator) -> None:
    """Import the part of a tensor that a step of a loop selects (`LOOP_SLICE`)."""
    x, window = input_of(op, 0), _window_of(op)
    moving = [axis for axis, growth in enumerate(window.growth) if growth]
    if moving == [0] and tuple(window.sizes) == (1, *x.shape[1:]):
        value = to.op(tdsl.IndexOp, to.value(x), _offset(to, window, 0))
    else:
        value = to.op(tdsl.SliceOp, to.value(x), _offsets(to, window), tuple(window.sizes), window.strides)
    to.define(op.outputs[0], to.reshape(value, op.outputs[0].shape))


def loop_insert(to: GraphBuilder, op: Operator) -> None:
    """Import the replacement of the part of a tensor that a step of a loop selects (`LOOP_INSERT`)."""
    item, whole, window = input_of(op, 0), input_of(op, 1), _window_of(op)
    part = to.reshape(to.value(item), window.sizes)
    to.define(op.outputs[0], to.op(tdsl.InsertSliceOp, part, to.value(whole), _offsets(to, window)))


def _window_of(op: Operator) -> Window:
    window = op.options["window"]
    assert isinstance(window, Window)
    return window


def _offsets(to: GraphBuilder, window: Window) -> list[SSAValue]:
    return [_offset(to, window, axis) for axis in range(len(window.first))]


def _offset(to: GraphBuilder, window: Window, axis: int) -> SSAValue:
    """Emit the offset of a window along an axis in the current step."""
    first, growth = window.first[axis], window.growth[axis]
    if not growth:
        return to.index(first)
    assert to.time is not None
    way = to.time if abs(growth) == 1 else to.emit(arith.MuliOp, to.time, to.index(abs(growth))).result
    if growth < 0:
        return to.emit(arith.SubiOp, to.index(first), way).result
    return way if first == 0 else to.emit(arith.AddiOp, to.index(first), way).result


def _at(shape: tuple[int, ...], axis: int, number: int, elsewhere: int | None) -> list[int]:
    """A list with one element per axis: `number` for `axis`, and `elsewhere` for all other axes.

    elsewhere: None to use the extents of the other axes.
    """
    return [number if here == axis else extent if elsewhere is None else elsewhere for here, extent in enumerate(shape)]


def split(to: GraphBuilder, op: Operator) -> None:
    """Import SPLIT into equal parts along an axis."""
    x, axis = input_of(op, 1), axis_of(op, 0, input_of(op, 1))
    if x.shape[axis] % len(op.outputs):
        raise VerifyException(f"{len(op.outputs)} parts of {x.shape} along axis {axis}")
    _split(to, op, x, axis, [x.shape[axis] // len(op.outputs)] * len(op.outputs))


def split_v(to: GraphBuilder, op: Operator) -> None:
    """Import SPLIT_V into parts of given sizes. The size -1 means the remaining extent."""
    x, sizes, axis = input_of(op, 0), integers_of(op, 1, "the sizes"), axis_of(op, 2, input_of(op, 0))
    left = x.shape[axis] - sum(size for size in sizes if size >= 0)
    sizes = [left if size == -1 else size for size in sizes]
    if len(sizes) != len(op.outputs) or sum(sizes) != x.shape[axis] or min(sizes) < 1:
        raise VerifyException(f"parts of the sizes {sizes} of {x.shape} along axis {axis}")
    _split(to, op, x, axis, sizes)


def unpack(to: GraphBuilder, op: Operator) -> None:
    """Import UNPACK. The results are the slices at each index of an axis, without this axis."""
    x = input_of(op, 0)
    axis = axis_in(op.options["axis"], len(x.shape))
    if len(op.outputs) != x.shape[axis]:
        raise VerifyException(f"{len(op.outputs)} parts of {x.shape} along axis {axis}")
    _split(to, op, x, axis, [1] * len(op.outputs))


def _split(to: GraphBuilder, op: Operator, x: Tensor, axis: int, sizes: Sequence[int]) -> None:
    value, begin = to.value(x), 0
    for output, size in zip(op.outputs, sizes, strict=True):
        output_value = to.part(value, _at(x.shape, axis, begin, 0), _at(x.shape, axis, size, None))
        to.define(output, to.reshape(output_value, output.shape))
        begin += size


def pack(to: GraphBuilder, op: Operator) -> None:
    """Import PACK, which stacks tensors along a new axis."""
    output = op.outputs[0]
    axis = axis_in(op.options["axis"], len(output.shape))
    shape = _at(output.shape, axis, 1, None)
    operands = [to.reshape(to.value(input_of(op, position)), shape) for position in range(len(op.inputs))]
    to.define(output, to.op(tdsl.ConcatOp, operands, axis))


def reverse(to: GraphBuilder, op: Operator) -> None:
    """Import REVERSE_V2 along some axes."""
    x = input_of(op, 0)
    value = to.value(x)
    for axis in {axis_in(axis, len(x.shape)) for axis in integers_of(op, 1, "the axes")}:
        value = to.op(tdsl.ReverseOp, value, axis)
    to.define(op.outputs[0], value)


def depth_to_space(to: GraphBuilder, op: Operator) -> None:
    """Import DEPTH_TO_SPACE: the channels of a pixel become a block of pixels."""
    (_, height, width, channels), size = _image_and_block(op)
    if channels % size**2:
        raise VerifyException(f"{channels} channels do not make blocks of {size} x {size} pixels")
    _exchange(to, op, (height, width, size, channels // size))


def space_to_depth(to: GraphBuilder, op: Operator) -> None:
    """Import SPACE_TO_DEPTH: the pixels of a block become the channels of one pixel."""
    (_, height, width, channels), size = _image_and_block(op)
    if height % size or width % size:
        raise VerifyException(f"{height} x {width} pixels are no blocks of {size} x {size}")
    _exchange(to, op, (height // size, size, width // size, size * channels))


def _exchange(to: GraphBuilder, op: Operator, shape: tuple[int, ...]) -> None:
    rows = to.reshape(to.value(input_of(op, 0)), shape)
    to.define(op.outputs[0], to.reshape(to.op(tdsl.TransposeOp, rows, (0, 2, 1, 3)), op.outputs[0].shape))


def _image_and_block(op: Operator) -> tuple[tuple[int, ...], int]:
    """Return the shape of the image, and the side length of the operator's square blocks in pixels."""
    shape, size = input_of(op, 0).shape, op.options["block"]
    if len(shape) != 4 or shape[0] != 1 or size < 1:
        raise VerifyException(f"expected one image of rank 4 and blocks from 1, got {shape} and {size}")
    return shape, size


def tile(to: GraphBuilder, op: Operator) -> None:
    """Import TILE: copies of a tensor concatenated along each axis."""
    x, counts = input_of(op, 0), integers_of(op, 1, "the number of copies")
    if len(counts) != len(x.shape) or min(counts, default=1) < 1:
        raise VerifyException(f"{counts} copies of a tensor of rank {len(x.shape)}")
    to.define(op.outputs[0], copied(to, to.value(x), counts))


def broadcast_to(to: GraphBuilder, op: Operator) -> None:
    """Import BROADCAST_TO: copies of a tensor along the axes on which it has extent 1."""
    x, output = input_of(op, 0), op.outputs[0]
    if len(x.shape) > len(output.shape):
        raise VerifyException(f"{x.shape} does not broadcast to {output.shape}")
    value = to.reshape(to.value(x), [1] * (len(output.shape) - len(x.shape)) + [*x.shape])
    extents = [*zip(tdsl.shape_of(value), output.shape, strict=True)]
    if any(extent not in (1, count) for extent, count in extents):
        raise VerifyException(f"{x.shape} does not broadcast to {output.shape}")
    to.define(output, copied(to, value, [count // extent for extent, count in extents]))


def mirror_pad(to: GraphBuilder, op: Operator) -> None:
    """Import MIRROR_PAD, whose padding mirrors the adjacent elements. The mode REFLECT excludes the outermost
    element.
    """
    x = input_of(op, 0)
    edges, value = integers_of(op, 1, "the padding"), to.value(x)
    inner = 1 if op.options["mode"] == 0 else 0
    if len(edges) != 2 * len(x.shape):
        raise VerifyException(f"padding {edges} of a tensor of rank {len(x.shape)}")
    for axis, (before, after) in enumerate(zip(edges[::2], edges[1::2], strict=True)):
        value = mirrored(to, value, axis, before, after, inner)
    to.define(op.outputs[0], value)
