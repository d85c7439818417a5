"""Reads and writes of tensors at positions that the program computes. For example, a program reads a row of an
embedding table at the index of a word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.dialects.tdsl.base import shaped
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, OrderedTensor, reals
from tinyml.lowering.frontends.layers.sequences import loop_over_steps

Combine = type[tdsl.BinaryOp]
"""The op that combines an element with its update."""


def gathered(to: ModelBuilder, tensor: OrderedTensor, axis: int, numbers: SSAValue, *, wraps: bool) -> OrderedTensor:
    """Emit the parts of a tensor at positions along `axis`. In the result, the axes of `numbers` replace this axis.

    numbers: the positions, as reals. `position_of` defines the result for numbers that are not positions.
    wraps: whether negative numbers count from the end of the axis.
    """
    before = tensor.shape
    stored, at = list(shape_of(tensor.value)), tensor.order.index(axis)
    extent, count = stored[at], prod(shape_of(numbers))
    listed = to.reshape(numbers, (count,))
    stored[at] = 1

    def part(index: SSAValue) -> SSAValue:
        number = to.op(tdsl.SliceOp, listed, [index], (1,))
        offsets = _offsets(to, len(stored), {at: position_of(to, number, extent, wraps=wraps)})
        return to.op(tdsl.SliceOp, tensor.value, offsets, tuple(stored))

    if count == 1:
        result = part(to.index(0))
    else:
        whole = [*stored]
        whole[at] = count
        to.check_shape(whole)

        def step(index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            offsets = _offsets(to, len(whole), {at: index})
            return [to.op(tdsl.InsertSliceOp, part(index), carried[0], offsets)]

        [result] = loop_over_steps(to, count, [_zeros(to, tensor.value, whole)], step)
    taken = OrderedTensor(result, tensor.order)
    shape = (*before[:axis], *shape_of(numbers), *before[axis + 1 :])
    return taken if taken.shape == shape else OrderedTensor.plain(to.reshape(to.plain(taken), shape))


def scattered(
    to: ModelBuilder,
    tensor: SSAValue,
    positions: Callable[[SSAValue], Sequence[SSAValue]],
    updates: SSAValue,
    combine: Combine | None,
) -> SSAValue:
    """Emit a copy of a tensor with updated parts. Each update replaces the part at a computed position, or is combined
    with this part.

    positions: emits the positions of an update along the first axes of the tensor, from the index of the update.
    updates: the updates; the first axis numbers them, the other axes are those of a part.
    combine: the op that combines a part and its update; None to replace the part.
    """
    shape, (count, *slice_shape) = shape_of(tensor), shape_of(updates)
    sizes = (*[1] * (len(shape) - len(slice_shape)), *slice_shape)

    def step(index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        update = to.reshape(to.op(tdsl.IndexOp, updates, index), sizes)
        offsets = _offsets(to, len(shape), dict(enumerate(positions(index))))
        if combine is not None:
            update = to.op(combine, to.op(tdsl.SliceOp, carried[0], offsets, sizes), update)
        return [to.op(tdsl.InsertSliceOp, update, carried[0], offsets)]

    return step(to.index(0), [tensor])[0] if count == 1 else loop_over_steps(to, count, [tensor], step)[0]


def position_of(to: ModelBuilder, number: SSAValue, extent: int, *, wraps: bool) -> SSAValue:
    """Emit the conversion of a number to an index in [0, extent): its integer part, limited to this range.

    A binary search compares the number with a table of the positions. The table has the number format of the number.
    The index is therefore exact in each format in which different positions have different raws.

    number: a tensor with a single element.
    wraps: whether `extent` is added to negative numbers first.
    """
    number, position, left = to.reshape(number, (1,)), to.index(0), extent - 1
    if wraps:
        whole = to.parameter(reals(np.array([extent])))
        after = to.op(tdsl.AddOp, to.op(tdsl.ClipOp, number, -float(extent), -1.0), whole)
        number = to.op(tdsl.SelectOp, to.emit(tdsl.AtLeastOp, number, -0.5).result, number, after)
    if not left:
        return position
    table = reals(np.arange(1, extent))
    positions = to.parameter(replace(table, name="positions", key=("positions", extent)))
    while left:
        step = left - left // 2
        edge = to.op(tdsl.SliceOp, positions, [_sum(to, position, to.index(step - 1))], (1,))
        # Of equal numbers, the first is the greatest: 1 only if the number is less than the edge.
        is_less = to.emit(tdsl.ArgmaxOp, to.op(tdsl.ConcatOp, [number, edge], 0)).result
        back = to.emit(arith.MuliOp, is_less, to.index(step)).result
        position = to.emit(arith.SubiOp, _sum(to, position, to.index(step)), back).result
        left //= 2
    return position


def _sum(to: ModelBuilder, a: SSAValue, b: SSAValue) -> SSAValue:
    return to.emit(arith.AddiOp, a, b).result


def _offsets(to: ModelBuilder, rank: int, known: dict[int, SSAValue]) -> list[SSAValue]:
    return [known[axis] if axis in known else to.index(0) for axis in range(rank)]


def _zeros(to: ModelBuilder, like: SSAValue, shape: Sequence[int]) -> SSAValue:
    return to.op(tdsl.FillOp, 0.0, TensorType(shaped(like).get_element_type(), shape))
