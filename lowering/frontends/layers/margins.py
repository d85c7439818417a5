"""Padding of images and other tensors with zeros or with copies of adjacent elements; and concatenated copies of
tensors.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder

MAX_COPIES = 1 << 14
"""The maximum number of copies of a part of a tensor along an axis. Each copy is an operand of one op."""


def padded(to: ModelBuilder, image: SSAValue, padding: Sequence[int]) -> SSAValue:
    """Pad an NHWC image with zeros.

    padding: the numbers of rows and columns to add above, below, left and right.
    """
    top, bottom, left, right = padding
    return to.op(tdsl.PadOp, image, (0, top, left, 0), (0, bottom, right, 0)) if any(padding) else image


def mirrored(to: ModelBuilder, value: SSAValue, axis: int, before: int, after: int, inner: int) -> SSAValue:
    """Extend a tensor along an axis by mirror images of its outermost elements. Return the extended tensor.

    before, after: the number of elements to add at each end.
    inner: the number of outermost elements that are not repeated, 0 or 1.

    Raises `InputError` if more elements are to be added than the axis can mirror.
    """
    shape = shape_of(value)
    if not 0 <= min(before, after) <= max(before, after) <= shape[axis] - inner:
        raise to.error(f"padding of {before} and {after} elements around {shape[axis]}")

    def mirror(start: int, margin: int) -> Sequence[SSAValue]:
        if not margin:
            return []
        first, sizes = [0] * len(shape), [*shape]
        first[axis], sizes[axis] = start, margin
        return [to.op(tdsl.ReverseOp, to.part(value, first, sizes), axis)]

    slices = [*mirror(inner, before), value, *mirror(shape[axis] - inner - after, after)]
    return value if len(slices) == 1 else to.op(tdsl.ConcatOp, slices, axis)


def repeated(to: ModelBuilder, value: SSAValue, axis: int, before: int, after: int) -> SSAValue:
    """Extend a tensor along an axis by copies of its outermost elements. Return the extended tensor.

    before, after: the number of elements to add at each end.

    Raises `InputError` for more than `MAX_COPIES` elements at one end.
    """
    shape = shape_of(value)
    if max(before, after) > MAX_COPIES:
        raise to.error(f"a margin of {max(before, after)} elements is not supported, only up to {MAX_COPIES}")

    def edge(start: int, margin: int) -> Sequence[SSAValue]:
        first, sizes = [0] * len(shape), [*shape]
        first[axis], sizes[axis] = start, 1
        return [to.part(value, first, sizes)] * margin

    slices = [*edge(0, before), value, *edge(shape[axis] - 1, after)]
    return value if len(slices) == 1 else to.op(tdsl.ConcatOp, slices, axis)


def copied(to: ModelBuilder, value: SSAValue, counts: Sequence[int]) -> SSAValue:
    """Repeat a tensor along its axes, and return the result. Raises `InputError` for more than `MAX_COPIES` copies
    along an axis.

    counts: the number of copies along each axis.
    """
    for axis, count in enumerate(counts):
        if count > MAX_COPIES:
            raise to.error(f"{count} copies along an axis are not supported, only up to {MAX_COPIES}")
        if count > 1:
            to.check_shape([*shape_of(value), count])
            value = to.op(tdsl.ConcatOp, [value] * count, axis)
    return value
