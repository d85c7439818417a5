"""The kernels: composed ones on vectors, before those of RISC-V without vectors."""

from __future__ import annotations

from rvv.rows import Rows
from rvv.vectors import CORE, HEADER
from tinyml.extend.chips import TileComposer, statement
from tinyml.extend.runners import chip_of

_CALL = 16
"""Bytes of flash of a call."""

_RVV = TileComposer(HEADER, CORE, statement, call=_CALL)

DOT_TILES = _RVV.family("tm_rvv_dot_tile_s8", Rows)
"""Rows of a matrix by windows."""

MAKERS = (DOT_TILES, *chip_of("riscv").makers)
"""The table of the chip, best first."""
