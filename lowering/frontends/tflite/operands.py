"""Operands of TensorFlow Lite's operators: inputs by position, and constant inputs that configure an operator."""

from __future__ import annotations

from xdsl.utils.exceptions import VerifyException

from tinyml.lowering.frontends.tflite.model import Operator, Tensor


def integers_of(op: Operator, position: int, what: str) -> list[int]:
    """The integers of the constant input at `position`. Raises `VerifyException` for an input that is computed.

    what: describes the content of the input in messages.
    """
    tensor = op.inputs[position] if position < len(op.inputs) else None
    if tensor is None or tensor.data is None or tensor.dtype not in ("int32", "int64"):
        raise VerifyException(f"{what} must be a constant of integers")
    return [int(number) for number in tensor.data.ravel()]


def input_of(op: Operator, position: int) -> Tensor:
    """The required input of an operator at `position`. Raises `VerifyException` if the input is missing."""
    tensor = optional_input(op, position)
    if tensor is None:
        raise VerifyException(f"input {position} is missing")
    return tensor


def optional_input(op: Operator, position: int) -> Tensor | None:
    """The optional input of an operator at `position`; None if it is missing."""
    return op.inputs[position] if position < len(op.inputs) else None


def strided_ranges(op: Operator, *, may_be_empty: bool = False) -> list[range]:
    """The indices along each axis that a STRIDED_SLICE selects, by numpy's rules for ranges.

    may_be_empty: false to raise `VerifyException` for an axis without indices.
    """
    x = input_of(op, 0)
    rank = len(x.shape)
    begin, end, step = (integers_of(op, position + 1, "the range") for position in range(3))
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
    if not may_be_empty and not all(ranges):
        raise VerifyException("the range is empty")
    return ranges


def axis_of(op: Operator, position: int, x: Tensor) -> int:
    """The axis of `x` that the constant input at `position` selects, as a non-negative index."""
    axes = integers_of(op, position, "the axis")
    if len(axes) != 1:
        raise VerifyException(f"expected one axis, got {axes}")
    return axis_in(axes[0], len(x.shape))


def axis_in(axis: int, rank: int) -> int:
    """Convert an axis that may be negative to an index in [0, rank)."""
    if not -rank <= axis < rank:
        raise VerifyException(f"axis {axis} of a tensor of rank {rank}")
    return axis % rank
