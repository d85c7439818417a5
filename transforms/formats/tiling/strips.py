"""Strips: the part of an image under the windows of pixels beside each other, for kernels that compute all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.accumulator import Requantisation
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits
from tinyml.targets.kernel import LEAST_MULTIPLIER, REQUANTISED_LIMIT
from tinyml.targets.tiles import Tile, TileFamily
from tinyml.transforms.formats.tiling.padding import padding

STRIP_BYTES = 4096
"""The most memory for a strip that is gathered."""


def spacing(filter: tdsl.Shape, image: tdsl.Shape, across: int) -> num.Spacing:
    """Where the windows of an undilated filter, `across` pixels apart, lie in a strip, or in windows gathered alone.

    filter: its shape, O x KH x KW x C. image: 1 x KH x W x C, or for a filter of a single pixel 1 x H x W x C, or one
    window after the other, N x KH x KW x C.
    """
    count, rows, columns, channels = image
    _, height, _, length = filter
    if count > 1:
        runs = 1 if length == channels else height
        return num.Spacing(runs, columns * channels if runs > 1 else 0, rows * columns * channels)
    return num.Spacing(height, columns * channels if height > 1 else 0, across * channels)


def is_by_bytes(finish: Requantisation) -> bool:
    """Are sums finished to bytes, by factors below 1/2 whose multipliers have 31 bits, or are 0?"""
    some = finish.multipliers != 0
    multipliers, shifts = finish.multipliers[some], finish.shifts[some]
    return (finish.low, finish.high) == limits(8) and bool((multipliers >= LEAST_MULTIPLIER).all() & (shifts < 0).all())


def pixels_at_once(op: tdsl.Conv2dOp, families: Sequence[TileFamily], most: int = STRIP_BYTES) -> int:
    """How many pixels of a row kernels compute at once; 1 without a kernel for several.

    most: bytes of a strip that is gathered. All tiles of a row have kernels, the last of which may be shorter.
    """
    width = tdsl.shape_of(op.out)[2]
    counts = [count for count in _counts(op, most) if width % count != 1 and _has_kernels(op, families, count)]
    if not counts:
        return 1
    # Equal tiles need a single kernel.
    return next((count for count in counts if width % count == 0 and 2 * count >= counts[0]), counts[0])


def rows_at_once(op: tdsl.Conv2dOp, families: Sequence[TileFamily]) -> int:
    """How many rows kernels compute at once; 1 without a kernel for several, or where rows overlap or are padded."""
    filter, (_, height, width, _) = tdsl.shape_of(op.lhs), tdsl.shape_of(op.out)
    if filter[1:3] != (1, 1) or op.steps != (1, 1) or padding(op.rhs) is not None:
        return 1
    most = max(PIXELS // width, 1)
    counts = [rows for rows in range(1, min(height, most) + 1) if height % rows == 0]
    return max((rows for rows in counts if _has_kernels(op, families, rows * width)), default=1)


PIXELS = 128
"""The most pixels of several rows that are computed at once."""


def _counts(op: tdsl.Conv2dOp, most: int) -> Iterator[int]:
    """Numbers of pixels whose strip is not too large, from the greatest down to 2."""
    _, height, width, _ = tdsl.shape_of(op.lhs)
    in_place = (height, width) == (1, 1) and padding(op.rhs) is None
    for count in range(tdsl.shape_of(op.out)[2], 1, -1):
        if in_place or prod(_strip(op, count)) <= most:
            yield count


def _strip(op: tdsl.Conv2dOp, count: int) -> tdsl.Shape:
    """The shape of what is gathered for pixels: a strip, or windows if a row of their elements is dilated."""
    (_, height, width, _), channels = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs)[3]
    if op.spread[1] > 1 and width > 1:
        return count, height, width, channels
    return 1, height, (count - 1) * op.steps[1] + width, channels


def _has_kernels(op: tdsl.Conv2dOp, families: Sequence[TileFamily], count: int) -> bool:
    """Is there a kernel for so many pixels, and one for those that remain in a row?"""
    filters, height, width, length = tdsl.shape_of(op.lhs)
    channels, (_, _, extent, _) = tdsl.shape_of(op.rhs)[3], tdsl.shape_of(op.out)
    if op.group_count == 1:
        name, run = num.DotTilesOp.name, width * channels
    elif filters == op.group_count == channels and length == 1:
        name, run = num.ChannelTilesOp.name, width * channels
    else:
        return False
    finish = _finish(op, filters)
    if finish is None:
        return False
    counts = [count] if count >= extent else [count, extent % count or count]
    for tile_count in counts:
        places = spacing(tdsl.shape_of(op.lhs), _strip(op, tile_count), op.steps[1])
        each = run * height // places.runs
        tile = Tile(filters, places.runs, each, places.pitch, places.step, tile_count, finish.zero)
        if not any(family.op == name and family.kernel(tile) is not None for family in families):
            return False
    return True


def _finish(op: tdsl.Conv2dOp, filters: int) -> Requantisation | None:
    """How sums are finished, if a kernel can do that."""
    if op.shifts is not None or not isinstance(op.lhs.owner, tdsl.ConstOp):
        return None
    if op.initial is not None and prod(tdsl.shape_of(op.initial)) != filters:
        return None
    accumulator = op.accumulators[0]
    if not accumulator.INTEGER or accumulator.bits != 32:
        return None
    (lhs, _), (rhs, offset) = (tdsl.format_of(x).without_offset() for x in (op.lhs, op.rhs))
    if not all(_is_of_bytes(format) for format in (lhs, rhs)) or _greatest_sum(op, offset) >= REQUANTISED_LIMIT:
        return None
    finish = accumulator.requantisation(tdsl.format_of(op.out), filters)
    return finish if finish is not None and is_by_bytes(finish) else None


def _greatest_sum(op: tdsl.Conv2dOp, offset: int) -> int:
    """The magnitude that no sum exceeds, nor a part of one with the start that a zero point belongs to."""
    weights, initial = op.lhs.owner, None if op.initial is None else op.initial.owner
    assert isinstance(weights, tdsl.ConstOp)
    sums = np.abs(weights.raws.astype(np.int64)).reshape(len(weights.raws), -1).sum(1) * (128 + abs(offset))
    if isinstance(initial, tdsl.ConstOp):
        sums = sums + np.abs(initial.raws.astype(np.int64).reshape(-1))
    return int(sums.max())


def _is_of_bytes(format: NumberFormat) -> bool:
    return format.coding is not None and format.dtype.itemsize == 1
