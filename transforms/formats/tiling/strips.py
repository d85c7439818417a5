"""Strips: the part of an image under the windows of pixels beside each other, for kernels that compute all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, i64

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.accumulator import Requantisation
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.kernel import Kernel
from tinyml.targets.tiles import STRIP_BYTES, Sums, TileFamily
from tinyml.transforms.formats.tiling.orders import gathered
from tinyml.transforms.formats.tiling.padding import padding

if TYPE_CHECKING:
    from tinyml.targets.tiles import Numbers


@dataclass(frozen=True)
class Room:
    """The memory that computing several pixels at once may take.

    strip: bytes of a strip that is gathered. spare: bytes of the arena beyond a window and a pixel, which computing one
    at a time takes; None if it has no limit.
    """

    strip: int
    spare: int | None = None


AMPLE = Room(STRIP_BYTES)
"""The room in ordinary execution without a limit on RAM."""

_STREAMED_SHARE = 3
"""Where segments are streamed, strips and stack take together this fraction of what strips take otherwise: a third."""

_CALLS = 320
"""Bytes of stack besides those of kernels."""


def small_room(convolutions: Iterable[tdsl.Conv2dOp], families: Sequence[TileFamily]) -> Room:
    """The room for strips that kernels leave where segments are streamed, with the stack of the greatest of them."""
    least = min((family.most for family in families), default=0) // _STREAMED_SHARE
    return Room(max(least - _CALLS - stack_of(convolutions, families), 0))


def stack_of(convolutions: Iterable[tdsl.Conv2dOp], families: Sequence[TileFamily]) -> int:
    """The bytes of stack of the greatest kernel for two pixels."""
    return max((kernel.stack for op in convolutions for kernel in _kernels(op, families, 2)), default=0)


ROOM = "tinyml.room"
"""The attribute of an op for which `plan-execution` leaves a room: bytes of a strip, and if limited, of the arena."""


def room_attribute(room: Room) -> DenseArrayBase:
    """A room as an attribute."""
    return DenseArrayBase.from_list(i64, [room.strip, *([] if room.spare is None else [room.spare])])


def room_of(op: tdsl.Conv2dOp) -> Room | None:
    """The room that is left for an op, if that has been said."""
    room = op.attributes.get(ROOM)
    return Room(*(int(value) for value in room.get_values())) if isinstance(room, DenseArrayBase) else None


def spacing(filter: tdsl.Shape, image: tdsl.Shape, across: int) -> num.Spacing:
    """Where the windows of an undilated filter, `across` pixels apart, lie in a strip, or in windows gathered alone.

    filter: its shape, O x KH x KW x C. image: 1 x H x W x C with a line of windows for each row from KH on, all of them
    in one line for a filter of a single pixel; or one window after the other, N x KH x KW x C.
    """
    count, rows, columns, channels = image
    _, height, width, length = filter
    if count > 1:
        runs = 1 if length == channels else height
        return num.Spacing(runs, columns * channels if runs > 1 else 0, rows * columns * channels)
    lines = 1 if (height, width) == (1, 1) else rows - height + 1
    return num.Spacing(height, columns * channels if max(height, lines) > 1 else 0, across * channels, lines)


def is_strip(op: tdsl.Conv2dOp) -> bool:
    """Do the windows of a single image lie beside each other, a constant step from one to the next, in lines?

    A line lies a row behind the one before.
    """
    (_, *taps, _), (_, height, _, _) = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs)
    rows = tdsl.shape_of(op.out)[1]
    pixels = taps == [1, 1] and op.steps == (1, 1)
    in_lines = height == taps[0] + rows - 1 and (rows == 1 or op.steps[0] == 1)
    return op.spread == (1, 1) and (in_lines or pixels)


def pixels_at_once(op: tdsl.Conv2dOp, families: Sequence[TileFamily], room: Room = AMPLE) -> int:
    """How many pixels of a row kernels compute at once; 1 without a kernel for several.

    All tiles of a row have kernels, the last of which may be shorter.
    """
    width = tdsl.shape_of(op.out)[2]
    counts = [count for count in range(width, 1, -1) if width % count != 1 and _has_kernels(op, families, count, room)]
    if not counts:
        return 1
    # Equal tiles need a single kernel.
    return next((count for count in counts if width % count == 0 and 2 * count >= counts[0]), counts[0])


def rows_at_once(op: tdsl.Conv2dOp, families: Sequence[TileFamily], room: Room = AMPLE) -> int:
    """How many rows kernels compute at once; 1 without a kernel for several, or where rows overlap or are padded."""
    filter, (_, height, width, channels) = tdsl.shape_of(op.lhs), tdsl.shape_of(op.out)
    if filter[1:3] != (1, 1) or op.steps != (1, 1) or padding(op.rhs) is not None or gathered(op.rhs) is not None:
        return 1
    most = max(ROWS_BYTES // (width * channels), 1)
    counts = [rows for rows in range(1, min(height, most) + 1) if height % rows == 0]
    return max((rows for rows in counts if _has_kernels(op, families, rows * width, room)), default=1)


def lines_at_once(op: tdsl.Conv2dOp, families: Sequence[TileFamily], room: Room = AMPLE) -> int:
    """How many lines of windows kernels compute at once; 1 without a kernel for several, or for whole rows."""
    _, height, width, _ = tdsl.shape_of(op.out)
    if op.steps != (1, 1) or op.spread != (1, 1):
        return 1
    several = [family for family in families if 1 < family.lines <= height]
    counts = (family.lines for family in several if _has_kernels(op, [family], width, room))
    return max(counts, default=1)


ROWS_BYTES = 1024
"""The most bytes of several rows that are computed at once, as results overwrite operands tile by tile."""


def _strip(op: tdsl.Conv2dOp, count: int, lines: int) -> tdsl.Shape:
    """The shape of what is gathered for pixels: a strip, or windows if a row of their elements is dilated."""
    (_, height, width, _), channels = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs)[3]
    if op.spread[1] > 1 and width > 1:
        return count, height, width, channels
    return 1, height + lines - 1, (count - 1) * op.steps[1] + width, channels


def _gathered(op: tdsl.Conv2dOp, count: int, lines: int = 1) -> int:
    """The bytes that are gathered for pixels; single pixels that nothing pads stay where they are."""
    in_place = tdsl.shape_of(op.lhs)[1:3] == (1, 1) and padding(op.rhs) is None and gathered(op.rhs) is None
    return 0 if in_place else prod(_strip(op, count, lines))


def _has_kernels(op: tdsl.Conv2dOp, families: Sequence[TileFamily], count: int, room: Room) -> bool:
    """Is there a kernel for so many pixels, and one for those that remain in a row, and room for them?"""
    lines = max((family.lines for family in families), default=1)
    gathered, alone, filters = _gathered(op, count, lines), _gathered(op, 1), tdsl.shape_of(op.lhs)[0]
    if gathered > room.strip:
        return False
    if room.spare is not None and gathered - alone + (lines * count - 1) * filters > room.spare:
        return False
    extent = tdsl.shape_of(op.out)[2]
    counts = [count] if count >= extent else [count, extent % count or count]
    return all(any(_kernels(op, families, tile_count)) for tile_count in counts)


def _kernels(op: tdsl.Conv2dOp, families: Sequence[TileFamily], count: int) -> Iterator[Kernel]:
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
        if family.op != name or _gathered(op, count, family.lines) > family.most:
            continue
        places = spacing(tdsl.shape_of(op.lhs), _strip(op, count, family.lines), op.steps[1])
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
