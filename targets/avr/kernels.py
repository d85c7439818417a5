"""The kernels for AVR, all of them composed, and the costs of reading packed constants without kernels.

Kernels that read flash by Z+ alone, and never set Z, also exist for weights anywhere in flash: `elpm Rd,Z+` takes as
long as `lpm Rd,Z+` and increments RAMPZ:Z, so that a run may cross a boundary of 64 KB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from tinyml.dialects.layouts.trees import ForestCode
from tinyml.targets.avr.assembly import AVR, FAR_FLASH, FLASH, HEADER, RAM, statement
from tinyml.targets.avr.boards import ELPM, MUL
from tinyml.targets.avr.composer.channel_tiles import AvrChannelsByRow, AvrSlidingChannels
from tinyml.targets.avr.composer.coded_rows import coded_rows
from tinyml.targets.avr.composer.compose import compose, compose_far
from tinyml.targets.avr.composer.dot_tiles import AvrDotTile
from tinyml.targets.avr.composer.forest_branches import ForestRecords
from tinyml.targets.avr.composer.forest_keys import KeyedForest
from tinyml.targets.avr.composer.forest_leaves import AvrForest
from tinyml.targets.avr.composer.forest_registers import ForestRegisters
from tinyml.targets.avr.composer.forest_tables import ForestTables
from tinyml.targets.avr.composer.fragments import MOST_RIGHT, REQUANTISE, SUM_BITS
from tinyml.targets.avr.composer.regime import regime_dot
from tinyml.targets.avr.composer.sums import axpy, distance, dot, dot_in_chunks, sparse_dot, strided_dot
from tinyml.targets.c.composer.constants_in_c import forest_inline
from tinyml.targets.c.composer.digit_sums import DigitTimes, digit_sum
from tinyml.targets.composer.instructions import Line
from tinyml.targets.composer.tile_code import TileCode, TileComposer
from tinyml.targets.kernel import Kernel, PackedReads
from tinyml.targets.makers import FarConstants, ForestCoder, ListedKernels, RowCoder, SumComposer
from tinyml.targets.tiles import Tile, TileFamily

_MACHINE = TileComposer(
    HEADER, AVR, statement, call=16, needs=MUL, flash=True, enter=10.0, bits=SUM_BITS, limit=1 << SUM_BITS - 1
)


def _channels(tile: Tile) -> TileCode[Line]:
    sliding = AvrSlidingChannels(tile)
    return sliding if sliding.fits else AvrChannelsByRow(tile)


def _shifted(family: TileFamily, most: int) -> TileFamily:
    """A family that shifts its sums. most: the bytes of an input tile."""
    return replace(family, shifts=True, input_tile_bytes=most)


def _requantised(family: TileFamily, most: int) -> TileFamily:
    """A family with TensorFlow Lite's requantisation. most: the bytes of an input tile."""
    return replace(family, max_right=MOST_RIGHT, input_tile_bytes=most)


SHIFTED_DOTS = _shifted(_MACHINE.family("tm_dot_tile_s8", AvrDotTile), 384)
REQUANTISED_DOTS = _requantised(_MACHINE.family("tm_dot_requantised_s8", AvrDotTile, shared=[REQUANTISE]), 384)
"""Rows of a matrix by windows."""

SHIFTED_CHANNELS = _shifted(_MACHINE.family("tm_channel_tile_s8", _channels, channels=True), 512)
REQUANTISED_CHANNELS = _requantised(
    _MACHINE.family("tm_channel_requantised_s8", _channels, channels=True, shared=[REQUANTISE]), 512
)
"""Depthwise: channels, each with its own filter."""


def _sums(memory: str) -> Sequence[Kernel]:
    """The kernels that have a form for far weights. memory: of the weights, near or far flash."""
    kernels = (
        *(dot(*widths, memory) for widths in ((16, 16, 32), (8, 16, 32), (16, 8, 32))),
        *(dot(8, 8, sum, memory) for sum in (16, 24, 32)),
        *(dot_in_chunks(sum, chunk, memory) for sum in (24, 32) for chunk in (4, 3)),
        *(sparse_dot(*widths, 32, memory) for widths in ((16, 16), (8, 16))),
        *(sparse_dot(8, 8, sum, memory) for sum in (16, 24, 32)),
        *(strided_dot(*widths, memory) for widths in ((16, 16), (8, 16), (8, 8))),
        *(distance(bits, sum, memory) for bits, sum in ((16, 32), (8, 24), (8, 32))),
    )
    return [replace(kernel, needs=MUL) for kernel in kernels]


_OTHERS = (
    dot(16, 16, 32, RAM),
    *(dot(8, 8, sum, RAM) for sum in (16, 24, 32)),
    *(axpy(*widths) for widths in ((16, 16), (8, 16), (8, 8))),
    regime_dot(),
)
KERNELS = (*_sums(FLASH), *(replace(kernel, needs=MUL) for kernel in _OTHERS))


@cache
def _far_sums() -> Mapping[str, Kernel]:
    """The kernels for far weights by the symbols of those for near ones."""
    return {near.symbol: far for near, far in zip(_sums(FLASH), _sums(FAR_FLASH), strict=True)}


def far_kernel(near: Kernel) -> Kernel | None:
    """The kernel of the same sum for far weights, which takes their address as a `tm_far`; None if there is none."""
    return _far_sums().get(near.symbol) or compose_far(near.wanted)


_FORESTS = {"tables": ForestTables, "code": ForestRecords, "registers": ForestRegisters}


def _forests() -> Iterator[ForestCoder]:
    """The forms in assembly, each with floats as bytes too, and plain C for the forests that these do not support."""
    for name, form in _FORESTS.items():
        yield ForestCoder(f"tm_avr_forest_{name}", partial(_forest_kernel, form))
        yield ForestCoder(f"tm_avr_forest_keyed_{name}", partial(_keyed_kernel, form))
    yield ForestCoder("tm_avr_forest_plain", _plain_forest)


def _forest_kernel(form: type[AvrForest], symbol: str, forest: ForestCode) -> Kernel | None:
    return form(forest).kernel(symbol)


def _keyed_kernel(form: type[AvrForest], symbol: str, forest: ForestCode) -> Kernel | None:
    return KeyedForest(forest, form).kernel(symbol)


def _plain_forest(symbol: str, forest: ForestCode) -> Kernel | None:
    """The kernel of a forest whose votes are floats, whose features have four bytes, or of too many results."""
    return None if ForestRecords(forest).fits else forest_inline(symbol, forest)


MAKERS = (
    ListedKernels(KERNELS),
    SumComposer(compose),
    SumComposer(partial(digit_sum, DigitTimes(sign=29.0, trit=33.0, lookup=4.5, row=2.5, table=55.0))),
    SHIFTED_DOTS,
    SHIFTED_CHANNELS,
    REQUANTISED_DOTS,
    REQUANTISED_CHANNELS,
    RowCoder("tm_avr_rows", coded_rows, needs=MUL),
    *_forests(),
    FarConstants(ELPM, far_kernel, load=6.0),
)
"""The table of the chip, best first."""

PACKED_READS = PackedReads(loop=1.6, kernel=5.0, call=12, code={4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66})
