"""The kernels: composed ones on vectors, before those of RISC-V without vectors."""

from __future__ import annotations

from rvv.channels import Channels
from rvv.columns import Columns
from rvv.dots import dot, dot_rows
from rvv.elements import Elements
from rvv.rows import Rows
from rvv.vectors import CORE, HEADER
from tinyml.extend.chips import Composed, Kernel, ListedKernels, TileComposer, statement
from tinyml.extend.lanes import ElementLoop, LoopCoder, loop_in_c, loop_signature
from tinyml.extend.runners import chip_of

_CALL = 16
"""Bytes of flash of a call."""

_RVV = TileComposer(HEADER, CORE, statement, call=_CALL)

COLUMN_TILES = _RVV.family("tm_rvv_column_tile_s8", Columns)
ROW_TILES = _RVV.family("tm_rvv_row_tile_s8", Rows)
"""Rows of a matrix by windows, elements or rows in the lanes: the first that has a kernel for a shape is faster."""

CHANNEL_TILES = _RVV.family("tm_rvv_channel_tile_s8", Channels, channels=True)
"""Depthwise filters."""


def _elements(symbol: str, loop: ElementLoop) -> Kernel | None:
    made = Elements(loop)
    if not made.fits:
        return None
    head, bodies = loop_signature(symbol, loop), {(CORE,): statement(made.lines)}
    text = Composed(HEADER, head, bodies, loop_in_c(loop), {"": made.time}, _CALL, functions=loop.functions)
    return Kernel(symbol, 8, 8, 32, op="num.coded_loop", flash=None, code=made.bytes, composed=text)


ELEMENTS = LoopCoder("tm_rvv_elements", _elements)
"""Loops over elements."""

KERNELS = (dot(8, 8), dot(8, 16), dot(16, 8), dot(16, 16), dot_rows(8, 8), dot_rows(8, 16), dot_rows(16, 16))

MAKERS = (ListedKernels(KERNELS), COLUMN_TILES, ROW_TILES, CHANNEL_TILES, ELEMENTS, *chip_of("riscv").makers)
"""The table of the chip, best first."""
