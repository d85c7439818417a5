"""The kernels for RISC-V, all of which are composed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tinyml.targets.c.composer.compose import compose
from tinyml.targets.c.composer.digit_sums import DigitTimes, digit_sum
from tinyml.targets.c.composer.forests_in_c import FORESTS
from tinyml.targets.composer.instructions import statement
from tinyml.targets.composer.tile_composer import TileComposer
from tinyml.targets.kernel_table import ListedKernels, SumComposer
from tinyml.targets.riscv.assembly import RV32IM
from tinyml.targets.riscv.boards import M
from tinyml.targets.riscv.composer.channel_tiles import RiscvChannelTile
from tinyml.targets.riscv.composer.dot_tiles import RiscvDotTile
from tinyml.targets.riscv.composer.sums import channel_rows, dot, dot_rows, sparse_dot

_MIN_SHIFTED, _MIN_SHIFTED_WINDOW = 1 << 10, 1 << 12
"""The fewest products of an inference for which a kernel with sums in fixed point is worth its flash, for several
windows and for a single window. Each product takes at least one instruction less. A kernel takes up to one KB.
"""

_RV32IM = TileComposer("tinyml/cores.h", RV32IM, statement, call=16, needs=M)

DOT_TILES = _RV32IM.family("tm_rv_dot_tile_s8", RiscvDotTile, to_even=True)
"""Kernels that multiply rows of a matrix by windows."""

CHANNEL_TILES = _RV32IM.family("tm_rv_channel_tile_s8", RiscvChannelTile, channels=True, to_even=True)
"""Kernels for depthwise filters: each channel has its own filter."""

SHIFTED_DOTS = replace(
    _RV32IM.family("tm_rv_shift_tile_s8", RiscvDotTile, shifts=True),
    least=_MIN_SHIFTED,
    least_alone=_MIN_SHIFTED_WINDOW,
)
"""Kernels that multiply rows of a matrix by windows, with sums in fixed point."""

SHIFTED_CHANNELS = _RV32IM.family("tm_rv_shift_channel_s8", RiscvChannelTile, channels=True, shifts=True)
"""Kernels for depthwise filters, with sums in fixed point."""

DIGITS = SumComposer(partial(digit_sum, DigitTimes(sign=11.0, trit=11.0, lookup=1.8, row=0.5, table=20.0)))
"""Kernels for weights that are packed as digits."""

KERNELS = (
    dot(8, 8, 32),
    dot(8, 16, 32),
    dot(16, 8, 32),
    dot(16, 16, 32),
    dot(16, 16, 64),
    dot_rows(8, 8),
    dot_rows(8, 16),
    dot_rows(16, 16),
    channel_rows(8, 8),
    channel_rows(8, 16),
    channel_rows(16, 16),
    sparse_dot(8, 8),
    sparse_dot(8, 16),
    sparse_dot(16, 16),
)
KERNEL_TABLE = (
    ListedKernels(KERNELS, needs=M),
    SumComposer(compose, needs=M),
    DIGITS,
    DOT_TILES,
    CHANNEL_TILES,
    SHIFTED_DOTS,
    SHIFTED_CHANNELS,
    *FORESTS,
)
"""The chip's table of kernels, the best first."""
