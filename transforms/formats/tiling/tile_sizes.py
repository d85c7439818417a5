"""The number of pixels, rows or lines of windows of a convolution that kernels compute at once (L1)."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.dialects import tdsl
from tinyml.targets.tiles import TileFamily
from tinyml.transforms.formats.tiling.axis_orders import gathered
from tinyml.transforms.formats.tiling.padding import padding
from tinyml.transforms.formats.tiling.tile_memory import AMPLE, TileMemory
from tinyml.transforms.formats.tiling.window_kernels import gathered_bytes, kernels

ROWS_BYTES = 1024
"""The most bytes of several rows that are computed at once, as results overwrite operands tile by tile."""


def pixels_at_once(op: tdsl.Conv2dOp, families: Sequence[TileFamily], memory: TileMemory = AMPLE) -> int:
    """The number of pixels of a row that kernels compute at once; 1 without a kernel for several.

    All tiles of a row have kernels; the last tile may be shorter.
    """
    width = tdsl.shape_of(op.out)[2]
    counts = [
        count for count in range(width, 1, -1) if width % count != 1 and _has_kernels(op, families, count, memory)
    ]
    if not counts:
        return 1
    # Equal tiles need a single kernel.
    return next((count for count in counts if width % count == 0 and 2 * count >= counts[0]), counts[0])


def rows_at_once(op: tdsl.Conv2dOp, families: Sequence[TileFamily], memory: TileMemory = AMPLE) -> int:
    """The number of rows that kernels compute at once; 1 without such a kernel, or where rows overlap or are padded."""
    filter, (_, height, width, channels) = tdsl.shape_of(op.lhs), tdsl.shape_of(op.out)
    if filter[1:3] != (1, 1) or op.steps != (1, 1) or padding(op.rhs) is not None or gathered(op.rhs) is not None:
        return 1
    most = max(ROWS_BYTES // (width * channels), 1)
    counts = [rows for rows in range(1, min(height, most) + 1) if height % rows == 0]
    return max((rows for rows in counts if _has_kernels(op, families, rows * width, memory)), default=1)


def lines_at_once(op: tdsl.Conv2dOp, families: Sequence[TileFamily], memory: TileMemory = AMPLE) -> int:
    """The number of lines of windows computed at once; 1 without a kernel for several lines or whole rows."""
    _, height, width, _ = tdsl.shape_of(op.out)
    if op.steps != (1, 1) or op.spread != (1, 1):
        return 1
    several = [family for family in families if 1 < family.lines <= height]
    counts = (family.lines for family in several if _has_kernels(op, [family], width, memory))
    return max(counts, default=1)


def _has_kernels(op: tdsl.Conv2dOp, families: Sequence[TileFamily], count: int, memory: TileMemory) -> bool:
    """True if there is a kernel for `count` pixels, one for the remaining pixels of a row, and memory for both."""
    lines = max((family.lines for family in families), default=1)
    gathered, alone, filters = gathered_bytes(op, count, lines), gathered_bytes(op, 1), tdsl.shape_of(op.lhs)[0]
    if gathered > memory.input_tile:
        return False
    if memory.spare is not None and gathered - alone + (lines * count - 1) * filters > memory.spare:
        return False
    extent = tdsl.shape_of(op.out)[2]
    counts = [count] if count >= extent else [count, extent % count or count]
    return all(any(kernels(op, families, tile_count)) for tile_count in counts)
