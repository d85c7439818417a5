"""The families of tile kernels on AVR."""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.avr.assembly.frames import AVR, HEADER
from tinyml.targets.avr.assembly.instructions import statement
from tinyml.targets.avr.boards import MUL
from tinyml.targets.avr.composer.fragments.epilogues import MOST_RIGHT, REQUANTISE, SUM_BITS
from tinyml.targets.avr.composer.tiles.channels_by_row import AvrChannelsByRow
from tinyml.targets.avr.composer.tiles.dot_tiles import AvrDotTile
from tinyml.targets.avr.composer.tiles.sliding_channels import AvrSlidingChannels
from tinyml.targets.composer.tile_code import TileCode, TileComposer
from tinyml.targets.tiles import Tile, TileFamily

_MACHINE = TileComposer(
    HEADER, AVR, call=16, flash=True, enter=10.0, bits=SUM_BITS, limit=1 << SUM_BITS - 1, statement=statement, needs=MUL
)


def _channels(tile: Tile) -> TileCode:
    strip = AvrSlidingChannels(tile)
    return strip if strip.fits else AvrChannelsByRow(tile)


def _shifted(family: TileFamily, most: int) -> TileFamily:
    """A family that shifts its sums. most: the bytes of a gathered strip."""
    return replace(family, shifts=True, most=most)


def _requantised(family: TileFamily, most: int) -> TileFamily:
    """A family with TensorFlow Lite's requantisation. most: the bytes of a gathered strip."""
    return replace(family, right=MOST_RIGHT, most=most)


SHIFTED_DOTS = _shifted(_MACHINE.family("tm_dot_strip_s8", AvrDotTile), 384)
REQUANTISED_DOTS = _requantised(_MACHINE.family("tm_dot_requantised_s8", AvrDotTile, shared=[REQUANTISE]), 384)
"""Rows of a matrix by windows."""

SHIFTED_CHANNELS = _shifted(_MACHINE.family("tm_channel_strip_s8", _channels, channels=True), 512)
REQUANTISED_CHANNELS = _requantised(
    _MACHINE.family("tm_channel_requantised_s8", _channels, channels=True, shared=[REQUANTISE]), 512
)
"""Depthwise: channels, each with its own filter."""
