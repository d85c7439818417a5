"""The families of kernels for tiles on AVR."""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.avr.composer.assembly import statement
from tinyml.targets.avr.composer.calls import AVR, HEADER
from tinyml.targets.avr.composer.channel_rows import ChannelRows
from tinyml.targets.avr.composer.channel_strips import ChannelStrip
from tinyml.targets.avr.composer.dot_strips import DotStrip
from tinyml.targets.avr.composer.epilogues import MOST_RIGHT, REQUANTISE, SUM_BITS
from tinyml.targets.composer.tile_code import Machine, TileCode
from tinyml.targets.tiles import Tile, TileFamily

_MACHINE = Machine(
    HEADER, AVR, call=16, flash=True, enter=10.0, bits=SUM_BITS, limit=1 << SUM_BITS - 1, statement=statement
)


def _channels(tile: Tile) -> TileCode:
    strip = ChannelStrip(tile)
    return strip if strip.fits else ChannelRows(tile)


def _shifted(family: TileFamily, most: int) -> TileFamily:
    """A family that shifts its sums. most: bytes of a strip that is gathered."""
    return replace(family, shifts=True, most=most)


def _requantised(family: TileFamily, most: int) -> TileFamily:
    """The same with TensorFlow Lite's requantisation."""
    return replace(family, right=MOST_RIGHT, most=most)


SHIFTED_DOTS = _shifted(_MACHINE.family("tm_dot_strip_s8_", DotStrip), 384)
REQUANTISED_DOTS = _requantised(_MACHINE.family("tm_dot_requantised_s8_", DotStrip, shared=[REQUANTISE]), 384)
"""Rows of a matrix by windows."""

SHIFTED_CHANNELS = _shifted(_MACHINE.family("tm_channel_strip_s8_", _channels, channels=True), 512)
REQUANTISED_CHANNELS = _requantised(
    _MACHINE.family("tm_channel_requantised_s8_", _channels, channels=True, shared=[REQUANTISE]), 512
)
"""Channels, each with a filter."""
