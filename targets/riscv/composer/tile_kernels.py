"""The families of tile kernels on RISC-V."""

from __future__ import annotations

from tinyml.targets.composer.tile_code import TileComposer
from tinyml.targets.riscv.assembly.instructions import RV32IM
from tinyml.targets.riscv.composer.channel_tiles import RiscvChannelTile
from tinyml.targets.riscv.composer.dot_tiles import RiscvDotTile

_RV32IM = TileComposer("tinyml/cores.h", RV32IM, call=16)

DOT_TILES = _RV32IM.family("tm_rv_dot_strip_s8", RiscvDotTile)
"""Rows of a matrix by windows."""

CHANNEL_TILES = _RV32IM.family("tm_rv_channel_strip_s8", RiscvChannelTile, channels=True)
"""Depthwise: channels, each with its own filter."""
