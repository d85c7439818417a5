"""The kernels for Cortex-M: composed ones for the M0+, the M3 and the M4, and plain C for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from tinyml.targets.c.composer.compose import compose
from tinyml.targets.c.composer.constants_in_c import FORESTS
from tinyml.targets.c.composer.digit_sums import DigitTimes, digit_sum
from tinyml.targets.composer.instructions import statement
from tinyml.targets.composer.tile_code import TileCode, TileComposer
from tinyml.targets.cortex_m.composer.coded_depthwise import CodedDepthwise
from tinyml.targets.cortex_m.composer.coded_depthwise_armv6m import CodedDepthwiseArmv6m
from tinyml.targets.cortex_m.composer.coded_rows import coded_rows
from tinyml.targets.cortex_m.composer.coded_rows_armv6m import CodedRowsArmv6m
from tinyml.targets.cortex_m.composer.depthwise import SlidingWindow
from tinyml.targets.cortex_m.composer.depthwise_armv6m import ChannelsArmv6m
from tinyml.targets.cortex_m.composer.dot import channel_rows, dot, dot_rows, sparse_dot
from tinyml.targets.cortex_m.composer.fragments import ARMV6M, DSP, SYNTAX
from tinyml.targets.cortex_m.composer.packed_dot import packed_dot, packed_rows
from tinyml.targets.cortex_m.composer.rows import RowPairs, SingleWindow, WidenedRows
from tinyml.targets.cortex_m.composer.rows_armv6m import RowsArmv6m
from tinyml.targets.cortex_m.composer.segment_dot import segment_dot
from tinyml.targets.cortex_m.composer.winograd_1d import Winograd1d
from tinyml.targets.cortex_m.composer.winograd_2d import LINES, Winograd2d
from tinyml.targets.kernel import REQUANTISED_LIMIT, Kernel, PackedReads
from tinyml.targets.makers import ListedKernels, RowCoder, SumComposer
from tinyml.targets.tiles import Tile


def _statement(lines: Sequence[str]) -> str:
    """The body of a naked function."""
    return statement((*SYNTAX, *lines))


_ARMV7EM = TileComposer("tinyml/cores.h", DSP, _statement, call=16, needs="dsp")
_ARMV6M = TileComposer("tinyml/cores.h", ARMV6M, _statement, call=16, needs="armv6-m", limit=1 << 30)


def _dots(tile: Tile) -> TileCode[str]:
    window = SingleWindow(tile)
    return window if tile.count == 1 and window.fits else RowPairs(tile)


DOT_TILES = _ARMV7EM.family("tm_cm_dot_tile_s8", _dots)
"""Rows of a matrix by windows."""

CHANNEL_TILES = _ARMV7EM.family("tm_cm_channel_tile_s8", SlidingWindow, channels=True)
"""Depthwise filters."""

_CHANNEL_CODER = _ARMV7EM.coder("tm_cm_channels", CHANNEL_TILES, CodedDepthwise)
"""Depthwise filters as code."""

_WIDE_TILES = _ARMV7EM.family("tm_cm_wide_tile_s8", WidenedRows, large=True)
"""Rows of a matrix by windows, with weights of two bytes."""

_WINOGRAD_TILES = replace(_ARMV7EM, limit=REQUANTISED_LIMIT // 2).family("tm_cm_winograd_1d_s8", Winograd1d, large=True)
"""Winograd's F(2, 3), for windows one pixel apart; twice every sum must fit 32 bits."""

_WINOGRAD_SQUARES = replace(_ARMV7EM, limit=REQUANTISED_LIMIT // 4).family(
    "tm_cm_winograd_2d_s8", Winograd2d, large=True, lines=LINES
)
"""Winograd's F(2x2, 3x3), for squares of windows one pixel apart; four times every sum must fit 32 bits."""

_SMALL_DOT_TILES = _ARMV6M.family("tm_cm_small_dot_tile_s8", RowsArmv6m)
"""Rows of a matrix by windows, for ARMv6-M."""

_SMALL_CHANNEL_TILES = _ARMV6M.family("tm_cm_small_channel_tile_s8", ChannelsArmv6m, channels=True)
"""Depthwise filters, for ARMv6-M."""

_SMALL_CHANNEL_CODER = _ARMV6M.coder("tm_cm_small_channels", _SMALL_CHANNEL_TILES, CodedDepthwiseArmv6m)
"""Depthwise filters as code, for ARMv6-M."""

_SMALL_DOT_CODER = _ARMV6M.coder("tm_cm_small_rows", _SMALL_DOT_TILES, CodedRowsArmv6m)
"""Rows of a matrix as code by windows, for ARMv6-M."""


KERNELS = (
    segment_dot(),
    dot(8, 8, 32, step=2.9),
    dot(8, 16, 32, step=3.1),
    dot(16, 8, 32, step=3.1),
    dot(16, 16, 32, step=2.2),
    dot(16, 16, 64, step=2.2),
    channel_rows(8, 8, step=3.8),
    channel_rows(8, 16, step=3.8),
    channel_rows(16, 16, step=3.8),
    dot_rows(8, 8, step=1.8),
    dot_rows(8, 16, step=1.8),
    dot_rows(16, 16, step=1.2),
    packed_dot(2, step=3.9, code=416),
    packed_dot(4, step=4.2, code=308),
    packed_rows(2, step=1.9, code=674),
    packed_rows(4, step=2.0, code=450),
    packed_rows(5, step=3.4, code=658),
    packed_rows(6, step=3.0, code=1096),
    packed_rows(7, step=3.0, code=1846),
    Kernel("tm_cm_distance_s16_s16_s32", 16, 16, 32, op="num.distance", flash=None, step=3.2),
    Kernel("tm_cm_distance_s8_s8_s32", 8, 8, 32, op="num.distance", flash=None, step=3.2),
    sparse_dot(8, 8, step=7.4),
    sparse_dot(8, 16, step=7.4),
    sparse_dot(16, 16, step=7.4),
)
MAKERS = (
    ListedKernels(KERNELS),
    SumComposer(compose),
    SumComposer(partial(digit_sum, DigitTimes(sign=16.0, trit=14.0, lookup=1.8, row=0.5, table=20.0))),
    DOT_TILES,
    CHANNEL_TILES,
    _WIDE_TILES,
    _WINOGRAD_TILES,
    _WINOGRAD_SQUARES,
    _SMALL_DOT_TILES,
    _SMALL_CHANNEL_TILES,
    _CHANNEL_CODER,
    _SMALL_CHANNEL_CODER,
    _SMALL_DOT_CODER,
    RowCoder("tm_cm_rows", coded_rows, needs="dsp"),
    *FORESTS,
)
"""The table of the chip, best first."""

PACKED_READS = PackedReads(loop=1.6, kernel=5.0, call=12, code={4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66})
"""Unmeasured estimates, taken over from an 8-bit chip."""
