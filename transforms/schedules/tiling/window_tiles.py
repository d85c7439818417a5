"""Tiles of adjacent windows of a convolution, and the kernels that compute their pixels at once within a memory limit
(L1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from types import MappingProxyType
from typing import NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, i64

from tinyml.dialects import num, tdsl
from tinyml.dialects.discardable_attributes import DiscardableAttribute, counts
from tinyml.dialects.formats.number_format import INTEGER_CODING
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.costs import kernel_cost
from tinyml.targets.kernel import Kernel
from tinyml.targets.nests import RowSums, TileQuery, constant_start, raws_of
from tinyml.targets.registry import offers, usual_input_tile
from tinyml.targets.tiles import INPUT_TILE_BYTES, tile_of
from tinyml.transforms.schedules.tiling.axis_orders import gathered
from tinyml.transforms.schedules.tiling.padding import padding


@dataclass(frozen=True)
class TileMemory:
    """The memory available for computing several pixels at once.

    input_tile: the maximum size of an input tile in bytes.
    spare: the number of free bytes in the arena; None for no limit. The buffers for the window and the pixel with
        which pixels are computed one by one do not count as free.
    """

    input_tile: int
    spare: int | None = None


AMPLE_MEMORY = TileMemory(INPUT_TILE_BYTES)
"""The memory in ordinary execution without a limit on RAM."""

ROWS_BYTES = 1024
"""Maximum bytes of several rows that are computed at once, as results overwrite operands tile by tile."""

_PARTS, _LEAST_PART = 4, 4
"""The fewest tiles of a line whose results may overwrite it, and the fewest pixels of such a tile."""

_LONGER = 1.02
"""The time of smaller tiles whose results may overwrite more pixels, divided by that of the larger tiles."""

_CALL = 16
"""The time of a call of a kernel within the loop over tiles."""

_STREAMED_SHARE = 3
"""The divisor of the memory for input tiles in streamed segments, where these and the stack share a third of it."""

_CALLS = 320
"""Bytes of stack in addition to those of kernels."""


class Tiling(NamedTuple):
    """The pixels of a convolution that are computed at once: `pixels` of a row, in `rows` rows. If there are
    several rows, they are whole.

    tiles: the kernels, by the numbers of rows and pixels that they compute. There is a kernel for these pixels, and a
    kernel for the remaining pixels of a row or of an image. Empty if pixels are computed one by one.
    """

    pixels: int = 1
    rows: int = 1
    tiles: Mapping[tuple[int, int], num.TileKernelAttr] = MappingProxyType({})


def row_tiling(op: tdsl.Conv2dOp, target: str, memory: TileMemory = AMPLE_MEMORY) -> Tiling:
    """The number of pixels of a row that are computed at once, with kernels for them and for a shorter last tile."""
    pixels, width = _Pixels(op, target), tdsl.shape_of(op.out)[2]
    most = pixels.first((count for count in range(width, 1, -1) if width % count != 1), memory) or Tiling()
    # Equal tiles need a single kernel.
    equal = (count for count in range(most.pixels, 1, -1) if width % count == 0 and 2 * count >= most.pixels)
    return pixels.first(equal, memory) or most


def image_tiling(op: tdsl.Conv2dOp, target: str, memory: TileMemory = AMPLE_MEMORY, *, large: bool = False) -> Tiling:
    """The numbers of pixels and rows of a convolution's result that are computed at once, with kernels for them.

    A tile is one of the following: several rows that form one line of windows, pixels of one row, or several lines of
    windows. If only this op reads an image of one line, a line of windows of one pixel is divided into several tiles,
    whose results may overwrite the pixels of earlier tiles.

    large: whether kernels for several lines at once, which need more flash, may be used.
    """
    (_, *taps, _), (_, height, width, channels) = tdsl.shape_of(op.lhs), tdsl.shape_of(op.out)
    evenly = op.steps == op.spread == (1, 1)
    if evenly and taps == [1, 1] and padding(op.rhs) is None and gathered(op.rhs) is None:
        pixels, most = _Pixels(op, target), min(height, ROWS_BYTES // (width * channels))
        counts = (rows * width for rows in range(most, 1, -1) if height % rows == 0)
        if (whole := pixels.first(counts, memory)) is not None:
            [tile], rows = whole.tiles.values(), whole.pixels // width
            return Tiling(width, rows, {(rows, width): tile})
        if height == 1 and _reads_alone(op):
            parts = (
                count for count in range(max(width // _PARTS, _LEAST_PART), _LEAST_PART - 1, -1) if width % count == 0
            )
            if (part := pixels.first(parts, memory)) is not None:
                return _finer(pixels, part, memory)
    by_row = row_tiling(op, target, memory)
    if not (large and evenly and taps != [1, 1]) or (tile := by_row.tiles.get((1, width))) is None:
        return by_row
    rows = max(_Pixels(op, target).lines(width, memory), default=1)
    return Tiling(width, rows, {(rows, width): tile, (1, width): tile})


def _finer(pixels: _Pixels, part: Tiling, memory: TileMemory) -> Tiling:
    """The tiling with the fewest pixels per tile that takes about as much time as the tiling `part`. Smaller tiles let
    results overwrite more of the image.
    """
    if (most := pixels.time(part.pixels)) is None:
        return part
    fewer = [count for count in range(2, part.pixels) if part.pixels % count == 0]
    times = {count: pixels.time(count) for count in fewer}
    close = (count for count, time in times.items() if time is not None and time <= most * _LONGER)
    return pixels.first(close, memory) or part


def _reads_alone(op: tdsl.Conv2dOp) -> bool:
    """Whether only this convolution reads its image, so that the results of a tile may overwrite the pixels of
    earlier tiles.
    """
    return tdsl.only_reader(tdsl.unreshaped(op.rhs)) is op


def small_memory(convolutions: Iterable[tdsl.Conv2dOp], target: str) -> TileMemory:
    """The memory for input tiles in streamed segments, minus the stack of the kernel with the largest stack frame."""
    least = usual_input_tile(target) // _STREAMED_SHARE
    return TileMemory(max(least - _CALLS - stack_of(convolutions, target), 0))


def stack_of(convolutions: Iterable[tdsl.Conv2dOp], target: str) -> int:
    """The largest stack frame, in bytes, of the kernels that compute two adjacent pixels of one of the convolutions."""
    return max((kernel.stack for op in convolutions for kernel in _Pixels(op, target).kernels(2)), default=0)


class _Pixels:
    """The kernels of a target for adjacent pixels of a convolution."""

    def __init__(self, op: tdsl.Conv2dOp, target: str) -> None:
        self.op, self.target, self.sums = op, target, _row_sums(op)

    def kernels(self, count: int) -> Iterator[Kernel]:
        if (nest := self._nest(count)) is not None:
            bytes = _gathered_bytes(self.op, count)
            yield from (offer.kernel for offer in offers(self.target, nest) if bytes <= offer.input_tile)

    def time(self, count: int) -> float | None:
        kernel = next(self.kernels(count), None)
        cost = None if kernel is None else kernel_cost(kernel).cost
        return None if cost is None else (cost.time + _CALL) / count

    def lines(self, count: int, memory: TileMemory) -> Iterator[int]:
        """Yield the numbers of lines that kernels which need more flash can compute at once, within the memory limit.

        count: the number of pixels in a line.
        """
        if (nest := self._nest(count)) is not None:
            several = replace(nest, lines=tdsl.shape_of(self.op.out)[1], several=True, large=True, times=1)
            for lines, most in ((offer.lines, offer.input_tile) for offer in offers(self.target, several)):
                if self._fits(count, memory, lines) and _gathered_bytes(self.op, count, lines) <= most:
                    yield lines

    def first(self, counts: Iterable[int], memory: TileMemory) -> Tiling | None:
        """The tiling with the first of the numbers `counts` that fits the memory and has kernels. None if there
        is no such number.

        There must be kernels for this number of pixels and for the remaining pixels of a row.
        """
        extent = tdsl.shape_of(self.op.out)[2]
        for count in counts if self.sums is not None else ():
            if not self._fits(count, memory):
                continue
            sizes = {count, extent % count or count} if count < extent else {count}
            kernels = {(1, size): next(self.kernels(size), None) for size in sizes}
            tiles = {pixels: tile_of(kernel) for pixels, kernel in kernels.items() if kernel is not None}
            if len(tiles) == len(sizes):
                return Tiling(count, 1, tiles)
        return None

    def _nest(self, count: int) -> TileQuery | None:
        if self.sums is None:
            return None
        layout = tdsl.window_layout(tdsl.shape_of(self.op.lhs), _shared_shape(self.op, count), self.op.steps[1])
        runs, run, pitch, step = layout
        times = prod(tdsl.shape_of(self.op.out)[1:3]) / count
        return TileQuery(self.sums, run, num.Spacing(runs, pitch, step), count, times=times)

    def _fits(self, count: int, memory: TileMemory, lines: int = 1) -> bool:
        """Whether the memory is sufficient for the input tile and the results of `count` pixels in each of
        `lines` lines.
        """
        bytes, filters = _gathered_bytes(self.op, count, lines), tdsl.shape_of(self.op.out)[3]
        more = bytes - _gathered_bytes(self.op, 1) + (lines * count - 1) * filters
        return bytes <= memory.input_tile and (memory.spare is None or more <= memory.spare)


def _row_sums(op: tdsl.Conv2dOp) -> RowSums | None:
    """The sums of the contraction at L3 to which the convolution is lowered, for which `kernels/tiles.py` queries the
    chip again. Sums of 16-bit factors, which are not predicted, have no tiles at L1.
    """
    (filters, *_, length), channels = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs)[3]
    raws, accumulator = raws_of(op.lhs), op.accumulators[0]
    (lhs, lhs_offset), (rhs, offset) = (tdsl.format_of(x).without_offset() for x in (op.lhs, op.rhs))
    if op.group_count > 1 and not (op.group_count == channels and length == 1):
        return None
    if op.shifts is not None or lhs_offset or not accumulator.INTEGER or raws is None:
        return None
    if not all(format.coding is INTEGER_CODING and format.dtype.itemsize == 1 for format in (lhs, rhs)):
        return None
    weights, start = raws.astype(np.int64).reshape(filters, -1), constant_start(op.initial, op.lhs, accumulator)
    if start is None or start.raws.size not in (1, filters):
        return None
    whole = replace(start, raws=start.raws.reshape(-1)).plus(-offset * weights.sum(1))
    if whole is None:
        return None
    each = filters // op.group_count if op.group_count > 1 else 1
    return RowSums(op.group_count > 1, weights, whole, accumulator, tdsl.format_of(op.out), each)


def _shared_shape(op: tdsl.Conv2dOp, count: int, lines: int = 1) -> tdsl.Shape:
    """The shape of the elements that are gathered for `count` pixels: one input tile or, for a dilated filter,
    separate windows.

    lines: the number of lines of windows.
    """
    (_, height, width, _), channels = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs)[3]
    if op.spread[1] > 1:
        return count, height, width, channels
    return 1, height + lines - 1, (count - 1) * op.steps[1] + width, channels


def _gathered_bytes(op: tdsl.Conv2dOp, count: int, lines: int = 1) -> int:
    """The number of bytes gathered for `count` pixels. 0 for unpadded windows of single pixels, which are read
    without gathering.

    lines: the number of lines of windows.
    """
    in_place = tdsl.shape_of(op.lhs)[1:3] == (1, 1) and padding(op.rhs) is None and gathered(op.rhs) is None
    return 0 if in_place else prod(_shared_shape(op, count, lines))


MEMORY = DiscardableAttribute(
    "tinyml.room",
    {"tdsl.conv2d": counts("the bytes for an input tile, and the spare ones if they are limited", [1, 2], 0)},
    "The memory for the input tiles of an operation (`TileMemory`), set by `plan-execution`.",
)


def memory_attribute(memory: TileMemory) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, [memory.input_tile, *([] if memory.spare is None else [memory.spare])])


def memory_of(op: tdsl.Conv2dOp) -> TileMemory | None:
    """The `TileMemory` that `plan-execution` has recorded on an op. None if it has recorded none."""
    memory = op.attributes.get(MEMORY)
    return TileMemory(*(int(value) for value in memory.get_values())) if isinstance(memory, DenseArrayBase) else None
