"""The families of kernels for tiles on RISC-V."""

from __future__ import annotations

from tinyml.targets.composer.tile_code import Machine
from tinyml.targets.riscv.composer.channel_strips import ChannelStrip
from tinyml.targets.riscv.composer.dot_strips import Strip
from tinyml.targets.riscv.composer.registers import RV32IM

_RV32IM = Machine("tinyml/cores.h", RV32IM, call=16)

DOT_TILES = _RV32IM.family("tm_rv_dot_strip_s8_", Strip)
"""Rows of a matrix by windows."""

CHANNEL_TILES = _RV32IM.family("tm_rv_channel_strip_s8_", ChannelStrip, channels=True)
"""Channels, each with a filter."""
