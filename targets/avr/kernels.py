"""The kernels for AVR, all of them composed, and the costs of reading packed constants without kernels.

Kernels whose weights lie anywhere in flash, read by ELPM, are made from those that read the first 64 KB by LPM: `elpm
Rd,Z+` takes as long as `lpm Rd,Z+` and increments RAMPZ:Z, so that a run may cross a boundary of 64 KB. Only kernels
that read flash by Z+ alone, and never set Z, have such a form.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tinyml.targets.avr.assembly import AVR, HEADER, Entered, statement
from tinyml.targets.avr.boards import ELPM, MUL
from tinyml.targets.avr.composer.channel_tiles import AvrChannelsByRow, AvrSlidingChannels
from tinyml.targets.avr.composer.coded_rows import coded_rows
from tinyml.targets.avr.composer.dot_tiles import AvrDotTile
from tinyml.targets.avr.composer.epilogues import MOST_RIGHT, REQUANTISE, SUM_BITS
from tinyml.targets.avr.composer.forest_branches import forest_code, plain_forest
from tinyml.targets.avr.composer.forest_tables import forest_tables
from tinyml.targets.avr.composer.fragments import FLASH, RAM
from tinyml.targets.avr.composer.regime import regime_dot
from tinyml.targets.avr.composer.sums import axpy, distance, dot, dot_in_chunks, sparse_dot, strided_dot
from tinyml.targets.composer.tile_code import TileCode, TileComposer
from tinyml.targets.kernel import FarConstants, ForestCoder, Kernel, PackedReads, RowCoder
from tinyml.targets.tiles import Tile, TileFamily

_READ = re.compile(r"lpm (r\d+),Z\+")
_OTHER_USE = re.compile(r"lpm|\b(r30|r31|Z)\b")
_CALL = 12.0
"""The additional cycles of a call, including the address of its row, as measured on dense layers."""

_POINTER = re.compile(r"\((const int\d+_t \*)(\w+), ")


def far_kernel(kernel: Kernel) -> Kernel | None:
    """The kernel of the same sum for far weights, which takes their address as a `tm_far`; None without such a form."""
    near = kernel.composed
    if not isinstance(near, Entered) or not kernel.flash or _OTHER_USE.search(_READ.sub("", near.assembly)):
        return None
    pointer = _POINTER.search(near.signature)
    if pointer is None:
        return None
    type, name = pointer.groups()
    symbol = f"{near.symbol}_far"
    start = f"    {type}{name} = ({type})"
    page = '    __asm__ volatile("out __RAMPZ__,%0" : : "r"((uint8_t)(far >> 16)));'
    steps = f"{near.symbol}_steps", f"{symbol}_steps"
    composed = replace(
        near,
        symbol=symbol,
        signature=_POINTER.sub("(tm_far far, ", near.signature).replace(f" {near.symbol}(", f" {symbol}("),
        assembly=_READ.sub(r"elpm \1,Z+", near.assembly),
        entry="\n".join([f"{start}(uint16_t)far;", page, near.entry.replace(*steps)]),
        costs={**near.costs, "": near.costs[""] + _CALL},
        portable=f"{start}far;\n{near.portable}",
    )
    return replace(kernel, symbol=symbol, composed=composed)


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


_KERNELS = (
    dot(16, 16, 32),
    dot(16, 16, 32, RAM),
    dot(8, 16, 32),
    dot(16, 8, 32),
    *(dot(8, 8, sum, memory) for sum in (16, 24, 32) for memory in (FLASH, RAM)),
    *(dot_in_chunks(sum, chunk) for sum in (24, 32) for chunk in (4, 3)),
    sparse_dot(16, 16, 32),
    sparse_dot(8, 16, 32),
    *(sparse_dot(8, 8, sum) for sum in (16, 24, 32)),
    strided_dot(16, 16),
    strided_dot(8, 16),
    strided_dot(8, 8),
    distance(16, 32),
    distance(8, 24),
    distance(8, 32),
    axpy(16, 16),
    axpy(8, 16),
    axpy(8, 8),
    regime_dot(),
)
KERNELS = tuple(replace(kernel, needs=MUL) for kernel in _KERNELS)
TILES = (SHIFTED_DOTS, SHIFTED_CHANNELS, REQUANTISED_DOTS, REQUANTISED_CHANNELS)
FORESTS = (
    ForestCoder("tm_avr_forest_tables", forest_tables),
    ForestCoder("tm_avr_forest_code", forest_code),
    # For forests that the assembly does not support: floats, integers of four bytes, many results.
    ForestCoder("tm_avr_forest_plain", plain_forest),
)
CODER = RowCoder("tm_avr_rows", coded_rows, needs=MUL)
PACKED_READS = PackedReads(loop=1.6, kernel=5.0, call=12, code={4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66})
FAR = FarConstants(ELPM, far_kernel, load=6.0)
