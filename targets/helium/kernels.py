"""The kernels for Cortex-M cores with Helium: composed ones, before those of the Cortex-M4."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.instructions import statement
from tinyml.targets.composer.tile_code import TileComposer
from tinyml.targets.cortex_m import kernels as cortex_m
from tinyml.targets.cortex_m.composer.fragments import SYNTAX
from tinyml.targets.helium.composer.depthwise import Channels
from tinyml.targets.helium.composer.rows import Rows


def _statement(lines: Sequence[str]) -> str:
    """The body of a naked function."""
    return statement((*SYNTAX, *lines))


_MVE = TileComposer("tinyml/cores.h", "TM_CORE == 8 && defined(__ARM_FEATURE_MVE)", _statement, call=16, needs="mve")

DOT_TILES = _MVE.family("tm_mve_dot_tile_s8", Rows)
"""Rows of a matrix by windows."""

CHANNEL_TILES = _MVE.family("tm_mve_channel_tile_s8", Channels, channels=True)
"""Depthwise filters."""

MAKERS = (DOT_TILES, CHANNEL_TILES, *cortex_m.MAKERS)
"""The table of the chip, best first."""
