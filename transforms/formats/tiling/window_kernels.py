"""Kernels that compute several pixels of a convolution at once (L1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.number_format import INTEGER_CODING
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.kernel import Kernel
from tinyml.targets.tiles import TileFamily, tile_of
from tinyml.transforms.formats.tiling.axis_orders import gathered
from tinyml.transforms.formats.tiling.padding import padding
from tinyml.transforms.ir.window_sums import Start, WindowSums, spacing, zero_start

if TYPE_CHECKING:
    from tinyml.targets.tiles import Numbers


def kernels(op: tdsl.Conv2dOp, families: Sequence[TileFamily], count: int) -> Iterator[Kernel]:
    """Yield the kernels for `count` pixels."""
    filters, height, width, length = tdsl.shape_of(op.lhs)
    channels = tdsl.shape_of(op.rhs)[3]
    if op.group_count == 1:
        by_channel = False
    elif filters == op.group_count == channels and length == 1:
        by_channel = True
    else:
        return
    if (sums := _constants(op)) is None:
        return
    weights, start = sums
    for family in families:
        if gathered_bytes(op, count, family.lines) > family.most:
            continue
        spaces, lines = spacing(tdsl.shape_of(op.lhs), shared_shape(op, count, family.lines), op.steps[1])
        run = width * channels * height // spaces.runs
        result = tdsl.format_of(op.out)
        given = WindowSums(by_channel, weights, start, op.accumulators[0], result, run, spaces, count, lines)
        if (fitted := given.fitted(family)) is not None and (kernel := family.kernel(fitted[0])) is not None:
            yield kernel


def usual_tile(op: tdsl.Conv2dOp, families: Sequence[TileFamily], rows: int, count: int) -> num.TileKernelAttr | None:
    """The tile of the first kernel for `count` pixels in each of some rows; None without one.

    Pixels that are windows form one line of windows.
    """
    count = rows * count if tdsl.shape_of(op.lhs)[1:3] == (1, 1) else count
    return next(map(tile_of, kernels(op, families, count)), None)


def _constants(op: tdsl.Conv2dOp) -> tuple[Numbers, Start] | None:
    """The weights of each filter, and the start of its sums, which absorbs the zero point of the image.

    None for sums that no tile kernel computes.
    """
    constant, initial, accumulator = op.lhs.owner, op.initial, op.accumulators[0]
    (lhs, lhs_offset), (rhs, offset) = (tdsl.format_of(x).without_offset() for x in (op.lhs, op.rhs))
    if op.shifts is not None or lhs_offset or not accumulator.INTEGER or not isinstance(constant, tdsl.ConstOp):
        return None
    if not all(format.coding is INTEGER_CODING and format.dtype.itemsize == 1 for format in (lhs, rhs)):
        return None
    weights = constant.raws.astype(np.int64).reshape(len(constant.raws), -1)
    if initial is None:
        start = zero_start(accumulator, tdsl.format_of(op.lhs))
    elif isinstance(added := initial.owner, tdsl.ConstOp) and added.raws.size == len(weights):
        start = Start(tdsl.format_of(initial), added.raws.reshape(-1)).recoded(accumulator)
    else:
        return None
    whole = start.plus(-offset * weights.sum(1))
    return None if whole is None else (weights, whole)


def shared_shape(op: tdsl.Conv2dOp, count: int, lines: int) -> tdsl.Shape:
    """The shape of the elements gathered for `count` pixels: an input tile, or separate windows of a dilated filter."""
    (_, height, width, _), channels = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs)[3]
    if op.spread[1] > 1 and width > 1:
        return count, height, width, channels
    return 1, height + lines - 1, (count - 1) * op.steps[1] + width, channels


def gathered_bytes(op: tdsl.Conv2dOp, count: int, lines: int = 1) -> int:
    """The bytes gathered for `count` pixels; unpadded windows of single pixels are read in place."""
    in_place = tdsl.shape_of(op.lhs)[1:3] == (1, 1) and padding(op.rhs) is None and gathered(op.rhs) is None
    return 0 if in_place else prod(shared_shape(op, count, lines))
