"""The families of kernels for tiles on Cortex-M."""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.composer.tile_code import Machine, TileCode
from tinyml.targets.cortex_m.composer import (
    channel_strips_armv6m,
    coded_channels_armv6m,
    coded_dots_armv6m,
    dot_strips_armv6m,
)
from tinyml.targets.cortex_m.composer.assembly import ARMV6M, DSP, SYNTAX
from tinyml.targets.cortex_m.composer.channel_strips import ChannelStrip
from tinyml.targets.cortex_m.composer.coded_channels import CodedChannels
from tinyml.targets.cortex_m.composer.dot_strips import Strip
from tinyml.targets.cortex_m.composer.dot_window import Window
from tinyml.targets.cortex_m.composer.wide_strips import WideStrip
from tinyml.targets.cortex_m.composer.winograd_squares import LINES, WinogradSquares
from tinyml.targets.cortex_m.composer.winograd_strips import WinogradStrip
from tinyml.targets.kernel import REQUANTISED_LIMIT
from tinyml.targets.tiles import Tile

_ARMV7EM = Machine("tinyml/cores.h", DSP, call=16, needs="dsp", prologue=SYNTAX)
_ARMV6M = Machine("tinyml/cores.h", ARMV6M, call=16, needs="armv6-m", limit=1 << 30, prologue=SYNTAX)


def _dots(tile: Tile) -> TileCode:
    window = Window(tile)
    return window if tile.count == 1 and window.fits else Strip(tile)


DOT_TILES = _ARMV7EM.family("tm_cm_dot_strip_s8_", _dots)
"""Rows of a matrix by windows."""

CHANNEL_TILES = _ARMV7EM.family("tm_cm_channel_strip_s8_", ChannelStrip, channels=True)
"""Channels, each with a filter."""

CHANNEL_CODER = _ARMV7EM.coder("tm_cm_channels_", CHANNEL_TILES, CodedChannels)
"""Channels, each with a filter that is code."""

WIDE_TILES = _ARMV7EM.family("tm_cm_wide_strip_s8_", WideStrip, large=True)
"""Rows of a matrix by windows, with weights of two bytes."""

WINOGRAD_TILES = replace(_ARMV7EM, limit=REQUANTISED_LIMIT // 2).family(
    "tm_cm_winograd_strip_s8_", WinogradStrip, large=True
)
"""Rows of a matrix by windows one pixel apart, with two products for three: sums of two results have to fit."""

WINOGRAD_SQUARES = replace(_ARMV7EM, limit=REQUANTISED_LIMIT // 4).family(
    "tm_cm_winograd_squares_s8_", WinogradSquares, large=True, lines=LINES
)
"""Rows of a matrix by squares of two by two windows, with four products for nine: four times their sums have to fit."""

SMALL_DOT_TILES = _ARMV6M.family("tm_cm_small_dot_strip_s8_", dot_strips_armv6m.Strip)
"""Rows of a matrix by windows, for ARMv6-M."""

SMALL_CHANNEL_TILES = _ARMV6M.family("tm_cm_small_channel_strip_s8_", channel_strips_armv6m.ChannelStrip, channels=True)
"""Channels, each with a filter, for ARMv6-M."""

SMALL_CHANNEL_CODER = _ARMV6M.coder("tm_cm_small_channels_", SMALL_CHANNEL_TILES, coded_channels_armv6m.CodedChannels)
"""Channels, each with a filter that is code, for ARMv6-M."""

SMALL_DOT_CODER = _ARMV6M.coder("tm_cm_small_rows_", SMALL_DOT_TILES, coded_dots_armv6m.CodedDots)
"""Rows of a matrix by windows, with weights that are code, for ARMv6-M."""
