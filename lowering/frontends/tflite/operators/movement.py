"""Operators that move elements."""

from __future__ import annotations

from math import prod

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.layers.quantised_numbers import signed
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, input_of, integers, optional_input
from tinyml.lowering.frontends.tflite.formats import format_of
from tinyml.lowering.frontends.tflite.model import Operator, Tensor


def reshape(to: GraphBuilder, op: Operator) -> None:
    """RESHAPE, SQUEEZE and EXPAND_DIMS, by the declared shape of the result."""
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
    """The real number of a constant of one element."""
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
    """A number at one axis; at the others the extent, or `elsewhere`."""
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
