"""Kernels that compute several pixels of a convolution at once, as `select-kernels` will find them (L1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.accumulator import Requantisation
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.kernel import Kernel
from tinyml.targets.tiles import Sums, TileFamily
from tinyml.transforms.formats.tiling.axis_orders import gathered
from tinyml.transforms.formats.tiling.padding import padding
from tinyml.transforms.ir.window_spacing import spacing

if TYPE_CHECKING:
    from tinyml.targets.tiles import Numbers


def kernels(op: tdsl.Conv2dOp, families: Sequence[TileFamily], count: int) -> Iterator[Kernel]:
    """The kernels for so many pixels."""
    filters, height, width, length = tdsl.shape_of(op.lhs)
    channels = tdsl.shape_of(op.rhs)[3]
    if op.group_count == 1:
        name = num.DotTilesOp.name
    elif filters == op.group_count == channels and length == 1:
        name = num.ChannelTilesOp.name
    else:
        return
    for family in families:
        if family.op != name or gathered_bytes(op, count, family.lines) > family.most:
            continue
        places = spacing(tdsl.shape_of(op.lhs), shared_shape(op, count, family.lines), op.steps[1])
        run = width * channels * height // places.runs
        shape = filters, places.runs, run, (places.pitch, places.step, count)
        finish = _finish(op, filters, family)
        if finish is not None and (kernel := family.kernel(family.tile(finish, *shape))) is not None:
            yield kernel


def _finish(op: tdsl.Conv2dOp, filters: int, family: TileFamily) -> Requantisation | None:
    """How sums are finished, if the kernels of a family can do that."""
    if op.shifts is not None or not isinstance(op.lhs.owner, tdsl.ConstOp):
        return None
    if op.initial is not None and prod(tdsl.shape_of(op.initial)) != filters:
        return None
    (lhs, _), (rhs, offset) = (tdsl.format_of(x).without_offset() for x in (op.lhs, op.rhs))
    if not all(_is_of_bytes(format) for format in (lhs, rhs)):
        return None
    finish = family.finish(op.accumulators[0], tdsl.format_of(op.out), filters)
    if finish is None or _greatest_sum(op, offset) < family.limit:
        return finish
    if family.shifts:
        return None
    sums = Sums.requantised(*_weights_and_starts(op, offset), finish)
    return finish if family.bounded(sums, finish.zero) is not None else None


def _greatest_sum(op: tdsl.Conv2dOp, offset: int) -> int:
    """The magnitude that no sum exceeds, nor a part of one with the start that a zero point belongs to."""
    weights, starts = _weights_and_starts(op, 0)
    return int((np.abs(weights).sum(1) * (128 + abs(offset)) + np.abs(starts)).max())


def _weights_and_starts(op: tdsl.Conv2dOp, offset: int) -> tuple[Numbers, Numbers]:
    """The weights of each filter, and the starts of the sums, a zero point included."""
    constant, initial = op.lhs.owner, None if op.initial is None else op.initial.owner
    assert isinstance(constant, tdsl.ConstOp)
    weights = constant.raws.astype(np.int64).reshape(len(constant.raws), -1)
    starts = -offset * weights.sum(1)
    if isinstance(initial, tdsl.ConstOp):
        starts = starts + initial.raws.astype(np.int64).reshape(-1)
    return weights, starts


def _is_of_bytes(format: NumberFormat) -> bool:
    return format.coding is not None and format.dtype.itemsize == 1


def shared_shape(op: tdsl.Conv2dOp, count: int, lines: int) -> tdsl.Shape:
    """The shape of what is gathered for pixels: a strip, or windows if a row of their elements is dilated."""
    (_, height, width, _), channels = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs)[3]
    if op.spread[1] > 1 and width > 1:
        return count, height, width, channels
    return 1, height + lines - 1, (count - 1) * op.steps[1] + width, channels


def gathered_bytes(op: tdsl.Conv2dOp, count: int, lines: int = 1) -> int:
    """The bytes that are gathered for pixels; single pixels that nothing pads stay where they are."""
    in_place = tdsl.shape_of(op.lhs)[1:3] == (1, 1) and padding(op.rhs) is None and gathered(op.rhs) is None
    return 0 if in_place else prod(shared_shape(op, count, lines))
