"""The families of kernels for tiles on Cortex-M."""

from __future__ import annotations

from tinyml.targets.composer.tile_code import Machine, TileCode
from tinyml.targets.cortex_m.composer.assembly import DSP, SYNTAX
from tinyml.targets.cortex_m.composer.channel_strips import ChannelStrip
from tinyml.targets.cortex_m.composer.dot_strips import Strip
from tinyml.targets.cortex_m.composer.dot_window import Window
from tinyml.targets.tiles import Tile

_ARMV7EM = Machine("tinyml/cores.h", DSP, needs="dsp", call=16, prologue=SYNTAX)


def _dots(tile: Tile) -> TileCode:
    window = Window(tile)
    return window if tile.count == 1 and window.fits else Strip(tile)


DOT_TILES = _ARMV7EM.family("tm_cm_dot_strip_s8_", "num.dot_tiles", _dots)
"""Rows of a matrix by windows."""

CHANNEL_TILES = _ARMV7EM.family("tm_cm_channel_strip_s8_", "num.channel_tiles", ChannelStrip)
"""Channels, each with a filter."""
