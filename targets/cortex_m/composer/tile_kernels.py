"""The families of kernels for tiles on Cortex-M, by instruction set."""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.composer.tile_code import TileCode, TileComposer
from tinyml.targets.cortex_m.composer.assembly import ARMV6M, DSP, SYNTAX
from tinyml.targets.cortex_m.composer.coded.coded_depthwise import CodedDepthwise
from tinyml.targets.cortex_m.composer.coded.coded_depthwise_armv6m import CodedDepthwiseArmv6m
from tinyml.targets.cortex_m.composer.coded.coded_rows_armv6m import CodedRowsArmv6m
from tinyml.targets.cortex_m.composer.depthwise.channels_armv6m import ChannelsArmv6m
from tinyml.targets.cortex_m.composer.depthwise.sliding_window import SlidingWindow
from tinyml.targets.cortex_m.composer.rows.row_pairs import RowPairs
from tinyml.targets.cortex_m.composer.rows.rows_armv6m import RowsArmv6m
from tinyml.targets.cortex_m.composer.rows.single_window import SingleWindow
from tinyml.targets.cortex_m.composer.rows.widened_rows import WidenedRows
from tinyml.targets.cortex_m.composer.winograd.winograd_1d import Winograd1d
from tinyml.targets.cortex_m.composer.winograd.winograd_2d import LINES, Winograd2d
from tinyml.targets.kernel import REQUANTISED_LIMIT
from tinyml.targets.tiles import Tile

_ARMV7EM = TileComposer("tinyml/cores.h", DSP, call=16, needs="dsp", prologue=SYNTAX)
_ARMV6M = TileComposer("tinyml/cores.h", ARMV6M, call=16, needs="armv6-m", limit=1 << 30, prologue=SYNTAX)


def _dots(tile: Tile) -> TileCode:
    window = SingleWindow(tile)
    return window if tile.count == 1 and window.fits else RowPairs(tile)


DOT_TILES = _ARMV7EM.family("tm_cm_dot_strip_s8", _dots)
"""Rows of a matrix by windows."""

CHANNEL_TILES = _ARMV7EM.family("tm_cm_channel_strip_s8", SlidingWindow, channels=True)
"""Depthwise filters."""

CHANNEL_CODER = _ARMV7EM.coder("tm_cm_channels", CHANNEL_TILES, CodedDepthwise)
"""Depthwise filters as code."""

WIDE_TILES = _ARMV7EM.family("tm_cm_wide_strip_s8", WidenedRows, large=True)
"""Rows of a matrix by windows, with weights of two bytes."""

WINOGRAD_TILES = replace(_ARMV7EM, limit=REQUANTISED_LIMIT // 2).family(
    "tm_cm_winograd_strip_s8", Winograd1d, large=True
)
"""Winograd's F(2, 3), for windows one pixel apart; twice every sum must fit 32 bits."""

WINOGRAD_SQUARES = replace(_ARMV7EM, limit=REQUANTISED_LIMIT // 4).family(
    "tm_cm_winograd_squares_s8", Winograd2d, large=True, lines=LINES
)
"""Winograd's F(2x2, 3x3), for squares of windows one pixel apart; four times every sum must fit 32 bits."""

SMALL_DOT_TILES = _ARMV6M.family("tm_cm_small_dot_strip_s8", RowsArmv6m)
"""Rows of a matrix by windows, for ARMv6-M."""

SMALL_CHANNEL_TILES = _ARMV6M.family("tm_cm_small_channel_strip_s8", ChannelsArmv6m, channels=True)
"""Depthwise filters, for ARMv6-M."""

SMALL_CHANNEL_CODER = _ARMV6M.coder("tm_cm_small_channels", SMALL_CHANNEL_TILES, CodedDepthwiseArmv6m)
"""Depthwise filters as code, for ARMv6-M."""

SMALL_DOT_CODER = _ARMV6M.coder("tm_cm_small_rows", SMALL_DOT_TILES, CodedRowsArmv6m)
"""Rows of a matrix as code by windows, for ARMv6-M."""
