"""The kernels of the core: composed kernels with vector instructions, followed by RISC-V's kernels without vector
instructions.
"""

from __future__ import annotations

from rvv.channels import Channels
from rvv.columns import Columns
from rvv.dots import dot, dot_rows
from rvv.elements import Elements
from rvv.rows import Rows
from rvv.vectors import CORE, HEADER
from tinyml.extend.chips import ListedKernels, TileComposer, statement
from tinyml.extend.runners import chip_of

_CALL = 16
"""The bytes of flash that a call needs."""

_RVV = TileComposer(HEADER, CORE, statement, call=_CALL)

COLUMN_TILES = _RVV.family("tm_rvv_column_tile_s8", Columns)
ROW_TILES = _RVV.family("tm_rvv_row_tile_s8", Rows)
"""Kernels with elements or with rows in the lanes. Of two kernels for a shape, that of the first family is faster."""

CHANNEL_TILES = _RVV.family("tm_rvv_channel_tile_s8", Channels, channels=True)
"""Kernels for depthwise filters."""


ELEMENTS = _RVV.lanes("tm_rvv_elements", Elements)
"""Kernels for lane functions."""

KERNELS = (dot(8, 8), dot(8, 16), dot(16, 8), dot(16, 16), dot_rows(8, 8), dot_rows(8, 16), dot_rows(16, 16))

MAKERS = (ListedKernels(KERNELS), COLUMN_TILES, ROW_TILES, CHANNEL_TILES, ELEMENTS, *chip_of("riscv").makers)
"""The table of the chip's kernels, best first."""
